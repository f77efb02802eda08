// One bit a row of a chunk. Empty until the first bit is set, so that what never happens costs no
// memory; bits beyond its size are 0.
//
// Thread rule: one thread at a time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace braid {

class RowBits {
 public:
  bool empty() const { return words_.empty(); }
  size_t num_words() const { return words_.size(); }
  // Null while empty.
  const uint64_t* data() const { return words_.empty() ? nullptr : words_.data(); }

  uint64_t Word(size_t index) const { return index < words_.size() ? words_[index] : 0; }
  void SetWord(size_t index, uint64_t bits) { words_[index] |= bits; }

  bool Get(uint32_t slot) const { return ((Word(slot >> 6) >> (slot & 63)) & 1) != 0; }

  // REQUIRES: Reserve(n) with n > slot.
  void Set(uint32_t slot) { words_[slot >> 6] |= uint64_t{1} << (slot & 63); }

  // Makes room for `rows` bits.
  void Reserve(uint32_t rows) {
    const size_t needed = (static_cast<size_t>(rows) + 63) / 64;
    if (needed > words_.size()) words_.resize(needed, 0);
  }

  void Clear() {
    words_.clear();
    words_.shrink_to_fit();
  }

  int64_t memory_bytes() const { return static_cast<int64_t>(words_.capacity() * 8); }

 private:
  std::vector<uint64_t> words_;
};

// Bits [0, rows) of word `index` set: the rows of a chunk that exist.
inline uint64_t ExistingRows(size_t index, uint32_t rows) {
  const size_t first = index * 64;
  if (first >= rows) return 0;
  const size_t left = rows - first;
  return left >= 64 ? ~uint64_t{0} : (uint64_t{1} << left) - 1;
}

// Calls visit(slot) for each set bit of word `index`, rising.
template <typename Visit>
void VisitBits(size_t index, uint64_t bits, const Visit& visit) {
  while (bits != 0) {
    visit(static_cast<uint32_t>(index * 64 + static_cast<size_t>(std::countr_zero(bits))));
    bits &= bits - 1;
  }
}

}  // namespace braid
