#include "engine/compare/late_rows.h"

namespace braid {

namespace {

constexpr uint64_t kIdentitySeed = 1;  // Of the left side; of the right one, one more.
constexpr uint64_t kKeysSeed = 3;

}  // namespace

RowDigest IdentityOf(size_t side, const SideColumns& columns, const RowBatch& rows, int64_t row) {
  return DigestOf(rows, row, columns.identity(), kIdentitySeed + side);
}

RowDigest KeysOf(const SideColumns& columns, const RowBatch& rows, int64_t row) {
  return DigestOf(rows, row, columns.keys, kKeysSeed);
}

LateRows::LateRows(const ComparePlan& plan, const CollectedRows& rows) {
  for (const CollectedRows::Block& block : rows.blocks()) {
    const RowBatch& batch = block.rows;
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      // A late row has a time, and the columns of the other side are NULL.
      for (size_t side = 0; side < 2; ++side) {
        const SideColumns& columns = plan.late[side];
        if (columns.time < 0 || batch.IsNull(columns.time, row)) continue;
        const int watermark = plan.late_watermark[side];
        const bool at_watermark = !batch.IsNull(watermark, row) &&
                                  batch.Int64(watermark, row) == batch.Int64(columns.time, row);
        identities_[side][IdentityOf(side, columns, batch, row)] = at_watermark;
        if (!columns.keys.empty()) keys_[side].insert(KeysOf(columns, batch, row));
      }
    }
  }
}

}  // namespace braid
