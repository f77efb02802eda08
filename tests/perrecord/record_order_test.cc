#include "engine/perrecord/record_order.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace braid {
namespace {

struct Rows {
  std::vector<int64_t> times;
  std::vector<uint8_t> valid;  // Bits; empty: all valid.
  bool has_row_time = true;
};

// Reads all rows of the tables in order: "a1 b5 …", a letter a table and the time of the row.
std::string ReadAll(Interleave interleave, const std::vector<Rows>& tables,
                    int32_t rows_max = 100) {
  RecordOrder order(interleave, tables.size());
  std::vector<size_t> next(tables.size(), 0);
  std::string text;
  while (true) {
    std::vector<ReadyRows> ready(tables.size());
    for (size_t table = 0; table < tables.size(); ++table) {
      const Rows& rows = tables[table];
      ready[table].num_rows = static_cast<int32_t>(rows.times.size() - next[table]);
      ready[table].has_row = ready[table].num_rows > 0;
      if (rows.has_row_time) ready[table].times = rows.times.data() + next[table];
      if (!rows.valid.empty()) ready[table].valid = rows.valid.data();
      ready[table].valid_first = static_cast<int64_t>(next[table]);
    }
    const std::optional<RecordOrder::Run> run = order.Next(ready, rows_max);
    if (!run) return text;
    EXPECT_LE(run->num_rows, rows_max);
    for (int32_t row = 0; row < run->num_rows; ++row) {
      if (!text.empty()) text += ' ';
      text += static_cast<char>('a' + run->table);
      text += std::to_string(tables[run->table].times[next[run->table]++]);
    }
  }
}

TEST(RecordOrderTest, EventTimeTakesTheEarliestNextRowAndTheLeftOneOfEqualOnes) {
  EXPECT_EQ(ReadAll(Interleave::kEventTime, {{{1, 4, 7, 7}, {}}, {{2, 4, 6, 7, 9}, {}}}),
            "a1 b2 a4 b4 b6 a7 a7 b7 b9");
  EXPECT_EQ(ReadAll(Interleave::kEventTime, {{{5}, {}}, {{5}, {}}, {{1, 5}, {}}}), "c1 a5 b5 c5");
}

TEST(RecordOrderTest, ARowOutOfOrderHoldsItsTableUpUntilItIsItsTurn) {
  EXPECT_EQ(ReadAll(Interleave::kEventTime, {{{1, 100, 2, 3}, {}}, {{4, 5, 101}, {}}}),
            "a1 b4 b5 a100 a2 a3 b101");
}

TEST(RecordOrderTest, ARowWithoutRowTimeComesAsSoonAsItIsNext) {
  // The second row of the left table is NULL, whatever its value.
  EXPECT_EQ(ReadAll(Interleave::kEventTime, {{{3, 9, 4}, {0b101}}, {{1, 3, 5}, {}}}),
            "b1 a3 a9 b3 a4 b5");
}

TEST(RecordOrderTest, ATableWithoutRowTimeIsReadFirst) {
  EXPECT_EQ(ReadAll(Interleave::kEventTime, {{{1, 2}, {}}, {{8, 9}, {}, false}}), "b8 b9 a1 a2");
}

TEST(RecordOrderTest, WithoutAnyRowTimeTheTablesTakeTurns) {
  const std::vector<Rows> tables = {{{1, 2, 3, 4}, {}, false}, {{5, 6}, {}, false}};
  EXPECT_EQ(ReadAll(Interleave::kEventTime, tables), "a1 b5 a2 b6 a3 a4");
}

TEST(RecordOrderTest, RoundRobinLeavesOutTablesThatHaveEnded) {
  EXPECT_EQ(ReadAll(Interleave::kRoundRobin, {{{9}, {}}, {{1, 2, 3}, {}}, {{4, 5}, {}}}),
            "a9 b1 c4 b2 c5 b3");
}

TEST(RecordOrderTest, LeftFirstReadsOneTableAfterTheOther) {
  EXPECT_EQ(ReadAll(Interleave::kLeftFirst, {{{9, 8}, {}}, {{1}, {}}}), "a9 a8 b1");
}

TEST(RecordOrderTest, TheOrderDoesNotDependOnHowManyRowsAreTakenAtOnce) {
  const std::vector<Rows> tables = {{{1, 4, 7, 7}, {}}, {{2, 4, 6, 7, 9}, {}}, {{4, 1}, {}}};
  for (const Interleave interleave :
       {Interleave::kEventTime, Interleave::kRoundRobin, Interleave::kLeftFirst}) {
    EXPECT_EQ(ReadAll(interleave, tables, 1), ReadAll(interleave, tables, 100));
  }
}

TEST(RecordOrderTest, ATurnIsKeptOverARestart) {
  std::vector<ReadyRows> ready(2);
  for (ReadyRows& rows : ready) {
    rows.has_row = true;
    rows.num_rows = 5;
  }
  RecordOrder order(Interleave::kRoundRobin, 2);
  EXPECT_EQ(order.Next(ready, 10)->table, 0U);
  RecordOrder next(Interleave::kRoundRobin, 2);
  next.RestoreTurn(order.turn());
  EXPECT_EQ(next.Next(ready, 10)->table, 1U);
}

}  // namespace
}  // namespace braid
