#include "engine/perrecord/record_order.h"

#include <algorithm>

namespace braid {

std::optional<RecordOrder::Run> RecordOrder::Next(std::span<const ReadyRows> tables,
                                                  int32_t rows_max) {
  size_t num_ready = 0;
  size_t first = tables.size();
  bool any_times = false;
  for (size_t table = 0; table < tables.size(); ++table) {
    any_times = any_times || tables[table].times != nullptr;
    if (!tables[table].has_row) continue;
    ++num_ready;
    first = std::min(first, table);
  }
  if (num_ready == 0) return std::nullopt;
  const bool in_turn = interleave_ == Interleave::kRoundRobin ||
                       (interleave_ == Interleave::kEventTime && !any_times);
  if (in_turn) return NextInTurn(tables, num_ready == 1 ? rows_max : 1);
  if (interleave_ == Interleave::kEventTime && num_ready > 1) {
    return NextByTime(tables, first, rows_max);
  }
  return Run{first, std::min(tables[first].num_rows, rows_max)};
}

// Rows of the table with the earliest one, for as long as no other table is before them.
RecordOrder::Run RecordOrder::NextByTime(std::span<const ReadyRows> tables, size_t first,
                                         int32_t rows_max) const {
  size_t earliest = first;
  for (size_t table = first + 1; table < tables.size(); ++table) {
    if (!tables[table].has_row) continue;
    if (tables[table].TimeAt(0) < tables[earliest].TimeAt(0)) earliest = table;
  }
  // The row must be before those of tables to its left, and not after those to its right.
  int64_t before = std::numeric_limits<int64_t>::max();
  int64_t not_after = std::numeric_limits<int64_t>::max();
  for (size_t table = 0; table < tables.size(); ++table) {
    if (table == earliest || !tables[table].has_row) continue;
    int64_t& limit = table < earliest ? before : not_after;
    limit = std::min(limit, tables[table].TimeAt(0));
  }
  const bool has_left = before != std::numeric_limits<int64_t>::max();
  const ReadyRows& rows = tables[earliest];
  const int32_t most = std::min(rows.num_rows, rows_max);
  int32_t count = 1;
  while (count < most) {
    const int64_t time = rows.TimeAt(count);
    if (time > not_after || (has_left && time >= before)) break;
    ++count;
  }
  return {earliest, count};
}

RecordOrder::Run RecordOrder::NextInTurn(std::span<const ReadyRows> tables, int32_t rows_max) {
  while (!tables[turn_].has_row) turn_ = (turn_ + 1) % num_tables_;
  const size_t table = turn_;
  turn_ = (turn_ + 1) % num_tables_;
  return {table, std::min(tables[table].num_rows, rows_max)};
}

}  // namespace braid
