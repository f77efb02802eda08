#include "engine/sql/keywords.h"

#include <algorithm>

#include "tests/sql/bound_text.h"

namespace braid {
namespace {

TEST(KeywordsTest, AreInOrderAndFoundInAnyCase) {
  const auto words = Keywords();
  EXPECT_TRUE(std::is_sorted(words.begin(), words.end(), [](const auto& left, const auto& right) {
    return left.word < right.word;
  }));
  for (const Keyword& keyword : words) EXPECT_EQ(FindKeyword(keyword.word), &keyword);
  ASSERT_NE(FindKeyword("sElEcT"), nullptr);
  EXPECT_EQ(FindKeyword("sElEcT")->word, "SELECT");
  EXPECT_EQ(FindKeyword("selects"), nullptr);
  EXPECT_EQ(FindKeyword(""), nullptr);
  EXPECT_EQ(FindKeyword("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"), nullptr);
}

TEST(KeywordsTest, AnyWordIsANameBehindADotAndBehindAs) {
  for (const Keyword& keyword : Keywords()) {
    const std::string word(keyword.word);
    SCOPED_TRACE(word);
    const std::string text = "SELECT x." + word + " AS " + word + " FROM (SELECT v AS " + word +
                             " FROM l) AS x WHERE x." + word + " > 1";
    const Result<Script> script = BindBehindTables(text);
    ASSERT_TRUE(script.has_value()) << script.error().ToString();
    EXPECT_EQ(script->query->root->columns[0].name, word);
  }
}

TEST(KeywordsTest, AWordThatIsNotReservedIsANameAnywhere) {
  for (const Keyword& keyword : Keywords()) {
    const std::string word(keyword.word);
    SCOPED_TRACE(word);
    const std::string text = "CREATE TABLE " + word + " (" + word + " INT, x AS " + word +
                             " + 1);\nSELECT " + word + " " + word + ", x FROM " + word + " " +
                             word + " WHERE " + word + " > 1 AND " + word + "." + word +
                             " IS NOT NULL";
    EXPECT_EQ(BindBehindTables(text).has_value(), !keyword.reserved);
  }
}

TEST(KeywordsTest, AReservedWordIsANameInBackticks) {
  for (const Keyword& keyword : Keywords()) {
    const std::string word = "`" + std::string(keyword.word) + "`";
    SCOPED_TRACE(word);
    const Result<Script> script = BindBehindTables("CREATE TABLE " + word + " (" + word +
                                                   " INT);\nSELECT " + word + " FROM " + word);
    EXPECT_TRUE(script.has_value()) << script.error().ToString();
  }
}

}  // namespace
}  // namespace braid
