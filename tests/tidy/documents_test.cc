// Links between documents, and between documents and the tree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/tidy/source_tree.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Targets of [text](target) outside fenced code, without those that leave the repository.
std::vector<std::string> RelativeLinks(const std::vector<std::string>& lines) {
  static const std::regex link(R"(\]\(([^)\s]+)\))");
  std::vector<std::string> targets;
  bool fenced = false;
  for (const std::string& line : lines) {
    if (line.starts_with("```")) fenced = !fenced;
    if (fenced) continue;
    for (std::sregex_iterator match(line.begin(), line.end(), link), end; match != end; ++match) {
      const std::string target = (*match)[1].str();
      const bool elsewhere = target.find("://") != std::string::npos || target[0] == '#' ||
                             target.starts_with("mailto:");
      if (!elsewhere) targets.push_back(target.substr(0, target.find('#')));
    }
  }
  return targets;
}

TEST(DocumentsTest, RelativeLinksLeadSomewhere) {
  std::vector<std::string> broken;
  for (const SourceFile& file : SourceFiles()) {
    if (!file.HasExtension(".md")) continue;
    for (const std::string& target : RelativeLinks(file.lines)) {
      const std::string path =
          NormalPath(file.folder().empty() ? target : file.folder() + "/" + target);
      if (!ExistsInTree(path)) broken.push_back(file.path + " -> " + target);
    }
  }
  EXPECT_THAT(broken, IsEmpty());
}

TEST(DocumentsTest, EveryFolderOfTheEngineAndOfStateHasAReadme) {
  std::set<std::string> without;
  for (const SourceFile& file : SourceFiles()) {
    if (!file.IsBelow("engine") && !file.IsBelow("state")) continue;
    if (!ExistsInTree(file.folder() + "/README.md")) without.insert(file.folder());
  }
  EXPECT_THAT(without, IsEmpty());
}

TEST(DocumentsTest, LinksAreFoundAsMarkdownWritesThem) {
  EXPECT_THAT(RelativeLinks({"See [a](docs/a.md#part), [b](https://b.example) and [c](#here).",
                             "```", "[no](link.md)", "```", "[d](../d)[e](e.h)"}),
              ElementsAre("docs/a.md", "../d", "e.h"));
}

}  // namespace
}  // namespace braid
