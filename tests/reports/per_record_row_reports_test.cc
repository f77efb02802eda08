// Reports of wrong rows (W and X items) put to whole queries that run record by record. A report's
// own number is in the comment above its test.
//
// Not here, since they cannot apply to this mode:
//   W2, W3, W8, W10, W31, X8  concern batches, their eviction and their counts;
//   W32                       a second watermark of one query: each join has its own here;
//   W30                       partitions: a query has one.
// W23 (a row of nothing but NULLs) is checked by TextQuery for every row of every test; W26 is in
// file_reports_test.cc, for both modes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/reports/text_query.h"

namespace braid {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::PerRecord;
using testing::QueryText;
using testing::RangeJoin;
using testing::RefusalOf;
using testing::TextQuery;
using testing::WarningsOf;

struct Step {
  std::string rows;
  std::string output;
};

struct Variant {
  const char* name;
  bool on_disk;
  bool restarts;
};

// Runs the steps record by record: in one run, and with a restart from its checkpoint before each
// step, in memory and on disk.
void ExpectSteps(const QueryText& text, const std::vector<Step>& steps) {
  for (const Variant& variant : {Variant{"one run", false, false}, Variant{"restarts", false, true},
                                 Variant{"restarts, on disk", true, true}}) {
    QueryText varied = PerRecord(text);
    varied.on_disk = variant.on_disk;
    TextQuery query(varied);
    for (size_t index = 0; index < steps.size(); ++index) {
      if (variant.restarts && index > 0) {
        ASSERT_TRUE(query.Restart());
      }
      EXPECT_EQ(query.Step(steps[index].rows), steps[index].output)
          << "step " << index << ": " << steps[index].rows << " (" << variant.name << ")";
    }
  }
}

// Rows of r up to `seconds` before and after those of l.
std::string Around(const std::string& type, int seconds, const std::string& more = "") {
  std::string select = RangeJoin(type, seconds, more);
  const std::string from = "BETWEEN l.ts AND";
  return select.replace(select.find(from), from.size(),
                        "BETWEEN l.ts - INTERVAL '" + std::to_string(seconds) + "' SECOND AND");
}

const std::pair<std::string, std::string> kDataStream = {"per-record.interval-join", "datastream"};
constexpr const char* kNoWatermark = "k BIGINT, ts TIMESTAMP(3), v STRING";

// W12 (FLINK-33524)
TEST(PerRecordRowReportsTest, ARowAtTheWatermarkItselfIsNotLate) {
  const std::string delay = ", WATERMARK FOR ts AS ts - INTERVAL '0.001' SECOND";
  const QueryText text = PerRecord(
      {.select = "SELECT l.k, l.ts, r.ts FROM l JOIN r ON l.k = r.k AND r.ts BETWEEN l.ts AND l.ts",
       .left = "k BIGINT, ts TIMESTAMP(3)" + delay,
       .right = "k BIGINT, ts TIMESTAMP(3)" + delay,
       .settings = {kDataStream}});
  TextQuery query(text);
  // The watermark is 0.999 s from here on.
  EXPECT_EQ(query.Step("l: 8 1 | r: 9 1"), "");
  EXPECT_EQ(query.Step("l: 1 0.998, 2 0.999, 3 1 | r: 1 0.998, 2 0.999, 3 1"),
            "2 0.999 0.999, 3 1 1");
  EXPECT_EQ(query.late_rows(), 2);
}

// W13 (FLINK-8158, FLINK-9994)
TEST(PerRecordRowReportsTest, ARowThatComesOutOfAJoinIsNotLateInTheNextOne) {
  // 1 @ 1 leaves the first join when the second one's other table is at 6 already.
  ExpectSteps(
      {.select = "SELECT l.k, l.ts, r.ts, c.ts FROM l JOIN r ON l.k = r.k AND r.w = 'b' AND "
                 "r.ts BETWEEN l.ts - INTERVAL '5' SECOND AND l.ts + INTERVAL '5' SECOND "
                 "LEFT JOIN r AS c ON l.k = c.k AND c.w = 'c' AND c.ts BETWEEN l.ts AND "
                 "l.ts + INTERVAL '1' SECOND"},
      {{"l: 1 1 | r: 1 1.5 c", ""}, {"l: 8 5.999 | r: 9 5.999", ""}, {"r: 1 6 b", "1 1 6 1.5"}});
}

// W13: the DataStream join holds nothing back, so its rows carry the later of the two times.
TEST(PerRecordRowReportsTest, ADataStreamJoinGivesItsRowsTheLaterTime) {
  TextQuery query(PerRecord({.select = Around("INNER", 5), .settings = {kDataStream}}));
  EXPECT_EQ(query.Step("l: 1 1"), "");
  EXPECT_EQ(query.Step("l: 8 5.999 | r: 9 5.999"), "");
  EXPECT_EQ(query.Step("r: 1 6"), "1 1 6");
  EXPECT_EQ(query.late_rows(), 0);
}

// W28 (FLINK-31212)
TEST(PerRecordRowReportsTest, APaddedRowComesOneMillisecondAfterItsLastPossiblePartner) {
  ExpectSteps(
      {.select = Around("LEFT", 10)},
      {{"l: 1 10", ""}, {"l: 8 20 | r: 9 20", ""}, {"l: 8 20.001", ""}, {"r: 9 20.001", "1 10 -"}});
  // Whoever asks for fewer clean-ups waits for them.
  ExpectSteps(
      {.select = Around("LEFT", 10),
       .settings = {{"table.exec.interval-join.min-cleanup-interval", "5 s"}}},
      {{"l: 1 10", ""}, {"l: 8 25 | r: 9 25", ""}, {"l: 8 25.001 | r: 9 25.001", "1 10 -"}});
}

// W29 (FLINK-39719)
TEST(PerRecordRowReportsTest, ALateRowIsDroppedAndCountedAlthoughItsPartnerIsStillThere) {
  TextQuery query(PerRecord({.select = Around("INNER", 10), .settings = {kDataStream}}));
  EXPECT_EQ(query.Step("l: 1 15, 8 20 | r: 1 15, 9 20"), "1 15 15");
  EXPECT_EQ(query.Step("l: 1 12"), "");
  EXPECT_EQ(query.late_rows(), 1);
  EXPECT_EQ(query.progress().sources[0].num_late_rows, 1);
  EXPECT_EQ(query.Step("r: 1 12, 1 13"), "");
  EXPECT_EQ(query.late_rows(), 3);
  EXPECT_EQ(query.progress().sources[0].num_late_rows, 0);
  EXPECT_EQ(query.progress().sources[1].num_late_rows, 2);
  EXPECT_EQ(query.Step("l: 1 20"), "1 20 15") << "equal to the watermark is on time";
}

// X4
TEST(PerRecordRowReportsTest, TimesBefore1970AreJoined) {
  struct Case {
    const char* type;
    const char* joined;
  };
  for (const Case& c : {Case{"INNER", "1 -10 -9"}, Case{"LEFT", "1 -10 -9, 8 -20 -"},
                        Case{"FULL", "- - -20, 1 -10 -9, 8 -20 -"}}) {
    SCOPED_TRACE(c.type);
    ExpectSteps({.select = Around(c.type, 2)},
                {{"l: 8 -20 | r: 9 -20", ""}, {"l: 1 -10", ""}, {"r: 1 -9", c.joined}});
  }
}

// X5
TEST(PerRecordRowReportsTest, ARowAtTimeZeroStaysWhenAnOlderOneLeaves) {
  ExpectSteps({.select = Around("LEFT", 10)},
              {{"l: 1 -5, 1 0", ""}, {"l: 8 5.001 | r: 9 5.001", "1 -5 -"}, {"r: 1 6", "1 0 6"}});
}

// X6
TEST(PerRecordRowReportsTest, ARowWithoutATimeIsPaddedOrDroppedAtOnceAndCounted) {
  struct Case {
    const char* type;
    const char* left;
    const char* right;
  };
  for (const Case& c :
       {Case{"INNER", "", ""}, Case{"LEFT", "1 - -", ""}, Case{"RIGHT", "", "- - -"},
        Case{"FULL", "1 - -", "- - -"}, Case{"LEFT SEMI", "", ""}, Case{"LEFT ANTI", "1 -", ""}}) {
    std::string select = RangeJoin(c.type, 5);
    // A right row without a time and a key would show nothing: give its text.
    std::string right = c.right;
    if (!right.empty()) {
      select.replace(select.find("r.ts FROM"), 4, "r.w");
      right = "- - x";
    }
    TextQuery query(PerRecord({.select = select}));
    EXPECT_EQ(query.Step("l: 1 - v"), c.left) << c.type;
    EXPECT_EQ(query.progress().state->rows_null_time, 1) << c.type;
    EXPECT_EQ(query.Step("r: 1 - x"), right) << c.type;
    EXPECT_EQ(query.progress().state->rows_null_time, 1) << c.type;
    EXPECT_EQ(query.state_rows(), 0) << c.type;
  }
  TextQuery query(PerRecord({.select = RangeJoin("INNER", 5), .settings = {kDataStream}}));
  EXPECT_THAT(query.Step("l: 1 - v"), AllOf(HasSubstr("error"), HasSubstr("row time")));
}

// W1 (SPARK-26154)
TEST(PerRecordRowReportsTest, AMatchedRowIsNeverPaddedAfterItsPartnerHasGone) {
  ExpectSteps({.select = RangeJoin("LEFT", 5)}, {{"l: 1 10 | r: 1 10", "1 10 10"},
                                                 {"l: 8 12 | r: 9 12", ""},
                                                 {"l: 8 17 | r: 9 17", ""},
                                                 {"l: 8 30 | r: 9 30", "8 12 -, 8 17 -"}});
}

// W4 (SPARK-32148)
TEST(PerRecordRowReportsTest, RowsThatLeaveTogetherKeepTheirOwnValues) {
  std::string select = RangeJoin("LEFT", 5);
  select.replace(0, select.find("FROM"), "SELECT l.k, l.v, r.w ");
  ExpectSteps({.select = select},
              {{"l: 1 1 a, 2 2 b, 3 3 c", ""}, {"l: 8 60 | r: 9 60", "1 a -, 2 b -, 3 c -"}});
  ExpectSteps({.select = select},
              {{"l: 1 1 a-text-of-more-than-16-bytes, 1 2 another-text-of-that-kind, 1 3 c", ""},
               {"l: 8 60 | r: 9 60",
                "1 a-text-of-more-than-16-bytes -, 1 another-text-of-that-kind -, 1 c -"}});
}

// W6 (SPARK-58904 a), O7 (Stack Overflow 73435831): with one watermark there is no interval join.
TEST(PerRecordRowReportsTest, AMissingWatermarkMakesARegularJoinThatNamesTheLineToAdd) {
  const QueryText text = {.select = RangeJoin("LEFT", 5), .left = kNoWatermark};
  ExpectSteps(text, {{"l: 1 10", "1 10 -"},
                     {"r: 1 12", "-D 1 10 -, 1 10 12"},
                     {"r: 9 100", ""},
                     {"l: 2 1", "2 1 -"}});
  EXPECT_THAT(WarningsOf(PerRecord(text)),
              AllOf(HasSubstr("regular join"), HasSubstr("grows for ever"),
                    HasSubstr("CREATE TABLE l: WATERMARK FOR ts")));
}

// W7 (SPARK-58904 b)
TEST(PerRecordRowReportsTest, ATimeEqualityWithOneWatermarkKeepsTheMatch) {
  ExpectSteps({.select = "SELECT l.k, l.ts, r.ts FROM l LEFT JOIN r ON l.k = r.k AND l.ts = r.ts",
               .left = kNoWatermark},
              {{"r: 1 10", ""}, {"r: 9 100", ""}, {"l: 1 10", "1 10 10"}});
}

// W9 (SPARK-28094)
TEST(PerRecordRowReportsTest, APaddedRowOfOneJoinFindsItsPartnerInTheNext) {
  ExpectSteps({.select = "SELECT l.k, l.ts, r.ts, c.ts FROM l LEFT JOIN r ON l.k = r.k AND r.w = "
                         "'b' AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '5' SECOND LEFT JOIN r AS "
                         "c ON l.k = c.k AND c.w = 'c' AND c.ts BETWEEN l.ts AND l.ts + INTERVAL "
                         "'5' SECOND"},
              {{"l: 1 10 | r: 1 12 c", ""}, {"l: 8 100 | r: 9 100", "1 10 - 12"}});
}

// W11 (the "0 seconds" watermark)
TEST(PerRecordRowReportsTest, EqualTimesMatchWithADelayOfZero) {
  const QueryText text = {.select = RangeJoin("INNER", 5)};
  ExpectSteps(text, {{"l: 1 10 | r: 1 10", "1 10 10"}, {"l: 2 10 | r: 2 10", "2 10 10"}});
  ExpectSteps(text, {{"l: 1 10, 2 10 | r: 1 10, 2 10", "1 10 10, 2 10 10"}});
}

// W14 (KAFKA-10847)
TEST(PerRecordRowReportsTest, NoPaddingComesBeforeALaterMatch) {
  ExpectSteps({.select = RangeJoin("LEFT", 3)},
              {{"l: 1 17, 2 17", ""}, {"r: 1 19", "1 17 19"}, {"l: 8 60 | r: 9 60", "2 17 -"}});
}

// W17 (KAFKA-16123)
TEST(PerRecordRowReportsTest, ARowAfterItsWindowGivesNothingButItsPadding) {
  struct Case {
    const char* type;
    const char* at_push;
    const char* late;
  };
  for (const Case& c : {Case{"INNER", "", ""}, Case{"LEFT", "1 10 -", ""},
                        Case{"RIGHT", "", "- - 12"}, Case{"FULL", "1 10 -", "- - 12"},
                        Case{"LEFT SEMI", "", ""}, Case{"LEFT ANTI", "1 10", ""}}) {
    SCOPED_TRACE(c.type);
    ExpectSteps({.select = RangeJoin(c.type, 5)},
                {{"l: 1 10", ""}, {"l: 8 100 | r: 9 100", c.at_push}, {"r: 1 12", c.late}});
  }
}

// W18 (KAFKA-12317), X2 (the FULL OUTER part)
TEST(PerRecordRowReportsTest, NullKeysMatchOnlyWhereTheQuerySaysSo) {
  struct Case {
    const char* type;
    const char* rows;  // After the push to 100.
  };
  for (const Case& c :
       {Case{"INNER", ""}, Case{"LEFT", "- 10 -"}, Case{"RIGHT", "- - 10"},
        Case{"FULL", "- - 10, - 10 -"}, Case{"LEFT SEMI", ""}, Case{"LEFT ANTI", "- 10"}}) {
    const std::string select = RangeJoin(c.type, 5);
    SCOPED_TRACE(select);
    ExpectSteps({.select = select}, {{"l: - 10 | r: - 10", ""}, {"l: 8 100 | r: 9 100", c.rows}});

    // Half of the key NULL is the same.
    std::string two_columns = select;
    two_columns.replace(two_columns.find("l.k = r.k"), 9, "l.v = r.k AND l.k = r.w");
    ExpectSteps({.select = two_columns,
                 .left = "k BIGINT, ts TIMESTAMP(3), v BIGINT, WATERMARK FOR ts AS ts",
                 .right = "k BIGINT, ts TIMESTAMP(3), w BIGINT, WATERMARK FOR ts AS ts"},
                {{"l: - 10 1 | r: 1 10 -", ""}, {"l: 8 100 | r: 9 100", c.rows}});
  }
  for (const char* equal : {"l.k IS NOT DISTINCT FROM r.k", "l.k <=> r.k"}) {
    std::string select = RangeJoin("INNER", 5);
    select.replace(select.find("l.k = r.k"), 9, equal);
    ExpectSteps({.select = select}, {{"l: - 10 | r: - 10", "- 10 10"}});
  }
}

// W18 without bounds.
TEST(PerRecordRowReportsTest, NullKeysOfARegularJoinMatchNothing) {
  ExpectSteps({.select = "SELECT l.k, l.ts, r.ts FROM l FULL JOIN r ON l.k = r.k"},
              {{"l: - 10 | r: - 11", "- - 11, - 10 -"}});
  ExpectSteps({.select = "SELECT l.k, l.ts, r.ts FROM l JOIN r ON l.k <=> r.k"},
              {{"l: - 10 | r: - 11", "- 10 11"}});
}

// W19 (SPARK-26021, SPARK-35207)
TEST(PerRecordRowReportsTest, ZerosAndNansAreOneKeyEachAndKeepTheirValues) {
  for (const char* bound : {" AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '5' SECOND", ""}) {
    const QueryText text = {
        .select = std::string("SELECT l.k, r.k FROM l JOIN r ON l.k = r.k") + bound,
        .left = "k DOUBLE, ts TIMESTAMP(3), WATERMARK FOR ts AS ts",
        .right = "k DOUBLE, ts TIMESTAMP(3), WATERMARK FOR ts AS ts"};
    ExpectSteps(text, {{"l: 0.0 10 | r: -0.0 10", "0 -0"}});
    ExpectSteps(text, {{"l: -0.0 10", ""}, {"r: 0.0 10", "-0 0"}});
    ExpectSteps(text, {{"l: nan:1 10", ""}, {"r: nan:2 10", "nan nan"}});
  }
}

// W20 (rw#15257)
TEST(PerRecordRowReportsTest, AKeyThatMatchesWithoutTheRestOfTheConditionIsPadded) {
  const std::string columns = "k BIGINT, ts TIMESTAMP(3), a BIGINT, WATERMARK FOR ts AS ts";
  ExpectSteps({.select = RangeJoin("LEFT", 5, " AND l.a > r.a"), .left = columns, .right = columns},
              {{"l: 1 10 10 | r: 1 10 11", ""}, {"l: 8 100 | r: 9 100", "1 10 -"}});
  ExpectSteps({.select = "SELECT l.k, l.ts, r.ts FROM l LEFT JOIN r ON l.k = r.k AND l.a > r.a",
               .left = columns,
               .right = columns},
              {{"l: 1 10 10 | r: 1 10 11", "1 10 -"}, {"r: 1 12 9", "-D 1 10 -, 1 10 12"}});
}

// W21 (one-sided ON conditions, spark#57813). The condition decides matching alone; a row that
// fails it waits here like any other.
TEST(PerRecordRowReportsTest, AnOnConditionOverOneSideIsNoWhere) {
  struct Case {
    const char* name;
    std::string select;
    const char* rows;
    const char* after_push;
  };
  const std::vector<Case> cases = {
      {"left row fails, LEFT", RangeJoin("LEFT", 5, " AND l.v = 'ad'"), "l: 1 10 x", "1 10 -"},
      {"right row fails, LEFT", RangeJoin("LEFT", 5, " AND r.w = 'ok'"), "l: 1 10 x | r: 1 10 no",
       "1 10 -"},
      {"right row fails, RIGHT", RangeJoin("RIGHT", 5, " AND r.w = 'ok'"), "r: 1 10 no", "- - 10"},
      {"left row fails, RIGHT", RangeJoin("RIGHT", 5, " AND l.v = 'ad'"), "l: 1 10 x | r: 1 10 ok",
       "- - 10"},
      {"left row fails, FULL", RangeJoin("FULL", 5, " AND l.v = 'ad'"), "l: 1 10 x | r: 1 10 ok",
       "- - 10, 1 10 -"},
      {"right row fails, SEMI", RangeJoin("LEFT SEMI", 5, " AND r.w = 'ok'"),
       "l: 1 10 x | r: 1 10 no", ""},
      {"right row fails, ANTI", RangeJoin("LEFT ANTI", 5, " AND r.w = 'ok'"),
       "l: 1 10 x | r: 1 10 no", "1 10"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    ExpectSteps({.select = c.select}, {{c.rows, ""}, {"l: 8 100 ad | r: 9 100 ok", c.after_push}});
  }
}

// W22 (rw#2420, FLINK-40681)
TEST(PerRecordRowReportsTest, ThePaddedRowReturnsWhenItsPartnerIsTakenBack) {
  const QueryText text = {.select = "SELECT l.k, r.k FROM l FULL JOIN r ON l.k = r.k",
                          .left = "k BIGINT, ts TIMESTAMP(3)",
                          .right = "k BIGINT, ts TIMESTAMP(3)",
                          .gives_changes = true};
  ExpectSteps(text, {{"r: 3 1", "- 3"}, {"r: -D 3 1", "-D - 3"}, {"l: 3 2", "3 -"}});
  ExpectSteps(text, {{"l: 3 2", "3 -"},
                     {"r: 3 1", "-D 3 -, 3 3"},
                     {"r: -U 3 1, +U 4 1", "- 4, -D 3 3, 3 -"},
                     {"r: -D 4 1", "-D - 4"}});
}

// W23 (arroyo#490)
TEST(PerRecordRowReportsTest, AFullJoinNeverGivesARowOfNulls) {
  std::string select = RangeJoin("FULL", 5);
  select.replace(select.find("r.ts FROM"), 4, "r.k, r.ts");
  ExpectSteps({.select = select},
              {{"l: 1 10, - 11, 2 - | r: 1 12, - 12, 3 -", "- - 3 -, 1 10 1 12, 2 - - -"},
               {"l: 8 100 | r: 9 100", "- - - 12, - 11 - -"}});
  ExpectSteps({.select = "SELECT l.k, l.ts, r.k, r.ts FROM l FULL JOIN r ON l.k = r.k"},
              {{"l: 1 10, - 11", "- 11 - -, 1 10 - -"},
               {"r: 1 12, - 12", "- - - 12, -D 1 10 - -, 1 10 1 12"}});
}

// W25 (SPARK-18894)
TEST(PerRecordRowReportsTest, MonthsAreRefusedInDelaysAndBounds) {
  const std::string table = "k BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' ";
  for (const char* unit : {"MONTH", "YEAR"}) {
    EXPECT_THAT(RefusalOf(PerRecord({.select = RangeJoin("INNER", 5), .left = table + unit})),
                HasSubstr("month"))
        << unit;
    std::string select = RangeJoin("INNER", 1);
    select.replace(select.rfind("SECOND"), 6, unit);
    EXPECT_THAT(RefusalOf(PerRecord({.select = select})), HasSubstr("month")) << unit;
  }
  // Days are 24 hours.
  std::string days = RangeJoin("LEFT", 1);
  days.replace(days.rfind("SECOND"), 6, "DAY");
  ExpectSteps({.select = days}, {{"l: 1 10, 2 20", ""},
                                 {"r: 1 86410", "1 10 86410"},
                                 {"l: 8 86420 | r: 9 86420", ""},
                                 {"l: 8 86420.001 | r: 9 86420.001", "2 20 -"}});
}

// X1
TEST(PerRecordRowReportsTest, EqualTermsOfABoundAreAddedNotMerged) {
  for (const char* type : {"INNER", "LEFT"}) {
    SCOPED_TRACE(type);
    ExpectSteps({.select = std::string("SELECT l.k, l.ts, r.ts FROM l ") + type +
                           " JOIN r ON l.k = r.k AND r.ts >= l.ts AND r.ts <= l.ts + INTERVAL "
                           "30 SECOND + INTERVAL 30 SECOND"},
                {{"l: 1 100", ""},
                 {"l: 8 100 | r: 9 100", ""},
                 {"l: 8 150 | r: 9 150", ""},
                 {"r: 1 155", "1 100 155"}});
  }
}

// X3
TEST(PerRecordRowReportsTest, TimesAtAndBefore1970AreOrdinaryTimes) {
  for (const char* time : {"-10", "0", "-86400000"}) {
    const std::string row = std::string("1 ") + time;
    ExpectSteps({.select = RangeJoin("FULL", 5)},
                {{"l: " + row + " | r: " + row, row + " " + time}});
    TextQuery query(PerRecord({.select = RangeJoin("INNER", 5), .settings = {kDataStream}}));
    EXPECT_EQ(query.Step("l: " + row + " | r: " + row), row + " " + time);
    EXPECT_EQ(query.late_rows(), 0) << time;
  }
  ExpectSteps({.select = RangeJoin("LEFT", 5)}, {{"l: 1 -20, 2 -6 | r: 9 -20", ""},
                                                 {"l: 8 -6 | r: 9 -6", "1 -20 -"},
                                                 {"l: 8 0 | r: 2 -1", "2 -6 -1"}});
}

}  // namespace
}  // namespace braid
