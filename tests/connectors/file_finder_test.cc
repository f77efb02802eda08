#include "engine/connectors/file_finder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/connectors/temporary_folder.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

class FileFinderTest : public testing::Test {
 protected:
  static FileFinder Finder(const std::string& path, const std::string& regex = "") {
    Result<FileFinder> finder = FileFinder::Create(path, regex);
    EXPECT_TRUE(finder);
    return *finder;
  }
  static std::vector<std::string> Names(const FileFinder& finder) {
    const Result<std::vector<FoundFile>> files = finder.Find();
    EXPECT_TRUE(files) << files.error().ToString();
    std::vector<std::string> names;
    for (const FoundFile& file : *files) names.push_back(file.name);
    return names;
  }

  TemporaryFolder folder_;
};

TEST_F(FileFinderTest, NamesAreRelativeToTheFolder) {
  folder_.Write("in/deep/a.csv", "abc");
  for (const std::string path : {"in", "in/", "in/deep/a.csv", "in/*/a.csv", "in/*"}) {
    const FileFinder finder = Finder(folder_ / path);
    const std::vector<FoundFile> files = *finder.Find();
    ASSERT_EQ(files.size(), 1U) << path;
    EXPECT_EQ(FileFinder::PathIn(finder.folder(), files[0].name), folder_ / "in/deep/a.csv")
        << path;
    EXPECT_EQ(files[0].size, 3);
    EXPECT_GT(files[0].inode, 0U);
  }
  EXPECT_THAT(Names(Finder(folder_ / "in")), ElementsAre("deep/a.csv"));
  EXPECT_THAT(Names(Finder(folder_ / "in/deep/a.csv")), ElementsAre("a.csv"));
}

TEST_F(FileFinderTest, RelativePathsStayRelative) {
  const std::filesystem::path before = std::filesystem::current_path();
  folder_.Write("a.csv", "");
  std::filesystem::current_path(folder_.path());
  EXPECT_THAT(Names(Finder("a.csv")), ElementsAre("a.csv"));
  EXPECT_THAT(Names(Finder("*.csv")), ElementsAre("a.csv"));
  EXPECT_THAT(Names(Finder(".")), ElementsAre("a.csv"));
  EXPECT_EQ(FileFinder::PathIn(Finder("*.csv").folder(), "a.csv"), "a.csv");
  std::filesystem::current_path(before);
}

TEST_F(FileFinderTest, APatternsLettersMayNameARealFile) {
  folder_.Write("in/a[1].csv", "");
  folder_.Write("in/a1.csv", "");
  EXPECT_THAT(Names(Finder(folder_ / "in/a[1].csv")), ElementsAre("a[1].csv"));
}

TEST_F(FileFinderTest, LinksAreFollowedButNotForEver) {
  folder_.Write("elsewhere/a.csv", "");
  folder_.Write("in/b.csv", "");
  std::filesystem::create_directory_symlink(folder_ / "elsewhere", folder_ / "in/link");
  std::filesystem::create_directory_symlink(folder_ / "in", folder_ / "in/loop");
  std::filesystem::create_symlink(folder_ / "nowhere", folder_ / "in/broken.csv");
  EXPECT_THAT(Names(Finder(folder_ / "in")), UnorderedElementsAre("b.csv", "link/a.csv"));
}

TEST_F(FileFinderTest, ARegularExpressionMatchesTheAbsolutePathAsAWhole) {
  folder_.Write("in/a.csv", "");
  folder_.Write("in/b.csv", "");
  EXPECT_THAT(Names(Finder(folder_ / "in", "/.*/a\\.csv")), ElementsAre("a.csv"));
  EXPECT_THAT(Names(Finder(folder_ / "in", "a\\.csv")), ElementsAre());
  const Result<FileFinder> broken = FileFinder::Create("in", "(");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, ErrorCode::kInvalidOption);
}

TEST_F(FileFinderTest, WhatIsNeitherFileNorFolderIsRefused) {
  const Result<std::vector<FoundFile>> files = Finder("/dev/null").Find();
  ASSERT_FALSE(files);
  EXPECT_THAT(files.error().message, HasSubstr("neither a file nor a folder"));
}

TEST_F(FileFinderTest, NamesThatAreLeftOut) {
  for (const std::string name : {"_a", ".a", "a.tmp", "a.csv.inprogress", "a._COPYING_"}) {
    EXPECT_TRUE(IsHiddenName(name)) << name;
  }
  for (const std::string name : {"a", "a_b.csv", "a.tmp.csv", "tmp", "a.b"}) {
    EXPECT_FALSE(IsHiddenName(name)) << name;
  }
}

}  // namespace
}  // namespace braid
