// Reports of wrong rows from users of other engines, each put to a whole query. A report's own
// number is in the comment above its test.
//
// Not here, since they cannot apply to micro-batches of rows that are only added:
//   W12, W13, W28, W29, X4, X5  concern the per-record mode: per_record_row_reports_test.cc, which
//                               also has the others of this file where they apply to that mode;
//   W22                         inputs with updates and deletes: in the same file;
//   W31                         an output mode that takes rows back: there is none.
// W23 (a row of nothing but NULLs) is checked by TextQuery for every row of every test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/reports/text_query.h"

namespace braid {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::QueryText;
using testing::RangeJoin;
using testing::RefusalOf;
using testing::TextQuery;
using testing::WarningsOf;

struct Step {
  std::string rows;
  std::string batches;
};

struct Variant {
  const char* name;
  const char* parallelism;
  bool on_disk;
  bool restarts;
};

// Runs the steps in one run and with a restart before each step, with 1 and 3 partitions, in memory
// and on disk.
void ExpectSteps(const QueryText& text, const std::vector<Step>& steps) {
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
      EXPECT_EQ(query.Step(steps[index].rows), steps[index].batches)
          << "step " << index << ": " << steps[index].rows << " (" << variant.name << ")";
    }
  }
}

const std::pair<std::string, std::string> kNoDataBatchesOff = {"execution.no-data-batches",
                                                               "false"};

// W1 (SPARK-26154)
TEST(WrongRowReportsTest, AMatchedRowIsNeverPaddedAfterItsPartnerHasGone) {
  ExpectSteps({.select = RangeJoin("LEFT", 5)}, {{"l: 1 10 | r: 1 10", "1 10 10 / *"},
                                                 {"l: 8 12 | r: 9 12", " / *"},
                                                 {"l: 8 17 | r: 9 17", " / *"},
                                                 {"l: 8 30 | r: 9 30", " / * 8 12 -, 8 17 -"}});
}

// W2 (SPARK-49829)
TEST(WrongRowReportsTest, ARowThatIsOnTimeButExpiredIsPaddedOrMatches) {
  const QueryText text = {
      .select = "SELECT l.k, l.ts, r.ts FROM l LEFT JOIN r ON l.k = r.k AND l.ts = r.ts",
      .settings = {kNoDataBatchesOff}};
  const Step first = {"l: 1 1, 2 2 | r: 2 2, 3 1", "2 2 2"};
  ExpectSteps(text, {first, {"l: 4 1", "1 1 -, 4 1 -"}});
  ExpectSteps(text, {first, {"l: 4 1 | r: 4 1", "1 1 -, 4 1 1"}});
}

// W3 (SPARK-38684, SPARK-38320)
TEST(WrongRowReportsTest, EvictionSeesTheRowsOfItsOwnBatch) {
  ExpectSteps({.select = RangeJoin("LEFT", 5), .settings = {kNoDataBatchesOff}},
              {{"l: 1 1", ""},
               {"l: 8 60 | r: 9 60", ""},
               {"l: 1 100", "1 1 -"},
               {"r: 1 103", "1 100 103"}});
}

// W4 (SPARK-32148)
TEST(WrongRowReportsTest, RowsThatAreEvictedTogetherKeepTheirOwnValues) {
  std::string select = RangeJoin("LEFT", 5);
  select.replace(0, select.find("FROM"), "SELECT l.k, l.v, r.w ");
  ExpectSteps({.select = select},
              {{"l: 1 1 a, 2 2 b, 3 3 c", ""}, {"l: 8 60 | r: 9 60", " / * 1 a -, 2 b -, 3 c -"}});
  ExpectSteps({.select = select},
              {{"l: 1 1 a-text-of-more-than-16-bytes, 1 2 another-text-of-that-kind, 1 3 c", ""},
               {"l: 8 60 | r: 9 60",
                " / * 1 a-text-of-more-than-16-bytes -, 1 another-text-of-that-kind -, 1 c -"}});
}

// W6 (SPARK-58904 a)
TEST(WrongRowReportsTest, AWatermarkOnTheRightAlonePadsTheLeft) {
  const std::string no_watermark = "k BIGINT, ts TIMESTAMP(3), v STRING";
  ExpectSteps({.select = RangeJoin("LEFT", 5), .left = no_watermark},
              {{"l: 1 10", ""}, {"r: 9 100", " / * 1 10 -"}});
  // The other way round the left rows could never come out.
  EXPECT_THAT(RefusalOf({.select = RangeJoin("LEFT", 5), .right = no_watermark}),
              AllOf(HasSubstr("never"), HasSubstr("WATERMARK FOR ts")));
}

