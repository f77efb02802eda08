// The words of the dialect that its errors list are those that docs/sql.md lists.
#include <gmock/gmock.h>

#include <regex>
#include <set>
#include <string>
#include <vector>

#include "engine/sql/parser.h"
#include "tests/docs/document.h"

namespace braid {
namespace {

// The error of a text, behind `mark`; what stands before it is not a list.
std::string ErrorBehind(const std::string& text, const std::string& mark) {
  const Result<Script> script = ParseScript(text, {});
  if (script) {
    ADD_FAILURE() << text << " is accepted";
    return "";
  }
  const size_t begin = script.error().message.find(mark);
  EXPECT_NE(begin, std::string::npos) << script.error().message;
  return begin == std::string::npos ? "" : script.error().message.substr(begin + mark.size());
}

std::string ExpressionErrorBehind(const std::string& expression, const std::string& mark) {
  return ErrorBehind("CREATE TABLE t (x INT); SELECT " + expression + " FROM t", mark);
}

std::set<std::string> WordsIn(const std::string& text) {
  static const std::regex word("[A-Z]{3,}");
  std::set<std::string> words;
  for (std::sregex_iterator found(text.begin(), text.end(), word), end; found != end; ++found) {
    words.insert(found->str());
  }
  return words;
}

// What of `words` stands in no backticks of the page.
std::vector<std::string> Undocumented(const std::set<std::string>& words) {
  const std::set<std::string> documented = CodeTexts({"docs/sql.md"});
  std::vector<std::string> missing;
  for (const std::string& word : words) {
    if (!documented.contains(word)) missing.push_back(word);
  }
  return missing;
}

TEST(WordsTest, UnitsAndFieldsOfTimesAreDocumented) {
  const std::string units = ExpressionErrorBehind("DATE_TRUNC('FOO', DATE '2024-01-01')", "unit: ");
  EXPECT_GE(WordsIn(units).size(), 10U);
  EXPECT_THAT(Undocumented(WordsIn(units)), testing::IsEmpty());

  std::string fields = ExpressionErrorBehind("EXTRACT(FOO FROM DATE '2024-01-01')", "takes ");
  fields.resize(fields.find(" FROM"));
  EXPECT_GE(WordsIn(fields).size(), 18U);
  EXPECT_THAT(Undocumented(WordsIn(fields)), testing::IsEmpty());
}

TEST(WordsTest, StatementsAreDocumented) {
  std::string page;
  for (const std::string& line : DocumentLines("docs/sql.md")) page += line + "\n";
  const std::string table = page.substr(page.find("| statement |"));
  // "CREATE TABLE, CREATE VIEW, …)"
  static const std::regex statement("([A-Z]+( [A-Z]+)*)[,)]");
  const std::string list = ErrorBehind("x", "a statement (");
  int count = 0;
  for (std::sregex_iterator found(list.begin(), list.end(), statement), end; found != end;
       ++found, ++count) {
    EXPECT_THAT(table.substr(0, table.find("\n\n")), testing::HasSubstr((*found)[1].str()));
  }
  EXPECT_GE(count, 7);
}

}  // namespace
}  // namespace braid
