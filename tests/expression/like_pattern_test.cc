#include "engine/expression/like_pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/expression/expression_text.h"

namespace braid {
namespace {

using testing::ElementsAre;

struct LikeCase {
  const char* pattern;
  const char* escape;
  std::vector<std::string> matching;
  std::vector<std::string> other;
};

TEST(LikePatternTest, Matches) {
  const LikeCase cases[] = {
      {"", "", {""}, {"a"}},
      {"abc", "", {"abc"}, {"ab", "abcd", "ABC", ""}},
      {"abc%", "", {"abc", "abcd"}, {"ab", "xabc"}},
      {"%abc", "", {"abc", "xabc", "abcabc"}, {"abcx", ""}},
      {"%abc%", "", {"abc", "xabcx"}, {"ab", "acb"}},
      {"%", "", {"", "a", "\n"}, {}},
      {"%%", "", {"", "abc"}, {}},
      {"_", "", {"a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\n"}, {"", "ab"}},
      {"__", "", {"ab", "\xc3\xa9z"}, {"a", "\xc3\xa9", "abc"}},
      {"a_c",
       "",
       {"abc",
        "a\xe2\x82\xac"
        "c"},
       {"ac", "abbc"}},
      {"a%c", "", {"ac", "abc", "acbc"}, {"a", "acb", "bac"}},
      {"%a_b%", "", {"aab", "xaxb", "aaxbb"}, {"ab", "ba"}},
      {"%a%b%", "", {"ab", "xaxbx", "aab"}, {"ba", "a"}},
      {"a%b%c", "", {"abc", "aXbXc", "abcbc"}, {"acb", "ab", "abcx"}},
      {"_%", "", {"a", "ab"}, {""}},
      {"%_", "", {"a", "ab", "\xc3\xa9"}, {""}},
      {"_%_", "", {"ab", "abc"}, {"", "a", "\xc3\xa9"}},
      {"%aab", "", {"aaab", "aabaab"}, {"aaba"}},
      {"100\\%", "\\", {"100%"}, {"100", "1000"}},
      {"a\\_c%", "\\", {"a_c", "a_cd"}, {"abc"}},
      {"a!!b", "!", {"a!b"}, {"a!!b", "ab"}},
      {"a\\b", "", {"a\\b"}, {"ab"}},
      {"\xc3\xa9%\xc3\xa9", "", {"\xc3\xa9\xc3\xa9", "\xc3\xa9x\xc3\xa9"}, {"\xc3\xa9"}},
      {"a\xe2\x82\xac%b", "\xe2\x82\xac", {"a%b"}, {"axb"}},
      {".*[a-z]+", "", {".*[a-z]+"}, {"abc"}},
  };
  for (const LikeCase& c : cases) {
    const Result<LikePattern> pattern = LikePattern::Compile(c.pattern, c.escape);
    ASSERT_TRUE(pattern) << c.pattern;
    for (const std::string& text : c.matching) {
      EXPECT_TRUE(pattern->Matches(text)) << c.pattern << " for " << text;
    }
    for (const std::string& text : c.other) {
      EXPECT_FALSE(pattern->Matches(text)) << c.pattern << " for " << text;
    }
  }
}

TEST(LikePatternTest, ManyWildcardsDoNotTakeForEver) {
  const std::string text(20'000, 'a');
  std::string pattern;
  for (int i = 0; i < 100; ++i) pattern += "%a";
  const Result<LikePattern> matching = LikePattern::Compile(pattern, "");
  const Result<LikePattern> other = LikePattern::Compile(pattern + "b", "");
  EXPECT_TRUE(matching->Matches(text));
  EXPECT_FALSE(other->Matches(text));
}

TEST(LikePatternTest, EscapesThatEscapeNothingAreRefused) {
  EXPECT_FALSE(LikePattern::Compile("abc\\", "\\"));
  EXPECT_FALSE(LikePattern::Compile("a\\bc", "\\"));
  EXPECT_FALSE(LikePattern::Compile("abc", "ab"));
  const TestTable table({{"s", DataType::String(), {"100%", "abc", "NULL"}},
                         {"pattern", DataType::String(), {"100\\%", "a\\bc", "%"}}});
  EXPECT_THAT(table.Evaluate("s LIKE 'a' ESCAPE ''"),
              ElementsAre("#the ESCAPE of LIKE is one character, got ''"));
  EXPECT_THAT(table.Evaluate("s LIKE 'a\\' ESCAPE '\\'"),
              ElementsAre("#in the LIKE pattern 'a\\' the escape character '\\' stands before "
                          "neither %, _ nor itself"));
  EXPECT_THAT(table.Evaluate("s LIKE pattern ESCAPE '\\'"),
              ElementsAre("true",
                          "!in the LIKE pattern 'a\\bc' the escape character '\\' stands before "
                          "neither %, _ nor itself",
                          "NULL"));
}

TEST(LikePatternTest, LikeInExpressions) {
  const TestTable table({{"s", DataType::String(), {"abc", "b", "NULL", "ab%"}},
                         {"pattern", DataType::String(), {"a%", "a%", "%", "NULL"}}});
  EXPECT_THAT(table.Evaluate("s LIKE 'ab%'"), ElementsAre("true", "false", "NULL", "true"));
  EXPECT_THAT(table.Evaluate("s NOT LIKE 'ab%'"), ElementsAre("false", "true", "NULL", "false"));
  EXPECT_THAT(table.Evaluate("s LIKE pattern"), ElementsAre("true", "false", "NULL", "NULL"));
  EXPECT_THAT(table.Evaluate("s LIKE NULL"), ElementsAre("NULL", "NULL", "NULL", "NULL"));
  EXPECT_THAT(table.Evaluate("s LIKE '%!%' ESCAPE '!'"),
              ElementsAre("false", "false", "NULL", "true"));
  EXPECT_THAT(table.Evaluate("'abc' LIKE s"), ElementsAre("true", "false", "NULL", "true"));
  EXPECT_THAT(table.Filter("s LIKE 'ab%'"), ElementsAre(0, 3));
}

}  // namespace
}  // namespace braid
