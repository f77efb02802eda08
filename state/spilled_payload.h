// The payload columns of a closed chunk, on disk in blocks of rows: a row is read with its block,
// not with its chunk, and with all its columns.
//
// Ownership: gives its space back to the file, which must outlive it.
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "braid/column_builder.h"
#include "braid/error.h"
#include "state/payload_column.h"
#include "state/payload_file.h"

namespace braid {

class SpilledPayload {
 public:
  // Rows of one block: some pages of rows of usual width.
  static constexpr uint32_t kBlockRows = 64;

  // Writes the first `count` rows of `columns`. REQUIRES: count > 0, columns is not empty.
  static Result<std::unique_ptr<SpilledPayload>> Write(std::span<const PayloadColumn> columns,
                                                       uint32_t count, PayloadFile* file);
  ~SpilledPayload();
  SpilledPayload(const SpilledPayload&) = delete;
  SpilledPayload& operator=(const SpilledPayload&) = delete;

  // Appends the rows at `slots` (rising) to the builders, one a column. Blocks that follow each
  // other are read at once. kIo, or kCorruption where a checksum is wrong; then some rows may have
  // been appended.
  Status Read(std::span<const uint32_t> slots, std::span<ColumnBuilder> builders) const;

  int64_t memory_bytes() const;

 private:
  struct Block {
    uint64_t end = 0;  // In the chunk's bytes.
    uint64_t checksum = 0;
  };

  SpilledPayload(PayloadFile* file, uint32_t count) : file_(file), count_(count) {}

  uint64_t BeginOf(size_t block) const { return block == 0 ? 0 : blocks_[block - 1].end; }

  int64_t PlaceOf(size_t block) const { return offset_ + static_cast<int64_t>(BeginOf(block)); }

  PayloadFile* file_;
  uint32_t count_;
  int64_t offset_ = 0;
  std::vector<Block> blocks_;
};

}  // namespace braid
