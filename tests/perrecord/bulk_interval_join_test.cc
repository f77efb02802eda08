// The operator that works on many steps at a time gives what the one that goes step by step gives:
// the same rows and watermarks of the same steps in the same order, and the same state and timers
// after every block and every restart. Rows come early, late, and in any order within their key.
#include "engine/perrecord/bulk_interval_join.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "tests/perrecord/operator_run.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string Tables() {
  std::string text;
  for (const char* name : {"l", "r"}) {
    text += fmt::format(
        "CREATE TABLE {} (id BIGINT, ts TIMESTAMP(6), v BIGINT, WATERMARK FOR ts AS ts) WITH "
        "('connector' = 'memory');\n",
        name);
  }
  return text;
}

std::string RandomQuery() {
  const std::string kind =
      *rc::gen::element<std::string>("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN");
  const std::string key =
      *rc::gen::element<std::string>("l.id = r.id AND ", "", "l.id = r.id AND l.v = r.v AND ");
  const std::string condition = *rc::gen::element<std::string>("", " AND l.v <= r.v");
  const int64_t lower = *rc::gen::inRange<int64_t>(-8, 9);
  const int64_t upper = lower + *rc::gen::inRange<int64_t>(0, 12);
  const auto interval = [](int64_t millis) {
    return fmt::format("INTERVAL '{}0.{:03d}' SECOND", millis < 0 ? "-" : "", std::abs(millis));
  };
  return Tables() + fmt::format(
                        "SELECT l.*, r.* FROM l {} r ON {}l.ts >= r.ts + {} AND l.ts <= "
                        "r.ts + {}{};",
                        kind, key, interval(lower), interval(upper), condition);
}

std::vector<Event> RandomEvents(int64_t* time_ms) {
  std::vector<Event> events;
  const int count = *rc::gen::inRange(0, 40);
  for (int i = 0; i < count; ++i) {
    const Side side = *rc::gen::element(Side::kLeft, Side::kRight);
    *time_ms += *rc::gen::element<int64_t>(0, 0, 1, 2, 9);
    const int64_t watermark = *time_ms - 12 + *rc::gen::inRange<int64_t>(0, 6);
    if (*rc::gen::inRange(0, 6) == 0) {
      events.push_back(WatermarkOf(side, watermark));
      continue;
    }
    std::optional<int64_t> id = *rc::gen::inRange<int64_t>(0, 4);
    if (*id == 3) id.reset();
    std::optional<int64_t> time =
        (*time_ms - *rc::gen::inRange<int64_t>(0, 16)) * 1'000 + *rc::gen::element(0, 0, 999);
    if (*rc::gen::inRange(0, 30) == 0) time.reset();
    Values values = {id, time, *rc::gen::inRange<int64_t>(0, 3)};
    events.push_back(side == Side::kLeft ? Left(values) : Right(values));
    if (*rc::gen::inRange(0, 3) == 0) events.back().step.millis = watermark;
  }
  return events;
}

RC_GTEST_PROP(BulkIntervalJoinTest, GivesWhatStepsGive, ()) {
  const std::string query = RandomQuery();
  PerRecordOptions options;
  options.durable = true;
  options.allowed_lateness_ms = *rc::gen::element<int64_t>(0, 0, 3);
  options.group_steps_max = *rc::gen::element<size_t>(1, 2, 7, 1024);
  PerRecordOptions by_steps_options = options;
  by_steps_options.step_by_step = true;
  OperatorRun bulk(query, options);
  OperatorRun by_steps(query, by_steps_options);
  RC_ASSERT(dynamic_cast<BulkIntervalJoin*>(&bulk.join()) != nullptr);
  RC_ASSERT(dynamic_cast<BulkIntervalJoin*>(&by_steps.join()) == nullptr);
  int64_t time_ms = 0;
  const int num_blocks = *rc::gen::inRange(1, 6);
  for (int block = 0; block <= num_blocks; ++block) {
    std::vector<Event> events = RandomEvents(&time_ms);
    if (block == num_blocks) {
      events = {WatermarkOf(Side::kLeft, kEndMillis), WatermarkOf(Side::kRight, kEndMillis)};
    }
    if (*rc::gen::inRange(0, 3) == 0) {
      bulk.Restart();
      by_steps.Restart();
    }
    for (OperatorRun* run : {&bulk, &by_steps}) run->ListSteps();
    RC_ASSERT(bulk.Play(events) == by_steps.Play(events));
    for (const Side side : kBothSides) {
      RC_ASSERT(bulk.join().num_state_rows(side) == by_steps.join().num_state_rows(side));
    }
    RC_ASSERT(bulk.join().timer_times() == by_steps.join().timer_times());
  }
}

