// Both modes are one join: for finite input without late rows the rows of micro-batches (with
// flush), those of the per-record mode and those of a nested-loop join are equal, for every kind of
// join, any order of reading, any slices, and any checkpoints and restarts between them.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/microbatch/random_join.h"

namespace braid::testing {
namespace {

struct Slice {
  size_t table = 0;
  std::vector<Row> rows;
};

std::vector<Slice> GenerateSlices(const std::vector<std::vector<Row>>& rows) {
  std::vector<Slice> slices;
  std::vector<size_t> next = {0, 0};
  while (next[0] < rows[0].size() || next[1] < rows[1].size()) {
    size_t table = *rc::gen::inRange<size_t>(0, 2);
    if (next[table] == rows[table].size()) table = 1 - table;
    const size_t count =
        std::min(*rc::gen::inRange<size_t>(1, 12), rows[table].size() - next[table]);
    const auto first = rows[table].begin() + static_cast<std::ptrdiff_t>(next[table]);
    slices.push_back({table, {first, first + static_cast<std::ptrdiff_t>(count)}});
    next[table] += count;
  }
  return slices;
}

Joined RunSlices(RandomJoin join, const std::vector<Slice>& slices) {
  join.has_checkpoint = *rc::gen::inRange(0, 3) != 0;
  RandomRun run(join);
  for (const Slice& slice : slices) {
    run.Push(slice.table, slice.rows);
    if (*rc::gen::inRange(0, 3) != 0) run.Trigger();
    if (*rc::gen::inRange(0, 2) == 0) run.AdvanceClock(Seconds(1));
    if (*rc::gen::inRange(0, 4) == 0) run.Settle();
    // What was read since the last checkpoint is read again.
    if (join.has_checkpoint && *rc::gen::inRange(0, 4) == 0) run.Restart();
  }
  return run.Finish();
}

RC_GTEST_PROP(ModesPropertyTest, BothModesGiveTheNestedLoopJoin, ()) {
  RandomJoin join;
  join.type = GenerateJoinType();
  join.condition = GenerateCondition();
  join.left_delay_ms = *rc::gen::element<int64_t>(0, 1, 500, 4'000);
  join.right_delay_ms = *rc::gen::element<int64_t>(0, 1, 500, 4'000);
  const std::vector<std::vector<Row>> rows = {GenerateRows(join.left_delay_ms),
                                              GenerateRows(join.right_delay_ms)};
  const std::vector<Slice> slices = GenerateSlices(rows);
  Joined expected = NestedLoopJoin(join.type, join.condition, rows[0], rows[1]);
  join.reports_unmatched = *rc::gen::inRange(0, 2) == 0;
  if (!join.reports_unmatched) expected.unmatched.clear();

  join.settings = "SET 'execution.mode' = 'micro-batch';\n";
  RC_ASSERT(RunSlices(join, slices) == expected);

  join.settings = fmt::format(
      "SET 'execution.mode' = 'per-record';\nSET 'source.interleave' = '{}';\n"
      "SET 'table.exec.interval-join.min-cleanup-interval' = '{} ms';\n",
      *rc::gen::element<std::string>("event-time", "round-robin", "left-first", "arrival"),
      *rc::gen::element(0, 700));
  join.table_options = fmt::format(", 'scan.watermark.emit.strategy' = '{}'",
                                   *rc::gen::element<std::string>("on-event", "on-periodic"));
  RC_ASSERT(RunSlices(join, slices) == expected);
}

}  // namespace
}  // namespace braid::testing
