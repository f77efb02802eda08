// The property that makes micro-batches trustworthy: for input without late rows, any split into
// batches, any number of partitions and any interleaving of the tables gives exactly the rows of a
// nested-loop join over everything, and leaves no state behind. Where the rows that match nothing
// are asked for, they are those of both tables that it finds no partner for.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/microbatch/random_join.h"

namespace braid::testing {
namespace {

RC_GTEST_PROP(JoinPropertyTest, AnySplitGivesTheNestedLoopJoin, ()) {
  const std::string type = GenerateJoinType();
  const Condition condition = GenerateCondition();
  const std::vector<int64_t> delays = {*rc::gen::element<int64_t>(0, 1, 500, 4'000),
                                       *rc::gen::element<int64_t>(0, 1, 500, 4'000)};
  const int parallelism = *rc::gen::inRange(1, 5);
  const std::vector<std::vector<Row>> rows = {GenerateRows(delays[0]), GenerateRows(delays[1])};

  const bool reports_unmatched = *rc::gen::inRange(0, 2) == 0;
  RandomRun run({type, condition, delays[0], delays[1], reports_unmatched,
                 fmt::format("SET 'parallelism' = '{}';\n", parallelism)});
  std::vector<size_t> next = {0, 0};
  while (next[0] < rows[0].size() || next[1] < rows[1].size()) {
    size_t table = *rc::gen::inRange<size_t>(0, 2);
    if (next[table] == rows[table].size()) table = 1 - table;
    const size_t count =
        std::min(*rc::gen::inRange<size_t>(1, 12), rows[table].size() - next[table]);
    const auto first = rows[table].begin() + static_cast<std::ptrdiff_t>(next[table]);
    run.Push(table, std::vector<Row>(first, first + static_cast<std::ptrdiff_t>(count)));
    next[table] += count;
    if (*rc::gen::inRange(0, 3) != 0) run.Trigger();
  }
  const Joined found = run.Finish();
  const Joined expected = NestedLoopJoin(type, condition, rows[0], rows[1]);
  RC_ASSERT(found.rows == expected.rows);
  RC_ASSERT(found.unmatched ==
            (reports_unmatched ? expected.unmatched : std::vector<std::string>()));
}

// So many rows that threads share the work of one partition.
TEST(JoinPropertyTest, BatchesOfManyRowsGiveTheNestedLoopJoin) {
  constexpr int64_t kRows = 5'500;
  constexpr int64_t kFirstBatch = 4'500;
  const auto rows_of = [](int64_t step) {
    std::vector<Row> rows;
    for (int64_t row = 0; row < kRows; ++row) {
      // Up to 300 ms behind those before it.
      rows.push_back({row * step % 701, row * 10 - row * 37 % 300, row});
    }
    return rows;
  };
  const std::vector<std::vector<Row>> rows = {rows_of(3), rows_of(5)};
  Condition condition;
  condition.before_ms = 1'000;
  condition.after_ms = 4'000;
  for (const char* type : {"INNER", "LEFT", "FULL", "LEFT SEMI"}) {
    SCOPED_TRACE(type);
    RandomRun run({type, condition, 500, 500});
    for (const size_t table : {size_t{0}, size_t{1}}) {
      run.Push(table, {rows[table].begin(), rows[table].begin() + kFirstBatch});
    }
    run.Trigger();
    for (const size_t table : {size_t{0}, size_t{1}}) {
      run.Push(table, {rows[table].begin() + kFirstBatch, rows[table].end()});
    }
    const Joined expected = NestedLoopJoin(type, condition, rows[0], rows[1]);
    EXPECT_GT(expected.rows.size(), 3'000U);
    EXPECT_EQ(run.Finish().rows, expected.rows);
  }
}

}  // namespace
}  // namespace braid::testing
