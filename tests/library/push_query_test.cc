#include "braid/push_query.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/library/two_streams.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int64_t kSecond = 1'000'000;

EventTime At(int64_t second) { return {second * kSecond}; }
Watermark MarkAt(int64_t second) { return {second * 1'000}; }

constexpr const char* kTables =
    "CREATE TABLE l (k BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts);\n"
    "CREATE TABLE r (k BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts);\n";

// What a query gives, a row as "+I 1 10 12": times in seconds.
struct Seen {
  std::vector<std::string> rows;
  int num_calls = 0;

  RowFunction function() {
    return [this](const RowBatch& batch) {
      ++num_calls;
      for (int64_t row = 0; row < batch.num_rows(); ++row) {
        std::string text = ChangeKindText(batch.change_kind(row));
        for (const Column& column : batch.columns()) {
          const Value value = ValueAt(column, row);
          if (value.is_null()) {
            text += " -";
          } else if (value.type.is_timestamp()) {
            text += fmt::format(" {}", value.integer() / kSecond);
          } else {
            text += " " + FormatValue(value);
          }
        }
        rows.push_back(text);
      }
    };
  }
  std::vector<std::string> Take() { return std::exchange(rows, {}); }
};

PushQuery MustPush(const QueryBuilder& builder, Seen* seen, PushOptions options = {}) {
  Result<PushQuery> query = builder.Push(seen->function(), std::move(options));
  EXPECT_TRUE(query) << query.error().ToString();
  return std::move(*query);
}

QueryBuilder PerRecord(const std::string& text) {
  return QueryBuilder(MustCreate().Sql(text)).Mode(Mode::kPerRecord);
}

TEST(PushQueryTest, RowsComeOutBeforeTheCallReturns) {
  Seen seen;
  PushQuery join = MustPush(PerRecord(TwoStreams::Sql()), &seen);
  EXPECT_TRUE(join.PushLeftRow(1, At(10)));
  EXPECT_TRUE(join.PushLeftRow(2, At(11)));
  EXPECT_THAT(seen.Take(), IsEmpty());
  EXPECT_EQ(seen.num_calls, 0);
  EXPECT_TRUE(join.PushRightRow(1, At(12)));
  EXPECT_THAT(seen.Take(), ElementsAre("+I 1 10 12"));
  EXPECT_EQ(join.num_left_rows(), 2);
  EXPECT_EQ(join.num_right_rows(), 1);
  EXPECT_EQ(join.num_state_rows(), 3);
  // The watermarks of both rows have moved with them: the smaller one is that of the left side.
  EXPECT_TRUE(join.PushRightRow(3, At(30)));
  EXPECT_TRUE(join.PushLeftRow(4, At(30)));
  EXPECT_THAT(seen.Take(), ElementsAre("+I 2 11 -"));
  EXPECT_TRUE(join.EndOfInput());
  EXPECT_THAT(seen.Take(), ElementsAre("+I 4 30 -"));
  EXPECT_EQ(join.num_state_rows(), 0);
  EXPECT_EQ(seen.num_calls, 3);
}

TEST(PushQueryTest, ABatchGivesWhatItsRowsGiveOneByOne) {
  Seen at_once;
  Seen one_by_one;
  PushQuery first = MustPush(PerRecord(TwoStreams::Sql()), &at_once);
  PushQuery second = MustPush(PerRecord(TwoStreams::Sql()), &one_by_one);
  RowBatchBuilder rows(**first.left_schema());
  for (int64_t row = 0; row < 200; ++row) {
    rows.Append(row % 7, At(row / 2));
    EXPECT_TRUE(second.PushLeftRow(row % 7, At(row / 2)));
  }
  EXPECT_TRUE(first.PushLeft(rows.Finish()));
  for (PushQuery* query : {&first, &second}) {
    EXPECT_TRUE(query->PushRightRow(3, At(98)));
    EXPECT_TRUE(query->EndOfInput());
  }
  EXPECT_THAT(at_once.rows, testing::SizeIs(200U));
  EXPECT_EQ(at_once.rows, one_by_one.rows);
  EXPECT_EQ(at_once.num_calls, 2);
}

TEST(PushQueryTest, WatermarksByHandAreNotMovedByRows) {
  Seen seen;
  PushQuery join = MustPush(PerRecord(TwoStreams::Sql()), &seen, {.watermarks_by_hand = true});
  EXPECT_TRUE(join.PushLeftRow(1, At(10)));
  EXPECT_TRUE(join.PushLeftRow(2, At(100)));
  EXPECT_TRUE(join.PushRightRow(9, At(100)));
  EXPECT_THAT(seen.Take(), IsEmpty());
  EXPECT_FALSE(join.watermark());
  EXPECT_THAT(join.timer_millis(), testing::Not(IsEmpty()));
  EXPECT_TRUE(join.AdvanceLeftWatermark(MarkAt(50)));
  EXPECT_THAT(seen.Take(), IsEmpty());
  EXPECT_TRUE(join.AdvanceRightWatermark(MarkAt(40)));
  EXPECT_THAT(seen.Take(), ElementsAre("+I 1 10 -"));
  EXPECT_TRUE(join.watermark());
  EXPECT_TRUE(join.AdvanceWatermark(MarkAt(30)));  // Not forward: no news.
  EXPECT_TRUE(join.AdvanceWatermark("r", MarkAt(120)));
  EXPECT_TRUE(join.AdvanceWatermark(MarkAt(130)));
  EXPECT_THAT(seen.Take(), ElementsAre("+I 2 100 -"));
}

TEST(PushQueryTest, ARegularJoinSaysWhatItsRowsChange) {
  Seen seen;
  PushQuery join =
      MustPush(PerRecord("CREATE TABLE l (k BIGINT, v STRING); CREATE TABLE r (k BIGINT, w STRING);"
                         "SELECT l.k, v, w FROM l LEFT JOIN r ON l.k = r.k"),
               &seen);
  EXPECT_TRUE(join.PushLeftRow(1, "a"));
  EXPECT_THAT(seen.Take(), ElementsAre("+I 1 a -"));
  EXPECT_TRUE(join.PushRightRow(1, "x"));
  EXPECT_THAT(seen.Take(), ElementsAre("-D 1 a -", "+I 1 a x"));
  EXPECT_TRUE(join.PushRightChange(ChangeKind::kDelete, 1, "x"));
  EXPECT_THAT(seen.Take(), ElementsAre("-D 1 a x", "+I 1 a -"));
  EXPECT_TRUE(join.PushLeftChange(ChangeKind::kDelete, 1, "a"));
  EXPECT_THAT(seen.Take(), ElementsAre("-D 1 a -"));
  EXPECT_EQ(join.num_state_rows(), 0);
}

TEST(PushQueryTest, TheClockMovesProcessingTimeJoins) {
  Seen seen;
  PushQuery join =
      MustPush(PerRecord("CREATE TABLE l (k BIGINT, pt AS PROCTIME());"
                         "CREATE TABLE r (k BIGINT, pt AS PROCTIME());"
                         "SELECT l.k AS lk, r.k AS rk FROM l LEFT JOIN r ON l.k = r.k AND "
                         "r.pt BETWEEN l.pt AND l.pt + INTERVAL '10' SECOND"),
               &seen);
  EXPECT_TRUE(join.AdvanceClock(At(100)));
  EXPECT_TRUE(join.PushLeftRow(1));
  EXPECT_TRUE(join.PushLeftRow(2));
  EXPECT_TRUE(join.AdvanceClock(At(105)));
  EXPECT_TRUE(join.PushRightRow(1));
  EXPECT_THAT(seen.Take(), ElementsAre("+I 1 1"));
  EXPECT_TRUE(join.AdvanceClock(At(50)));  // Does not go back.
  EXPECT_TRUE(join.AdvanceClock(At(130)));
  EXPECT_THAT(seen.Take(), ElementsAre("+I 2 -"));
  EXPECT_TRUE(join.PushLeftRow(3));
  EXPECT_TRUE(join.EndOfInput());
  EXPECT_THAT(seen.Take(), ElementsAre("+I 3 -"));
}

TEST(PushQueryTest, TheWholeJobRuns) {
  Seen seen;
  PushQuery query = MustPush(
      PerRecord(std::string(kTables) +
                "CREATE TABLE c (k BIGINT, ts TIMESTAMP(3), twice AS k * 2,"
                "  WATERMARK FOR ts AS ts);"
                "CREATE VIEW even AS SELECT * FROM l WHERE MOD(k, 2) = 0;"
                "CREATE TABLE o (`key` STRING, twice INT) WITH ('connector' = 'filesystem',"
                "  'path' = '/nowhere', 'format' = 'csv');"
                "INSERT INTO o SELECT CAST(e.k AS STRING), CAST(c.twice AS INT) FROM even AS e"
                "  JOIN r ON e.k = r.k AND r.ts BETWEEN e.ts AND e.ts + INTERVAL '5' SECOND"
                "  LEFT JOIN c ON c.k = e.k AND c.ts BETWEEN e.ts AND e.ts + INTERVAL '5' SECOND"),
      &seen);
  EXPECT_EQ(query.output_schema().ToString(), "key STRING, twice INT");
  EXPECT_EQ((*query.schema("c"))->ToString(), "k BIGINT, ts TIMESTAMP(3)");
  for (const int64_t key : {1, 2, 4}) {
    EXPECT_TRUE(query.PushRow("l", key, At(10)));
    EXPECT_TRUE(query.PushRow("r", key, At(11)));
  }
  EXPECT_THAT(seen.Take(), IsEmpty());
  EXPECT_TRUE(query.PushRow("c", 4, At(12)));
  EXPECT_THAT(seen.Take(), ElementsAre("+I 4 8"));
  EXPECT_TRUE(query.EndOfInput());
  EXPECT_THAT(seen.Take(), ElementsAre("+I 2 -"));

  const Status left = query.PushLeftRow(1, At(1));
  ASSERT_FALSE(left);
  EXPECT_EQ(left.error().code, ErrorCode::kInvalidQuery);
  EXPECT_THAT(left.error().message, HasSubstr("e, r, c"));
}

TEST(PushQueryTest, OneTableNeedsNoJoin) {
  Seen seen;
  PushQuery query =
      MustPush(PerRecord(std::string(kTables) + "SELECT k + 1 AS n FROM l WHERE k > 1"), &seen);
  EXPECT_TRUE(query.PushRow("l", 1, At(10)));
  EXPECT_TRUE(query.PushRow("l", 2, At(11)));
  EXPECT_TRUE(query.PushChange("l", ChangeKind::kDelete, 3, At(11)));
  EXPECT_THAT(seen.Take(), ElementsAre("+I 3", "-D 4"));
  EXPECT_EQ(query.watermark(), MarkAt(11));
  EXPECT_EQ(query.num_state_rows(), 0);
}

TEST(PushQueryTest, ATableThatIsReadTwiceGetsRowsInBothPlaces) {
  Seen seen;
  PushQuery query =
      MustPush(PerRecord(std::string(kTables) +
                         "SELECT a.k, a.ts AS ats, CAST(b.ts AS TIMESTAMP(3)) AS bts FROM l AS a"
                         " JOIN l AS b ON a.k = b.k AND b.ts BETWEEN a.ts - INTERVAL '5' SECOND"
                         " AND a.ts + INTERVAL '5' SECOND"),
               &seen);
  EXPECT_TRUE(query.PushRow("l", 1, At(10)));
  EXPECT_THAT(seen.Take(), ElementsAre("+I 1 10 10"));
  EXPECT_TRUE(query.PushRow("b", 1, At(12)));
  EXPECT_THAT(seen.Take(), ElementsAre("+I 1 10 12"));
}

TEST(PushQueryTest, LateRowsOfADataStreamJoinGoToTheirFunction) {
  Seen seen;
  Seen late;
  const QueryBuilder builder =
      PerRecord(std::string(kTables) +
                "CREATE TABLE late (table_name STRING, k BIGINT, ts TIMESTAMP(3));"
                "SET 'late-rows.table' = 'late';"
                "SET 'per-record.interval-join' = 'datastream';"
                "SELECT l.k FROM l JOIN r ON l.k = r.k AND r.ts BETWEEN l.ts AND "
                "l.ts + INTERVAL '5' SECOND");
  PushQuery query = MustPush(builder, &seen, {.late_rows = late.function()});
  EXPECT_TRUE(query.AdvanceWatermark(MarkAt(20)));
  EXPECT_TRUE(query.PushLeftRow(7, At(10)));
  EXPECT_THAT(late.Take(), ElementsAre("+I l 7 10"));
  EXPECT_EQ(query.num_left_rows(), 0);
  // Without a function they are dropped.
  PushQuery silent = MustPush(builder, &seen);
  EXPECT_TRUE(silent.AdvanceWatermark(MarkAt(20)));
  EXPECT_TRUE(silent.PushRightRow(7, At(10)));
  EXPECT_EQ(silent.num_state_rows(), 0);
}

TEST(PushQueryTest, UnmatchedRowsGoToTheirFunction) {
  Seen seen;
  Seen unmatched;
  PushQuery query = MustPush(PerRecord("CREATE TABLE u (k BIGINT);"
                                       "SET 'unmatched-rows.table' = 'u';" +
                                       TwoStreams::Sql()),
                             &seen, {.unmatched_rows = unmatched.function()});
  EXPECT_TRUE(query.PushRightRow(8, At(10)));
  EXPECT_TRUE(query.EndOfInput());
  EXPECT_THAT(unmatched.Take(), ElementsAre("+I 8"));
}

TEST(PushQueryTest, WhatDoesNotFitIsRefusedAndChangesNothing) {
  Seen seen;
  PushQuery query = MustPush(PerRecord(TwoStreams::Sql()), &seen);
  EXPECT_TRUE(query.PushLeftRow(1, At(10)));
  const Status unknown = query.PushRow("ll", 1, At(10));
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(unknown.error().message, "the query reads no table ll; there are l and r");

  RowBatchBuilder wrong(Schema{{{"k", DataType::String()}, {"ts", DataType::Timestamp(3)}}});
  wrong.Append("1", At(10));
  const Status type = query.PushRight(wrong.Finish());
  ASSERT_FALSE(type);
  EXPECT_EQ(type.error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(type.error().message, "table r: the column k is BIGINT, the rows bring STRING");

  RowBatchBuilder narrow(Schema{{{"k", DataType::BigInt()}}});
  narrow.Append(1);
  EXPECT_THAT(query.PushRight(narrow.Finish()).error().message, HasSubstr("it has 2 columns"));

  const Status change = query.PushRightChange(ChangeKind::kDelete, 1, At(10));
  ASSERT_FALSE(change);
  EXPECT_EQ(change.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(change.error().message, HasSubstr("table r: row 0 is a -D"));

  EXPECT_TRUE(query.PushRightRow(1, At(12)));
  EXPECT_THAT(seen.Take(), ElementsAre("+I 1 10 12"));
  EXPECT_TRUE(query.EndOfInput());
  EXPECT_THAT(query.PushRightRow(1, At(12)).error().message, HasSubstr("after the end"));
}

TEST(PushQueryTest, MicroBatchModeIsRefused) {
  const Result<PushQuery> query =
      MustCreate().Sql(TwoStreams::Sql()).Push([](const RowBatch& /*rows*/) {});
  ASSERT_FALSE(query);
  EXPECT_EQ(query.error().code, ErrorCode::kInvalidOption);
  EXPECT_THAT(query.error().message, HasSubstr("call Mode(Mode::kPerRecord)"));
}

TEST(PushQueryTest, WhatCannotRunIsRefused) {
  const auto code_of = [](const QueryBuilder& builder, RowFunction function, PushOptions options) {
    return builder.Push(std::move(function), std::move(options)).error().code;
  };
  const auto drop = [](const RowBatch& /*rows*/) {};
  const QueryBuilder fine = PerRecord(TwoStreams::Sql());
  EXPECT_EQ(code_of(fine, {}, {}), ErrorCode::kInvalidOption);
  EXPECT_EQ(code_of(fine, drop, {.late_rows = drop}), ErrorCode::kInvalidOption);
  EXPECT_EQ(code_of(fine, drop, {.unmatched_rows = drop}), ErrorCode::kInvalidOption);
  EXPECT_EQ(code_of(PerRecord("SELECT"), drop, {}), ErrorCode::kInvalidQuery);
  EXPECT_EQ(code_of(PerRecord(std::string(kTables) + "EXPLAIN SELECT * FROM l"), drop, {}),
            ErrorCode::kInvalidQuery);
}

TEST(PushQueryTest, AnErrorOfARowIsFinal) {
  Seen seen;
  PushQuery query = MustPush(PerRecord(std::string(kTables) + "SELECT 10 / k AS n FROM l"), &seen);
  EXPECT_TRUE(query.PushRow("l", 5, At(10)));
  const Status failed = query.PushRow("l", 0, At(10));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kInvalidInput);
  const Status after = query.PushRow("l", 5, At(10));
  ASSERT_FALSE(after);
  EXPECT_EQ(after.error().message, failed.error().message);
  EXPECT_THAT(seen.Take(), ElementsAre("+I 2"));
}

TEST(PushQueryTest, WhatTheFunctionThrowsOrReturnsComesBackFromTheCall) {
  struct Case {
    const char* name;
    RowFunction function;
    ErrorCode code;
    const char* message;
  };
  const std::vector<Case> cases = {
      {"throws", [](const RowBatch& /*rows*/) { throw std::runtime_error("no room"); },
       ErrorCode::kProgram, "the function for the result threw: no room"},
      {"returns",
       [](const RowBatch& /*rows*/) -> Status { return Fail(ErrorCode::kIo, "no disk"); },
       ErrorCode::kIo, "no disk"}};
  for (const Case& test : cases) {
    SCOPED_TRACE(test.name);
    Result<PushQuery> query =
        PerRecord(std::string(kTables) + "SELECT k FROM l").Push(test.function);
    ASSERT_TRUE(query);
    EXPECT_TRUE(query->AdvanceWatermark(MarkAt(1)));  // Gives no rows: no call.
    for (int i = 0; i < 2; ++i) {
      const Status status = query->PushRow("l", 1, At(10));
      ASSERT_FALSE(status);
      EXPECT_EQ(status.error().code, test.code);
      EXPECT_EQ(status.error().message, test.message);
    }
  }
}

TEST(PushQueryTest, TheFunctionMustNotCallTheQuery) {
  PushQuery* itself = nullptr;
  Status inner;
  Result<PushQuery> query =
      PerRecord(std::string(kTables) + "SELECT k FROM l").Push([&](const RowBatch& /*rows*/) {
        inner = itself->PushRow("l", 2, At(10));
      });
  ASSERT_TRUE(query);
  itself = &*query;
  EXPECT_TRUE(query->PushRow("l", 1, At(10)));
  ASSERT_FALSE(inner);
  EXPECT_EQ(inner.error().code, ErrorCode::kInvalidQuery);
}

TEST(PushQueryTest, PeriodicWatermarksAndBeliefGoByTheClock) {
  Seen seen;
  PushQuery query =
      MustPush(PerRecord("CREATE TABLE l (k BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)"
                         " WITH ('scan.watermark.emit.strategy' = 'on-periodic',"
                         "       'scan.watermark.max-ahead' = '1 min');"
                         "SELECT k FROM l"),
               &seen);
  EXPECT_TRUE(query.AdvanceClock(At(100)));
  EXPECT_TRUE(query.PushRow("l", 1, At(90)));
  EXPECT_TRUE(query.PushRow("l", 1, At(500)));  // Ahead of the clock: moves nothing.
  EXPECT_FALSE(query.watermark());
  EXPECT_TRUE(query.AdvanceClock(At(101)));
  EXPECT_EQ(query.watermark(), MarkAt(90));
}

}  // namespace
}  // namespace braid
