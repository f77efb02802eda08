// The order in which records of several tables are read (source.interleave). It is a function of
// what the tables hold, so that a rerun reads in the same order; only `arrival` is what happened to
// come first, and is written down with the plan of a batch.
//
//   event-time    the table whose next row has the earliest row time; of equal ones the left table.
//                 A row without a row time comes as soon as it is the next of its table; if no
//                 table has row time, the order is round-robin.
//   round-robin   one row of each table in turn, left first; a table that has ended is left out.
//   left-first    all rows of the left table, then those of the next.
//   arrival       what is there, table by table, a slice at a time.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace braid {

enum class Interleave : uint8_t { kEventTime, kRoundRobin, kLeftFirst, kArrival };

// The time of a row that has none.
constexpr int64_t kNoRowTime = std::numeric_limits<int64_t>::min();

// The rows that a table has ready: times of rows from the next one on.
struct ReadyRows {
  bool has_row = false;
  // Row times in microseconds of the rows from the next one on; null if the table has no row time.
  const int64_t* times = nullptr;
  const uint8_t* valid = nullptr;  // Bitmap over the same rows from `valid_first`; null: all valid.
  int64_t valid_first = 0;
  int32_t num_rows = 0;

  int64_t TimeAt(int32_t row) const {
    if (times == nullptr) return kNoRowTime;
    const int64_t bit = valid_first + row;
    if (valid != nullptr && ((valid[bit >> 3] >> (bit & 7)) & 1) == 0) return kNoRowTime;
    return times[row];
  }
};

class RecordOrder {
 public:
  RecordOrder(Interleave interleave, size_t num_tables) : interleave_(interleave) {
    num_tables_ = num_tables;
  }

  struct Run {
    size_t table = 0;
    int32_t num_rows = 0;
  };
  // The rows that come next: at least one, all of one table, `rows_max` at most. Absent if no table
  // has a row. A table without a ready row is left out: it has ended, or is not waited for.
  std::optional<Run> Next(std::span<const ReadyRows> tables, int32_t rows_max);

  // Whose turn it is (round-robin): kept with a checkpoint.
  size_t turn() const { return turn_; }
  void RestoreTurn(size_t turn) { turn_ = turn; }

 private:
  Run NextByTime(std::span<const ReadyRows> tables, size_t first, int32_t rows_max) const;
  Run NextInTurn(std::span<const ReadyRows> tables, int32_t rows_max);

  Interleave interleave_;
  size_t num_tables_ = 0;
  size_t turn_ = 0;
};

}  // namespace braid
