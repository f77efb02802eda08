// Which rows of the tables a mode dropped for being late, in the terms of ComparePlan.
//
// Thread rule: immutable after it is made.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "engine/compare/collected_rows.h"
#include "engine/compare/compare_plan.h"
#include "engine/compare/row_digest.h"

namespace braid {

// Digests of a side's row, and of its keys alone; those of both sides' keys are comparable.
RowDigest IdentityOf(size_t side, const SideColumns& columns, const RowBatch& rows, int64_t row);
RowDigest KeysOf(const SideColumns& columns, const RowBatch& rows, int64_t row);

class LateRows {
 public:
  LateRows(const ComparePlan& plan, const CollectedRows& rows);

  bool Contains(size_t side, const RowDigest& identity) const {
    return identities_[side].contains(identity);
  }
  // Its time was the watermark.
  bool WasAtWatermark(size_t side, const RowDigest& identity) const {
    const auto found = identities_[side].find(identity);
    return found != identities_[side].end() && found->second;
  }
  bool ContainsKeys(size_t side, const RowDigest& keys) const { return keys_[side].contains(keys); }

 private:
  std::array<std::unordered_map<RowDigest, bool, RowDigestHash>, 2> identities_;
  std::array<std::unordered_set<RowDigest, RowDigestHash>, 2> keys_;
};

}  // namespace braid
