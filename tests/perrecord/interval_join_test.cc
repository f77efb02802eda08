// What the recorded cases do not reach: times between two milliseconds, retention that spans a
// restart of the DataStream join.
#include "engine/perrecord/interval_join.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/perrecord/operator_run.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string Tables(int precision) {
  std::string text;
  for (const char* name : {"l", "r"}) {
    text += std::string("CREATE TABLE ") + name + " (id BIGINT, ts TIMESTAMP(" +
            std::to_string(precision) +
            "), WATERMARK FOR ts AS ts) WITH ('connector' = 'memory');\n";
  }
  return text;
}

std::string Query(int precision, const std::string& kind, const std::string& range) {
  return Tables(precision) + "SELECT l.*, r.* FROM l " + kind + " r ON l.id = r.id AND " + range +
         ";";
}

PerRecordOptions Durable() {
  PerRecordOptions options;
  options.durable = true;
  return options;
}

TEST(IntervalJoinTest, BoundsHoldToTheMicrosecond) {
  struct Case {
    std::string name;
    std::string range;
    std::vector<int64_t> partners;  // Times of right rows that match a left row at 0.
  };
  const std::vector<Case> cases = {
      {"closed",
       "r.ts BETWEEN l.ts - INTERVAL '0.001' SECOND AND l.ts + INTERVAL '0.001' SECOND",
       {-1'000, -999, 0, 999, 1'000}},
      {"open",
       "r.ts > l.ts - INTERVAL '0.001' SECOND AND r.ts < l.ts + INTERVAL '0.001' SECOND",
       {-999, 0, 999}},
      {"half open", "r.ts >= l.ts AND r.ts < l.ts + INTERVAL '0.001' SECOND", {0, 999}},
      {"equal", "r.ts = l.ts", {0}},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.name);
    std::vector<std::string> expected;
    for (const int64_t time : test.partners) {
      expected.push_back("+I 1 0 | 1 " + std::to_string(time));
    }
    std::vector<Event> rights;
    for (const int64_t time : {-1'001, -1'000, -999, 0, 999, 1'000, 1'001}) {
      rights.push_back(Right({1, time}));
    }
    OperatorRun stored_left(Query(6, "JOIN", test.range));
    EXPECT_EQ(stored_left.chosen(), PerRecordOperator::kRowTimeInterval);
    EXPECT_THAT(stored_left.Play({Left({1, 0})}), IsEmpty());
    EXPECT_EQ(stored_left.Play(rights), expected);
    OperatorRun stored_right(Query(6, "JOIN", test.range));
    EXPECT_THAT(stored_right.Play(rights), IsEmpty());
    EXPECT_THAT(stored_right.Play({Left({1, 0})}), testing::UnorderedElementsAreArray(expected));
  }
}

TEST(IntervalJoinTest, TimersAreRoundedUpToTheMillisecond) {
  OperatorRun run(Query(6, "LEFT JOIN", "r.ts BETWEEN l.ts AND l.ts + INTERVAL '0.010' SECOND"),
                  Durable());
  // 10 ms after the row, then one more, rounded up.
  run.Play({Left({1, 5'000})});
  EXPECT_THAT(run.join().timer_times(), ElementsAre(16));
  run.Play({Left({2, 5'001}), Left({3, 5'999}), Left({4, -1})});
  EXPECT_THAT(run.join().timer_times(), ElementsAre(11, 16, 17, 17));
  run.Restart();
  EXPECT_THAT(run.join().timer_times(), ElementsAre(11, 16, 17, 17));
  EXPECT_THAT(run.Watermark(10), IsEmpty());
  EXPECT_THAT(run.Watermark(11), ElementsAre("+I 4 -1 | - -"));
  EXPECT_THAT(run.Watermark(16), ElementsAre("+I 1 5000 | - -"));
  EXPECT_THAT(run.Watermark(17), ElementsAre("+I 2 5001 | - -", "+I 3 5999 | - -"));
  EXPECT_EQ(run.num_state_rows(), 0);
}

TEST(IntervalJoinTest, ARowIsStoredWhileTheWatermarkIsBelowItsEndToTheMicrosecond) {
  OperatorRun run(Query(6, "LEFT JOIN", "r.ts BETWEEN l.ts AND l.ts + INTERVAL '0.010' SECOND"));
  run.Watermark(20);
  EXPECT_THAT(run.Play({Left({1, 10'000})}), ElementsAre("+I 1 10000 | - -")) << "20 ms: too late";
  EXPECT_THAT(run.Play({Left({2, 10'001})}), IsEmpty());
  EXPECT_EQ(run.join().num_state_rows(Side::kLeft), 1);
  EXPECT_THAT(run.Play({Right({2, 20'001})}), ElementsAre("+I 2 10001 | 2 20001"));
}

TEST(IntervalJoinTest, ManyTimersThatFallDueAtOnceAllFire) {
  OperatorRun run(Query(3, "LEFT JOIN", "r.ts BETWEEN l.ts AND l.ts + INTERVAL '1' SECOND"));
  constexpr int64_t kRows = 5'000;
  std::vector<Event> rows;
  for (int64_t i = 0; i < kRows; ++i) rows.push_back(Left({i % 3'000, i * 1'000}));
  run.Play(rows);
  EXPECT_EQ(run.Watermark(3'500).size(), 2'500U);
  EXPECT_EQ(run.num_state_rows(), kRows - 2'500);
  EXPECT_EQ(run.join().timer_times().size(), 2'500U) << "set again for the row left of a key";
  EXPECT_EQ(run.Watermark(kEndMillis).size(), 2'500U);
  EXPECT_EQ(run.num_state_rows(), 0);
  EXPECT_THAT(run.join().timer_times(), IsEmpty());
}

TEST(IntervalJoinTest, ADataStreamJoinGoesOnAfterARestart) {
  OperatorRun run(Query(3, "JOIN", "r.ts BETWEEN l.ts - INTERVAL '1' SECOND AND l.ts"), Durable(),
                  RowTimeJoin::kDataStream);
  ASSERT_EQ(run.chosen(), PerRecordOperator::kDataStreamInterval);
  run.Play({Left({1, 5'000'000}), Left({1, 6'000'000}), Right({2, 4'500'000})});
  run.Restart();
  EXPECT_THAT(run.Play({Right({1, 5'000'000})}),
              ElementsAre("+I 1 5000000 | 1 5000000", "+I 1 6000000 | 1 5000000"));
  run.Watermark(5'000);
  EXPECT_EQ(run.join().num_state_rows(Side::kLeft), 1) << "the restored row's timer fired";
  run.Restart();
  EXPECT_THAT(run.Play({Left({1, 4'999'000}), Left({2, 5'000'000})}),
              ElementsAre("+I 2 5000000 | 2 4500000"));
  EXPECT_EQ(run.num_late(), 1) << "the watermark is restored";
  run.Restart();
  run.Watermark(7'000);
  EXPECT_EQ(run.num_state_rows(), 0);
}

TEST(IntervalJoinTest, ADataStreamRowWithoutRowTimeIsAnError) {
  OperatorRun run(Query(3, "JOIN", "r.ts = l.ts"), {}, RowTimeJoin::kDataStream);
  const std::optional<Error> error = run.Fail({Left({1, std::nullopt})});
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kInvalidInput);
}

}  // namespace
}  // namespace braid
