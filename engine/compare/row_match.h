// Which rows of two results are equal: both as multisets of digests, changes applied.
//
// Thread rule: free functions.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/compare/row_digest.h"

namespace braid {

struct NumberedDigest {
  RowDigest digest;
  int64_t row = 0;  // Its number in the result.
};

// Sorts by digest, equal ones by number.
void SortDigests(std::vector<NumberedDigest>* rows);

// Drops what does not remain when the changes are applied: of each digest as many are left as there
// are more additions than rows taken back, the latest ones. `is_addition`: one a row number.
// REQUIRES: sorted.
void ApplyChanges(std::span<const uint8_t> is_addition, std::vector<NumberedDigest>* rows);

struct RowMatch {
  std::vector<std::pair<int64_t, int64_t>> equal;  // Row numbers of both results.
  std::array<std::vector<int64_t>, 2> only;        // Row numbers, rising.
};

// Linear. REQUIRES: both sorted.
RowMatch MatchRows(std::span<const NumberedDigest> first, std::span<const NumberedDigest> second);

}  // namespace braid
