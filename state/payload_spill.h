// What a side state with a budget keeps beside its chunks: the file that the payload of cold chunks
// is in, the clock by which chunks are cold, and the rows that were read last, for the columns that
// are gathered of the same rows one after the other.
//
// Ownership: shares the budget; chunks borrow it and must go first.
// Errors: the first one is kept and stays; nothing is written after it.
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "braid/error.h"
#include "braid/row_batch.h"
#include "state/payload_file.h"
#include "state/row_id.h"
#include "state/state_budget.h"

namespace braid {

// Bytes of one string column that an open chunk, which stays in memory, may hold.
uint64_t OpenStringBytesMax(const StateBudget& budget);

class PayloadSpill {
 public:
  explicit PayloadSpill(std::shared_ptr<StateBudget> budget);
  ~PayloadSpill();
  PayloadSpill(const PayloadSpill&) = delete;
  PayloadSpill& operator=(const PayloadSpill&) = delete;

  PayloadFile& file() { return file_; }
  const StateBudget& budget() const { return *budget_; }
  int64_t disk_bytes() const { return file_.disk_bytes(); }

  const Status& status() const { return status_; }
  void NoteFailure(const Error& error) {
    if (status_) status_ = tl::unexpected(error);
  }

  // Rises with each call.
  uint64_t Tick() { return ++clock_; }

  // Whether an open chunk is so large that it should be closed, so that it can go to disk.
  bool IsLargeOpen(int64_t payload_bytes) const;

  // The rows that were read last. Rows of the ring only: call Forget when ids change.
  // The place of each of `rows` among them; false if one is not there.
  bool FindRead(std::span<const RowId> rows, std::vector<int32_t>* places) const;
  // `rows` rise.
  void KeepRead(std::vector<RowId> rows, std::vector<Column> columns);
  const Column& read_column(size_t column) const { return read_columns_[column]; }
  void Forget();

 private:
  const std::shared_ptr<StateBudget> budget_;
  PayloadFile file_;
  Status status_;
  uint64_t clock_ = 0;
  std::vector<RowId> read_rows_;  // Rising, each once.
  std::vector<Column> read_columns_;
  int64_t read_bytes_ = 0;  // As the budget counts them.
};

}  // namespace braid
