// Suspicions about other engines that came from reading their sources (X items of the reports),
// each put to a whole query in micro-batches. X2 stands with W18; X4 and X5 concern the per-record
// mode and are in per_record_row_reports_test.cc, with the others that apply to it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/reports/text_query.h"

namespace braid {
namespace {

using testing::QueryText;
using testing::RangeJoin;
using testing::TextQuery;

// X1
TEST(EdgeValueReportsTest, EqualTermsOfABoundAreAddedNotMerged) {
  for (const char* type : {"INNER", "LEFT"}) {
    TextQuery query({.select = std::string("SELECT l.k, l.ts, r.ts FROM l ") + type +
                               " JOIN r ON l.k = r.k AND r.ts >= l.ts AND r.ts <= l.ts + INTERVAL "
                               "30 SECOND + INTERVAL 30 SECOND"});
    EXPECT_EQ(query.Step("l: 1 100"), "") << type;
    EXPECT_EQ(query.Step("l: 8 100 | r: 9 100"), " / *") << type;
    EXPECT_EQ(query.Step("l: 8 150 | r: 9 150"), " / *") << type;
    EXPECT_EQ(query.Step("r: 1 155"), "1 100 155") << type;
  }
}

// X3
TEST(EdgeValueReportsTest, TimesAtAndBefore1970AreOrdinaryTimes) {
  for (const char* time : {"-10", "0", "-86400000"}) {
    TextQuery query({.select = RangeJoin("FULL", 5)});
    const std::string row = std::string("1 ") + time;
    EXPECT_EQ(query.Step("l: " + row + " | r: " + row), row + " " + time + " / *");
    EXPECT_EQ(query.late_rows(), 0) << time;
  }
  TextQuery query({.select = RangeJoin("LEFT", 5)});
  EXPECT_EQ(query.Step("l: 1 -20, 2 -6 | r: 9 -20"), " / *");
  EXPECT_EQ(query.Step("l: 8 -6 | r: 9 -6"), " / * 1 -20 -");
  EXPECT_EQ(query.Step("r: 9 -12"), "") << "late";
  EXPECT_EQ(query.late_rows(), 1);
  EXPECT_EQ(query.Step("l: 8 0 | r: 2 -1"), "2 -6 -1 / *");
}

// X6
TEST(EdgeValueReportsTest, ARowWithoutATimeIsPaddedOrDroppedAtOnceAndCounted) {
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
    TextQuery query({.select = select});
    EXPECT_EQ(query.Step("l: 1 - v"), c.left) << c.type;
    EXPECT_EQ(query.progress().state->rows_null_time, 1) << c.type;
    EXPECT_EQ(query.Step("r: 1 - x"), right) << c.type;
    EXPECT_EQ(query.progress().state->rows_null_time, 1) << c.type;
    EXPECT_EQ(query.state_rows(), 0) << c.type;
    EXPECT_EQ(query.late_rows(), 0) << c.type;
  }
}

// X8
TEST(EdgeValueReportsTest, AllRowsThatLeaveStateAreCounted) {
  for (const char* type : {"INNER", "LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI"}) {
    TextQuery query({.select = RangeJoin(type, 5)});
    query.Step("l: 1 10, 2 11 | r: 3 12, 4 13");
    query.Step("l: 8 100 | r: 9 100");
    EXPECT_EQ(query.removed_rows(), 4) << type;
    EXPECT_EQ(query.state_rows(), 2) << type;
  }
}

}  // namespace
}  // namespace braid
