// Reports about triggers, idle sources and rows that wait (T items), each put to a whole query.
// T4, T6 and T8 ask for options that do not exist yet (idle time-out, bad clocks, progress while
// idle); the command's words for T1 are tested in file_reports_test.cc.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/reports/text_query.h"

namespace braid {
namespace {

using ::testing::HasSubstr;
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
