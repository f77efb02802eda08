#include "engine/advise/bucket_sort.h"

#include <algorithm>
#include <bit>

namespace braid {

namespace {

// Buckets whose ends fit in the first cache.
constexpr int kBitsMax = 12;

bool IsBefore(const KeyedRow& left, const KeyedRow& right) { return left.IsBefore(right); }

}  // namespace

void ScatterToBuckets(std::span<const KeyedRow> rows, int skipped, int count,
                      std::span<KeyedRow> to, std::vector<uint32_t>* ends) {
  ends->assign((size_t{1} << count) + 1, 0);
  uint32_t* const next = ends->data();
  for (const KeyedRow& row : rows) ++next[KeyBits(row.key, skipped, count) + 1];
  for (size_t bucket = 1; bucket < ends->size(); ++bucket) next[bucket] += next[bucket - 1];
  for (const KeyedRow& row : rows) to[next[KeyBits(row.key, skipped, count)]++] = row;
  // Where each began has become where it ends.
  ends->pop_back();
}

void SortBucket(std::span<const KeyedRow> rows, int skipped, std::span<KeyedRow> to,
                std::vector<uint32_t>* ends) {
  const int wanted = static_cast<int>(std::bit_width(rows.size()));
  const int count = std::clamp(std::min(wanted, 64 - skipped), 1, kBitsMax);
  ScatterToBuckets(rows, skipped, count, to, ends);
  uint32_t begin = 0;
  for (const uint32_t end : *ends) {
    const auto first = to.begin() + begin;
    const auto last = to.begin() + end;
    if (end - begin == 2) {
      if (IsBefore(first[1], first[0])) std::swap(first[0], first[1]);
    } else if (end - begin > 2) {
      std::sort(first, last, IsBefore);
    }
    begin = end;
  }
}

}  // namespace braid
