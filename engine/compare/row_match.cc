#include "engine/compare/row_match.h"

#include <algorithm>

namespace braid {

namespace {

bool Precedes(const NumberedDigest& first, const NumberedDigest& second) {
  return first.digest != second.digest ? first.digest < second.digest : first.row < second.row;
}

// The end of the rows with the digest of rows[begin].
size_t EndOfGroup(std::span<const NumberedDigest> rows, size_t begin) {
  size_t end = begin + 1;
  while (end < rows.size() && rows[end].digest == rows[begin].digest) ++end;
  return end;
}

}  // namespace

// A digest's first byte is as good as random, so the parts are even, and each fits a cache.
void SortDigests(std::vector<NumberedDigest>* rows) {
  constexpr size_t kParts = 256;
  constexpr int kShift = 56;
  if (rows->size() < kParts * kParts) {
    std::sort(rows->begin(), rows->end(), Precedes);
    return;
  }
  std::array<size_t, kParts + 1> begins{};
  for (const NumberedDigest& row : *rows) ++begins[(row.digest.high >> kShift) + 1];
  for (size_t part = 0; part < kParts; ++part) begins[part + 1] += begins[part];
  std::array<size_t, kParts> next{};
  std::copy_n(begins.begin(), kParts, next.begin());
  std::vector<NumberedDigest> parted(rows->size());
  for (const NumberedDigest& row : *rows) parted[next[row.digest.high >> kShift]++] = row;
  for (size_t part = 0; part < kParts; ++part) {
    std::sort(parted.begin() + static_cast<std::ptrdiff_t>(begins[part]),
              parted.begin() + static_cast<std::ptrdiff_t>(begins[part + 1]), Precedes);
  }
  rows->swap(parted);
}

void ApplyChanges(std::span<const uint8_t> is_addition, std::vector<NumberedDigest>* rows) {
  size_t kept = 0;
  for (size_t begin = 0; begin < rows->size();) {
    const size_t end = EndOfGroup(*rows, begin);
    int64_t left = 0;
    for (size_t index = begin; index < end; ++index) {
      left += is_addition[static_cast<size_t>((*rows)[index].row)] != 0 ? 1 : -1;
    }
    std::vector<NumberedDigest> latest;
    for (size_t index = end; index > begin && left > 0; --index) {
      const NumberedDigest& row = (*rows)[index - 1];
      if (is_addition[static_cast<size_t>(row.row)] == 0) continue;
      latest.push_back(row);
      --left;
    }
    // There are never more kept than gone through: nothing is overwritten that is still read.
    kept = static_cast<size_t>(std::copy(latest.rbegin(), latest.rend(),
                                         rows->begin() + static_cast<std::ptrdiff_t>(kept)) -
                               rows->begin());
    begin = end;
  }
  rows->resize(kept);
}

RowMatch MatchRows(std::span<const NumberedDigest> first, std::span<const NumberedDigest> second) {
  RowMatch match;
  match.equal.reserve(std::min(first.size(), second.size()));
  size_t left = 0;
  size_t right = 0;
  while (left < first.size() || right < second.size()) {
    const bool ends = left == first.size() || right == second.size();
    if (!ends && first[left].digest == second[right].digest) {
      match.equal.emplace_back(first[left++].row, second[right++].row);
    } else if (right == second.size() ||
               (left < first.size() && first[left].digest < second[right].digest)) {
      match.only[0].push_back(first[left++].row);
    } else {
      match.only[1].push_back(second[right++].row);
    }
  }
  for (std::vector<int64_t>& rows : match.only) std::sort(rows.begin(), rows.end());
  return match;
}

}  // namespace braid
