// Which keys have a clean-up timer, and when: a table of 16-byte slots with linear probing, so that
// a lookup touches one cache line, which can be asked for ahead of time.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "state/rows/key_word.h"

namespace braid {

class TimerTable {
 public:
  size_t size() const { return size_; }

  // Sets the timer unless the word has one; returns whether it did. REQUIRES: `millis` is not the
  // smallest int64.
  bool Insert(uint64_t word, int64_t millis);
  void Erase(uint64_t word);
  std::optional<int64_t> Find(uint64_t word) const;

  // Asks memory for what the other calls touch first.
  void Prefetch(uint64_t word) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[HomeOf(word)], 1);
  }

  // Calls visit(word, millis) for each timer, in no order.
  template <typename Visit>
  void VisitAll(const Visit& visit) const {
    for (const Slot& slot : slots_) {
      if (!slot.is_empty()) visit(slot.word, slot.millis());
    }
  }

  int64_t memory_bytes() const { return static_cast<int64_t>(slots_.capacity() * sizeof(Slot)); }

 private:
  struct Slot {
    uint64_t word = 0;
    uint64_t time = 0;  // Milliseconds from the smallest int64 on; 0: the slot is empty.

    bool is_empty() const { return time == 0; }
    int64_t millis() const { return static_cast<int64_t>(time ^ kSignBit); }
  };
  static constexpr uint64_t kSignBit = uint64_t{1} << 63;

  size_t HomeOf(uint64_t word) const { return MixKeyWord(word) >> shift_; }
  size_t Next(size_t slot) const { return (slot + 1) & (slots_.size() - 1); }
  // The slot of the word, or the empty one where it would go. REQUIRES: there are slots.
  size_t SlotOf(uint64_t word) const;
  void Grow();

  std::vector<Slot> slots_;  // A power of two, at most two thirds in use.
  int shift_ = 64;
  size_t size_ = 0;
};

}  // namespace braid
