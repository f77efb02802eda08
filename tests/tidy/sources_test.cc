// Rules of style that a machine can check (CONTRIBUTING.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/tidy/source_tree.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr size_t kFunctionLinesMax = 70;

// The .cc files that CMakeLists.txt files name, from the top of the repository.
std::set<std::string> NamedInCMake() {
  std::set<std::string> named;
  for (const SourceFile& file : SourceFiles()) {
    if (file.name() != "CMakeLists.txt") continue;
    for (const std::string& line : file.lines) {
      std::string blank = line.substr(0, line.find('#'));
      for (char& c : blank) {
        if (c == '(' || c == ')' || c == '"') c = ' ';
      }
      for (std::string word : Words(blank)) {
        std::string folder = file.folder();
        const std::string here = "${CMAKE_CURRENT_SOURCE_DIR}/";
        const std::string top = "${PROJECT_SOURCE_DIR}/";
        if (word.starts_with(here)) word = word.substr(here.size());
        if (word.starts_with(top)) {
          word = word.substr(top.size());
          folder.clear();
        }
        named.insert(NormalPath(folder.empty() ? word : folder + "/" + word));
      }
    }
  }
  return named;
}

std::string CompileCommands() {
  std::ifstream stream(std::string(BRAID_BUILD_FOLDER) + "/compile_commands.json");
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

TEST(SourcesTest, EverySourceIsNamedInACMakeListsFile) {
  const std::set<std::string> named = NamedInCMake();
  std::vector<std::string> forgotten;
  for (const SourceFile& file : SourceFiles()) {
    if (file.HasExtension(".cc") && !named.contains(file.path)) forgotten.push_back(file.path);
  }
  EXPECT_THAT(forgotten, IsEmpty());
}

TEST(SourcesTest, EverySourceOfTheEngineAndItsTestsIsCompiledByThisBuild) {
  const std::string commands = CompileCommands();
  ASSERT_FALSE(commands.empty()) << "CMake writes compile_commands.json into the build folder";
  std::vector<std::string> forgotten;
  for (const SourceFile& file : SourceFiles()) {
    if (!file.HasExtension(".cc")) continue;
    if (!file.IsBelow("engine") && !file.IsBelow("state") && !file.IsBelow("tests")) continue;
    // A project of its own, which package_test.sh builds.
    if (file.IsBelow("tests/package/consumer")) continue;
    if (commands.find("/" + file.path + "\"") == std::string::npos) forgotten.push_back(file.path);
  }
  EXPECT_THAT(forgotten, IsEmpty()) << "is an add_subdirectory missing?";
}

TEST(SourcesTest, NobodyLeavesUnfinishedWorkSwitchedOffTestsOrAMachinesPaths) {
  // One letter of each in brackets, so that this file has none of them.
  const std::regex banned(
      R"(\bFIX[M]E\b|\bX[X]X\b|\bDISABLED[_]|GTEST[_]SKIP|WILL[_]FAIL|not [i]mplemented|\b[s]tub\b)"
      R"(|(^|[^A-Za-z0-9_.$}/-])/(work|root|home|tmp)/)");
  std::vector<std::string> faults;
  for (const SourceFile& file : SourceFiles()) {
    for (size_t i = 0; i < file.lines.size(); ++i) {
      std::smatch match;
      if (std::regex_search(file.lines[i], match, banned)) {
        faults.push_back(At(file, i, "'" + match.str() + "' has no place in the repository"));
      }
    }
  }
  EXPECT_THAT(faults, IsEmpty());
}

// Whether a line at the left margin, or the last line of a longer signature, begins a body.
bool OpensFunction(const std::string& line) {
  static const std::regex other("^(namespace|class|struct|enum|union|extern)\\b");
  if (!line.ends_with("{") || std::regex_search(line, other)) return false;
  return line[0] != ' ' || line.ends_with(") {");
}

// Functions that end with a brace at the left margin and whose body is longer than the limit.
// Methods inside a class body are short by custom and not looked at.
std::vector<std::string> LongFunctions(const SourceFile& file) {
  std::vector<std::string> found;
  size_t open = 0;
  bool inside = false;
  for (size_t i = 0; i < file.lines.size(); ++i) {
    const std::string& line = file.lines[i];
    if (line.empty()) continue;
    if (line[0] == '}') {
      const size_t lines = i - open + 1;
      if (inside && line == "}" && lines > kFunctionLinesMax) {
        found.push_back(At(file, open, "a function of " + std::to_string(lines) + " lines"));
      }
      inside = false;
    } else if (!inside && OpensFunction(line)) {
      open = i;
      inside = true;
    }
  }
  return found;
}

TEST(SourcesTest, FunctionsFitOnAScreen) {
  std::vector<std::string> faults;
  for (const SourceFile& file : SourceFiles()) {
    if (!file.HasExtension(".cc") && !file.HasExtension(".h")) continue;
    if (file.IsBelow("tests") || file.IsBelow("bench")) continue;
    for (const std::string& fault : LongFunctions(file)) faults.push_back(fault);
  }
  EXPECT_THAT(faults, IsEmpty()) << "the limit is " << kFunctionLinesMax << " lines";
}

TEST(SourcesTest, LongFunctionsAreFound) {
  SourceFile file{"engine/long.cc",
                  {"namespace braid {", "", "int Long(int a,", "         int b) {"}};
  for (size_t i = 0; i < kFunctionLinesMax; ++i) file.lines.emplace_back("  ++a;");
  file.lines.emplace_back("}");
  file.lines.emplace_back("void Short() {}");
  file.lines.emplace_back("}  // namespace braid");
  EXPECT_THAT(LongFunctions(file), ElementsAre("engine/long.cc:4: a function of 72 lines"));
}

// Two types of one name in namespace braid are one type to the linker, which keeps the members of
// either.
TEST(SourcesTest, ATypeOfAHeaderHasItsNameToItself) {
  static const std::regex kDefinition(
      R"(^(struct|class|enum class) (?:BRAID_EXPORT )?(\w+)[^;:]*(: [^;]*)?\{?$)");
  std::map<std::string, std::string> defined_in;
  std::vector<std::string> twice;
  for (const SourceFile& file : SourceFiles()) {
    if (!file.HasExtension(".h") || file.IsBelow("tests") || file.IsBelow("bench")) continue;
    for (size_t i = 0; i < file.lines.size(); ++i) {
      std::smatch match;
      if (!std::regex_match(file.lines[i], match, kDefinition)) continue;
      const auto [other, is_new] = defined_in.emplace(match[2].str(), file.path);
      if (!is_new) twice.push_back(At(file, i, match[2].str() + " is also in " + other->second));
    }
  }
  EXPECT_GT(defined_in.size(), 100U);
  EXPECT_THAT(twice, IsEmpty());
}

TEST(SourcesTest, EveryHeaderOpensWithAComment) {
  std::vector<std::string> faults;
  for (const SourceFile& file : SourceFiles()) {
    if (!file.HasExtension(".h")) continue;
    if (file.lines.empty() || !file.lines[0].starts_with("//")) {
      faults.push_back(At(file, 0, "says what is in it, who owns it and which threads may use it"));
    }
  }
  EXPECT_THAT(faults, IsEmpty());
}

TEST(SourcesTest, NoFileIsNamedAfterNothing) {
  std::vector<std::string> faults;
  const std::regex vague("(^|[/_])(utils?|helpers?|common|misc)([_./]|$)");
  for (const SourceFile& file : SourceFiles()) {
    if (std::regex_search(file.path, vague)) faults.push_back(file.path);
  }
  EXPECT_THAT(faults, IsEmpty()) << "name a file after the one concept in it";
}

}  // namespace
}  // namespace braid
