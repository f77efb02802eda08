#include "engine/connectors/file_source.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/connectors/compressed_bytes.h"
#include "tests/connectors/file_source_fixture.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using FileSourceTest = FileSourceFixture;

const std::map<std::string, std::string> kWatched = {{"source.monitor-interval", "1 s"}};

std::string Lines(int first, int count) {
  std::string lines;
  for (int id = first; id < first + count; ++id) {
    lines += std::to_string(id) + ",name " + std::to_string(id) + "\n";
  }
  return lines;
}

std::string Joined(const std::vector<std::string>& rows) {
  std::string lines;
  for (const std::string& row : rows) lines += row + "\n";
  return lines;
}

TEST_F(FileSourceTest, ReadsAFileAFolderAndAPattern) {
  folder_.Write("in/a.csv", "1,a\n");
  folder_.Write("in/b.csv", "2,b\n");
  folder_.Write("in/deep/c.csv", "3,c\n");
  folder_.SetTime("in/a.csv", 100);
  folder_.SetTime("in/b.csv", 200);
  folder_.SetTime("in/deep/c.csv", 300);
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases = {
      {"in/b.csv", {"2,b"}},           {"in", {"1,a", "2,b", "3,c"}},
      {"in/", {"1,a", "2,b", "3,c"}},  {"in/*.csv", {"1,a", "2,b"}},
      {"in/[ab].csv", {"1,a", "2,b"}}, {"i*/?eep", {"3,c"}},
      {"in/*", {"1,a", "2,b", "3,c"}},
  };
  for (const auto& [path, rows] : cases) {
    folder_.Remove("kept");
    const ReadRows read = ReadFrom(path);
    EXPECT_EQ(read.rows, rows) << path << " " << read.error;
    EXPECT_EQ(read.last, SourceNext::Kind::kEnd);
  }
}

TEST_F(FileSourceTest, FilesComeInTheOrderOfTheirTimesThenOfTheirNames) {
  for (const std::string name : {"in/c.csv", "in/a.csv", "in/b.csv", "in/d.csv"}) {
    folder_.Write(name, "1," + name + "\n");
  }
  folder_.SetTime("in/c.csv", 100);
  folder_.SetTime("in/a.csv", 200.5);
  folder_.SetTime("in/b.csv", 200.5);
  folder_.SetTime("in/d.csv", 200.25);
  EXPECT_THAT(ReadFrom("in").rows,
              ElementsAre("1,in/c.csv", "1,in/d.csv", "1,in/a.csv", "1,in/b.csv"));
}

TEST_F(FileSourceTest, FilesThatAreNotThereYetAreIgnored) {
  for (const std::string name : {"in/_owner", "in/.hidden.csv", "in/x.csv.tmp", "in/y.inprogress",
                                 "in/z.csv._COPYING_", "in/_temporary/a.csv", "in/.git/b.csv"}) {
    folder_.Write(name, "broken");
  }
  folder_.Write("in/a.csv", "1,a\n");
  EXPECT_THAT(ReadFrom("in").rows, ElementsAre("1,a"));
  folder_.Remove("kept");
  EXPECT_THAT(ReadFrom("in/*").rows, ElementsAre("1,a"));
  folder_.Remove("kept");
  folder_.Write("in/_named.csv", "2,b\n");
  EXPECT_THAT(ReadFrom("in/_named.csv").rows, ElementsAre("2,b"));
}

TEST_F(FileSourceTest, APathThatIsNotThereIsNamed) {
  for (const std::string path : {"none", "none.csv", "none/*.csv"}) {
    const Status opened = NewSource(path)->Open("");
    ASSERT_FALSE(opened) << path;
    EXPECT_EQ(opened.error().code, ErrorCode::kNotFound);
    EXPECT_THAT(opened.error().message, HasSubstr(folder_ / path));
  }
  std::filesystem::create_directory(folder_ / "empty");
  EXPECT_EQ(ReadFrom("empty").last, SourceNext::Kind::kEnd);
}

TEST_F(FileSourceTest, ARegularExpressionChoosesFiles) {
  folder_.Write("in/a-1.csv", "1,a\n");
  folder_.Write("in/b-1.csv", "2,b\n");
  EXPECT_THAT(ReadFrom("in", {{"source.path.regex-pattern", ".*/b-\\d.csv"}}).rows,
              ElementsAre("2,b"));
}

TEST_F(FileSourceTest, HeadersMarksLineEndsAndBlankLinesGiveDataRowsOnly) {
  const std::map<std::string, std::string> header = {{"csv.header", "true"}};
  folder_.Write("in/1.csv", "id,name\n1,a\n");
  folder_.Write("in/2.csv", "id,name\n");
  folder_.Write("in/3.csv", "");
  folder_.Write("in/4.csv", "\xEF\xBB\xBFname,id\r\nb,2\r\n");
  folder_.Write("in/5.csv", "id,name\n\n3,c\n\n4,d");
  folder_.Write("in/6.csv", "id,name");
  folder_.Write("in/7.csv", "id,name\n5,e\n\n\n");
  for (int file = 1; file <= 7; ++file) {
    folder_.SetTime("in/" + std::to_string(file) + ".csv", file);
  }
  for (const int64_t bytes_max : {0, 1, 7, 20}) {
    for (const bool one_file : {false, true}) {
      folder_.Remove("kept");
      SliceLimits limits;
      limits.bytes_max = bytes_max;
      limits.one_file = one_file;
      const ReadRows read = ReadFrom("in", header, "", limits);
      EXPECT_THAT(read.rows, ElementsAre("1,a", "2,b", "3,c", "4,d", "5,e"))
          << bytes_max << one_file << read.error;
    }
  }
}

TEST_F(FileSourceTest, ALargeFileIsSplitBetweenRecords) {
  folder_.Write("in/a.csv", Lines(0, 1000));
  SliceLimits limits;
  limits.bytes_max = 200;
  const ReadRows read = ReadFrom("in", {}, "", limits);
  EXPECT_THAT(read.rows, SizeIs(1000));
  EXPECT_GT(read.slices.size(), 60U);
  int64_t bytes = 0;
  int64_t files = 0;
  for (const SourceSlice& slice : read.slices) {
    EXPECT_LE(slice.num_bytes, 200);
    bytes += slice.num_bytes;
    files += slice.num_files;
  }
  EXPECT_EQ(bytes, static_cast<int64_t>(Lines(0, 1000).size()));
  EXPECT_EQ(files, 1);
}

