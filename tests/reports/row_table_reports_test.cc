// late-rows.table and unmatched-rows.table: the rows themselves where users of other engines have
// a count, or nothing. A report's own number is in the comment above its test.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/reports/text_query.h"

namespace braid {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::QueryText;
using testing::RangeJoin;
using testing::RefusalOf;
using testing::TextQuery;
using testing::WarningsOf;

std::string Table(const std::string& name, const std::string& columns) {
  return fmt::format("CREATE TABLE {} ({}) WITH ('connector' = 'memory');\n", name, columns);
}

const std::pair<std::string, std::string> kLate = {"late-rows.table", "late"};
const std::pair<std::string, std::string> kUnmatched = {"unmatched-rows.table", "unmatched"};
const std::pair<std::string, std::string> kFlush = {"execution.end-of-input", "flush"};

struct Variant {
  const char* name;
  const char* parallelism;
  bool on_disk;
  bool restarts;
};

// Runs the steps and the end of the input: in one run and with a restart before each step, with 1
// and 3 partitions, in memory and on disk. `table` must then hold `rows`, each once.
void ExpectTable(const QueryText& text, const std::vector<std::string>& steps,
                 const std::string& table, const std::string& rows) {
  for (const Variant& variant :
       {Variant{"one run", "1", false, false}, Variant{"3 partitions", "3", false, false},
        Variant{"restarts", "1", false, true},
        Variant{"3 partitions, restarts, on disk", "3", true, true}}) {
    QueryText varied = text;
    varied.settings.emplace_back("parallelism", variant.parallelism);
    varied.on_disk = variant.on_disk;
    TextQuery query(varied);
    for (size_t index = 0; index < steps.size(); ++index) {
      if (variant.restarts && index > 0) {
        ASSERT_TRUE(query.Restart());
      }
      EXPECT_THAT(query.Step(steps[index]), Not(HasSubstr("error"))) << variant.name;
    }
    query.EndInput();
    EXPECT_THAT(query.Trigger(), Not(HasSubstr("error"))) << variant.name;
    EXPECT_EQ(query.AllRows(table), rows) << variant.name;
  }
}

// O1 (SPARK-24634), O2 (FLINK-24907)
TEST(RowTableReportsTest, ALateRowIsKeptWithItsTableItsTimeItsWatermarkAndItsBatch) {
  const QueryText text = {
      .select = RangeJoin("INNER", 5),
      .settings = {kLate},
      .more_tables =
          Table("late",
                "table_name STRING, k BIGINT, v STRING, w STRING, row_time TIMESTAMP(3), "
                "watermark TIMESTAMP(3), batch_id BIGINT")};
  ExpectTable(text, {"l: 1 100 | r: 1 100", "r: 1 12 rain, 1 101", "l: 2 13 hail | r: 3 99 x"},
              "late", "l 2 hail - 13 100 3, r 1 - rain 12 100 2, r 3 - x 99 100 3");
}

TEST(RowTableReportsTest, LateRowsOfOneTableComeWithComputedColumnsThatTheQueryDoesNotRead) {
  const QueryText text = {
      .select = "SELECT k FROM l WHERE v = 'seen'",
      .left = "k BIGINT, ts TIMESTAMP(3), v STRING, twice AS k * 2, WATERMARK FOR ts AS ts",
      .settings = {kLate},
      .more_tables = Table("late", "twice BIGINT, v STRING, ts TIMESTAMP(6), batch_id BIGINT")};
  TextQuery query(text);
  EXPECT_EQ(query.Step("l: 1 100 seen"), "1");
  EXPECT_EQ(query.Step("l: 2 101 seen"), "2");
  // 7 is late before the WHERE looks at it.
  EXPECT_EQ(query.Step("l: 7 5 unseen, 8 102 seen"), "8");
  EXPECT_EQ(query.AllRows("late"), "14 unseen 5 2");
  EXPECT_EQ(query.progress().num_late_rows_written, 1);
  EXPECT_FALSE(query.progress().num_unmatched_rows_written.has_value());
}

// Both sides of every kind of join, also where the result pads nothing. Two clicks match one row of
// l: none of them is unmatched, not even of SEMI, for which the first decides.
TEST(RowTableReportsTest, UnmatchedRowsOfEveryJoinKindComeFromBothSides) {
  for (const char* type : {"INNER", "LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI"}) {
    SCOPED_TRACE(type);
    const QueryText text = {
        .select = RangeJoin(type, 5),
        .settings = {kUnmatched, kFlush},
        .more_tables = Table("unmatched",
                             "table_name STRING, k BIGINT, ts TIMESTAMP(3), v STRING, w STRING, "
                             "watermark TIMESTAMP(3)")};
    ExpectTable(text,
                {"l: 1 10 a, 2 11 b | r: 1 12 x, 3 12 y", "r: 1 13 z", "l: 4 30 c | r: 5 30 u",
                 "l: 6 60 d | r: 6 61 s"},
                "unmatched", "l 2 11 b - 30, l 4 30 c - 60, r 3 12 - y 30, r 5 30 - u 60");
  }
}

TEST(RowTableReportsTest, WhatTheFlushLetsOutHasNoWatermark) {
  const QueryText text = {.select = RangeJoin("INNER", 5),
                          .settings = {kUnmatched, kFlush},
                          .more_tables = Table("unmatched",
                                               "table_name STRING, k BIGINT, row_time TIMESTAMP, "
                                               "watermark TIMESTAMP, batch_id BIGINT")};
  ExpectTable(text, {"l: 1 10, 2 10 | r: 1 11"}, "unmatched", "l 2 10 - 2");
}

// Rows that can match nothing never enter state: a NULL time, a NULL key, a filter of their side.
// Rows that are late, or that a WHERE forgets, are none of them.
TEST(RowTableReportsTest, RowsThatCannotMatchAreUnmatchedAtOnce) {
  for (const char* type : {"INNER", "LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI"}) {
    SCOPED_TRACE(type);
    const QueryText text = {
        .select = RangeJoin(type, 5, " AND l.v <> 'no' AND r.w <> 'no'"),
        .settings = {kUnmatched, kFlush},
        .more_tables = Table("unmatched", "table_name STRING, v STRING, w STRING")};
    ExpectTable(text,
                {"l: 1 10 yes, 1 10 no, 1 - null-time, - 10 null-key | r: 1 12 yes, 1 12 no, 1 - "
                 "null-time, - 12 null-key",
                 "l: 8 60 far | r: 8 60 far", "l: 1 2 late | r: 1 2 late"},
                "unmatched",
                "l no -, l null-key -, l null-time -, r - no, r - null-key, r - null-time");
  }
  const QueryText filtered = {.select = RangeJoin("LEFT", 5, " WHERE l.v <> 'gone'"),
                              .settings = {kUnmatched, kFlush},
                              .more_tables = Table("unmatched", "table_name STRING, v STRING")};
  ExpectTable(filtered, {"l: 1 10 kept, 2 10 gone | r: 9 60"}, "unmatched", "l kept, r -");
}

// A column that only such a table asks for is no reason to stop the query.
TEST(RowTableReportsTest, AColumnThatCannotBeComputedIsNullThere) {
  const QueryText text = {
      .select = RangeJoin("INNER", 5),
      .left =
          "k BIGINT, ts TIMESTAMP(3), v STRING, number AS CAST(v AS BIGINT), WATERMARK FOR ts "
          "AS ts",
      .settings = {kLate, kUnmatched, kFlush},
      .more_tables =
          Table("late", "number BIGINT, k BIGINT") + Table("unmatched", "number BIGINT, k BIGINT")};
  const std::vector<std::string> steps = {"l: 1 10 a, 2 10 b, 3 10 7 | r: 1 11",
                                          "l: 8 60 | r: 8 60", "l: 4 1 c, 5 1 8"};
  ExpectTable(text, steps, "late", "- 4, 8 5");
  ExpectTable(text, steps, "unmatched", "- 2, 7 3");
}

// Rows that are on time but expired when they come are reported by the same batch, not stored.
TEST(RowTableReportsTest, ARowThatIsExpiredWhenItComesIsUnmatchedOnce) {
  for (const char* type : {"INNER", "FULL", "LEFT SEMI"}) {
    SCOPED_TRACE(type);
    const QueryText text = {
        .select = fmt::format("SELECT l.k FROM l {} JOIN r ON l.k = r.k AND l.ts = r.ts", type),
        .settings = {kUnmatched, {"execution.no-data-batches", "false"}},
        .more_tables = Table("unmatched", "table_name STRING, k BIGINT, batch_id BIGINT")};
    TextQuery query(text);
    query.Step("l: 2 2 | r: 2 2");
    query.Step("l: 4 1, 6 1 | r: 5 1, 6 1");
    EXPECT_EQ(query.AllRows("unmatched"),
              std::string(type) == "LEFT SEMI" ? "l 4 1, l 6 1, r 5 1, r 6 1" : "l 4 1, r 5 1");
  }
}

TEST(RowTableReportsTest, UnmatchedRowsOfViewsKeepTheColumnsOfTheTable) {
  const QueryText text = {
      .select =
          "SELECT a.double_k FROM (SELECT k + k AS double_k, ts FROM l WHERE k > 0) a JOIN "
          "r AS b ON a.double_k = b.k AND b.ts BETWEEN a.ts AND a.ts + INTERVAL '5' SECOND",
      .settings = {kUnmatched, kFlush},
      .more_tables = Table("unmatched", "Table_Name STRING, K BIGINT, v STRING, w STRING")};
  ExpectTable(text, {"l: 1 10 one, 2 10 two, 0 10 filtered | r: 2 11 x, 5 11 y"}, "unmatched",
              "a 2 two -, b 5 - y");
}

TEST(RowTableReportsTest, ATableJoinedWithItselfIsToldApartByItsAliases) {
  const QueryText text = {
      .select =
          "SELECT a.k FROM l a JOIN l b ON a.k = b.k AND b.ts BETWEEN a.ts + INTERVAL '1' "
          "SECOND AND a.ts + INTERVAL '5' SECOND",
      .settings = {kLate, kUnmatched, kFlush},
      .more_tables = Table("late", "table_name STRING, k BIGINT") +
                     Table("unmatched", "table_name STRING, k BIGINT, ts TIMESTAMP(3)")};
  ExpectTable(text, {"l: 1 10, 1 12, 2 10"}, "unmatched", "a 1 12, a 2 10, b 1 10, b 2 10");
}

// A crash between publishing and committing: the batch is written again, each row once.
TEST(RowTableReportsTest, ABatchThatRunsAgainReplacesItsRows) {
  for (int calls_max = 1; calls_max < 16; ++calls_max) {
    QueryText text = {.select = RangeJoin("INNER", 5),
                      .settings = {kLate, kUnmatched},
                      .more_tables = Table("late", "table_name STRING, k BIGINT") +
                                     Table("unmatched", "table_name STRING, k BIGINT"),
                      .on_disk = true};
    const std::vector<std::string> steps = {"l: 1 10, 2 10 | r: 2 11, 3 11", "l: 8 60 | r: 8 60",
                                            "l: 4 1 | r: 9 70", "l: 5 90 | r: 8 90"};
    text.sink_calls_max = calls_max;
    TextQuery query(text);
    bool failed = false;
    for (const std::string& step : steps) {
      if (query.Step(step).find("error") == std::string::npos) continue;
      failed = true;
      text.sink_calls_max = -1;
      ASSERT_TRUE(query.Restart(text));
    }
    EXPECT_TRUE(failed);
    EXPECT_THAT(query.Trigger(), Not(HasSubstr("error")));
    EXPECT_EQ(query.AllRows("late"), "l 4") << calls_max;
    EXPECT_EQ(query.AllRows("unmatched"), "l 1, r 3, r 9") << calls_max;
  }
}

struct Refusal {
  const char* name;
  QueryText text;
  std::vector<std::string> words;
};

TEST(RowTableReportsTest, TablesThatCannotHoldTheRowsAreRefusedWithTheReason) {
  const auto join = [](const std::pair<std::string, std::string>& setting,
                       const std::string& tables) {
    return QueryText{.select = RangeJoin("INNER", 5), .settings = {setting}, .more_tables = tables};
  };
  QueryText both = join(kLate, Table("late", "k BIGINT"));
  both.settings.emplace_back("unmatched-rows.table", "late");
  QueryText target = join(kLate, Table("late", "k BIGINT, ts TIMESTAMP(3), ts2 TIMESTAMP(3)"));
  target.select = "INSERT INTO late " + target.select;
  QueryText single = join(kUnmatched, Table("unmatched", "k BIGINT"));
  single.select = "SELECT k FROM l";
  const std::vector<Refusal> refusals = {
      {"unknown table", join(kLate, Table("lat", "k BIGINT")), {"late-rows.table", "lat"}},
      {"both", both, {"both name late"}},
      {"source", join({"late-rows.table", "l"}, ""), {"the query reads that table"}},
      {"target", target, {"the query's result goes there already"}},
      {"no join", single, {"unmatched-rows.table", "no join"}},
      {"unknown column",
       join(kLate, Table("late", "k BIGINT, reason STRING")),
       {"reason", "l (k, ts, v)", "r (k, ts, w)", "table_name STRING", "row_time TIMESTAMP",
        "watermark TIMESTAMP(3)", "batch_id BIGINT"}},
      {"type", join(kLate, Table("late", "k STRING")), {"k", "STRING", "BIGINT"}},
      {"fact's type", join(kUnmatched, Table("unmatched", "batch_id STRING")), {"batch_id"}},
      {"not null", join(kLate, Table("late", "v STRING NOT NULL")), {"v", "NOT NULL", "r"}},
  };
  for (const Refusal& refusal : refusals) {
    const std::string message = RefusalOf(refusal.text);
    for (const std::string& word : refusal.words) {
      EXPECT_THAT(message, HasSubstr(word)) << refusal.name;
    }
  }
}

TEST(RowTableReportsTest, LateRowsWithoutAnyWatermarkAreWarnedOf) {
  const std::string no_watermark = "k BIGINT, ts TIMESTAMP(3), v STRING";
  EXPECT_THAT(WarningsOf({.select = RangeJoin("INNER", 5),
                          .left = no_watermark,
                          .right = "k BIGINT, ts TIMESTAMP(3), w STRING",
                          .settings = {kLate},
                          .more_tables = Table("late", "k BIGINT")}),
              AllOf(HasSubstr("late-rows.table"), HasSubstr("no row is late")));
}

// Late rows leave nothing in state, so that the table may be named from the next run on. Whether a
// row has matched was not kept by a run without the other one.
TEST(RowTableReportsTest, ACheckpointGoesOnWithLateRowsButNotWithUnmatchedOnes) {
  const QueryText plain = {.select = RangeJoin("INNER", 5)};
  QueryText late = plain;
  late.settings = {kLate};
  late.more_tables = Table("late", "v STRING, w STRING");
  QueryText unmatched = plain;
  unmatched.settings = {kUnmatched};
  unmatched.more_tables = Table("unmatched", "v STRING");
  TextQuery query(plain);
  query.Step("l: 1 10 a | r: 1 10 b");
  EXPECT_TRUE(query.Restart(late));
  EXPECT_TRUE(query.Restart(plain));
  const Status refused = query.Restart(unmatched);
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr("unmatched-rows.table is set now"), HasSubstr("is not recorded")));
}

TEST(RowTableReportsTest, ExplainSaysWhatGoesWhereAndWhatItCosts) {
  QueryText text = {.select = RangeJoin("INNER", 5),
                    .settings = {kLate, kUnmatched},
                    .more_tables = Table("late", "k BIGINT, w STRING") +
                                   Table("unmatched", "table_name STRING, v STRING")};
  TextQuery query(text);
  ASSERT_TRUE(query.Start());
  EXPECT_THAT(query.job().Explain(),
              AllOf(HasSubstr("late rows: table late (k, w)"),
                    HasSubstr("unmatched rows: table unmatched (table_name, v)"),
                    HasSubstr("stored for unmatched-rows.table alone: l.v"),
                    HasSubstr("a mark that says whether it has matched")));
  text.settings = {};
  TextQuery plain(text);
  ASSERT_TRUE(plain.Start());
  EXPECT_THAT(plain.job().Explain(), Not(HasSubstr("unmatched")));
}

}  // namespace
}  // namespace braid
