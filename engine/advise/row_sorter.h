// Sorts the rows of one table by key and time in bounded memory, whatever their order in the input.
//
//   RowSorter sorter(budget);
//   sorter.Add(row) … ; sorter.Finish();
//   while (const KeyedRow* row = sorter.Peek()) { …; sorter.Pop(); }
//
// Rows are gathered in blocks, and each block is laid out by the upper bits of the keys. A bucket,
// the rows of all blocks whose upper bits are equal, is small: one after the other they are sorted
// and given out. (A bucket that is not small, for it holds a key with very many rows, is merged
// from its parts in the blocks instead.) When the budget is used up, the rows in memory go to a
// temporary file in this order, as one sorted run, and at the end the runs are merged.
//
// Memory: memory_bytes() never exceeds the budget, as long as the runs (rows * 24 bytes / budget)
// times kReadBytesMin fit in it: with a budget of 32 MB, for 250 GB of sorted rows.
// Cost: O(n) moves and, in buckets with few keys, O(n log n) comparisons; with a file, 24 bytes
// written and read once for each row.
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "braid/error.h"
#include "engine/advise/keyed_row.h"
#include "engine/advise/spill_file.h"

namespace braid {

class RowSorter {
 public:
  // Bytes that are read of a run at once, at least.
  static constexpr int64_t kReadBytesMin = 4'096;

  // At least 64 KiB is taken.
  explicit RowSorter(int64_t memory_bytes_max);

  Status Add(const KeyedRow& row) {
    if (incoming_.size() == block_rows_) {
      if (Status stored = StoreBlock(); !stored) return stored;
    }
    incoming_.push_back(row);
    ++num_rows_;
    return {};
  }

  // No row comes any more.
  Status Finish();

  // The next row in order; null at the end. Good until Pop.
  // REQUIRES: Finish was called and succeeded.
  const KeyedRow* Peek() const { return next_; }
  Status Pop() {
    if (++next_ != end_) return {};
    return Advance();
  }

  int64_t num_rows() const { return num_rows_; }
  int64_t memory_bytes() const { return memory_bytes_; }
  int64_t memory_bytes_peak() const { return memory_bytes_peak_; }
  int64_t spilled_bytes() const { return file_ ? file_->size() : 0; }

 private:
  using Rows = std::vector<KeyedRow>;

  struct Block {
    Rows rows;                   // By bucket.
    std::vector<uint32_t> ends;  // Of each bucket.
  };

  // A sorted sequence: a part of a bucket, or a run of the file that is read piece by piece.
  struct Run {
    const KeyedRow* next = nullptr;
    const KeyedRow* end = nullptr;
    int64_t offset = 0;  // Of what was not read yet.
    int64_t unread_rows = 0;
    Rows piece;
  };

  Status StoreBlock();
  // Writes all rows in memory as a run.
  Status Spill();
  // Starts giving out the rows in memory.
  void StartBuckets();
  // Makes the next bucket that is not empty the rows to give out.
  void OpenBucket();
  void SortSmallBucket(size_t num_rows);
  void OpenParts();
  Status OpenFileRuns();
  Status FillPiece(Run* run);
  void StartHeap();
  void SiftDown();
  // After [next_, end_) was used up: what comes then.
  Status Advance();
  void ShowFront();
  void CountMemory(int64_t change);

  int64_t memory_bytes_max_;
  size_t block_rows_;
  int bucket_bits_;
  size_t bucket_rows_max_;  // Of a small bucket.
  size_t blocks_max_;
  int64_t num_rows_ = 0;
  int64_t memory_bytes_ = 0;
  int64_t memory_bytes_peak_ = 0;

  Rows incoming_;
  std::vector<Block> blocks_;  // The first num_blocks_ hold rows.
  size_t num_blocks_ = 0;
  size_t bucket_ = 0;  // The next one to open.
  Rows gathered_;
  Rows sorted_;
  std::vector<uint32_t> ends_;

  std::optional<SpillFile> file_;
  std::vector<int64_t> run_ends_;  // In file_.
  bool merges_file_ = false;
  std::vector<std::unique_ptr<Run>> runs_;
  std::vector<Run*> heap_;  // By `next`, the smallest in front; none that is at its end.

  // What can be given out without looking further; the front run's next row is `next_` while there
  // is a heap.
  const KeyedRow* next_ = nullptr;
  const KeyedRow* end_ = nullptr;
};

}  // namespace braid
