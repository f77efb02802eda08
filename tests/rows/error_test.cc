#include "braid/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace braid {
namespace {

TEST(ErrorTest, PrintsWhatIsKnownOfThePlace) {
  struct Case {
    const char* name;
    Place place;
    const char* text;
  };
  const Case cases[] = {
      {"nothing", {}, "invalid query: no such column"},
      {"file", {"job.sql", 0, 0, {}, ""}, "job.sql: invalid query: no such column"},
      {"file, line and column",
       {"job.sql", 3, 14, {}, ""},
       "job.sql:3:14: invalid query: no such column"},
      {"line and column", {"", 3, 14, {}, ""}, "3:14: invalid query: no such column"},
      {"batch and offset",
       {"", 0, 0, 7, "clicks.csv@120"},
       "invalid query: no such column (batch 7) (source offset clicks.csv@120)"},
  };
  for (const Case& c : cases) {
    const Error error{ErrorCode::kInvalidQuery, "no such column", c.place};
    EXPECT_EQ(error.ToString(), c.text) << c.name;
  }
}

TEST(ErrorTest, EveryCodeHasItsOwnName) {
  std::vector<std::string> names;
  for (int code = 0; code <= static_cast<int>(ErrorCode::kInternal); ++code) {
    names.emplace_back(ErrorCodeName(static_cast<ErrorCode>(code)));
    EXPECT_NE(names.back(), "unknown error") << code;
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

TEST(ErrorTest, FailMakesAResultThatHoldsTheError) {
  const Result<int> result = Fail(ErrorCode::kNotFound, "out", {"job.sql", 1, 2, {}, ""});
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(result.error().place.known());
}

}  // namespace
}  // namespace braid