// W7 (SPARK-58904 b)
TEST(WrongRowReportsTest, ATimeEqualityWithOneWatermarkKeepsTheMatch) {
  ExpectSteps({.select = "SELECT l.k, l.ts, r.ts FROM l LEFT JOIN r ON l.k = r.k AND l.ts = r.ts",
               .left = "k BIGINT, ts TIMESTAMP(3), v STRING"},
              {{"r: 1 10", " / *"}, {"r: 9 100", " / *"}, {"l: 1 10", "1 10 10"}});
}

// W8 (SPARK-46350)
TEST(WrongRowReportsTest, TheOtherTablesWatermarkEmptiesTheSideWithoutOne) {
  TextQuery query({.select = "SELECT l.k, l.ts, r.ts FROM l JOIN r ON l.k = r.k AND "
                             "l.ts > r.ts + INTERVAL '10' SECOND",
                   .left = "k BIGINT, ts TIMESTAMP(3), v STRING"});
  EXPECT_EQ(query.Step("l: 1 5"), "");
  EXPECT_EQ(query.Step("r: 9 100"), " / *");
  EXPECT_EQ(query.state_rows(), 1);
}

// W9 (SPARK-28094), W10 (SPARK-45637), W32 (SPARK-23702)
TEST(WrongRowReportsTest, WhatOneWatermarkCannotAnswerIsRefusedByName) {
  struct Case {
    const char* name;
    QueryText text;
    const char* message;
  };
  const std::string twice = "k BIGINT, ts TIMESTAMP(3), u TIMESTAMP(3), WATERMARK FOR ts AS ts";
  const std::vector<Case> cases = {
      {"a second join",
       {.select = RangeJoin("LEFT", 5) + " LEFT JOIN r AS c ON l.k = c.k AND c.ts BETWEEN l.ts AND "
                                         "l.ts + INTERVAL '5' SECOND"},
       "second join"},
      {"counts in windows",
       {.select = "SELECT l.k FROM l JOIN (SELECT k, COUNT(*) AS n FROM r GROUP BY k) AS c ON l.k "
                  "= c.k"},
       "aggregate"},
      {"a window function",
       {.select = "SELECT * FROM TABLE(TUMBLE(TABLE l, DESCRIPTOR(ts), INTERVAL '5' SECOND))"},
       "TUMBLE"},
      {"a second watermark",
       {.select = RangeJoin("INNER", 5), .left = twice + ", WATERMARK FOR u AS u"},
       "WATERMARK"},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(RefusalOf(c.text), HasSubstr(c.message)) << c.name;
  }
}

// W11 (the "0 seconds" watermark)
TEST(WrongRowReportsTest, ADelayOfZeroIsWarnedOfAndOneMillisecondKeepsEqualTimes) {
  const QueryText zero = {.select = RangeJoin("INNER", 5)};
  TextQuery query(zero);
  EXPECT_EQ(query.Step("l: 1 10 | r: 1 10"), "1 10 10 / *");
  EXPECT_EQ(query.Step("l: 2 10 | r: 2 10"), "");
  EXPECT_EQ(query.late_rows(), 2);
  EXPECT_THAT(WarningsOf(zero), HasSubstr("delay"));

  const std::string watermark = ", WATERMARK FOR ts AS ts - INTERVAL '0.001' SECOND";
  const QueryText one = {.select = RangeJoin("INNER", 5),
                         .left = "k BIGINT, ts TIMESTAMP(3)" + watermark,
                         .right = "k BIGINT, ts TIMESTAMP(3)" + watermark};
  ExpectSteps(one, {{"l: 1 10 | r: 1 10", "1 10 10 / *"}, {"l: 2 10 | r: 2 10", "2 10 10"}});
  EXPECT_THAT(WarningsOf(one), IsEmpty());
}

// W14 (KAFKA-10847)
TEST(WrongRowReportsTest, NoPaddingComesBeforeALaterMatch) {
  ExpectSteps(
      {.select = RangeJoin("LEFT", 3)},
      {{"l: 1 17, 2 17", ""}, {"r: 1 19", "1 17 19 / *"}, {"l: 8 60 | r: 9 60", " / * 2 17 -"}});
}

