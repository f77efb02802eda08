#include "engine/plan/interval_text.h"

#include <gtest/gtest.h>

#include <limits>

namespace braid {
namespace {

TEST(IntervalTextTest, TakesTheLargestUnitThatGivesAWholeNumber) {
  struct Case {
    int64_t micros;
    const char* text;
  };
  const Case cases[] = {
      {0, "INTERVAL '0' SECOND"},
      {10'000'000, "INTERVAL '10' SECOND"},
      {90'000'000, "INTERVAL '90' SECOND"},
      {60'000'000, "INTERVAL '1' MINUTE"},
      {7'200'000'000, "INTERVAL '2' HOUR"},
      {86'400'000'000, "INTERVAL '1' DAY"},
      {1'000, "INTERVAL '0.001' SECOND"},
      {2'500'000, "INTERVAL '2.500' SECOND"},
      {1, "INTERVAL '0.000001' SECOND"},
      {-5'000'000, "-INTERVAL '5' SECOND"},
      {std::numeric_limits<int64_t>::min(), "-INTERVAL '9223372036854.775808' SECOND"},
  };
  for (const Case& c : cases) EXPECT_EQ(FormatInterval(Interval{c.micros}), c.text);
}

TEST(IntervalTextTest, WritesAnOffsetBehindAColumn) {
  EXPECT_EQ(FormatOffset(Interval{0}), "");
  EXPECT_EQ(FormatOffset(Seconds(3)), " + INTERVAL '3' SECOND");
  EXPECT_EQ(FormatOffset(Seconds(-3)), " - INTERVAL '3' SECOND");
}

TEST(IntervalTextTest, QuotesNamesThatAreNotIdentifiers) {
  EXPECT_EQ(FormatName("ad_id2"), "ad_id2");
  EXPECT_EQ(FormatName("2nd"), "`2nd`");
  EXPECT_EQ(FormatName("a b"), "`a b`");
  EXPECT_EQ(FormatName("a`b"), "`a``b`");
  EXPECT_EQ(FormatName(""), "``");
}

}  // namespace
}  // namespace braid
