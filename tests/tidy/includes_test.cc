// Dependencies point one way (docs/architecture.md); includes.txt beside this file is the table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/tidy/source_tree.h"

namespace braid {
namespace {

using testing::IsEmpty;

struct IncludeRules {
  std::map<std::string, std::vector<std::string>> folders;
  std::map<std::string, std::vector<std::string>> libraries;
  std::vector<std::string> sources;
};

IncludeRules ReadRules() {
  IncludeRules rules;
  std::string section;
  for (const std::string& line : FileAt("tests/tidy/includes.txt").lines) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> words = Words(line);
    if (words[0][0] == '[') {
      section = words[0];
      continue;
    }
    std::string name = words[0];
    words.erase(words.begin());
    if (name.ends_with(':')) name.pop_back();
    if (section == "[folders]") rules.folders[name] = words;
    if (section == "[libraries]") rules.libraries[name] = words;
    if (section == "[sources]") rules.sources.push_back(name);
  }
  return rules;
}

struct Include {
  bool is_ours = false;  // Written with quotes.
  std::string path;      // Of ours from the top of the repository: "include/braid/time.h".
};

std::optional<Include> ParseInclude(const std::string& line) {
  if (!line.starts_with("#include")) return std::nullopt;
  const size_t open = line.find_first_of("<\"");
  if (open == std::string::npos) return std::nullopt;
  const size_t close = line.find_first_of(">\"", open + 1);
  if (close == std::string::npos) return std::nullopt;
  Include include{line[open] == '"', line.substr(open + 1, close - open - 1)};
  if (include.is_ours && include.path.starts_with("braid/")) {
    include.path = "include/" + include.path;
  }
  return include;
}

bool IsBelowAny(const std::string& path, const std::vector<std::string>& folders) {
  const SourceFile file{path, {}};
  for (const std::string& folder : folders) {
    if (file.IsBelow(folder)) return true;
  }
  return false;
}

// The folder whose rule a file follows: the longest that fits; empty if none does.
std::string RuleFolder(const IncludeRules& rules, const std::string& path) {
  std::string longest;
  for (const auto& [folder, allowed] : rules.folders) {
    if (IsBelowAny(path, {folder}) && folder.size() > longest.size()) longest = folder;
  }
  return longest;
}

// What is wrong with a file's including something; empty if nothing is.
std::string Fault(const IncludeRules& rules, const SourceFile& file, const Include& include) {
  if (include.is_ours) {
    // Generated headers beside the file that includes them.
    if (include.path.find('/') == std::string::npos) return "";
    if (file.IsBelow("tests") || file.IsBelow("bench") || file.IsBelow("examples")) return "";
    const std::string folder = RuleFolder(rules, file.path);
    if (RuleFolder(rules, include.path) == folder) return "";
    const std::vector<std::string>& allowed = rules.folders.at(folder);
    return IsBelowAny(include.path, allowed) ? "" : folder + " may not include " + include.path;
  }
  for (const auto& [prefix, folders] : rules.libraries) {
    if (include.path.starts_with(prefix) && !IsBelowAny(file.path, folders)) {
      return "<" + include.path + "> has no place outside the folders that includes.txt names";
    }
  }
  for (const std::string& prefix : rules.sources) {
    const bool is_header = file.HasExtension(".h") && !IsBelowAny(file.path, {"tests"});
    if (include.path.starts_with(prefix) && is_header) {
      return "<" + include.path + "> belongs into a .cc file";
    }
  }
  return "";
}

TEST(IncludesTest, EveryFolderHasARule) {
  const IncludeRules rules = ReadRules();
  std::vector<std::string> without;
  for (const SourceFile& file : SourceFiles()) {
    if (!file.HasExtension(".h") && !file.HasExtension(".cc")) continue;
    if (!IsBelowAny(file.path, {"engine", "state", "include"})) continue;
    if (RuleFolder(rules, file.path).empty()) without.push_back(file.path);
  }
  EXPECT_THAT(without, IsEmpty()) << "add the folder to tests/tidy/includes.txt";
}

TEST(IncludesTest, FilesIncludeOnlyWhatTheirFolderMaySee) {
  const IncludeRules rules = ReadRules();
  std::vector<std::string> faults;
  for (const SourceFile& file : SourceFiles()) {
    if (!file.HasExtension(".h") && !file.HasExtension(".cc") && !file.HasExtension(".yy") &&
        !file.HasExtension(".ll")) {
      continue;
    }
    for (size_t i = 0; i < file.lines.size(); ++i) {
      const std::optional<Include> include = ParseInclude(file.lines[i]);
      if (!include) continue;
      const std::string fault = Fault(rules, file, *include);
      if (!fault.empty()) faults.push_back(At(file, i, fault));
    }
  }
  EXPECT_THAT(faults, IsEmpty());
}

TEST(IncludesTest, TheRulesCatchWhatTheyAreThereFor) {
  const IncludeRules rules = ReadRules();
  struct Case {
    const char* file;
    const char* line;
    bool allowed;
  };
  const Case cases[] = {
      {"state/side_state.h", "#include \"state/rows/value.h\"", true},
      {"state/side_state.cc", "#include \"engine/plan/stream_plan.h\"", false},
      {"state/rows/value.cc", "#include \"state/side_state.h\"", false},
      {"include/braid/time.h", "#include \"state/rows/value.h\"", false},
      {"include/braid/time.h", "#include \"braid/error.h\"", true},
      {"engine/plan/explain.cc", "#include \"engine/sql/logical_plan.h\"", true},
      {"engine/plan/explain.cc", "#include \"engine/sql/parser.h\"", false},
      {"engine/plan/explain.cc", "#include \"engine/connectors/source.h\"", false},
      {"engine/connectors/csv.cc", "#include \"engine/expression/expression.h\"", false},
      {"engine/session/session.cc", "#include \"engine/cli/command.h\"", false},
      {"engine/session/session.cc", "#include <CLI/CLI.hpp>", false},
      {"engine/cli/command.cc", "#include <CLI/CLI.hpp>", true},
      {"engine/cli/command.h", "#include <CLI/CLI.hpp>", false},
      {"engine/sql/parser.cc", "#include \"grammar.hh\"", true},
  };
  for (const Case& c : cases) {
    const std::optional<Include> include = ParseInclude(c.line);
    ASSERT_TRUE(include.has_value()) << c.line;
    EXPECT_EQ(Fault(rules, {c.file, {}}, *include).empty(), c.allowed) << c.file << ": " << c.line;
  }
}

}  // namespace
}  // namespace braid
