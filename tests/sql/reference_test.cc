// docs/sql.md says what is so: its lists are those of the code. (tests/docs runs its blocks.)
#include <gmock/gmock.h>

#include <fstream>
#include <string>
#include <vector>

#include "engine/expression/function_registry.h"
#include "engine/sql/keywords.h"

namespace braid {
namespace {

std::vector<std::string> ReferenceLines() {
  std::ifstream stream(BRAID_DOCS "/sql.md");
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The lines between "<!-- NAME -->" and "<!-- end of NAME -->".
std::vector<std::string> Section(const std::string& name) {
  std::vector<std::string> section;
  bool inside = false;
  for (const std::string& line : ReferenceLines()) {
    if (line == "<!-- end of " + name + " -->") inside = false;
    if (inside) section.push_back(line);
    if (line == "<!-- " + name + " -->") inside = true;
  }
  return section;
}

// What stands in backticks, in order.
std::vector<std::string> InBackticks(const std::string& line) {
  std::vector<std::string> parts;
  size_t begin = line.find('`');
  while (begin != std::string::npos) {
    const size_t end = line.find('`', begin + 1);
    if (end == std::string::npos) break;
    parts.push_back(line.substr(begin + 1, end - begin - 1));
    begin = line.find('`', end + 1);
  }
  return parts;
}

TEST(ReferenceTest, ListsTheReservedWords) {
  std::vector<std::string> listed;
  for (const std::string& line : Section("reserved words")) {
    for (std::string& word : InBackticks(line)) listed.push_back(std::move(word));
  }
  std::vector<std::string> reserved;
  for (const Keyword& keyword : Keywords()) {
    if (keyword.reserved) reserved.emplace_back(keyword.word);
  }
  EXPECT_THAT(listed, testing::ElementsAreArray(reserved));
}

TEST(ReferenceTest, ListsTheFunctionsAsTheyAreCalled) {
  std::vector<std::string> listed;
  for (const std::string& line : Section("functions")) {
    const std::vector<std::string> calls = InBackticks(line);
    if (!calls.empty()) listed.push_back(calls[0]);
  }
  std::vector<std::string> usages;
  for (const FunctionRule& rule : FunctionRules()) usages.emplace_back(rule.usage);
  EXPECT_THAT(listed, testing::ElementsAreArray(usages));
}

}  // namespace
}  // namespace braid
