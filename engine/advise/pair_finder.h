// Finds the pairs of rows with equal keys that are at most `max` apart, from both tables sorted by
// key and time: one walk over both, with the right rows of one key within reach of the current left
// row in memory. Says of all pairs how far the right row is from the left one, and the same of the
// nearest partner of each left row (of two equally near ones the later).
//
// Rows are of one key when their 64-bit key words are equal. For one column of fixed width that is
// exact; texts and keys of several columns are compared by a 64-bit hash alone: among a billion
// keys, a false pair is expected in one run of forty.
//
// Cost: O(rows + pairs). Memory: the right rows of one key within 2 * max; kInvalidInput if these
// need more than the budget.
// Thread rule: one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "braid/error.h"
#include "braid/time.h"
#include "engine/advise/pair_filter.h"
#include "engine/advise/row_sorter.h"
#include "engine/advise/time_distribution.h"

namespace braid {

class PairFinder {
 public:
  struct Options {
    Interval max;
    int64_t window_bytes_max = 0;
    size_t exact_max = TimeDistribution::kExactMax;
    PairFilter* filter = nullptr;  // Null for none; borrowed.
  };

  explicit PairFinder(const Options& options)
      : options_(options), all_(options.exact_max), nearest_(options.exact_max) {}

  // REQUIRES: both were finished.
  Status Find(RowSorter* left, RowSorter* right);

  int64_t num_pairs() const { return num_pairs_; }
  int64_t num_left_matched() const { return num_left_matched_; }
  int64_t window_bytes_peak() const { return window_bytes_peak_; }
  const TimeDistribution& all() const { return all_; }
  const TimeDistribution& nearest() const { return nearest_; }

 private:
  struct WindowRow {
    int64_t time = 0;
    int64_t record = -1;
  };

  Status JoinKey(RowSorter* left, RowSorter* right);
  // Takes the right rows of the key up to max after `left` in, and lets those go that are too old.
  Status MoveWindow(const KeyedRow& left, RowSorter* right);
  Status PairUp(const KeyedRow& left);
  Status FilterPending();
  void TakePair(int64_t left_row, Interval difference) {
    ++num_pairs_;
    all_.Add(difference);
    if (left_row != nearest_row_) {
      FinishNearest();
      nearest_row_ = left_row;
      nearest_difference_ = difference;
      return;
    }
    // The differences of one left row rise.
    if (difference <= -nearest_difference_) nearest_difference_ = difference;
  }
  void FinishNearest();

  Options options_;
  TimeDistribution all_;
  TimeDistribution nearest_;
  int64_t num_pairs_ = 0;
  int64_t num_left_matched_ = 0;
  int64_t left_row_ = 0;  // Counts left rows.
  int64_t nearest_row_ = -1;
  Interval nearest_difference_;
  std::vector<WindowRow> window_;
  size_t window_begin_ = 0;
  int64_t window_bytes_peak_ = 0;
  std::vector<CandidatePair> pending_;
};

}  // namespace braid
