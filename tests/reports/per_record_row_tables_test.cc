// late-rows.table and unmatched-rows.table in per-record mode.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/reports/text_query.h"

namespace braid::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<std::string> kSteps = {"l: 1 10 a, 2 11 b | r: 1 12 x, 3 12 y",
                                         "r: 1 13 z | l: - 14 n", "l: 4 30 c | r: 5 30 u",
                                         "l: 6 60 d | r: 6 61 s, 6 61 t"};

std::string Table(const std::string& name, const std::string& columns) {
  return fmt::format("CREATE TABLE {} ({}) WITH ('connector' = 'memory');\n", name, columns);
}

QueryText PerRecord(const std::string& select) {
  QueryText text;
  text.select = select;
  text.settings = {{"execution.mode", "per-record"}, {"execution.end-of-input", "flush"}};
  return text;
}

// Runs the steps with a checkpoint after each, and the end of the input.
std::string RowsOf(const std::string& table, const QueryText& text, bool restarts,
                   const std::vector<std::string>& steps = kSteps) {
  TextQuery query(text);
  for (const std::string& step : steps) {
    query.Push(step);
    EXPECT_THAT(query.Trigger(), Not(HasSubstr("error")));
    query.AdvanceClock(Seconds(2));
    EXPECT_THAT(query.Trigger(), Not(HasSubstr("error")));
    if (restarts) {
      EXPECT_TRUE(query.Restart());
    }
  }
  query.EndInput();
  EXPECT_THAT(query.Trigger(), Not(HasSubstr("error")));
  return query.AllRows(table);
}

TEST(PerRecordRowTablesTest, UnmatchedRowsAreThoseOfTheMicroBatchMode) {
  for (const char* type : {"INNER", "LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI"}) {
    QueryText text = PerRecord(RangeJoin(type, 5));
    text.settings.emplace_back("unmatched-rows.table", "unmatched");
    text.more_tables = Table(
        "unmatched", "table_name STRING, k BIGINT, row_time TIMESTAMP(3), v STRING, w STRING");
    QueryText batches = text;
    batches.settings[0].second = "micro-batch";
    const std::string wanted = RowsOf("unmatched", batches, /*restarts=*/false);
    EXPECT_EQ(wanted, "l - 14 n -, l 2 11 b -, l 4 30 c -, r 3 12 - y, r 5 30 - u") << type;
    EXPECT_EQ(RowsOf("unmatched", text, /*restarts=*/false), wanted) << type;
    EXPECT_EQ(RowsOf("unmatched", text, /*restarts=*/true), wanted) << type;
  }
}

TEST(PerRecordRowTablesTest, AnUnmatchedRowNamesTheWatermarkThatLetItGo) {
  QueryText text = PerRecord(RangeJoin("INNER", 5));
  text.settings.emplace_back("unmatched-rows.table", "unmatched");
  text.more_tables = Table("unmatched", "k BIGINT, watermark TIMESTAMP(3)");
  EXPECT_EQ(RowsOf("unmatched", text, false), "- 30, 2 30, 3 13, 4 60, 5 60");
}

TEST(PerRecordRowTablesTest, ADataStreamJoinReportsItsUnmatchedRowsToo) {
  QueryText text = PerRecord(RangeJoin("INNER", 5));
  text.settings.emplace_back("per-record.interval-join", "datastream");
  text.settings.emplace_back("unmatched-rows.table", "unmatched");
  text.more_tables = Table("unmatched", "table_name STRING, k BIGINT");
  EXPECT_EQ(RowsOf("unmatched", text, false), "l -, l 2, l 4, r 3, r 5");
  EXPECT_EQ(RowsOf("unmatched", text, true), "l -, l 2, l 4, r 3, r 5");
}

TEST(PerRecordRowTablesTest, ARegularJoinReportsAtTheEndWhatHasNoPartnerThen) {
  QueryText text = PerRecord("SELECT l.k, l.v, r.w FROM l JOIN r ON l.k = r.k");
  text.settings.emplace_back("unmatched-rows.table", "unmatched");
  text.more_tables = Table("unmatched", "table_name STRING, k BIGINT");
  EXPECT_EQ(RowsOf("unmatched", text, false), "l -, l 2, l 4, r 3, r 5");
  EXPECT_EQ(RowsOf("unmatched", text, true), "l -, l 2, l 4, r 3, r 5");
}

// O2 (FLINK-24907): late rows of an interval join, which only the DataStream join refuses.
TEST(PerRecordRowTablesTest, LateRowsOfADataStreamJoinAreKept) {
  QueryText text = PerRecord(RangeJoin("INNER", 5));
  text.settings.emplace_back("per-record.interval-join", "datastream");
  text.settings.emplace_back("late-rows.table", "late");
  text.more_tables =
      Table("late", "table_name STRING, k BIGINT, v STRING, w STRING, watermark TIMESTAMP(3)");
  const std::vector<std::string> steps = {
      "l: 1 100 a | r: 1 100 b", "r: 1 12 rain, 1 100 ontime, 1 101 c", "l: 2 13 hail, 3 102 d"};
  EXPECT_EQ(RowsOf("late", text, false, steps), "l 2 hail - 100, r 1 - rain 100");
  EXPECT_EQ(RowsOf("late", text, true, steps), "l 2 hail - 100, r 1 - rain 100");
  text.settings[2].second = "sql";
  EXPECT_EQ(RowsOf("late", text, false, steps), "");
  EXPECT_THAT(WarningsOf(text), HasSubstr("'per-record.interval-join' = 'datastream'"));
}

}  // namespace
}  // namespace braid::testing
