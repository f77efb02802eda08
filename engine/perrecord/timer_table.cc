#include "engine/perrecord/timer_table.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace braid {

namespace {

constexpr size_t kSlotsMin = 64;

}  // namespace

size_t TimerTable::SlotOf(uint64_t word) const {
  size_t slot = HomeOf(word);
  while (!slots_[slot].is_empty() && slots_[slot].word != word) slot = Next(slot);
  return slot;
}

bool TimerTable::Insert(uint64_t word, int64_t millis) {
  if ((size_ + 1) * 3 > slots_.size() * 2) Grow();
  Slot& slot = slots_[SlotOf(word)];
  if (!slot.is_empty()) return false;
  slot = {word, static_cast<uint64_t>(millis) ^ kSignBit};
  ++size_;
  return true;
}

// Entries behind the gap move into it if that is on their way from home.
void TimerTable::Erase(uint64_t word) {
  if (size_ == 0) return;
  size_t gap = SlotOf(word);
  if (slots_[gap].is_empty()) return;
  --size_;
  const size_t mask = slots_.size() - 1;
  for (size_t slot = Next(gap); !slots_[slot].is_empty(); slot = Next(slot)) {
    const size_t from_home = (slot - HomeOf(slots_[slot].word)) & mask;
    if (from_home < ((slot - gap) & mask)) continue;
    slots_[gap] = slots_[slot];
    gap = slot;
  }
  slots_[gap] = {};
}

std::optional<int64_t> TimerTable::Find(uint64_t word) const {
  if (size_ == 0) return std::nullopt;
  const Slot& slot = slots_[SlotOf(word)];
  return slot.is_empty() ? std::nullopt : std::optional<int64_t>(slot.millis());
}

void TimerTable::Grow() {
  const std::vector<Slot> old = std::exchange(slots_, {});
  slots_.resize(std::max(kSlotsMin, old.size() * 2));
  shift_ = 64 - std::countr_zero(slots_.size());
  for (const Slot& slot : old) {
    if (!slot.is_empty()) slots_[SlotOf(slot.word)] = slot;
  }
}

}  // namespace braid
