// Reports about triggers, idle sources and rows that wait (T items), each put to a whole query.
// The command's words for T1 are tested in file_reports_test.cc; what applies to the per-record
// mode in per_record_trigger_reports_test.cc.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/reports/text_query.h"

namespace braid {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::QueryText;
using testing::RangeJoin;
using testing::TextQuery;
using testing::WarningsOf;

// T1 (SPARK-24157)
TEST(TriggerReportsTest, TheLastRowsComeOutWithFlushAndAreCountedWithHold) {
  const std::string select = RangeJoin("LEFT", 5);
  TextQuery flush({.select = select, .settings = {{"execution.end-of-input", "flush"}}});
  flush.Push("l: 1 10");
  flush.EndInput();
  EXPECT_EQ(flush.Trigger(), " / ! 1 10 -");
  EXPECT_EQ(flush.state_rows(), 0);

  TextQuery hold({.select = select});
  hold.Push("l: 1 10");
  hold.EndInput();
  EXPECT_EQ(hold.Trigger(), "");
  const WaitingRows waiting = hold.job().running().waiting();
  EXPECT_EQ(waiting.rows[0], 1);
  EXPECT_EQ(waiting.rows[1], 0);
  EXPECT_EQ(waiting.needed[0], Watermark{15'001});
  EXPECT_EQ(waiting.watermark, std::nullopt) << "r has had no rows";
}

// T2 (SPARK-39805)
TEST(TriggerReportsTest, AvailableNowTakesWhatIsThereAtTheStartAndPadsBeforeItEnds) {
  TextQuery query(
      {.select = RangeJoin("LEFT", 5), .settings = {{"execution.trigger", "available-now"}}});
  query.Push("l: 1 10 | r: 9 100");
  query.Push("l: 8 100");
  bool pushed = false;
  query.SetListener([&] {
    if (!std::exchange(pushed, true)) query.Push("l: 2 101 | r: 2 102");
  });
  EXPECT_THAT(query.Run(), HasSubstr("1 10 -"));
  EXPECT_EQ(query.AllRows(), "1 10 -") << "what came after the start is left for the next run";
  query.Run();
  EXPECT_EQ(query.AllRows(), "1 10 -, 2 101 102");
}

// T3 (SPARK-22017, SPARK-24730)
TEST(TriggerReportsTest, ATableWithoutRowsHoldsTheWatermarkUnlessThePolicyIsMax) {
  TextQuery minimum({.select = RangeJoin("INNER", 5)});
  EXPECT_EQ(minimum.Step("l: 1 100"), "");
  EXPECT_EQ(minimum.progress().next_watermark, std::nullopt);
  EXPECT_EQ(minimum.Step("r: 1 50"), " / *");
  EXPECT_EQ(minimum.late_rows(), 0);
  EXPECT_EQ(minimum.progress().watermark, Watermark{50'000});

  const QueryText text = {.select = RangeJoin("INNER", 5),
                          .settings = {{"execution.multiple-watermark-policy", "max"}}};
  TextQuery maximum(text);
  EXPECT_EQ(maximum.Step("l: 1 100"), " / *");
  EXPECT_EQ(maximum.progress().watermark, Watermark{100'000});
  EXPECT_EQ(maximum.Step("r: 1 50"), "");
  EXPECT_EQ(maximum.late_rows(), 1);
  EXPECT_THAT(WarningsOf(text), HasSubstr("multiple-watermark-policy"));
}

constexpr const char* kIdleTimeout = ", 'scan.watermark.idle-timeout' = '10 s'";

// Whether the newest batch found the tables idle: "l", "r", "l r" or "".
std::string IdleTables(const TextQuery& query) {
  std::string names;
  for (const SourceProgress& source : query.progress().sources) {
    if (source.idle) names += (names.empty() ? "" : " ") + source.table;
  }
  return names;
}

// T4 (FLINK-18523)
TEST(TriggerReportsTest, ASilentTableIsNotWaitedForAndItsOldRowsAreLateWhenItWakesUp) {
  TextQuery query({.select = RangeJoin("LEFT", 5), .right_options = kIdleTimeout});
  EXPECT_EQ(query.Step("l: 1 10, 8 100"), "");
  EXPECT_EQ(query.progress().next_watermark, std::nullopt);
  query.AdvanceClock(Seconds(9));
  EXPECT_EQ(query.Trigger(), "");
  query.AdvanceClock(Seconds(1));
  EXPECT_EQ(query.Trigger(), "* 1 10 -");
  EXPECT_EQ(query.progress().watermark, Watermark{100'000});
  EXPECT_EQ(IdleTables(query), "r");
  EXPECT_EQ(query.job().running().waiting().held_back_by, "l");
  EXPECT_EQ(query.Trigger(), "") << "once";

  EXPECT_EQ(query.Step("r: 1 12"), "");
  EXPECT_EQ(query.late_rows(), 1);
  EXPECT_EQ(IdleTables(query), "");
  EXPECT_EQ(query.progress().next_watermark, Watermark{100'000}) << "it never goes back";
  EXPECT_EQ(query.job().running().waiting().held_back_by, "r");
  EXPECT_EQ(query.Step("l: 8 119 | r: 8 120"), "8 119 120 / * 8 100 -");
  EXPECT_EQ(query.progress().watermark, Watermark{119'000});
  EXPECT_EQ(query.late_rows(), 1);
}

// T4: "nothing advances when all are silent".
TEST(TriggerReportsTest, WhenAllAreSilentTheWatermarkMovesToTheLargestThatWasSeen) {
  for (const bool by_setting : {false, true}) {
    QueryText text = {.select = RangeJoin("LEFT", 5)};
    if (by_setting) {
      text.settings = {{"table.exec.source.idle-timeout", "10 s"}};
    } else {
      text.left_options = text.right_options = kIdleTimeout;
    }
    TextQuery query(text);
    EXPECT_EQ(query.Step("l: 1 10 | r: 9 20"), " / *");
    EXPECT_EQ(query.progress().watermark, Watermark{10'000});
    query.AdvanceClock(Seconds(10));
    EXPECT_EQ(query.Trigger(), "* 1 10 -");
    EXPECT_EQ(query.progress().watermark, Watermark{20'000});
    EXPECT_EQ(IdleTables(query), "l r");
    EXPECT_EQ(query.job().running().waiting().held_back_by, "");
    EXPECT_EQ(query.Step("l: 2 20, 3 21 | r: 3 22"), "3 21 22 / *") << "2 is late";
    EXPECT_EQ(query.late_rows(), 1);
    EXPECT_EQ(IdleTables(query), "");
  }
}

TEST(TriggerReportsTest, ATableWithRowsOrAtItsEndIsNotIdle) {
  TextQuery query({.select = RangeJoin("LEFT", 5),
                   .left_options = kIdleTimeout,
                   .right_options = kIdleTimeout});
  query.Step("l: 1 10 | r: 9 11");
  query.AdvanceClock(Seconds(60));
  // Between two triggers lies more than the time-out, but both have rows in it.
  EXPECT_EQ(query.Step("l: 8 100 | r: 9 12"), " / *");
  EXPECT_EQ(query.progress().watermark, Watermark{12'000});
  query.EndInput();
  query.Trigger();
  query.AdvanceClock(Seconds(60));
  EXPECT_EQ(query.Trigger(), "") << "hold: the last rows wait for a later run";
  EXPECT_EQ(query.job().running().waiting().watermark, Watermark{12'000});
}

TEST(TriggerReportsTest, WithoutBatchesWithoutInputTheNextRowsBringWhatIdlenessLetOut) {
  TextQuery query({.select = RangeJoin("LEFT", 5),
                   .settings = {{"execution.no-data-batches", "false"}},
                   .right_options = kIdleTimeout});
  query.Step("l: 1 10, 8 100");
  query.AdvanceClock(Seconds(10));
  EXPECT_EQ(query.Trigger(), "");
  EXPECT_EQ(query.job().running().waiting().watermark, Watermark{100'000});
  // Late is what the batch before was past: it was past nothing yet.
  EXPECT_EQ(query.Step("r: 1 12"), "1 10 12");
  EXPECT_EQ(query.late_rows(), 0);
  EXPECT_EQ(query.Step("r: 8 99"), "");
  EXPECT_EQ(query.late_rows(), 1);
}

TEST(TriggerReportsTest, IdlenessBeginsAnewWithARunAndTheWatermarkStays) {
  TextQuery query({.select = RangeJoin("LEFT", 5), .right_options = kIdleTimeout, .on_disk = true});
  query.Step("l: 1 10, 8 100");
  query.AdvanceClock(Seconds(10));
  EXPECT_EQ(query.Trigger(), "* 1 10 -");
  ASSERT_TRUE(query.Restart());
  EXPECT_EQ(query.Step("l: 8 200 | r: 1 100"), "");
  EXPECT_EQ(query.late_rows(), 1);
  EXPECT_EQ(IdleTables(query), "");
  ASSERT_TRUE(query.Restart());
  query.AdvanceClock(Seconds(9));
  EXPECT_EQ(query.Trigger(), "");
  query.AdvanceClock(Seconds(1));
  EXPECT_EQ(query.Trigger(), "* 8 100 -");
}

// The sink fails after every number of calls in turn; what was published is the same as without.
TEST(TriggerReportsTest, ACrashInTheBatchOfAnIdleTableLosesAndRepeatsNothing) {
  int crashes = 0;
  for (int calls = 0; calls < 12; ++calls) {
    QueryText text = {
        .select = RangeJoin("LEFT", 5), .right_options = kIdleTimeout, .on_disk = true};
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
    EXPECT_EQ(query.job().running().waiting().watermark, Watermark{100'000}) << calls;
    EXPECT_GE(query.late_rows(), 1) << calls;
  }
  EXPECT_GT(crashes, 3);
  EXPECT_LT(crashes, 12);
}

// A table that has ended leaves the minimum in a batch that is run again as it did in the first
// attempt: the rows behind the others' watermark are late, and the batch without input follows.
TEST(TriggerReportsTest, ACrashInABatchAfterATableHasEndedLeavesTheWatermarkAsItWas) {
  const auto text = [](int sink_calls_max) {
    QueryText query{.select = RangeJoin("INNER", 200),
                    .settings = {{"execution.end-of-input", "flush"}}};
    query.sink_calls_max = sink_calls_max;
    return query;
  };
  const std::vector<std::string> steps = {"r: 1 11", "r: 1 15", "r: 1 12", "r: 1 19", "r: 1 16"};
  int crashes = 0;
  bool ended = false;
  for (int calls = -1; !ended; ++calls) {
    TextQuery query(text(calls));
    query.Push("l: 1 10");
    query.EndInput("l");
    bool failed = false;
    for (const std::string& step : steps) {
      if (!query.Step(step).starts_with("error")) continue;
      failed = true;
      ASSERT_TRUE(query.Restart(text(-1)));
      EXPECT_THAT(query.Trigger(), Not(HasSubstr("error"))) << calls;
    }
    EXPECT_EQ(query.AllRows(), "1 10 11, 1 10 15, 1 10 19") << calls;
    EXPECT_EQ(query.late_rows(), 2) << calls;
    EXPECT_EQ(query.job().running().waiting().watermark, Watermark{19'000}) << calls;
    if (failed) ++crashes;
    ended = calls >= 0 && !failed;
  }
  EXPECT_GT(crashes, 10);
}

// T6 (laminar#388)
TEST(TriggerReportsTest, ARowFromAClockThatIsAheadDoesNotMakeTheHonestOnesLate) {
  constexpr const char* kHour = ", 'scan.watermark.max-ahead' = '1 h'";
  TextQuery query({.select = RangeJoin("INNER", 5), .left_options = kHour, .right_options = kHour});
  query.AdvanceClock(Seconds(100'000));
  // A day ahead, and exactly an hour.
  EXPECT_EQ(query.Step("l: 1 186400, 3 103600 | r: 9 100000"), " / *");
  EXPECT_EQ(query.progress().watermark, Watermark{100'000'000});
  EXPECT_EQ(query.Step("l: 2 100001 | r: 2 100001"), "2 100001 100001 / *");
  EXPECT_EQ(query.late_rows(), 0);
  EXPECT_EQ(query.Step("r: 1 186400"), "1 186400 186400") << "it is joined all the same";
  EXPECT_EQ(query.progress().sources[1].num_future_rows, 1);
  EXPECT_EQ(query.progress().sources[0].num_future_rows, 0) << "of this batch";
  EXPECT_EQ(query.progress().sources[0].max_event_time, EventTime{103'600'000'000});
}

// T6: a batch that runs again believes what it believed at first.
TEST(TriggerReportsTest, ARowThatWasAheadIsStillSoWhenItsBatchRunsAgain) {
  QueryText text = {.select = RangeJoin("INNER", 5),
                    .left_options = ", 'scan.watermark.max-ahead' = '1 h'",
                    .right_options = "",
                    .on_disk = true,
                    .sink_calls_max = 0};
  TextQuery query(text);
  EXPECT_THAT(query.Step("l: 1 86400, 2 10 | r: 9 10"), HasSubstr("error"));
  query.AdvanceClock(Seconds(172'800));
  text.sink_calls_max = -1;
  ASSERT_TRUE(query.Restart(text));
  EXPECT_EQ(query.job().running().waiting().watermark, Watermark{10'000});
}

// T8 (SPARK-18670, SPARK-19378)
TEST(TriggerReportsTest, ASilentQueryRunsNoBatchesAndTellsNoStaleTimes) {
  TextQuery query({.select = RangeJoin("LEFT", 5),
                   .left_options = kIdleTimeout,
                   .right_options = kIdleTimeout});
  int batches = 0;
  query.SetListener([&] { ++batches; });
  query.Push("l: 1 10 | r: 1 10");
  EXPECT_EQ(query.Trigger(), "1 10 10 / *");
  EXPECT_EQ(batches, 2);
  EXPECT_EQ(query.progress().event_time_max, std::nullopt) << "none of a batch without input";
  // Idleness moves nothing here: the watermark is where it would move to.
  for (int second = 0; second < 30; ++second) {
    query.AdvanceClock(Seconds(1));
    EXPECT_EQ(query.Trigger(), "");
  }
  EXPECT_EQ(batches, 2);
  EXPECT_EQ(query.job().running().last_batch(), 1);
}

// T9 (Stack Overflow 52944612)
TEST(TriggerReportsTest, AWatermarkAppliesFromTheNextBatchWhichDoesNotWaitForATick) {
  TextQuery query({.select = RangeJoin("LEFT", 5)});
  query.Step("l: 1 10 | r: 9 10");
  query.Step("l: 8 12 | r: 9 12");
  // One trigger: the batch that moves the watermark pads nothing, the one behind it does.
  query.Push("l: 8 100 | r: 9 100");
  std::string seen;
  query.SetListener([&] {
    const BatchProgress& batch = query.progress();
    seen += fmt::format("{}: {} rows with {}; ", batch.batch_id, batch.num_output_rows,
                        batch.watermark->millis);
  });
  EXPECT_EQ(query.Trigger(), " / * 1 10 -, 8 12 -");
  EXPECT_EQ(seen, "4: 0 rows with 12000; 5: 2 rows with 100000; ");
}

}  // namespace
}  // namespace braid