// One row far ahead holds its key's timer, so that later ones of the key overstay while so many
// rows of other keys come and go that the state moves those that stay.
TEST(BulkIntervalJoinTest, OverstayingRowsAreFoundAgainWhenTheStateMovesThem) {
  const std::string query =
      Tables() +
      "SELECT l.*, r.* FROM l LEFT JOIN r ON l.id = r.id AND l.ts BETWEEN r.ts - INTERVAL '0.010' "
      "SECOND AND r.ts + INTERVAL '0.010' SECOND;";
  PerRecordOptions options;
  OperatorRun bulk(query, options);
  options.step_by_step = true;
  OperatorRun by_steps(query, options);
  const auto play = [&](const std::vector<Event>& events) {
    std::vector<std::string> lines = bulk.Play(events);
    EXPECT_EQ(lines, by_steps.Play(events));
    EXPECT_EQ(bulk.num_state_rows(), by_steps.num_state_rows());
    EXPECT_EQ(bulk.join().timer_times(), by_steps.join().timer_times());
    return lines;
  };
  constexpr int64_t kAhead = 1'000'000;
  play({Left({1, kAhead * 1'000, 0}), Left({1, 5'000, 1}), Left({1, 6'000, 2}),
        Left({2, kAhead * 1'000, 0}), Left({2, 7'000, 3})});
  for (int64_t block = 0; block < 5; ++block) {
    std::vector<Event> events;
    for (int64_t i = 0; i < 12'000; ++i) {
      events.push_back(Left({1'000 + i, (block * 1'000 + i / 12) * 1'000, 0}));
    }
    events.push_back(WatermarkOf(Side::kLeft, block * 1'000 + 990));
    events.push_back(WatermarkOf(Side::kRight, block * 1'000 + 990));
    play(events);
  }
  EXPECT_EQ(play({Right({2, 9'000, 4})}), std::vector<std::string>({"+I 2 7000 3 | 2 9000 4"}));
  EXPECT_EQ(
      play({WatermarkOf(Side::kLeft, kAhead + 11), WatermarkOf(Side::kRight, kAhead + 11)}).size(),
      240U + 4U)
      << "of the last block, and those that stayed";
  EXPECT_EQ(bulk.num_state_rows(), 0);
}

TEST(BulkIntervalJoinTest, ARestartMaySetAMinimalCleanUpIntervalAndTakeItBack) {
  PerRecordOptions options;
  options.durable = true;
  OperatorRun run(Tables() +
                      "SELECT l.*, r.* FROM l LEFT JOIN r ON l.id = r.id AND r.ts BETWEEN "
                      "l.ts AND l.ts + INTERVAL '0.010' SECOND;",
                  options);
  run.Play({Left({1, 20'000, 0}), Left({1, 5'000, 1}), Left({2, 7'000, 2})});
  run.Watermark(10);
  EXPECT_THAT(run.join().timer_times(), ElementsAre(18, 31)) << "a row of key 1 overstays";
  PerRecordOptions slow = options;
  slow.min_cleanup_interval_ms = 5;
  run.Restart(slow);
  ASSERT_EQ(dynamic_cast<BulkIntervalJoin*>(&run.join()), nullptr);
  EXPECT_THAT(run.join().timer_times(), ElementsAre(23, 31)) << "set anew where none was written";
  run.Play({Left({3, 8'000, 3})});
  run.Restart(options);
  ASSERT_NE(dynamic_cast<BulkIntervalJoin*>(&run.join()), nullptr);
  EXPECT_THAT(run.join().timer_times(), ElementsAre(23, 24, 31)) << "they stay as they were set";
  EXPECT_THAT(run.Watermark(22), IsEmpty());
  EXPECT_THAT(run.Watermark(24), ElementsAre("+I 2 7000 2 | - - -", "+I 3 8000 3 | - - -"));
  EXPECT_THAT(run.Watermark(31), ElementsAre("+I 1 20000 0 | - - -", "+I 1 5000 1 | - - -"));
  EXPECT_EQ(run.num_state_rows(), 0);
}

}  // namespace
}  // namespace braid
