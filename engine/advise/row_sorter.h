// Sorts the rows of one table by key and time in bounded memory, whatever their order in the input:
// blocks of rows are sorted in memory; when the budget is used up, all blocks are merged into one
// sorted run of a temporary file; at the end blocks or runs are merged on the way out.
//
//   RowSorter sorter(budget);
//   sorter.Add(row) … ; sorter.Finish();
//   while (const KeyedRow* row = sorter.Peek()) { …; sorter.Pop(); }
//
// Memory: memory_bytes() never exceeds the budget, as long as the runs (rows * 24 bytes / budget)
// times kReadBytesMin fit in it: with a budget of 32 MB, for 250 GB of sorted rows.
// Cost: O(n log n), and with a file 24 bytes written and read once for each row.
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "braid/error.h"
#include "engine/advise/spill_file.h"

namespace braid {

struct KeyedRow {
  uint64_t word = 0;    // KeyWords: rows of one key have one word.
  int64_t time = 0;     // Microseconds.
  int64_t record = -1;  // Where the columns that conditions need stand (RecordFile); -1: nowhere.

  bool IsBefore(const KeyedRow& other) const {
    return word != other.word ? word < other.word : time < other.time;
  }
};

class RowSorter {
 public:
  // Bytes that are read of a run at once, at least.
  static constexpr int64_t kReadBytesMin = 4'096;

  // `memory_bytes_max`: at least 64 KiB is taken.
  explicit RowSorter(int64_t memory_bytes_max);

  Status Add(const KeyedRow& row) {
    if (block_ == nullptr || block_->size() == block_rows_) {
      if (Status begun = BeginBlock(); !begun) return begun;
    }
    block_->push_back(row);
    ++num_rows_;
    return {};
  }

  // No row comes any more.
  Status Finish();

  // The next row in order; null at the end. Good until Pop.
  // REQUIRES: Finish was called and succeeded.
  const KeyedRow* Peek() const { return heap_.empty() ? nullptr : heap_.front()->next; }
  Status Pop();

  int64_t num_rows() const { return num_rows_; }
  int64_t memory_bytes() const { return memory_bytes_; }
  int64_t memory_bytes_peak() const { return memory_bytes_peak_; }
  int64_t spilled_bytes() const { return file_ ? file_->size() : 0; }

 private:
  using Block = std::vector<KeyedRow>;

  // A sorted sequence: a block, or a part of the file read piece by piece.
  struct Run {
    const KeyedRow* next = nullptr;
    const KeyedRow* end = nullptr;
    int64_t offset = 0;  // Of what was not read yet.
    int64_t unread_rows = 0;
    Block piece;
  };

  Status BeginBlock();
  void SealBlock();
  // Merges all blocks into a run of the file and empties them.
  Status Spill();
  void OpenBlocks();
  Status OpenFileRuns();
  Status FillPiece(Run* run);
  void StartHeap();
  void SiftDown(size_t position);
  void CountMemory(int64_t change);

  int64_t memory_bytes_max_;
  size_t block_rows_;
  size_t blocks_max_;
  int64_t num_rows_ = 0;
  int64_t memory_bytes_ = 0;
  int64_t memory_bytes_peak_ = 0;

  std::vector<std::unique_ptr<Block>> blocks_;
  Block* block_ = nullptr;  // The one that is being filled, the last of num_blocks_.
  size_t num_blocks_ = 0;   // Of blocks_, those in use.
  std::optional<SpillFile> file_;
  std::vector<int64_t> run_ends_;  // In file_.
  std::vector<std::unique_ptr<Run>> runs_;
  std::vector<Run*> heap_;  // By `next`, the smallest in front; no run that is at its end.
};

}  // namespace braid
