#include "engine/microbatch/arrival_stage.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "braid/column_builder.h"
#include "engine/sql/parser.h"
#include "state/rows/time_zone.h"

namespace braid {
namespace {

// The stage of a query over one table, with ids 1, 2, 3 as its slice.
struct SingleTable {
  explicit SingleTable(const std::string& text) {
    Result<Script> script = ParseScript(text, {});
    EXPECT_TRUE(script.has_value()) << script.error().ToString();
    plan = *MakeStreamPlan(*script->query, Mode::kMicroBatch);
    Result<ArrivalStage> created = ArrivalStage::ForSingle(*plan.single);
    EXPECT_TRUE(created.has_value()) << created.error().ToString();
    stage = std::make_unique<ArrivalStage>(std::move(*created));
    ColumnBuilder ids(DataType::BigInt());
    for (const int64_t id : {1, 2, 3}) ids.Append(id);
    std::vector<Column> columns;
    columns.push_back(ids.Finish());
    slice = RowBatch(std::make_shared<const Schema>(Schema{{{"id", DataType::BigInt()}}}),
                     std::move(columns), 3);
  }

  StreamPlan plan;
  std::unique_ptr<ArrivalStage> stage;
  RowBatch slice;
};

// A slice is read ahead of its batch, so PROCTIME() is known only when it arrives.
TEST(ArrivalStageTest, ProcessingTimeIsTheBatchesNotThatOfReadingAhead) {
  const SingleTable table(
      "CREATE TABLE t (id BIGINT, pt AS PROCTIME(), late AS CASE WHEN id >= 2 THEN PROCTIME() END) "
      "WITH ('connector' = 'memory');\n"
      "SELECT id, pt, late FROM t;\n");
  EvaluationContext reading;
  const ReadRows read = table.stage->Read(table.slice, reading);
  for (const int64_t micros : {5'000'000, 7'000'000}) {
    EvaluationContext running;
    running.processing_time = EventTime{micros};
    const Result<Arrivals> arrivals =
        table.stage->Arrive(read, std::nullopt, OnRowError::kFail, running);
    ASSERT_TRUE(arrivals.has_value()) << arrivals.error().ToString();
    ASSERT_EQ(arrivals->num_rows, 3);
    ASSERT_EQ(arrivals->columns.size(), 3U);
    for (int64_t row = 0; row < 3; ++row) {
      const size_t index = static_cast<size_t>(row);
      EXPECT_EQ(arrivals->columns[1].Values<int64_t>()[index], micros);
      EXPECT_EQ(arrivals->columns[2].IsNull(row), row == 0);
      if (row > 0) {
        EXPECT_EQ(arrivals->columns[2].Values<int64_t>()[index], micros);
      }
    }
  }
}

// Both tables have (id, v) = (1, NULL), (NULL, 2), (3, 3) and a time.
TEST(ArrivalStageTest, CountsRowsThatANullKeyKeepsFromMatching) {
  const auto schema = std::make_shared<const Schema>(Schema{
      {{"id", DataType::BigInt()}, {"v", DataType::BigInt()}, {"ts", DataType::Timestamp(3)}}});
  ColumnBuilder ids(DataType::BigInt());
  ColumnBuilder values(DataType::BigInt());
  ColumnBuilder times(DataType::Timestamp(3));
  ids.Append(int64_t{1});
  ids.AppendNulls(1);
  ids.Append(int64_t{3});
  values.AppendNulls(1);
  values.Append(int64_t{2});
  values.Append(int64_t{3});
  for (int row = 0; row < 3; ++row) times.Append(int64_t{1'000'000});
  const RowBatch slice(schema, {ids.Finish(), values.Finish(), times.Finish()}, 3);

  struct Case {
    const char* join;
    int64_t null_keys[2];  // Left, right.
  };
  for (const Case& c : {
           Case{"JOIN r ON l.id = r.id", {1, 1}},
           Case{"LEFT JOIN r ON l.id = r.id", {1, 1}},
           Case{"JOIN r ON l.id = r.id AND l.v = r.v", {2, 2}},
           Case{"LEFT JOIN r ON l.id + l.v = r.id", {2, 1}},
           Case{"JOIN r ON l.id IS NOT DISTINCT FROM r.id", {0, 0}},
       }) {
    Result<Script> script = ParseScript(
        std::string("CREATE TABLE l (id BIGINT, v BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) "
                    "WITH ('connector' = 'memory');\n"
                    "CREATE TABLE r (id BIGINT, v BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) "
                    "WITH ('connector' = 'memory');\n"
                    "SELECT l.*, r.* FROM l ") +
            c.join + " AND l.ts = r.ts;",
        {});
    ASSERT_TRUE(script.has_value()) << c.join << ": " << script.error().ToString();
    const Result<StreamPlan> plan = MakeStreamPlan(*script->query, Mode::kMicroBatch);
    ASSERT_TRUE(plan.has_value()) << c.join << ": " << plan.error().ToString();
    for (const Side side : {Side::kLeft, Side::kRight}) {
      const Result<ArrivalStage> stage = ArrivalStage::ForJoin(*plan->join, side);
      ASSERT_TRUE(stage.has_value()) << stage.error().ToString();
      EvaluationContext context;
      const Result<Arrivals> arrivals =
          stage->Arrive(stage->Read(slice, context), std::nullopt, OnRowError::kFail, context);
      ASSERT_TRUE(arrivals.has_value()) << arrivals.error().ToString();
      EXPECT_EQ(arrivals->counts.null_key, c.null_keys[Index(side)])
          << c.join << ", side " << Index(side);
    }
  }
}

// A row time that is too far ahead is late like any other: the shortcut over slices that hold none
// must see it.
TEST(ArrivalStageTest, TimesThatAreNotBelievedMoveNoWatermarkButAreTimes) {
  const SingleTable table(
      "CREATE TABLE t (id BIGINT, ts AS TO_TIMESTAMP_LTZ(id, 0), WATERMARK FOR ts AS ts) "
      "WITH ('connector' = 'memory');\n"
      "SELECT id, ts FROM t;\n");
  EvaluationContext context;
  struct Case {
    std::optional<EventTime> latest;
    int64_t num_ahead;
    std::optional<EventTime> max;
  };
  // The rows are at 1, 2 and 3 seconds.
  for (const Case& one : {
           Case{std::nullopt, 0, EventTime{3'000'000}},
           Case{EventTime{3'000'000}, 0, EventTime{3'000'000}},
           Case{EventTime{2'999'999}, 1, EventTime{2'000'000}},
           Case{EventTime{0}, 3, std::nullopt},
       }) {
    const ReadRows read = table.stage->Read(table.slice, context, one.latest);
    EXPECT_EQ(read.num_ahead, one.num_ahead);
    EXPECT_EQ(read.max_time, one.max);
    EXPECT_EQ(read.min_time, EventTime{1'000'000});
    const Result<Arrivals> arrivals =
        table.stage->Arrive(read, Watermark{2'000}, OnRowError::kFail, context);
    ASSERT_TRUE(arrivals.has_value()) << arrivals.error().ToString();
    EXPECT_EQ(arrivals->counts.late, 2);
    EXPECT_EQ(arrivals->num_rows, 1);
  }
}

TEST(ArrivalStageTest, ATimeWithoutZoneIsHeldAgainstTheClockOfTheSessionZone) {
  const Result<TimeZonePtr> zone = TimeZone::Find("+02:00");
  ASSERT_TRUE(zone.has_value());
  EvaluationContext context;
  context.zone = zone->get();
  const EventTime now{1'000'000};
  for (const auto& [type, hours] : {std::pair{"TIMESTAMP(3)", 2}, {"TIMESTAMP_LTZ(3)", 0}}) {
    const SingleTable table(
        fmt::format("CREATE TABLE t (id BIGINT, ts {}, WATERMARK FOR ts AS ts) WITH ('connector' = "
                    "'memory');\nSELECT id FROM t;\n",
                    type));
    EXPECT_EQ(table.stage->ClockTime(now, context), now + Seconds(hours * 3'600)) << type;
    EXPECT_EQ(table.stage->ClockTime(now, EvaluationContext()), now) << type;
  }
}

}  // namespace
}  // namespace braid
