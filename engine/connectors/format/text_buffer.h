// Appends to a string through a plain pointer: room is made in large steps, and what was not used
// is given back at the end.
//
// Thread rule: one thread at a time. The string may not be used otherwise during its life.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace braid {

class TextBuffer {
 public:
  explicit TextBuffer(std::string* text) : text_(text), used_(text->size()) {}
  ~TextBuffer() { text_->resize(used_); }
  TextBuffer(const TextBuffer&) = delete;
  TextBuffer& operator=(const TextBuffer&) = delete;

  // Where the next `bytes` bytes may be written. The pointer is good until the next call.
  char* Room(size_t bytes) {
    if (used_ + bytes > text_->size()) [[unlikely]]
      Grow(bytes);
    return text_->data() + used_;
  }

  // Everything before `end`, a pointer into the room that was asked for, is text.
  void EndAt(const char* end) { used_ = static_cast<size_t>(end - text_->data()); }

  // Bytes of text so far, those that were there before included.
  size_t size() const { return used_; }

  void Append(char letter) {
    *Room(1) = letter;
    ++used_;
  }
  void Append(std::string_view text) {
    if (text.empty()) return;
    std::memcpy(Room(text.size()), text.data(), text.size());
    used_ += text.size();
  }

 private:
  static constexpr size_t kStepBytes = size_t{64} << 10;

  void Grow(size_t bytes) {
    text_->resize(std::max(used_ + bytes + kStepBytes, text_->size() + text_->size() / 2));
  }

  std::string* text_;
  size_t used_;
};

}  // namespace braid
