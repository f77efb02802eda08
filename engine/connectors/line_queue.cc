#include "engine/connectors/line_queue.h"

#include <algorithm>
#include <string_view>

namespace braid {

namespace {

// Small blocks are joined up to this size, which spares memory.
constexpr size_t kBlockBytes = size_t{64} << 10;

// How many bytes of whole lines, at least one line, are at the front of `text`.
size_t LinesWithin(std::string_view text, size_t bytes_max) {
  if (text.size() <= bytes_max) return text.size();
  const size_t last = text.substr(0, bytes_max).rfind('\n');
  return (last != std::string_view::npos ? last : text.find('\n', bytes_max)) + 1;
}

}  // namespace

bool LineQueue::AskRoom() {
  const std::lock_guard lock(mutex_);
  if (num_bytes_ < bytes_max_) return true;
  room_wanted_ = true;
  return false;
}

void LineQueue::Put(LineBlock block) {
  if (block.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    num_bytes_ += static_cast<int64_t>(block.text.size());
    num_lines_put_ += block.num_lines;
    if (!blocks_.empty() && blocks_.back().text.size() + block.text.size() <= kBlockBytes) {
      blocks_.back().Append(block);
    } else {
      blocks_.push_back(std::move(block));
    }
  }
  if (lines_listener_) lines_listener_();
}

LineBlock LineQueue::Take(int64_t bytes_max) {
  const size_t limit = bytes_max > 0 ? static_cast<size_t>(bytes_max) : SIZE_MAX;
  LineBlock taken;
  bool room = false;
  {
    const std::lock_guard lock(mutex_);
    while (!blocks_.empty() && taken.text.size() < limit) {
      const std::string_view front = std::string_view(blocks_.front().text).substr(front_used_);
      const size_t bytes = LinesWithin(front, limit - taken.text.size());
      if (!taken.empty() && taken.text.size() + bytes > limit) break;
      taken.text += front.substr(0, bytes);
      taken.num_lines += CountLines(front.substr(0, bytes));
      front_used_ += bytes;
      if (bytes == front.size()) {
        blocks_.pop_front();
        front_used_ = 0;
      }
    }
    num_bytes_ -= static_cast<int64_t>(taken.text.size());
    room = room_wanted_ && num_bytes_ <= bytes_max_ / 2;
    if (room) room_wanted_ = false;
  }
  if (room) room_listener_();
  return taken;
}

int64_t LineQueue::num_bytes() const {
  const std::lock_guard lock(mutex_);
  return num_bytes_;
}

int64_t LineQueue::num_lines_put() const {
  const std::lock_guard lock(mutex_);
  return num_lines_put_;
}

}  // namespace braid