TEST_F(FileSourceTest, ARecordLongerThanTheLimitExceedsIt) {
  const std::string long_name(1'000'000, 'x');
  folder_.Write("in/a.csv", "1,a\n2," + long_name + "\n3,c\n");
  SliceLimits limits;
  limits.bytes_max = 100;
  const ReadRows read = ReadFrom("in", {}, "", limits);
  EXPECT_THAT(read.rows, ElementsAre("1,a", "2," + long_name, "3,c"));
  ASSERT_GE(read.slices.size(), 2U);
  EXPECT_EQ(read.rows_at[0], 1U);
}

TEST_F(FileSourceTest, ARecordBeyondAllBoundsIsBadAndDoesNotFillTheMemory) {
  // Its end looks like a record.
  const std::string too_long = "2," + std::string(2 * kRecordBytesMax, 'x') + "9,z";
  folder_.Write("in/a.csv", "1,a\n" + too_long + "\n3,c\nfour,d\n");
  folder_.Write("in/b.csv", too_long);
  folder_.SetTime("in/a.csv", 1);
  folder_.SetTime("in/b.csv", 2);
  EXPECT_THAT(ReadFrom("in").error, HasSubstr("a.csv:2:"));
  folder_.Remove("kept");
  const std::map<std::string, std::string> options = {{"bad-records", "drop"},
                                                      {"bad-records-path", folder_ / "bad"}};
  const ReadRows read = ReadFrom("in", options);
  EXPECT_EQ(read.error, "");
  EXPECT_THAT(read.rows, ElementsAre("1,a", "3,c"));
  EXPECT_EQ(read.num_bad_records, 3);
  EXPECT_THAT(folder_.Read("bad/t.json"), HasSubstr("\"line\":4,"));
  EXPECT_LT(folder_.Read("bad/t.json").size(), 2 * kBadRecordTextMax + 1'000);
}

TEST_F(FileSourceTest, AnOpenQuoteCostsItsOwnRecordAndNoOther) {
  folder_.Write("in/a.csv", "1,a\n2,\"b\n" + Lines(3, 5'000));
  const ReadRows read = ReadFrom("in", {{"bad-records", "drop"}});
  EXPECT_EQ(read.error, "");
  EXPECT_THAT(read.rows, SizeIs(5'001));
  EXPECT_EQ(read.num_bad_records, 1);
}

TEST_F(FileSourceTest, SmallFilesShareASliceUnlessEachIsAskedForAlone) {
  for (int file = 0; file < 10; ++file) {
    folder_.Write("in/" + std::to_string(file) + ".csv", Lines(file, 1));
  }
  const ReadRows together = ReadFrom("in");
  ASSERT_THAT(together.slices, SizeIs(1));
  EXPECT_EQ(together.slices[0].num_files, 10);
  folder_.Remove("kept");
  SliceLimits limits;
  limits.one_file = true;
  const ReadRows alone = ReadFrom("in", {}, "", limits);
  EXPECT_THAT(alone.slices, SizeIs(10));
  for (const SourceSlice& slice : alone.slices) EXPECT_EQ(slice.num_files, 1);
}

// Offsets of a mixed folder read in small slices: from each of them the rest follows, and between
// any two of them lies what lay between.
TEST_F(FileSourceTest, EveryOffsetContinuesAndReplaysExactly) {
  folder_.Write("in/a.csv", "id,name\n" + Lines(0, 20));
  folder_.Write("in/b.csv.gz", Compress(Compression::kGzip, "id,name\n" + Lines(20, 20)) +
                                   Compress(Compression::kGzip, Lines(40, 5)));
  folder_.Write("in/c.csv", "\xEF\xBB\xBFid,name\r\n45,\"two\nlines\"\r\n\r\n46,x");
  folder_.Write("in/d.csv", "id,name\n");
  folder_.Write("in/e.csv.zst", Compress(Compression::kZstd, "id,name\n" + Lines(47, 10)));
  folder_.Write("in/f.csv.bz2", Compress(Compression::kBzip2, "name,id\nlast,57\n"));
  int time = 0;
  for (const std::string name : {"a.csv", "b.csv.gz", "c.csv", "d.csv", "e.csv.zst", "f.csv.bz2"}) {
    folder_.SetTime("in/" + name, ++time);
  }
  const std::map<std::string, std::string> options = {{"csv.header", "true"}};
  SliceLimits limits;
  limits.bytes_max = 40;
  ReadRows whole = ReadFrom("in", options, "", limits);
  ASSERT_EQ(whole.error, "");
  ASSERT_THAT(whole.rows, SizeIs(58));
  whole.offsets.insert(whole.offsets.begin(), "");
  whole.rows_at.insert(whole.rows_at.begin(), 0);
  ASSERT_GT(whole.offsets.size(), 15U);

  const auto rows_between = [&whole](size_t first, size_t last) {
    return std::vector<std::string>(
        whole.rows.begin() + static_cast<std::ptrdiff_t>(whole.rows_at[first]),
        whole.rows.begin() + static_cast<std::ptrdiff_t>(whole.rows_at[last]));
  };
  const size_t end = whole.offsets.size() - 1;
  for (size_t first = 0; first <= end; ++first) {
    const ReadRows rest = ReadFrom("in", options, whole.offsets[first], limits);
    EXPECT_EQ(rest.error, "");
    EXPECT_EQ(rest.rows, rows_between(first, end)) << whole.offsets[first];
    for (size_t last = first; last <= end; ++last) {
      const ReadRows again = ReplayOf("in", options, whole.offsets[first], whole.offsets[last]);
      EXPECT_EQ(again.error, "");
      EXPECT_EQ(again.rows, rows_between(first, last))
          << whole.offsets[first] << " to " << whole.offsets[last];
    }
  }
}

TEST_F(FileSourceTest, JsonLinesContinueAndReplayToo) {
  const std::map<std::string, std::string> options = {{"format", "json"}, {"bad-records", "drop"}};
  folder_.Write("in/a.json", "{\"id\":1,\"name\":\"a\"}\n\n{\"name\":\"b\",\"id\":2}\nbroken\n");
  folder_.Write("in/b.json.gz", Compress(Compression::kGzip, "{\"id\":3}\n{\"id\":4}"));
  folder_.SetTime("in/a.json", 1);
  folder_.SetTime("in/b.json.gz", 2);
  SliceLimits limits;
  limits.bytes_max = 25;
  const ReadRows whole = ReadFrom("in", options, "", limits);
  EXPECT_THAT(whole.rows, ElementsAre("1,a", "2,b", "3,NULL", "4,NULL")) << whole.error;
  EXPECT_EQ(whole.num_bad_records, 1);
  for (size_t offset = 0; offset < whole.offsets.size(); ++offset) {
    const std::vector<std::string> rest(
        whole.rows.begin() + static_cast<std::ptrdiff_t>(whole.rows_at[offset]), whole.rows.end());
    EXPECT_EQ(ReadFrom("in", options, whole.offsets[offset]).rows, rest);
    EXPECT_EQ(ReplayOf("in", options, whole.offsets[offset], whole.offsets.back()).rows, rest);
  }
}

TEST_F(FileSourceTest, ReadingGoesOnAfterAReplay) {
  folder_.Write("in/a.csv", Lines(0, 30));
  SliceLimits limits;
  limits.bytes_max = 100;
  const ReadRows whole = ReadFrom("in", {}, "", limits);
  const std::unique_ptr<FileSource> source = NewSource("in");
  std::vector<std::string> rows;
  ASSERT_TRUE(
      source->Replay(whole.offsets[0], whole.offsets[1], "", [](SourceSlice) { return Status(); }));
  ASSERT_TRUE(source->Open(whole.offsets[1]));
  const ReadRows rest = ReadAll(source.get(), limits);
  EXPECT_EQ(rest.rows, std::vector<std::string>(
                           whole.rows.begin() + static_cast<std::ptrdiff_t>(whole.rows_at[1]),
                           whole.rows.end()));
}

TEST_F(FileSourceTest, FilesThatCameBetweenTwoRunsComeLast) {
  folder_.Write("in/b.csv", Lines(0, 20));
  folder_.Write("in/d.csv", Lines(20, 20));
  folder_.SetTime("in/b.csv", 200);
  folder_.SetTime("in/d.csv", 400);
  SliceLimits limits;
  limits.bytes_max = 100;
  const ReadRows whole = ReadFrom("in", {}, "", limits);
  // Older and younger than what was read, and one of the same time.
  folder_.Write("in/a.csv", "100,a\n");
  folder_.Write("in/c.csv", "101,c\n");
  folder_.Write("in/e.csv", "102,e\n");
  folder_.SetTime("in/a.csv", 100);
  folder_.SetTime("in/c.csv", 200);
  folder_.SetTime("in/e.csv", 500);
  for (size_t offset = 0; offset < whole.offsets.size(); ++offset) {
    std::vector<std::string> expected(
        whole.rows.begin() + static_cast<std::ptrdiff_t>(whole.rows_at[offset]), whole.rows.end());
    expected.insert(expected.end(), {"100,a", "101,c", "102,e"});
    EXPECT_EQ(ReadFrom("in", {}, whole.offsets[offset]).rows, expected) << whole.offsets[offset];
  }
  // A range planned before they came is what it was.
  EXPECT_EQ(ReplayOf("in", {}, "", whole.offsets.back()).rows, whole.rows);
}

TEST_F(FileSourceTest, ADoneFileIsNotReadAgainWhateverHappensToItsTimeOrToItself) {
  folder_.Write("in/a.csv", "1,a\n");
  folder_.Write("in/b.csv", "2,b\n");
  const ReadRows first = ReadFrom("in");
  folder_.SetTime("in/a.csv", 1e9);
  folder_.Remove("in/b.csv");
  const ReadRows second = ReadFrom("in", {}, first.offsets.back());
  EXPECT_THAT(second.rows, IsEmpty());
  EXPECT_EQ(second.last, SourceNext::Kind::kEnd);
}

TEST_F(FileSourceTest, APathThatIsNotThereIsAnErrorAtEachStartButForAFileThatWasRead) {
  const struct {
    const char* path;
    std::map<std::string, std::string> options;
    const char* removed;
    const char* error;  // Null: it starts.
  } cases[] = {
      {"in", {}, "in/a.csv", nullptr},
      {"in", {}, "in", "in': No such file"},
      {"in", kWatched, "in", "in': No such file"},
      {"in/a.csv", {}, "in/a.csv", nullptr},
      {"in/a.csv", kWatched, "in", nullptr},
      {"in/*.csv", {}, "in/a.csv", nullptr},
      {"in/*.csv", {}, "in", "no file matches"},
      {"in/*.csv", kWatched, "in", nullptr},
  };
  for (const auto& c : cases) {
    const std::string name = fmt::format("{} without {}", c.path, c.removed);
    folder_.Remove("kept");
    folder_.Write("in/a.csv", "1,a\n");
    folder_.Write("a.csv", "5,of another table\n");
    const ReadRows first = ReadFrom(c.path, c.options);
    ASSERT_THAT(first.rows, ElementsAre("1,a")) << name;
    folder_.Remove(c.removed);
    for (const std::string& start : {first.offsets.back(), std::string()}) {
      const Status opened = NewSource(c.path, c.options)->Open(start);
      if (c.error != nullptr) {
        ASSERT_FALSE(opened) << name;
        EXPECT_EQ(opened.error().code, ErrorCode::kNotFound) << name;
        EXPECT_THAT(opened.error().message, HasSubstr(c.error)) << name;
        EXPECT_THAT(ReplayOf(c.path, c.options, "", first.offsets.back()).error, HasSubstr(c.error))
            << name;
      } else if (!start.empty()) {
        EXPECT_TRUE(opened) << name << ": " << opened.error().message;
      }
    }
  }
  folder_.Write("in/a.csv", "1,a\n");
  const ReadRows read = ReadFrom("in");
  const Status misspelt = NewSource("im")->Open(read.offsets.back());
  ASSERT_FALSE(misspelt);
  EXPECT_THAT(misspelt.error().message, HasSubstr("im': No such file"));
}

TEST_F(FileSourceTest, AWatchedFolderThatVanishesIsWarnedOfAndReadOnWhenItIsBack) {
  for (const bool had_rows : {true, false}) {
    warnings_.clear();
    std::filesystem::create_directory(folder_ / "in");
    if (had_rows) folder_.Write("in/a.csv", "1,a\n");
    folder_.Write("b.csv", "9,of another table\n");
    const std::unique_ptr<FileSource> source = OpenSource("in", kWatched);
    EXPECT_THAT(ReadAll(source.get()).rows, SizeIs(had_rows ? 1 : 0));
    for (const std::string row : {"2,b", "3,c"}) {
      warnings_.clear();
      folder_.Remove("in");
      for (int look = 0; look < 3; ++look) {
        now_ = now_ + Seconds(1);
        const ReadRows none = ReadAll(source.get());
        EXPECT_EQ(none.error, "");
        EXPECT_EQ(none.last, SourceNext::Kind::kNothing);
      }
      EXPECT_THAT(warnings_, ElementsAre(HasSubstr("in': No such file or directory")));
      folder_.Write("in/" + row.substr(2) + ".csv", row + "\n");
      now_ = now_ + Seconds(1);
      EXPECT_THAT(ReadAll(source.get()).rows, ElementsAre(row));
    }
    folder_.Remove("kept");
    folder_.Remove("in");
  }
}

// A file of its name beside the folder is another one.
TEST_F(FileSourceTest, AFolderThatVanishesBeforeItsFilesAreReadIsAnError) {
  folder_.Write("in/a.csv", "1,a\n");
  folder_.Write("a.csv", "9,of another table\n");
  const std::unique_ptr<FileSource> source = OpenSource("in");
  folder_.Remove("in");
  EXPECT_THAT(ReadAll(source.get()).error, HasSubstr("in/a.csv' was found, but is gone"));
}

// As a version that was gone back to: what came after it has to be read again.
TEST_F(FileSourceTest, AListedFileThatIsGoneAtTheStartIsAnErrorOrLeftOut) {
  folder_.Write("in/a.csv", "1,a\n");
  folder_.Write("in/b.csv", "2,b\n");
  folder_.Write("in/c.csv", "3,c\n");
  const ReadRows whole = ReadFrom("in", {}, "", {.bytes_max = 4});
  ASSERT_THAT(whole.rows, SizeIs(3));
  ASSERT_THAT(whole.offsets, SizeIs(3));
  folder_.Remove("in/b.csv");
  const std::string& offset = whole.offsets.front();
  ASSERT_THAT(ReadFrom("in", {}, whole.offsets.back()).rows, IsEmpty());
  const Status opened = NewSource("in")->Open(offset);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(opened.error().message, HasSubstr("b.csv' was found by an earlier run"));
  EXPECT_THAT(opened.error().message, HasSubstr("source.ignore-missing-files"));
  EXPECT_THAT(warnings_, IsEmpty());
  const std::map<std::string, std::string> ignore = {{"source.ignore-missing-files", "true"}};
  EXPECT_THAT(ReadFrom("in", ignore, offset).rows, ElementsAre("3,c"));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("b.csv' is gone before it could be read")));
}

TEST_F(FileSourceTest, AnOffsetStaysSmallHoweverManyFilesThereAre) {
  for (int file = 0; file < 300; ++file) {
    folder_.Write("in/part-" + std::to_string(file) + ".csv", "1,a\n");
  }
  const ReadRows read = ReadFrom("in");
  EXPECT_THAT(read.rows, SizeIs(300));
  for (const std::string& offset : read.offsets) EXPECT_LT(offset.size(), 60U) << offset;
}

TEST_F(FileSourceTest, AnOffsetWithoutItsListIsRefused) {
  folder_.Write("in/a.csv", "1,a\n");
  folder_.Write("in/b.csv", "2,b\n");
  const ReadRows read = ReadFrom("in");
  folder_.Remove("kept");
  const Status opened = NewSource("in")->Open(read.offsets.back());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kCorruption);
  EXPECT_EQ(NewSource("in")->Open("{\"done\":").error().code, ErrorCode::kCorruption);
}

TEST_F(FileSourceTest, TheCommonFaultsOfAPlannedFileAreNamed) {
  folder_.Write("in/a.csv", Lines(0, 100));
  SliceLimits limits;
  limits.bytes_max = 200;
  const ReadRows whole = ReadFrom("in", {}, "", limits);
  folder_.Write("in/a.csv", Lines(0, 2));
  EXPECT_THAT(ReplayOf("in", {}, whole.offsets[0], whole.offsets[3]).error,
              HasSubstr("a.csv' has changed"));
  const Status opened = NewSource("in")->Open(whole.offsets[3]);
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("a.csv' was read up to byte"));
  folder_.Remove("in/a.csv");
  EXPECT_THAT(ReplayOf("in", {}, whole.offsets[0], whole.offsets[3]).error,
              HasSubstr("a.csv' is gone, but a planned batch has to read it again"));
  EXPECT_THAT(ReadFrom("in", {}, whole.offsets[3]).error,
              HasSubstr("a.csv' is gone, but only a part of it was read"));
}

TEST_F(FileSourceTest, AFileThatVanishesBeforeItsTurnIsAnErrorOrLeftOut) {
  for (const bool ignore : {false, true}) {
    folder_.Remove("kept");
    folder_.Write("in/a.csv", "1,a\n");
    folder_.Write("in/b.csv", "2,b\n");
    folder_.Write("in/c.csv", "3,c\n");
    for (const std::string name : {"a", "b", "c"}) folder_.SetTime("in/" + name + ".csv", name[0]);
    const std::map<std::string, std::string> options = {
        {"source.ignore-missing-files", ignore ? "true" : "false"}};
    const std::unique_ptr<FileSource> source = OpenSource("in", options);
    folder_.Remove("in/b.csv");
    const ReadRows read = ReadAll(source.get());
    if (!ignore) {
      EXPECT_THAT(read.error, HasSubstr("b.csv' was found, but is gone before it could be read"));
      EXPECT_THAT(read.error, HasSubstr("source.ignore-missing-files"));
      EXPECT_EQ(ReadAll(source.get()).error, read.error);
      continue;
    }
    EXPECT_THAT(read.rows, ElementsAre("1,a", "3,c"));
    EXPECT_THAT(warnings_, ElementsAre(HasSubstr("b.csv' is gone before it could be read")));
    // It stays left out when the range is read again, even if it has come back.
    folder_.Write("in/b.csv", "2,b\n");
    EXPECT_THAT(ReplayOf("in", options, "", read.offsets.back()).rows, ElementsAre("1,a", "3,c"));
  }
}

TEST_F(FileSourceTest, CompressedFilesAreReadByTheirNames) {
  folder_.Write("in/a.csv.gz", Compress(Compression::kGzip, "1,a\n"));
  folder_.Write("in/b.csv.bz2", Compress(Compression::kBzip2, "2,b\n"));
  folder_.Write("in/c.csv.zst", Compress(Compression::kZstd, "3,c"));
  for (const std::string name : {"a.csv.gz", "b.csv.bz2", "c.csv.zst"}) {
    folder_.SetTime("in/" + name, name[0]);
  }
  EXPECT_THAT(ReadFrom("in").rows, ElementsAre("1,a", "2,b", "3,c"));
}

TEST_F(FileSourceTest, ATruncatedFileFailsWhereItsEndIsReachedAndIsNamed) {
  const std::string whole = Compress(Compression::kGzip, Lines(0, 100'000));
  folder_.Write("in/a.csv.gz", whole.substr(0, whole.size() - 10));
  const std::unique_ptr<FileSource> source = OpenSource("in");
  const ReadRows read = ReadAll(source.get());
  EXPECT_THAT(read.error, HasSubstr("a.csv.gz' is cut short"));
  EXPECT_GT(read.rows.size(), 50'000U);
  for (size_t row = 0; row < read.rows.size(); ++row) {
    ASSERT_EQ(read.rows[row], std::to_string(row) + ",name " + std::to_string(row));
  }
  EXPECT_EQ(ReadAll(source.get()).error, read.error);
}

TEST_F(FileSourceTest, ACompressedFileUnderAPlainNameIsNamed) {
  folder_.Write("in/a.csv", Compress(Compression::kGzip, Lines(0, 10)));
  EXPECT_THAT(ReadFrom("in").error,
              HasSubstr("a.csv' is compressed, but its name does not end in '.gz'"));
}

TEST_F(FileSourceTest, AWatchedFolderGivesEachFileOnceAsItComes) {
  folder_.Write("in/a.csv", "1,a\n");
  const std::unique_ptr<FileSource> source = OpenSource("in", kWatched);
  EXPECT_FALSE(source->is_finite());
  const ReadRows first = ReadAll(source.get());
  EXPECT_THAT(first.rows, ElementsAre("1,a"));
  EXPECT_EQ(first.last, SourceNext::Kind::kNothing);
  folder_.Write("in/b.csv", "2,b\n");
  // Not looked at before the interval is over.
  EXPECT_THAT(ReadAll(source.get()).rows, IsEmpty());
  now_ = now_ + Seconds(1);
  EXPECT_THAT(ReadAll(source.get()).rows, ElementsAre("2,b"));
  folder_.Write("in/0.csv", "0,z\n");
  folder_.SetTime("in/0.csv", 1);
  folder_.SetTime("in/a.csv", 1e9);
  now_ = now_ + Seconds(1);
  EXPECT_THAT(ReadAll(source.get()).rows, ElementsAre("0,z"));
  now_ = now_ + Seconds(1);
  EXPECT_THAT(ReadAll(source.get()).rows, IsEmpty());
}

TEST_F(FileSourceTest, AClockThatIsSetBackDoesNotStopTheWatch) {
  folder_.Write("in/a.csv", "1,a\n");
  const std::unique_ptr<FileSource> source = OpenSource("in", kWatched);
  ReadAll(source.get());
  folder_.Write("in/b.csv", "2,b\n");
  now_ = now_ - Seconds(3600);
  EXPECT_THAT(ReadAll(source.get()).rows, ElementsAre("2,b"));
}

TEST_F(FileSourceTest, AWatchedPatternMayMatchNothingYet) {
  const std::unique_ptr<FileSource> source = OpenSource("in/*.csv", kWatched);
  EXPECT_EQ(ReadAll(source.get()).last, SourceNext::Kind::kNothing);
  folder_.Write("in/a.csv", "1,a\n");
  now_ = now_ + Seconds(1);
  EXPECT_THAT(ReadAll(source.get()).rows, ElementsAre("1,a"));
}

TEST_F(FileSourceTest, StopAtLatestLeavesLaterFilesForTheNextRun) {
  folder_.Write("in/a.csv", "1,a\n");
  std::unique_ptr<FileSource> source = OpenSource("in", kWatched);
  folder_.Write("in/b.csv", "2,b\n");
  ASSERT_TRUE(source->StopAtLatest());
  folder_.Write("in/c.csv", "3,c\n");
  now_ = now_ + Seconds(10);
  const ReadRows read = ReadAll(source.get());
  EXPECT_THAT(read.rows, ElementsAre("1,a", "2,b"));
  EXPECT_EQ(read.last, SourceNext::Kind::kEnd);
  source.reset();
  EXPECT_THAT(ReadFrom("in", kWatched, read.offsets.back()).rows, ElementsAre("3,c"));
}

// A bad record fails a run, its file is mended, and the run starts again.
TEST_F(FileSourceTest, AFileOfWhichNothingIsCommittedIsFoundAnew) {
  for (const std::map<std::string, std::string>& options :
       {std::map<std::string, std::string>(), kWatched}) {
    for (const std::string mended : {"22222,b\n3,c\n", "2,b\n", "77,b\n"}) {
      folder_.Write("in/a.csv", "xx,b\n");
      EXPECT_THAT(ReadFrom("in", options).error, HasSubstr("xx"));
      folder_.Remove("in/a.csv");  // As editors do: another file takes the name.
      folder_.Write("in/b.csv", "9,z\n");
      folder_.Write("in/a.csv", mended);
      const ReadRows read = ReadFrom("in", options);
      EXPECT_EQ(read.error, "");
      const std::string rows = Joined(read.rows);
      EXPECT_THAT(rows, HasSubstr("9,z\n"));
      EXPECT_THAT(rows, HasSubstr(mended));
      EXPECT_THAT(warnings_, IsEmpty());
      folder_.Remove("in/a.csv");
      folder_.Remove("in/b.csv");
      folder_.Remove("kept");
    }
  }
}

TEST_F(FileSourceTest, AFileOfWhichThePartBeforeWasCommittedGoesOnAsItIsNow) {
  const std::string committed = "1,a\n2,b\n";
  for (const std::string mended : {"33333,c\n4,d\n", "3,c\n"}) {
    folder_.Write("in/a.csv", committed + "xx,c\n");
    const ReadRows first = ReadFrom("in", {}, "", {.bytes_max = 4});
    ASSERT_THAT(first.rows, ElementsAre("1,a", "2,b"));
    ASSERT_THAT(first.error, HasSubstr("xx"));
    folder_.Remove("in/a.csv");
    folder_.Write("in/a.csv", committed + mended);
    const ReadRows second = ReadFrom("in", {}, first.offsets.back());
    EXPECT_EQ(second.error, "");
    EXPECT_EQ(Joined(second.rows), mended);
    EXPECT_THAT(warnings_, IsEmpty());
    folder_.Write("in/a.csv", "1,a\n");
    const Status opened = NewSource("in")->Open(first.offsets.back());
    ASSERT_FALSE(opened);
    EXPECT_THAT(opened.error().message, HasSubstr("begin with a new checkpoint"));
    folder_.Remove("kept");
  }
}

// A file that is listed while it is still written: complaint F1.
TEST_F(FileSourceTest, AWatchedFileThatIsStillWrittenGivesWholeLinesOnce) {
  now_ = {0};  // No file has settled.
  folder_.Write("in/a.csv", "1,10000\n2,11");
  std::unique_ptr<FileSource> source = OpenSource("in", kWatched);
  const ReadRows first = ReadAll(source.get());
  EXPECT_THAT(first.rows, ElementsAre("1,10000"));
  now_ = now_ + Seconds(1);
  EXPECT_THAT(ReadAll(source.get()).rows, IsEmpty());
  folder_.Append("in/a.csv", "000\n3,1");
  // The unfinished line is known to a later run too.
  source = OpenSource("in", kWatched, first.offsets.back());
  const ReadRows second = ReadAll(source.get());
  EXPECT_THAT(second.rows, ElementsAre("2,11000"));
  folder_.Append("in/a.csv", "2000\n");
  now_ = now_ + Seconds(1);
  const ReadRows third = ReadAll(source.get());
  EXPECT_THAT(third.rows, ElementsAre("3,12000"));
  for (const std::string& start : {std::string(), first.offsets.back(), second.offsets.back()}) {
    const ReadRows again = ReplayOf("in", kWatched, start, third.offsets.back());
    EXPECT_EQ(again.rows.back(), "3,12000") << start;
    EXPECT_EQ(again.rows.size(), start.empty() ? 3U : start == first.offsets.back() ? 2U : 1U);
  }
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(FileSourceTest, AWatchedFileGrowsByWholeLinesInManySteps) {
  now_ = {0};
  folder_.Write("in/a.csv", "id,name\n");
  const std::map<std::string, std::string> options = {{"source.monitor-interval", "1 s"},
                                                      {"csv.header", "true"}};
  const std::unique_ptr<FileSource> source = OpenSource("in", options);
  const std::string text = Lines(0, 50);
  std::vector<std::string> rows;
  std::string last_offset;
  for (size_t position = 0; position < text.size(); position += 7) {
    folder_.Append("in/a.csv", text.substr(position, 7));
    now_ = now_ + Seconds(1);
    const ReadRows read = ReadAll(source.get());
    ASSERT_EQ(read.error, "");
    rows.insert(rows.end(), read.rows.begin(), read.rows.end());
    if (!read.offsets.empty()) last_offset = read.offsets.back();
  }
  EXPECT_THAT(rows, SizeIs(50));
  EXPECT_EQ(rows.front(), "0,name 0");
  EXPECT_EQ(rows.back(), "49,name 49");
  EXPECT_EQ(ReplayOf("in", options, "", last_offset).rows, rows);
}

TEST_F(FileSourceTest, AHeaderThatIsStillWrittenIsWaitedFor) {
  now_ = {0};
  const std::map<std::string, std::string> options = {{"source.monitor-interval", "1 s"},
                                                      {"csv.header", "true"}};
  folder_.Write("in/a.csv", "\xEF\xBB\xBF\nna");
  folder_.Write("in/b.csv", "id,name\n1,a\n");
  const ReadRows first = ReadFrom("in", options);
  EXPECT_THAT(first.rows, ElementsAre("1,a"));
  folder_.Append("in/a.csv", "me,id\nb,2\n");
  EXPECT_THAT(ReadFrom("in", options, first.offsets.back()).rows, ElementsAre("2,b"));
}

TEST_F(FileSourceTest, ALastLineWithoutALineEndIsReadOnceTheFileHasSettled) {
  folder_.Write("in/a.csv", "1,a\n2,b");
  folder_.SetTime("in/a.csv", 1000);
  now_ = EventTime{0} + Seconds(1004);
  const std::unique_ptr<FileSource> source = OpenSource("in", kWatched);
  EXPECT_THAT(ReadAll(source.get()).rows, ElementsAre("1,a"));
  now_ = now_ + Seconds(1);
  EXPECT_THAT(ReadAll(source.get()).rows, ElementsAre("2,b"));
  folder_.Append("in/a.csv", "2\n3,c\n");
  now_ = now_ + Seconds(1);
  EXPECT_THAT(ReadAll(source.get()).rows, IsEmpty());
  now_ = now_ + Seconds(1);
  EXPECT_THAT(ReadAll(source.get()).rows, IsEmpty());
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("a.csv' grew in the middle of its last record")));
}

TEST_F(FileSourceTest, AFileThatGrewBetweenTwoRunsIsContinuedAtTheRightLine) {
  folder_.Write("in/a.csv", "1,a\n2,b\n");
  const ReadRows first = ReadFrom("in");
  folder_.Append("in/a.csv", "3,c\nbroken\n");
  const std::unique_ptr<FileSource> source = OpenSource("in", {}, first.offsets.back());
  const ReadRows read = ReadAll(source.get());
  EXPECT_THAT(read.error, HasSubstr("a.csv:4:"));
  folder_.Write("in/a.csv", "1,a\n2,b\n3,c\n");
  folder_.Remove("kept");
  const ReadRows again = ReadFrom("in");
  folder_.Append("in/a.csv", "4,d\n");
  EXPECT_THAT(ReadFrom("in", {}, again.offsets.back()).rows, ElementsAre("4,d"));
}

TEST_F(FileSourceTest, AFileThatGrowsBetweenListingAndReadingKeepsItsLastLineForLater) {
  folder_.Write("in/a.csv", "1,a\n2,11");
  const std::unique_ptr<FileSource> source = OpenSource("in");
  folder_.Append("in/a.csv", "000\n");
  const ReadRows first = ReadAll(source.get());
  EXPECT_THAT(first.rows, ElementsAre("1,a"));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("a.csv' grew while it was read")));
  EXPECT_THAT(ReplayOf("in", {}, "", first.offsets.back()).rows, ElementsAre("1,a"));
  EXPECT_THAT(ReadFrom("in", {}, first.offsets.back()).rows, ElementsAre("2,11000"));
}

TEST_F(FileSourceTest, AReplacedOrShortenedFileIsWarnedOfOnceAndNotReadAgain) {
  folder_.Write("in/a.csv", "1,a\n");
  folder_.Write("in/b.csv", "2,b\n");
  const std::unique_ptr<FileSource> source = OpenSource("in", kWatched);
  EXPECT_THAT(ReadAll(source.get()).rows, SizeIs(2));
  folder_.Write("in/new", "1,a\n9,z\n");
  std::filesystem::rename(folder_ / "in/new", folder_ / "in/a.csv");
  folder_.Write("in/b.csv", "2\n");
  for (int round = 0; round < 3; ++round) {
    now_ = now_ + Seconds(1);
    EXPECT_THAT(ReadAll(source.get()).rows, IsEmpty());
  }
  EXPECT_THAT(warnings_, testing::UnorderedElementsAre(HasSubstr("a.csv' was replaced"),
                                                       HasSubstr("b.csv' became shorter")));
}

TEST_F(FileSourceTest, ABadRecordFailsWithFileLineAndReason) {
  folder_.Write("in/a.csv", "1,a\n");
  folder_.Write("in/b.csv", "2,b\nthree,c\n");
  for (const std::string name : {"a", "b"}) folder_.SetTime("in/" + name + ".csv", name[0]);
  const std::unique_ptr<FileSource> source = OpenSource("in");
  const Result<SourceNext> next = source->Next({});
  ASSERT_FALSE(next);
  EXPECT_EQ(next.error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(next.error().place.file, folder_ / "in/b.csv");
  EXPECT_EQ(next.error().place.line, 2);
  EXPECT_THAT(next.error().message, HasSubstr("three"));
}

TEST_F(FileSourceTest, BadRecordsAreCountedKeptAndLoggedWithinALimit) {
  std::string text;
  for (int line = 1; line <= 100; ++line) {
    text += line % 2 == 0 ? "bad " + std::to_string(line) + ",x\n" : Lines(line, 1);
  }
  folder_.Write("in/a.csv", text);
  const std::map<std::string, std::string> options = {{"bad-records", "drop"},
                                                      {"bad-records-path", folder_ / "bad"}};
  SliceLimits limits;
  limits.bytes_max = 50;
  const ReadRows read = ReadFrom("in", options, "", limits);
  EXPECT_EQ(read.error, "");
  EXPECT_THAT(read.rows, SizeIs(50));
  EXPECT_EQ(read.num_bad_records, 50);
  ASSERT_THAT(warnings_, SizeIs(10));
  EXPECT_THAT(warnings_[0], HasSubstr("a.csv:2: bad record: "));
  EXPECT_THAT(warnings_[9], HasSubstr("more of them are counted, but not shown"));
  const std::string kept = folder_.Read("bad/t.json");
  EXPECT_EQ(std::count(kept.begin(), kept.end(), '\n'), 50);
  EXPECT_THAT(kept, HasSubstr("\"line\":2,\"reason\":\""));
  EXPECT_THAT(kept, HasSubstr("\"text\":\"bad 2,x\""));
  EXPECT_THAT(kept, HasSubstr("\"file\":\"" + folder_ / "in/a.csv"));

  // Replays and restarts replace what they find again.
  for (const size_t offset : {size_t{3}, size_t{0}, size_t{7}}) {
    EXPECT_EQ(ReplayOf("in", options, read.offsets[offset], read.offsets.back()).error, "");
    EXPECT_EQ(folder_.Read("bad/t.json"), kept);
    EXPECT_EQ(ReadFrom("in", options, read.offsets[offset], limits).error, "");
    EXPECT_EQ(folder_.Read("bad/t.json"), kept);
  }
}

TEST_F(FileSourceTest, ASliceOfBadRecordsOnlyIsGivenSoThatTheyCount) {
  folder_.Write("in/a.csv", "x,a\n");
  const ReadRows read = ReadFrom("in", {{"bad-records", "drop"}});
  EXPECT_THAT(read.rows, IsEmpty());
  EXPECT_EQ(read.num_bad_records, 1);
  EXPECT_THAT(read.slices, SizeIs(1));
}

TEST_F(FileSourceTest, TheBacklogShrinksAsSlicesAreGiven) {
  folder_.Write("in/a.csv", "1,a\n2,b\n");
  folder_.Write("in/b.csv", "3,c\n");
  for (const std::string name : {"a", "b"}) folder_.SetTime("in/" + name + ".csv", name[0]);
  const std::unique_ptr<FileSource> source = OpenSource("in");
  SliceLimits limits;
  limits.bytes_max = 4;
  std::string second_offset;
  for (const int64_t backlog : {12, 8, 4, 0}) {
    EXPECT_EQ(source->backlog_bytes(), backlog);
    if (backlog == 0) break;
    const Result<SourceNext> next = source->Next(limits);
    ASSERT_TRUE(next && next->kind == SourceNext::Kind::kSlice);
    if (backlog == 12) second_offset = next->slice.end;
    ASSERT_TRUE(source->Commit(next->slice.end));
  }
  EXPECT_EQ(OpenSource("in", {}, second_offset)->backlog_bytes(), 8) << "within a file";
}

TEST_F(FileSourceTest, TheNewestOffsetIsKnownAndCommittedPartsAreForgotten) {
  folder_.Write("in/a.csv", "1,a\n");
  folder_.Write("in/b.csv", "2,b\n");
  for (const std::string name : {"a", "b"}) folder_.SetTime("in/" + name + ".csv", name[0]);
  const std::unique_ptr<FileSource> source = OpenSource("in", kWatched);
  EXPECT_EQ(source->latest_offset(), "{\"done\":2,\"last\":\"b.csv\"}");
  const ReadRows read = ReadAll(source.get());
  EXPECT_EQ(read.offsets.back(), "{\"done\":2,\"last\":\"b.csv\"}");
  ASSERT_TRUE(source->Commit(read.offsets.back()));
  folder_.Write("in/c.csv", "3,c\n4,d\n");
  now_ = now_ + Seconds(1);
  SliceLimits limits;
  limits.bytes_max = 4;
  const ReadRows more = ReadAll(source.get(), limits);
  EXPECT_THAT(more.rows, ElementsAre("3,c", "4,d"));
  EXPECT_EQ(more.offsets[0], "{\"done\":2,\"file\":\"c.csv\",\"byte\":4,\"line\":2}");
  EXPECT_THAT(ReadFrom("in", kWatched, more.offsets[0]).rows, ElementsAre("4,d"));
}

TEST_F(FileSourceTest, AMovedInputIsStillTheSameInput) {
  folder_.Write("in/a.csv", "1,a\n");
  folder_.Write("in/b.csv", Lines(2, 10));
  for (const std::string name : {"a", "b"}) folder_.SetTime("in/" + name + ".csv", name[0]);
  SliceLimits limits;
  limits.bytes_max = 30;
  const ReadRows whole = ReadFrom("in", {}, "", limits);
  std::filesystem::rename(folder_ / "in", folder_ / "moved");
  const ReadRows rest = ReadFrom("moved", {}, whole.offsets[1]);
  EXPECT_EQ(rest.rows, std::vector<std::string>(
                           whole.rows.begin() + static_cast<std::ptrdiff_t>(whole.rows_at[1]),
                           whole.rows.end()));
}

// What was read is committed: going on in the middle of another record would give a wrong row.
TEST_F(FileSourceTest, AFileWhoseReadPartWasRewrittenIsRefusedByName) {
  const std::string text = Lines(0, 3'000);
  SliceLimits limits;
  limits.bytes_max = 20'000;
  struct Case {
    const char* name;
    std::string rewritten;
    bool is_fine;
  };
  std::string other_end = text;
  other_end.replace(other_end.size() - 6, 5, "other");
  std::string other_first = text;
  other_first[2] = 'N';
  for (const Case& c : {Case{"a longer line before", "0,a longer name\n" + text.substr(9), false},
                        {"another first line", other_first, false},
                        {"the rest", other_end, true},
                        {"more behind it", text + "3000,more\n", true},
                        {"nothing", text, true}}) {
    folder_.Remove("kept");
    folder_.Write("in/a.csv", text);
    std::string begun;
    {
      const std::unique_ptr<FileSource> source = OpenSource("in");
      const Result<SourceNext> next = source->Next(limits);
      ASSERT_TRUE(next.has_value());
      begun = next->slice.end;
      ASSERT_TRUE(source->Commit(begun));
    }
    // In place: the file is the same one.
    folder_.Write("in/a.csv", c.rewritten);
    const Status opened = NewSource("in")->Open(begun);
    EXPECT_EQ(opened.has_value(), c.is_fine) << c.name;
    if (!opened) {
      EXPECT_EQ(opened.error().code, ErrorCode::kInvalidInput);
      EXPECT_THAT(opened.error().message, HasSubstr("in/a.csv' was rewritten")) << c.name;
    }
    const Status replayed =
        NewSource("in")->Replay(begun, begun, "", [](SourceSlice) { return Status(); });
    EXPECT_EQ(replayed.has_value(), c.is_fine) << c.name;
    // An offset that the note is not of: nothing is known.
    EXPECT_TRUE(NewSource("in")->Open("")) << c.name;
  }
}

TEST_F(FileSourceTest, AFileThatIsDoneAndRewrittenIsWarnedOfUnlessItGoesOn) {
  for (const bool goes_on : {false, true}) {
    folder_.Remove("kept");
    folder_.Write("in/a.csv", "1,a\n2,b\n");
    const std::string done = ReadAndCommit("in");
    warnings_.clear();
    folder_.Write("in/a.csv", goes_on ? "1,a\n7,b\n3,c\n" : "1,a\n7,b\n");
    const Status opened = NewSource("in")->Open(done);
    EXPECT_EQ(opened.has_value(), !goes_on);
    if (goes_on) {
      EXPECT_THAT(opened.error().message, HasSubstr("in/a.csv' was rewritten"));
    } else {
      EXPECT_THAT(warnings_, ElementsAre(HasSubstr("a.csv' was rewritten after it was read")));
    }
  }
}

TEST_F(FileSourceTest, AFileThatIsDoneAndReplacedByALongerOneIsWarnedOfOnce) {
  folder_.Write("in/a.csv", "1,a\n2,b\n");
  const std::string done = ReadAndCommit("in");
  warnings_.clear();
  folder_.Write("other", "1,a\n7,b\n3,c\n");
  std::filesystem::rename(folder_ / "other", folder_ / "in/a.csv");
  EXPECT_TRUE(NewSource("in")->Open(done));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("a.csv' was rewritten after it was read")));
}

TEST_F(FileSourceTest, ANoteThatIsTornOrMissingIsNoNote) {
  folder_.Write("in/a.csv", Lines(0, 100));
  SliceLimits limits;
  limits.bytes_max = 200;
  std::string begun;
  {
    const std::unique_ptr<FileSource> source = OpenSource("in");
    begun = source->Next(limits)->slice.end;
    ASSERT_TRUE(source->Commit(begun));
  }
  const std::string note = folder_.Read("kept/read");
  ASSERT_EQ(note.size(), 96U);
  for (size_t byte = 0; byte < note.size(); ++byte) {
    std::string damaged = note;
    damaged[byte] = static_cast<char>(damaged[byte] ^ 1);
    folder_.Write("kept/read", damaged);
    EXPECT_TRUE(NewSource("in")->Open(begun)) << byte;
  }
  folder_.Write("kept/read", note.substr(0, 50));
  EXPECT_TRUE(NewSource("in")->Open(begun));
  folder_.Remove("kept/read");
  EXPECT_TRUE(NewSource("in")->Open(begun));
}

// F4 (SPARK-30866): a folder is looked at when what was found is read, not at each trigger. Each
// look asks for the time once, and so does each time that it could be time for one.
TEST_F(FileSourceTest, AFolderOfManyFilesIsListedOnceForManyTriggers) {
  constexpr int kFiles = 300;
  for (int file = 0; file < kFiles; ++file) {
    folder_.Write(fmt::format("in/{:03}.csv", file), fmt::format("{},x\n", file));
  }
  const std::unique_ptr<FileSource> source = OpenSource("in", kWatched);
  SliceLimits limits;
  limits.one_file = true;
  num_looks_ = 0;
  for (int file = 0; file < kFiles; ++file) {
    now_ = now_ + Seconds(1);
    const Result<SourceNext> next = source->Next(limits);
    ASSERT_TRUE(next.has_value());
    ASSERT_EQ(next->kind, SourceNext::Kind::kSlice);
    ASSERT_TRUE(source->Commit(next->slice.end));
  }
  EXPECT_EQ(num_looks_, 0);
  EXPECT_EQ(source->Next(limits)->kind, SourceNext::Kind::kNothing);
  EXPECT_EQ(num_looks_, 2);
}

}  // namespace
}  // namespace braid