// W17 (KAFKA-16123)
TEST(WrongRowReportsTest, ALateRowGivesNothingAndIsCounted) {
  for (const char* type : {"INNER", "LEFT", "RIGHT", "FULL"}) {
    TextQuery query({.select = RangeJoin(type, 5)});
    query.Step("l: 1 10");
    query.Step("l: 8 100 | r: 9 100");
    EXPECT_EQ(query.Step("r: 1 12"), "") << type;
    EXPECT_EQ(query.late_rows(), 1) << type;
  }
}

// W18 (KAFKA-12317), X2 (the FULL OUTER part)
TEST(WrongRowReportsTest, NullKeysMatchOnlyWhereTheQuerySaysSo) {
  struct Case {
    const char* type;
    const char* rows;  // After the push to 100.
  };
  const Step push = {"l: 8 100 | r: 9 100", ""};
  for (const Case& c :
       {Case{"INNER", ""}, Case{"LEFT", "- 10 -"}, Case{"RIGHT", "- - 10"},
        Case{"FULL", "- - 10, - 10 -"}, Case{"LEFT SEMI", ""}, Case{"LEFT ANTI", "- 10"}}) {
    const std::string padded = std::string(" / *") + (*c.rows != '\0' ? " " : "") + c.rows;
    const std::string select = RangeJoin(c.type, 5);
    SCOPED_TRACE(select);
    ExpectSteps({.select = select}, {{"l: - 10 | r: - 10", " / *"}, {push.rows, padded}});

    // Half of the key NULL is the same.
    std::string two_columns = select;
    two_columns.replace(two_columns.find("l.k = r.k"), 9, "l.v = r.k AND l.k = r.w");
    ExpectSteps({.select = two_columns,
                 .left = "k BIGINT, ts TIMESTAMP(3), v BIGINT, WATERMARK FOR ts AS ts",
                 .right = "k BIGINT, ts TIMESTAMP(3), w BIGINT, WATERMARK FOR ts AS ts"},
                {{"l: - 10 1 | r: 1 10 -", " / *"}, {push.rows, padded}});
  }
  for (const char* equal : {"l.k IS NOT DISTINCT FROM r.k", "l.k <=> r.k"}) {
    std::string select = RangeJoin("INNER", 5);
    select.replace(select.find("l.k = r.k"), 9, equal);
    ExpectSteps({.select = select}, {{"l: - 10 | r: - 10", "- 10 10 / *"}});
  }
}

// W19 (SPARK-26021, SPARK-35207)
TEST(WrongRowReportsTest, ZerosAndNansAreOneKeyEachAndKeepTheirValues) {
  const std::string watermark = ", WATERMARK FOR ts AS ts - INTERVAL '10' SECOND";
  const QueryText text = {
      .select =
          "SELECT l.k, r.k FROM l JOIN r ON l.k = r.k AND r.ts BETWEEN l.ts AND l.ts + "
          "INTERVAL '5' SECOND",
      .left = "k DOUBLE, ts TIMESTAMP(3)" + watermark,
      .right = "k DOUBLE, ts TIMESTAMP(3)" + watermark};
  ExpectSteps(text, {{"l: 0.0 10 | r: -0.0 10", "0 -0 / *"}});
  ExpectSteps(text, {{"l: -0.0 10", ""}, {"r: 0.0 10", "-0 0 / *"}});
  ExpectSteps(text, {{"l: nan:1 10", ""}, {"r: nan:2 10", "nan nan / *"}});
}

// W20 (rw#15257)
TEST(WrongRowReportsTest, AKeyThatMatchesWithoutTheRestOfTheConditionIsPadded) {
  ExpectSteps({.select = RangeJoin("LEFT", 5, " AND l.a > r.a"),
               .left = "k BIGINT, ts TIMESTAMP(3), a BIGINT, WATERMARK FOR ts AS ts",
               .right = "k BIGINT, ts TIMESTAMP(3), a BIGINT, WATERMARK FOR ts AS ts"},
              {{"l: 1 10 10 | r: 1 10 11", " / *"}, {"l: 8 100 | r: 9 100", " / * 1 10 -"}});
}

