#include "state/expiry_order.h"

#include <algorithm>
#include <bit>

namespace braid {

namespace {

constexpr int kBucketBits = 12;

}  // namespace

void ExpiryOrder::Build(const Entry* entries, const std::vector<uint16_t>& slots) {
  next_ = 0;
  slots_.resize(slots.size());
  if (slots.empty()) return;
  earliest_ = kNullTimeOffset;
  uint32_t latest = 0;
  for (const uint16_t slot : slots) {
    earliest_ = std::min(earliest_, entries[slot].time);
    latest = std::max(latest, entries[slot].time);
  }
  const int bits = static_cast<int>(std::bit_width(latest - earliest_));
  shift_ = std::max(0, bits - kBucketBits);
  std::vector<uint32_t> starts((size_t{1} << kBucketBits) + 1, 0);
  for (const uint16_t slot : slots) ++starts[BucketOf(entries[slot].time) + 1];
  for (size_t bucket = 1; bucket < starts.size(); ++bucket) starts[bucket] += starts[bucket - 1];
  for (const uint16_t slot : slots) slots_[starts[BucketOf(entries[slot].time)]++] = slot;
}

}  // namespace braid
