// Reports about idle tables, bad clocks and what a user is told (T and O items), put to whole
// queries that run record by record.
//
// Not here, since they cannot apply to this mode:
//   T1, T2, T9      are about batches; trigger_reports_test.cc has them;
//   T5, T7          are not among the reports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/reports/text_query.h"

namespace braid {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::PerRecord;
using testing::QueryText;
using testing::RangeJoin;
using testing::TextQuery;
using testing::WarningsOf;

constexpr const char* kIdleTimeout = ", 'scan.watermark.idle-timeout' = '10 s'";

// Finite and live tables are read in different orders, and are waited for differently.
std::vector<QueryText> FiniteAndLive(const QueryText& text) {
  QueryText live = text;
  live.is_live = true;
  return {PerRecord(text), PerRecord(live)};
}

// T4 (FLINK-18523)
TEST(PerRecordTriggerReportsTest, ASilentTableIsNotWaitedForAndReadAgainWhenItWakesUp) {
  struct Case {
    const char* type;
    const char* when_idle;
    const char* late;
    const char* awake;
  };
  for (const Case& c :
       {Case{"LEFT", "1 10 -", "", "8 119 120"}, Case{"RIGHT", "", "- - 12", "8 119 120"}}) {
    for (const QueryText& text :
         FiniteAndLive({.select = RangeJoin(c.type, 5), .right_options = kIdleTimeout})) {
      SCOPED_TRACE(std::string(c.type) + (text.is_live ? ", live" : ", finite"));
      TextQuery query(text);
      EXPECT_EQ(query.Step("l: 1 10, 8 100"), "");
      query.AdvanceClock(Seconds(9));
      EXPECT_EQ(query.Trigger(), "");
      query.AdvanceClock(Seconds(1));
      EXPECT_EQ(query.Trigger(), c.when_idle);
      EXPECT_EQ(query.job().running().waiting().watermark, Watermark{100'000});
      EXPECT_EQ(query.Trigger(), "") << "once";

      EXPECT_EQ(query.Step("r: 1 12"), c.late);
      EXPECT_EQ(query.job().running().waiting().watermark, Watermark{100'000});
      EXPECT_THAT(query.Step("l: 8 119 | r: 8 120"), HasSubstr(c.awake));
      EXPECT_EQ(query.job().running().waiting().watermark, Watermark{119'000});
    }
  }
}

// T4: "nothing advances when all are silent".
TEST(PerRecordTriggerReportsTest, WhenAllAreSilentTheWatermarkMovesToTheLargestThatWasSeen) {
  for (const QueryText& text : FiniteAndLive({.select = RangeJoin("LEFT", 5),
                               .settings = {{"table.exec.source.idle-timeout", "10 s"}}})) {
    TextQuery query(text);
    EXPECT_EQ(query.Step("l: 1 10 | r: 9 20"), "");
    EXPECT_EQ(query.job().running().waiting().watermark, Watermark{10'000});
    query.AdvanceClock(Seconds(10));
    EXPECT_EQ(query.Trigger(), "1 10 -");
    EXPECT_EQ(query.job().running().waiting().watermark, Watermark{20'000});
    EXPECT_EQ(query.Step("l: 3 21 | r: 3 22"), "3 21 22");
  }
}

// T4: what idleness lets out is there after a restart, once.
TEST(PerRecordTriggerReportsTest, WhatIdlenessLetOutIsNotLetOutAgain) {
  for (const bool on_disk : {false, true}) {
    QueryText text = PerRecord({.select = RangeJoin("LEFT", 5), .right_options = kIdleTimeout});
    text.on_disk = on_disk;
    TextQuery query(text);
    query.Step("l: 1 10, 8 100");
    query.AdvanceClock(Seconds(10));
    EXPECT_EQ(query.Trigger(), "1 10 -");
    ASSERT_TRUE(query.Restart());
    EXPECT_EQ(query.Step("l: 8 200 | r: 1 12"), "");
    query.AdvanceClock(Seconds(10));
    EXPECT_EQ(query.Trigger(), "8 100 -");
    EXPECT_EQ(query.AllRows(), "1 10 -, 8 100 -");
  }
}

// T4: an inner join lets out nothing but the rows themselves.
TEST(PerRecordTriggerReportsTest, WhatIdlenessLetsOutUnmatchedIsReported) {
  for (const QueryText& text :
       FiniteAndLive({.select = RangeJoin("INNER", 5),
       .settings = {{"unmatched-rows.table", "unmatched"}},
       .right_options = kIdleTimeout,
       .more_tables = "CREATE TABLE unmatched (table_name STRING, k BIGINT) WITH "
                      "('connector' = 'memory');\n"})) {
    TextQuery query(text);
    query.Step("l: 1 10, 8 100");
    query.AdvanceClock(Seconds(10));
    query.Trigger();
    EXPECT_EQ(query.AllRows("unmatched"), "l 1");
    EXPECT_EQ(query.state_rows(), 1);
    EXPECT_EQ(query.removed_rows(), 1);
  }
}

// T4: the sink fails after every number of calls in turn; what was published is the same.
TEST(PerRecordTriggerReportsTest, ACrashWhenATableIsIdleLosesAndRepeatsNothing) {
  int crashes = 0;
  for (int calls = 0; calls < 12; ++calls) {
    QueryText text =
        PerRecord({.select = RangeJoin("LEFT", 5), .right_options = kIdleTimeout, .on_disk = true});
    text.sink_calls_max = calls;
    TextQuery query(text);
    const auto fails = [&query](const std::string& rows) {
      return query.Step(rows).starts_with("error");
    };
    bool failed = fails("l: 1 10, 8 100");
    query.AdvanceClock(Seconds(10));
    failed = failed || fails("");
    failed = failed || fails("r: 1 12");
    if (failed) {
      ++crashes;
      text.sink_calls_max = -1;
      ASSERT_TRUE(query.Restart(text));
      query.Trigger();
      query.AdvanceClock(Seconds(10));
      query.Trigger();
      query.Step("r: 1 12");
    }
    EXPECT_EQ(query.AllRows(), "1 10 -") << calls;
  }
  EXPECT_GT(crashes, 3);
  EXPECT_LT(crashes, 12);
}

// T3 (SPARK-22017): a join's watermark is always the smallest here.
TEST(PerRecordTriggerReportsTest, ThePolicyOfMicroBatchesIsNotedAsWithoutEffect) {
  const QueryText text = PerRecord({.select = RangeJoin("LEFT", 5),
                                    .settings = {{"execution.multiple-watermark-policy", "max"}}});
  TextQuery query(text);
  EXPECT_EQ(query.Step("l: 1 10, 8 100"), "");
  EXPECT_EQ(query.job().running().waiting().watermark, std::nullopt);
  EXPECT_THAT(query.job().notes(), Contains(HasSubstr("execution.multiple-watermark-policy")));
  EXPECT_THAT(WarningsOf(text), IsEmpty());
}

// T6 (laminar#388)
TEST(PerRecordTriggerReportsTest, ARowFromAClockThatIsAheadDoesNotMakeTheHonestOnesLate) {
  constexpr const char* kHour = ", 'scan.watermark.max-ahead' = '1 h'";
  TextQuery query(PerRecord({.select = RangeJoin("INNER", 5),
                             .settings = {{"per-record.interval-join", "datastream"}},
                             .left_options = kHour,
                             .right_options = kHour}));
  query.AdvanceClock(Seconds(100'000));
  EXPECT_EQ(query.Step("l: 1 186400 | r: 9 100000"), "");
  EXPECT_EQ(query.Step("l: 2 100001 | r: 2 100001"), "2 100001 100001");
  EXPECT_EQ(query.late_rows(), 0);
  EXPECT_EQ(query.Step("r: 1 186400"), "1 186400 186400") << "it is joined all the same";
  EXPECT_EQ(query.progress().sources[1].num_future_rows, 1);
  EXPECT_EQ(query.job().running().waiting().watermark, Watermark{100'001'000});
}

// T8 (SPARK-18670, SPARK-19378)
TEST(PerRecordTriggerReportsTest, ASilentQueryTakesNoCheckpointsAndTellsNothing) {
  const QueryText bounded = {
      .select = RangeJoin("LEFT", 5), .left_options = kIdleTimeout, .right_options = kIdleTimeout};
  // By the clock: 1 @ 10 waits for ten seconds of it, the rows of a regular join for a minute.
  const std::string by_clock = "k BIGINT, ts TIMESTAMP(3), p AS PROCTIME()";
  const QueryText processing_time = {
      .select =
          "SELECT l.k FROM l JOIN r ON l.k = r.k AND r.p BETWEEN l.p AND l.p + INTERVAL '10' "
          "SECOND",
      .left = by_clock,
      .right = by_clock};
  const QueryText time_to_live = {.select = "SELECT l.k FROM l JOIN r ON l.k = r.k",
                                  .settings = {{"table.exec.state.ttl", "1 min"}}};
  for (const QueryText& each : {bounded, processing_time, time_to_live}) {
    for (QueryText text : FiniteAndLive(each)) {
      SCOPED_TRACE(text.select + (text.is_live ? ", live" : ", finite"));
      text.settings.emplace_back("execution.checkpointing.interval", "1 s");
      TextQuery query(text);
      int checkpoints = 0;
      query.SetListener([&] { ++checkpoints; });
      query.Step("l: 1 10 | r: 1 10");
      EXPECT_EQ(checkpoints, 1);
      for (int second = 0; second < 90; ++second) {
        query.AdvanceClock(Seconds(1));
        EXPECT_EQ(query.Trigger(), "");
      }
      EXPECT_EQ(checkpoints, 1);
      EXPECT_EQ(query.job().running().last_batch(), 0);
    }
  }
}

// T8: what the clock alone lets out does not wait for the next row.
TEST(PerRecordTriggerReportsTest, RowsThatTheClockLetsOutAreShownWithoutNewRows) {
  const std::string by_clock = "k BIGINT, ts TIMESTAMP(3), p AS PROCTIME()";
  for (const QueryText& text :
       FiniteAndLive({.select = "SELECT l.k, l.ts, r.ts FROM l LEFT JOIN r ON l.k = r.k AND r.p "
                                "BETWEEN l.p AND l.p + INTERVAL '10' SECOND",
       .left = by_clock,
       .right = by_clock})) {
    TextQuery query(text);
    EXPECT_EQ(query.Step("l: 1 1, 2 2"), "");
    query.AdvanceClock(Seconds(5));
    EXPECT_EQ(query.Step("r: 1 5"), "1 1 5");
    query.AdvanceClock(Seconds(4));
    EXPECT_EQ(query.Trigger(), "");
    query.AdvanceClock(Seconds(2));
    EXPECT_EQ(query.Trigger(), "2 2 -");
    EXPECT_EQ(query.AllRows(), "1 1 5, 2 2 -");
    ASSERT_TRUE(query.Restart());
    EXPECT_EQ(query.Step("r: 2 12"), "");
  }
}

// O1 (SPARK-24634): rows are late in the DataStream join alone; others join what is still there.
TEST(PerRecordTriggerReportsTest, LateRowsAreCounted) {
  TextQuery query(PerRecord(
      {.select = RangeJoin("INNER", 5), .settings = {{"per-record.interval-join", "datastream"}}}));
  query.Step("l: 1 10");
  query.Step("l: 8 100 | r: 9 100");
  EXPECT_EQ(query.Step("r: 1 12"), "");
  EXPECT_EQ(query.progress().state->num_rows_dropped_by_watermark, 1);
}

// O3 (SPARK-31278)
TEST(PerRecordTriggerReportsTest, TheRowsOfAllReportsAreTheRowsOfTheResult) {
  TextQuery query(PerRecord({.select = RangeJoin("FULL", 5), .right_options = kIdleTimeout}));
  int64_t input_rows = 0;
  int64_t output_rows = 0;
  query.SetListener([&] {
    input_rows += query.progress().num_input_rows;
    output_rows += query.progress().num_output_rows;
  });
  query.Step("l: 1 10, 2 11 | r: 1 12, 1 13");
  EXPECT_EQ(query.progress().num_output_rows, 2);
  query.Step("l: 8 100");
  query.AdvanceClock(Seconds(10));
  query.Trigger();
  EXPECT_EQ(query.progress().num_input_rows, 0) << "the table is idle";
  EXPECT_EQ(query.progress().num_output_rows, 1);
  query.Trigger();
  EXPECT_EQ(input_rows, 5);
  EXPECT_EQ(query.AllRows(), "1 10 12, 1 10 13, 2 11 -");
  EXPECT_EQ(output_rows, 3);
}

// O4 (SPARK-33224)
TEST(PerRecordTriggerReportsTest, EachTableTellsItsWatermarkAndItsLargestTime) {
  TextQuery query(PerRecord({.select = RangeJoin("LEFT", 5)}));
  query.Step("l: 1 10, 8 100 | r: 9 40");
  const std::vector<SourceProgress>& sources = query.progress().sources;
  EXPECT_EQ(sources[0].watermark, Watermark{100'000});
  EXPECT_EQ(sources[0].max_event_time, EventTime{100'000'000});
  EXPECT_EQ(sources[1].watermark, Watermark{40'000});
  EXPECT_FALSE(sources[0].holds_back);
  EXPECT_TRUE(sources[1].holds_back);
  EXPECT_EQ(query.progress().next_watermark, Watermark{40'000});
}

// O5 (conduktor's "join compiles, output empty")
TEST(PerRecordTriggerReportsTest, AnEmptyResultIsExplainedByCounts) {
  TextQuery query(PerRecord({.select = RangeJoin("LEFT", 5)}));
  EXPECT_EQ(query.Step("l: - 10, 1 -, 2 20"), "1 - -");
  const BatchProgress& progress = query.progress();
  EXPECT_EQ(progress.sources[0].num_input_rows, 3);
  EXPECT_EQ(progress.sources[1].num_input_rows, 0);
  EXPECT_EQ(progress.state->rows_null_key, 1);
  EXPECT_EQ(progress.state->rows_null_time, 1);
  EXPECT_EQ(progress.state->num_padded_rows, 1);
  EXPECT_EQ(progress.state->num_left_rows, 2);
  const WaitingRows waiting = query.job().running().waiting();
  EXPECT_EQ(waiting.rows[0], 2);
  EXPECT_EQ(waiting.held_back_by, "r");
  EXPECT_FALSE(waiting.holder_has_row_time) << "r has had no rows";
}

// O6 (sparklyr#1977), O7 (Stack Overflow 73435831)
TEST(PerRecordTriggerReportsTest, WhatIsMissingForAnIntervalJoinIsNamedWithTheLineToAdd) {
  struct Case {
    const char* name;
    QueryText text;
    std::vector<std::string> words;
  };
  const std::string no_watermark = "k BIGINT, ts TIMESTAMP(3), v STRING";
  const std::string one_bound = "SELECT l.k FROM l JOIN r ON l.k = r.k AND r.ts >= l.ts";
  const std::vector<Case> cases = {
      {"left watermark",
       {.select = RangeJoin("INNER", 5), .left = no_watermark},
       {"CREATE TABLE l: WATERMARK FOR ts"}},
      {"right watermark",
       {.select = RangeJoin("INNER", 5), .right = no_watermark},
       {"CREATE TABLE r: WATERMARK FOR ts"}},
      {"one bound", {.select = one_bound}, {"r.ts", "l.ts", "INTERVAL"}},
      {"no bound",
       {.select = "SELECT l.k FROM l JOIN r ON l.k = r.k"},
       {"AND r.ts <= l.ts + INTERVAL", "AND l.ts <= r.ts + INTERVAL"}},
      {"a computed row time",
       {.select = "SELECT a.k FROM (SELECT k, CAST(ts AS TIMESTAMP(3)) AS ts FROM l) a JOIN r ON "
                  "a.k = r.k AND r.ts BETWEEN a.ts AND a.ts + INTERVAL '5' SECOND"},
       {"row time"}},
  };
  for (const Case& c : cases) {
    const std::string warnings = WarningsOf(PerRecord(c.text));
    EXPECT_THAT(warnings, AllOf(HasSubstr("regular join"), HasSubstr("grows for ever"))) << c.name;
    for (const std::string& word : c.words) EXPECT_THAT(warnings, HasSubstr(word)) << c.name;
  }
  EXPECT_THAT(WarningsOf(PerRecord({.select = RangeJoin("INNER", 5)})), IsEmpty());
}

// O8 (ksql#9668): who wants the padded row at once and the match later leaves the bounds out.
TEST(PerRecordTriggerReportsTest, AnEagerPaddingIsTakenBackByTheMatch) {
  TextQuery query(PerRecord({.select = "SELECT l.k, l.ts, r.ts FROM l LEFT JOIN r ON l.k = r.k"}));
  EXPECT_EQ(query.Step("l: 1 17, 2 17"), "1 17 -, 2 17 -");
  EXPECT_EQ(query.Step("r: 1 19"), "-D 1 17 -, 1 17 19");
  EXPECT_EQ(query.state_rows(), 3);
  EXPECT_EQ(query.job().running().waiting().rows[0], 0) << "nobody waits for NULLs";
}

}  // namespace
}  // namespace braid