// W21 (one-sided ON conditions, spark#57813)
TEST(WrongRowReportsTest, AnOnConditionOverOneSideIsNoWhere) {
  struct Case {
    const char* name;
    QueryText text;
    const char* rows;
    const char* at_once;
    int64_t stored;
    const char* after_push;
  };
  const std::vector<Case> cases = {
      {"left row fails, LEFT",
       {.select = RangeJoin("LEFT", 5, " AND l.v = 'ad'")},
       "l: 1 10 x",
       "1 10 -",
       0,
       " / *"},
      {"right row fails, LEFT",
       {.select = RangeJoin("LEFT", 5, " AND r.w = 'ok'")},
       "l: 1 10 x | r: 1 10 no",
       " / *",
       1,
       " / * 1 10 -"},
      {"right row fails, RIGHT",
       {.select = RangeJoin("RIGHT", 5, " AND r.w = 'ok'")},
       "r: 1 10 no",
       "- - 10",
       0,
       " / *"},
      {"left row fails, RIGHT",
       {.select = RangeJoin("RIGHT", 5, " AND l.v = 'ad'")},
       "l: 1 10 x | r: 1 10 ok",
       " / *",
       1,
       " / * - - 10"},
      {"left row fails, FULL",
       {.select = RangeJoin("FULL", 5, " AND l.v = 'ad'")},
       "l: 1 10 x | r: 1 10 ok",
       "1 10 - / *",
       1,
       " / * - - 10"},
      {"right row fails, FULL",
       {.select = RangeJoin("FULL", 5, " AND r.w = 'ok'")},
       "l: 1 10 x | r: 1 10 no",
       "- - 10 / *",
       1,
       " / * 1 10 -"},
  };
  for (const Case& c : cases) {
    TextQuery query(c.text);
    EXPECT_EQ(query.Step(c.rows), c.at_once) << c.name;
    EXPECT_EQ(query.state_rows(), c.stored) << c.name;
    // Rows that fail too are padded in their own batch; these pass.
    EXPECT_EQ(query.Step("l: 8 100 ad | r: 9 100 ok"), c.after_push) << c.name;
  }
}

// W23 (arroyo#490)
TEST(WrongRowReportsTest, AFullJoinNeverGivesARowOfNulls) {
  std::string select = RangeJoin("FULL", 5);
  select.replace(select.find("r.ts FROM"), 4, "r.k, r.ts");
  ExpectSteps({.select = select},
              {{"l: 1 10, - 11, 2 - | r: 1 12, - 12, 3 -", "- - 3 -, 1 10 1 12, 2 - - - / *"},
               {"l: 8 100 | r: 9 100", " / * - - - 12, - 11 - -"}});
}

// W25 (SPARK-18894)
TEST(WrongRowReportsTest, MonthsAreRefusedInDelaysAndBounds) {
  const std::string table = "k BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' ";
  for (const char* unit : {"MONTH", "YEAR"}) {
    EXPECT_THAT(RefusalOf({.select = RangeJoin("INNER", 5), .left = table + unit}),
                HasSubstr("month"))
        << unit;
    std::string select = RangeJoin("INNER", 1);
    select.replace(select.rfind("SECOND"), 6, unit);
    EXPECT_THAT(RefusalOf({.select = select}), HasSubstr("month")) << unit;
  }
  // Days are 24 hours.
  std::string days = RangeJoin("LEFT", 1);
  days.replace(days.rfind("SECOND"), 6, "DAY");
  ExpectSteps({.select = days}, {{"l: 1 10, 2 20", ""},
                                 {"r: 1 86410", "1 10 86410 / *"},
                                 {"l: 8 86420.001 | r: 9 86420.001", " / * 2 20 -"}});
}

// W30 (SPARK-24588)
TEST(WrongRowReportsTest, APartitionIsChosenByTheWholeKey) {
  const QueryText text = {
      .select =
          "SELECT l.k, l.v, r.ts FROM l JOIN r ON l.k = r.k AND l.v = r.w AND r.ts BETWEEN "
          "l.ts AND l.ts + INTERVAL '50' SECOND",
      .settings = {{"parallelism", "4"}},
      .on_disk = true};
  TextQuery query(text);
  std::string left = "l:";
  std::string right = "r:";
  for (const std::string key : {"1", "2", "3"}) {
    for (const std::string value : {"a", "b", "c"}) {
      left += std::string(left.size() > 2 ? ", " : " ") + key + " 10 " + value;
      right += std::string(right.size() > 2 ? ", " : " ") + key + " 12 " + value;
    }
  }
  EXPECT_EQ(query.Step(left), "");
  EXPECT_EQ(query.Step("l: 8 11"), "");
  ASSERT_TRUE(query.Restart());
  EXPECT_EQ(query.Step(right),
            "1 a 12, 1 b 12, 1 c 12, 2 a 12, 2 b 12, 2 c 12, 3 a 12, 3 b 12, 3 c 12 / *");
}

}  // namespace
}  // namespace braid
