// The columns of one table that a condition over both tables needs, row by row in a temporary file:
// pairs are found in the order of their keys, rows come in another, and both may be larger than
// memory. Read back as memory that the system may take away again.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "braid/column_builder.h"
#include "braid/error.h"
#include "braid/row_batch.h"
#include "engine/advise/spill_file.h"

namespace braid {

class RecordFile {
 public:
  // `columns`: which ones of the side's columns are kept.
  static Result<RecordFile> Create(std::vector<int> columns);

  // Keeps all rows of a slice; the name of each is appended to *records.
  Status Append(std::span<const Column> side_columns, int64_t num_rows,
                std::vector<int64_t>* records);

  // No row comes any more.
  Status Finish();

  // Appends the values of a record to one builder for each kept column.
  // REQUIRES: Finish succeeded.
  void Read(int64_t record, std::span<ColumnBuilder> builders) const;

  int64_t file_bytes() const { return file_.size(); }

 private:
  RecordFile(std::vector<int> columns, SpillFile file);

  Status Flush();

  std::vector<int> columns_;
  SpillFile file_;
  std::vector<char> pending_;  // Not in the file yet.
  std::shared_ptr<const char> bytes_;
};

}  // namespace braid
