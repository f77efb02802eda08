#include "engine/sql/interval_literal.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/sql/parser.h"
#include "tests/sql/bound_text.h"

namespace braid {
namespace {

// The value of `literal` in "INTERVAL " + literal.
Value ValueOf(const std::string& literal) {
  const Result<Script> script = BindBehindTables("SELECT ts + INTERVAL " + literal + " FROM l");
  if (!script) {
    ADD_FAILURE() << script.error().ToString();
    return {};
  }
  return script->query->root->projections[0]->arguments[1]->literal;
}

struct Case {
  std::string literal;
  int64_t amount;
};

TEST(IntervalLiteralTest, DaysAndTimesAreExactMicroseconds) {
  constexpr int64_t kSecond = 1'000'000;
  constexpr int64_t kHour = 3'600 * kSecond;
  constexpr int64_t kDay = 24 * kHour;
  const std::vector<Case> cases = {
      {"'5' SECOND", 5 * kSecond},
      {"'5' seconds", 5 * kSecond},
      {"' 5 ' SECOND", 5 * kSecond},
      {"'-5' SECOND", -5 * kSecond},
      {"-'5' SECOND", -5 * kSecond},
      {"-'-5' SECOND", 5 * kSecond},
      {"+'5' SECOND", 5 * kSecond},
      {"'0' SECOND", 0},
      {"'1.500' SECOND", 1'500'000},
      {"'0.000001' SECOND", 1},
      {"'.5' SECOND", 500'000},
      {"'100' SECOND", 100 * kSecond},
      {"'9223372036854.775807' SECOND", INT64_MAX},
      {"'5' SECOND(3)", 5 * kSecond},
      {"'999' SECOND(3)", 999 * kSecond},
      {"'1' MINUTE", 60 * kSecond},
      {"'90' MINUTES", 5'400 * kSecond},
      {"'2' HOUR", 2 * kHour},
      {"'3' DAY", 3 * kDay},
      {"'2' WEEK", 14 * kDay},
      {"'7' MILLISECOND", 7'000},
      {"'7' MICROSECONDS", 7},
      {"'1 02:03:04.5' DAY TO SECOND", kDay + 7'384'500'000},
      {"'-1 02:03:04.5' DAY TO SECOND", -kDay - 7'384'500'000},
      {"'1 02:03:04.5' DAY(3) TO SECOND(6)", kDay + 7'384'500'000},
      {"'1 02:03' DAY TO MINUTE", kDay + 7'380'000'000},
      {"'1 02' DAY TO HOUR", kDay + 2 * kHour},
      {"'26:03:04' HOUR TO SECOND", 26 * kHour + 184 * kSecond},
      {"'02:03' HOUR TO MINUTE", 2 * kHour + 180 * kSecond},
      {"'61:04.000001' MINUTE TO SECOND", 3'664'000'001},
      {"5 SECONDS", 5 * kSecond},
      {"-5 SECONDS", -5 * kSecond},
      {"1.5 SECOND", 1'500'000},
      {"5 MINUTES 30 SECONDS", 330 * kSecond},
      {"1 DAY 2 HOURS 3 MILLISECONDS", kDay + 2 * kHour + 3'000},
      {"'5 seconds'", 5 * kSecond},
      {"'1 day 2 hours -3 minutes'", kDay + 2 * kHour - 180 * kSecond},
      {"'interval 1.5 seconds'", 1'500'000},
      {"-'5 seconds'", -5 * kSecond},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.literal);
    const Value value = ValueOf(each.literal);
    EXPECT_EQ(value.type.kind, TypeKind::kIntervalDay);
    EXPECT_EQ(value.integer(), each.amount);
  }
}

TEST(IntervalLiteralTest, YearsAreMonths) {
  const std::vector<Case> cases = {
      {"'1' MONTH", 1},        {"'-2' MONTHS", -2},         {"'2' QUARTER", 6},
      {"'3' YEARS", 36},       {"'1-2' YEAR TO MONTH", 14}, {"'-1-11' YEAR TO MONTH", -23},
      {"1 YEAR 2 MONTHS", 14}, {"'1 year -1 month'", 11},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.literal);
    const Value value = ValueOf(each.literal);
    EXPECT_EQ(value.type.kind, TypeKind::kIntervalMonth);
    EXPECT_EQ(value.integer(), each.amount);
  }
}

TEST(IntervalLiteralTest, RefusesWhatIsNoIntervalAndSaysWhy) {
  const std::string words =
      " is no interval; write INTERVAL '5' SECOND, or INTERVAL '5 minutes 30 seconds'";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"'5000' SECOND(3)", "10: '5000' has more digits than the 3 of SECOND(3)"},
      {"'1 02:03:04.5678' DAY TO SECOND(3)", "10: '5678' has more digits than the 3 of SECOND(3)"},
      {"'5' SECOND(19)", "21: the precision of SECOND is 0 to 18"},
      {"'5.5' MINUTE", "10: only seconds have a fraction, not MINUTE"},
      {"5.5 MINUTES", "10: only seconds have a fraction, not MINUTE"},
      {"'5.1234567' SECOND", "10: 5.1234567 is finer than a microsecond"},
      {"'x' DAY", "10: 'x' is not a number of DAYS"},
      {"'' DAY", "10: '' is not a number of DAYS"},
      {"'--5' DAY", "10: '-5' is not a number of DAYS"},
      {"'5 6' DAY", "10: '5 6' is not a number of DAYS"},
      {"'1e3' SECOND", "10: '1e3' is not a number of SECONDS"},
      {"'99999999999999999999' DAY", "10: 99999999999999999999 DAY is too long an interval"},
      {"'106751992' DAY", "10: 106751992 DAY is too long an interval"},
      {"'9223372036854.775808' SECOND", "10: 9223372036854.775808 SECOND is too long an interval"},
      {"9223372036854 SECONDS 1 SECOND", "10: the interval is too long"},
      {"'768614336404564651' YEAR", "10: 768614336404564651 YEAR is too long an interval"},
      {"'1 25' DAY TO HOUR",
       "10: '1 25' does not have the form D H of DAY TO HOUR, HOUR being at most 23"},
      {"'1:60' HOUR TO MINUTE",
       "10: '1:60' does not have the form H:M of HOUR TO MINUTE, MINUTE being at most 59"},
      {"'5' DAY TO SECOND", "10: '5' does not have the form D H:M:S[.F] of DAY TO SECOND"},
      {"'1-12' YEAR TO MONTH",
       "10: '1-12' does not have the form Y-M of YEAR TO MONTH, MONTH being at most 11"},
      {"'1 2:3:4 ' DAY TO MINUTE", "10: '1 2:3:4 ' does not have the form D H:M of DAY TO MINUTE"},
      {"'5' SECOND TO DAY",
       "14: SECOND TO DAY is no interval; there are DAY, HOUR and MINUTE TO a smaller one down to "
       "SECOND, and YEAR TO MONTH"},
      {"'5' DAY TO DAY",
       "14: DAY TO DAY is no interval; there are DAY, HOUR and MINUTE TO a smaller one down to "
       "SECOND, and YEAR TO MONTH"},
      {"'5'", "10: '5'" + words},
      {"''", "10: ''" + words},
      {"'5 moons'", "10: '5 moons'" + words},
      {"'seconds'", "10: 'seconds'" + words},
      {"'5 days 2'", "10: '5 days 2'" + words},
      {"'5 days 2 months'",
       "10: months and days do not mix in an interval: a month has no fixed length"},
      {"1 MONTH 1 DAY",
       "10: months and days do not mix in an interval: a month has no fixed length"},
  };
  for (const auto& [literal, error] : cases) {
    EXPECT_EQ(BoundExpression("INTERVAL " + literal), error) << literal;
  }
}

}  // namespace
}  // namespace braid
