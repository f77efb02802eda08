#include "engine/connectors/file_location.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/connectors/temporary_folder.h"

namespace braid {
namespace {

TEST(FileLocationTest, OnlyLocalPathsAreTaken) {
  EXPECT_EQ(*LocalPath("data/in"), "data/in");
  EXPECT_EQ(*LocalPath("/data/in"), "/data/in");
  EXPECT_EQ(*LocalPath("file:///data/in"), "/data/in");
  EXPECT_EQ(*LocalPath("file:/data/in"), "/data/in");
  EXPECT_EQ(LocalPath("s3://bucket/in").error().code, ErrorCode::kInvalidOption);
  EXPECT_EQ(LocalPath("hdfs://host/in").error().code, ErrorCode::kInvalidOption);
}

TEST(FileLocationTest, TheFolderOfAPatternEndsBeforeItsFirstWildcard) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"/data/*.csv", "/data"}, {"/data/d*/x.csv", "/data"}, {"*.csv", "."},
      {"/*.csv", "/"},          {"in/a[0-9]/b?", "in"},
  };
  for (const auto& [pattern, folder] : cases) EXPECT_EQ(PatternFolder(pattern), folder) << pattern;
}

TEST(FileLocationTest, LocationsAreAbsoluteAndResolved) {
  const TemporaryFolder folder;
  folder.Write("real/a.csv", "");
  std::filesystem::create_directory_symlink(folder / "real", folder / "link");
  EXPECT_EQ(Location(folder / "real/../real/"), folder / "real");
  EXPECT_EQ(Location(folder / "link/a.csv"), folder / "real/a.csv");
  EXPECT_EQ(Location(folder / "link/*.csv"), folder / "real/*.csv");
  EXPECT_EQ(Location(folder / "not/there/./yet"), folder / "not/there/yet");
  EXPECT_EQ(Location("x"), std::filesystem::current_path() / "x");
}

TEST(FileLocationTest, ASourceThatReadsTheSinkIsFound) {
  struct Case {
    std::string source;
    std::string sink;
    bool reads;
  };
  const std::vector<Case> cases = {
      {"/d/out", "/d/out", true},
      {"/d/out/x.csv", "/d/out", true},
      {"/d", "/d/out", true},
      {"/d/in", "/d/out", false},
      {"/d/out2", "/d/out", false},
      {"/d/*.csv", "/d/out", false},
      {"/d/*", "/d/out", true},
      {"/d/*", "/d/x/out", true},
      {"/d/out/*.csv", "/d/out", true},
      {"/d/o?t", "/d/out", true},
      {"/d/in*", "/d/out", false},
      {"/*/out", "/d/out", true},
      {"", "/d/out", false},
      {"/d/in", "", false},
      {"/d/out/deep/*.csv", "/d/out", true},
      {"/d", "/d/_out", false},
      {"/d", "/d/.x/out", false},
      {"/d", "/d/x/out.tmp", false},
      {"/_d", "/_d/out", true},
      {"/", "/_out", false},
      {"/d/_out", "/d/_out", true},
      {"/d/*", "/d/x/_out", false},
      {"/d/_out/*", "/d/_out", true},
      {"/d/*.csv", "/d/t.json", false},
      {"/d/*", "/d/t.json", true},
      {"/d/1.csv", "/d/t.json", false},
  };
  for (const Case& test : cases) {
    EXPECT_EQ(ReadsWhatIsWritten(test.source, test.sink), test.reads)
        << test.source << " and " << test.sink;
  }
}

}  // namespace
}  // namespace braid
