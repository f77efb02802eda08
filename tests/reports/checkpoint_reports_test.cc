// Reports about state and restarts (S items), each put to a whole query. S4 to S6 are also in
// changed_job_test.cc, S7 (retention) with the kills of sink_reports_test.cc; S12 (damaged files)
// is tested with the store, in tests/state/store.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <string>
#include <vector>

#include "tests/reports/text_query.h"

namespace braid {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::QueryText;
using testing::RangeJoin;
using testing::TextQuery;

// S1 (SPARK-24699)
TEST(CheckpointReportsTest, AWatermarkOutlivesTheRunThatComputedIt) {
  for (const char* no_data_batches : {"true", "false"}) {
    const QueryText text = {
        .select = RangeJoin("LEFT", 5),
        .settings = {{"execution.trigger", "once"}, {"execution.no-data-batches", no_data_batches}},
        .on_disk = true};
    TextQuery query(text);
    query.Push("l: 1 10, 8 100 | r: 9 100");
    const bool at_once = std::string(no_data_batches) == "true";
    EXPECT_EQ(query.Run(), at_once ? " / * 1 10 -" : "");
    query.Push("l: 7 101");
    EXPECT_EQ(query.Run(), at_once ? "" : "1 10 -");
    EXPECT_EQ(query.AllRows(), "1 10 -");
  }
}

// S2 (SPARK-50046)
TEST(CheckpointReportsTest, EachTablesWatermarkOutlivesTheRun) {
  TextQuery query({.select = RangeJoin("LEFT", 5), .on_disk = true});
  EXPECT_EQ(query.Step("l: 1 10, 8 100"), "");
  ASSERT_TRUE(query.Restart());
  EXPECT_EQ(query.Step("r: 9 200"), " / * 1 10 -");
  EXPECT_EQ(query.progress().watermark, Watermark{100'000});
}

// S3 (SPARK-32794, SPARK-22956)
TEST(CheckpointReportsTest, ACrashInAnyStepOfAnyBatchChangesNothing) {
  const std::vector<std::string> steps = {"l: 1 10, 2 11 | r: 1 12", "l: 3 20",
                                          "l: 8 100 | r: 9 100", "r: 9 120", "l: 4 130 | r: 4 131"};
  QueryText text = {.select = RangeJoin("FULL", 5), .settings = {{"parallelism", "2"}}};
  TextQuery whole(text);
  for (const std::string& step : steps) whole.Step(step);
  const std::string expected = whole.AllRows();
  ASSERT_EQ(expected, "- - 100, - - 120, 1 10 12, 2 11 -, 3 20 -, 4 130 131, 8 100 -");

  // The first life ends at its n-th call of the sink, wherever that is.
  for (int calls = 0; calls < 40; ++calls) {
    text.on_disk = calls % 5 == 0;
    text.sink_calls_max = calls;
    TextQuery query(text);
    for (const std::string& step : steps) {
      query.Push(step);
      for (std::string ran = query.Trigger(); ran.rfind("error", 0) == 0; ran = query.Trigger()) {
        QueryText next = text;
        next.sink_calls_max = -1;
        ASSERT_TRUE(query.Restart(next));
      }
    }
    EXPECT_EQ(query.AllRows(), expected) << calls;
  }
}

// S4 (SPARK-19873)
TEST(CheckpointReportsTest, TheNumberOfPartitionsMayChangeBetweenRuns) {
  QueryText text = {.select = RangeJoin("LEFT", 5), .on_disk = true};
  std::string left;
  std::string right;
  std::string matched;
  std::string padded;
  for (int key = 10; key < 50; ++key) {
    left += fmt::format("{}{} 10", left.empty() ? "" : ", ", key);
    if (key % 2 == 0) {
      right += fmt::format("{}{} 12", right.empty() ? "" : ", ", key);
      matched += fmt::format("{}{} 10 12", matched.empty() ? "" : ", ", key);
    } else {
      padded += fmt::format(", {} 10 -", key);
    }
  }
  for (const char* next : {"8", "3", "1"}) {
    text.settings = {{"parallelism", "4"}};
    TextQuery query(text);
    EXPECT_EQ(query.Step("l: " + left), "");
    text.settings = {{"parallelism", next}};
    ASSERT_TRUE(query.Restart(text));
    EXPECT_EQ(query.Step("r: " + right), matched + " / *") << next;
    text.settings = {{"parallelism", "2"}};
    ASSERT_TRUE(query.Restart(text));
    EXPECT_EQ(query.Step("l: 8 100 | r: 9 100"), " / * " + padded.substr(2)) << next;
  }
}

// S5 (SPARK-27237), S6 (SPARK-55630)
TEST(CheckpointReportsTest, AChangedQueryGoesOnOrIsRefusedByWhatChanged) {
  const QueryText text = {.select = RangeJoin("INNER", 5)};
  const auto select = [](const std::string& columns, const std::string& type, int seconds) {
    std::string join = RangeJoin(type, seconds);
    return join.replace(0, join.find(" FROM"), "SELECT " + columns);
  };
  const std::string wide = "k BIGINT, ts TIMESTAMP(3), v STRING, u BIGINT, WATERMARK FOR ts AS ts";
  struct Case {
    const char* name;
    QueryText next;
    std::vector<std::string> messages;  // Empty: it goes on.
  };
  const std::vector<Case> cases = {
      {"an alias of the output",
       {.select = select("l.k AS a, l.ts AS b, r.ts AS c", "INNER", 5)},
       {}},
      {"another order of the output", {.select = select("r.ts, l.ts, l.k", "INNER", 5)}, {}},
      {"a column that the query does not read", {.select = text.select, .left = wide}, {}},
      {"another delay",
       {.select = text.select,
        .left = "k BIGINT, ts TIMESTAMP(3), v STRING, WATERMARK FOR ts AS ts - INTERVAL '1' "
                "SECOND"},
       {}},
      {"a further column", {.select = select("l.k, l.ts, l.v, r.ts", "INNER", 5)}, {"v"}},
      {"another type",
       {.select = text.select, .left = "k INT, ts TIMESTAMP(3), v STRING, WATERMARK FOR ts AS ts"},
       {"INT", "BIGINT"}},
      {"another join type", {.select = RangeJoin("LEFT", 5)}, {"INNER", "LEFT"}},
      {"another bound", {.select = RangeJoin("INNER", 6)}, {"5", "6"}},
  };
  for (const Case& c : cases) {
    for (const bool on_disk : {false, true}) {
      QueryText first = text;
      first.on_disk = on_disk;
      TextQuery query(first);
      ASSERT_EQ(query.Step("l: 1 10 | r: 1 10"), "1 10 10 / *");
      QueryText next = c.next;
      next.on_disk = on_disk;
      const Status restarted = query.Restart(next);
      if (c.messages.empty()) {
        EXPECT_TRUE(restarted) << c.name << ": " << restarted.error().ToString();
        continue;
      }
      ASSERT_FALSE(restarted) << c.name;
      EXPECT_EQ(restarted.error().code, ErrorCode::kConflict) << c.name;
      for (const std::string& message : c.messages) {
        EXPECT_THAT(restarted.error().ToString(), HasSubstr(message)) << c.name;
      }
      // Nothing was harmed.
      ASSERT_TRUE(query.Restart(first)) << c.name;
      EXPECT_EQ(query.Step("r: 1 11"), "1 10 11") << c.name;
    }
  }
}

// Bytes that the process has asked for and not given back.
int64_t BytesInUse() {
  const struct mallinfo2 info = ::mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}

// S8 (SPARK-24717): a version that is retained costs what it changed, not another copy of the
// state.
TEST(CheckpointReportsTest, RetainedVersionsAreNoCopiesOfTheState) {
  std::string left;
  std::string pushed;
  for (int key = 100; key < 10'100; ++key) left += fmt::format(", {} 10 some-text", key);
  const auto growth = [&](int retain) {
    QueryText text = {.select = RangeJoin("LEFT", 500), .on_disk = true};
    text.retain_versions = retain;
    TextQuery query(text);
    query.Step("l: " + left.substr(2));
    const int64_t before = BytesInUse();
    // Each batch marks a hundred rows as matched: what makes other engines keep all rows again.
    for (int batch = 0; batch < 100; ++batch) {
      pushed.clear();
      for (int row = 0; row < 100; ++row) pushed += fmt::format(", {} 11", 100 + 100 * batch + row);
      query.Step("r: " + pushed.substr(2));
    }
    EXPECT_EQ(query.state_rows(), 20'000) << retain;
    return BytesInUse() - before;
  };
  const int64_t with_one = growth(1);
  const int64_t with_hundred = growth(100);
  // A copy of 20,000 rows a version would be more than 100 MB.
  EXPECT_LT(with_hundred - with_one, 10'000'000) << with_one;
}

// S9 (ksql#6152): how long rows stay is what the query says, and it is told.
TEST(CheckpointReportsTest, HowLongRowsAreKeptIsToldAndNothingIsAddedToIt) {
  TextQuery query({.select = RangeJoin("LEFT", 120)});
  query.Push("l: 1 10");
  EXPECT_THAT(query.job().Explain(),
              AllOf(HasSubstr("left rows are removed when l.ts < watermark - INTERVAL '2' MINUTE"),
                    HasSubstr("a row stays until event time is INTERVAL '2' MINUTE past its l.ts"),
                    HasSubstr("right rows are removed when r.ts < watermark")));
  EXPECT_EQ(query.Step("l: 8 130 | r: 9 130"), " / *");
  EXPECT_EQ(query.Step("l: 8 130.001 | r: 9 130.001"), " / * 1 10 -");
}

// S11 (Databricks m-p/138623): a state without a bound is warned of before the run, with the line
// that would bound it; what a row of it costs is told by EXPLAIN and with every batch.
TEST(CheckpointReportsTest, StateThatGrowsForEverIsWarnedOfAndItsRowsAreWeighed) {
  const QueryText text = {.select = "SELECT l.k, l.v, r.w FROM l JOIN r ON l.k = r.k"};
  EXPECT_THAT(testing::WarningsOf(text),
              AllOf(HasSubstr("rows of l are never removed, so state grows for ever"),
                    HasSubstr("rows of r are never removed, so state grows for ever"),
                    HasSubstr("AND r.ts <= l.ts + INTERVAL")));
  EXPECT_THAT(testing::WarningsOf(testing::PerRecord(text)),
              AllOf(HasSubstr("whose state grows for ever"), HasSubstr("AND r.ts <= l.ts")));
  TextQuery query(text);
  std::string rows;
  for (int key = 0; key < 1'000; ++key) rows += fmt::format(", {} 10 text", key);
  query.Step("l: " + rows.substr(2));
  EXPECT_THAT(query.job().Explain(),
              HasSubstr("a row takes about 28 bytes of memory and its texts"));
  EXPECT_EQ(query.state_rows(), 1'000);
  EXPECT_GT(query.progress().state->memory_used_bytes, 0);
  // It does not take 86 kB a row, as in the report.
  EXPECT_LT(query.progress().state->memory_used_bytes, 1'000 * 2'000);
}

}  // namespace
}  // namespace braid
