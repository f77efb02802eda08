#include "engine/connectors/file_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/connectors/memory_file_operations.h"

namespace braid {
namespace {

using testing::HasSubstr;

FilePart PartOf(const std::string& name, int64_t begin = 0, int64_t end = 10) {
  FilePart part;
  part.name = name;
  part.begin = begin;
  part.end = end;
  part.line = begin == 0 ? 1 : 0;
  part.inode = 18'446'744'073'709'551'615U;
  return part;
}

class FileListTest : public testing::Test {
 protected:
  std::unique_ptr<FileList> NewList() { return std::make_unique<FileList>(disk_); }
  std::unique_ptr<FileList> LoadList() {
    auto list = NewList();
    const Status loaded = list->Load("/kept");
    EXPECT_TRUE(loaded) << loaded.error().ToString();
    return list;
  }
  std::vector<FilePart> PartsOf(const FileList& list) {
    std::vector<FilePart> parts;
    for (int64_t number = list.first(); number < list.size(); ++number) {
      parts.push_back(list.part(number));
    }
    return parts;
  }
  std::string Text() { return disk_->Files().at("/kept/files"); }
  void SetText(const std::string& text) {
    auto file = disk_->OpenToAppend("/kept/files", 0);
    ASSERT_TRUE(file && (*file)->Append(text));
  }

  std::shared_ptr<MemoryFileOperations> disk_ = std::make_shared<MemoryFileOperations>();
};

TEST_F(FileListTest, KeepsPartsAndMarksOverARestart) {
  std::vector<FilePart> parts = {PartOf("a.csv"), PartOf("deep/b c.csv", 3, 7),
                                 PartOf("odd\\name\n.csv"),
                                 PartOf("c.csv.gz", 0, FilePart::kToTheEnd)};
  parts[1].takes_last_line = false;
  {
    const auto list = LoadList();
    ASSERT_TRUE(list->Append(std::span(parts).first(3)));
    ASSERT_TRUE(list->Append(std::span(parts).subspan(3)));
    ASSERT_TRUE(list->MarkGone(0));
    ASSERT_TRUE(list->MarkGrown(2));
  }
  parts[0].is_gone = true;
  parts[2].takes_last_line = false;
  EXPECT_EQ(PartsOf(*LoadList()), parts);
  const auto list = LoadList();
  ASSERT_TRUE(list->Append(std::vector{PartOf("later.csv")}));
  EXPECT_EQ(LoadList()->size(), 5);
}

TEST_F(FileListTest, WhatWasCutIsNoMoreAndItsNumbersAreGivenAgain) {
  {
    const auto list = LoadList();
    ASSERT_TRUE(list->Append(std::vector{PartOf("a.csv"), PartOf("b.csv"), PartOf("c.csv")}));
    ASSERT_TRUE(list->Cut(1));
    ASSERT_TRUE(list->Append(std::vector{PartOf("d.csv")}));
  }
  const std::vector<FilePart> expected = {PartOf("a.csv"), PartOf("d.csv")};
  EXPECT_EQ(PartsOf(*LoadList()), expected);
}

// An offset stands in the part: a crash must leave it, as it was or as it is now.
TEST_F(FileListTest, ARenewedPartIsThereWhereverItsLineIsTorn) {
  const std::vector<FilePart> parts = {PartOf("a.csv"), PartOf("b.csv"), PartOf("c.csv")};
  const FilePart longer = PartOf("b.csv", 0, 25);
  ASSERT_TRUE(LoadList()->Append(parts));
  const std::string before = Text();
  ASSERT_TRUE(LoadList()->Renew(1, longer));
  const std::string after = Text();
  const std::vector<FilePart> renewed = {parts[0], longer};
  EXPECT_EQ(PartsOf(*LoadList()), renewed);
  // A line that is whole but for its end is refused: ATornEndIsCutOff.
  for (size_t size = before.size(); size < after.size() - 1; ++size) {
    SetText(after.substr(0, size));
    EXPECT_EQ(PartsOf(*LoadList()), parts) << size;
  }
  SetText(after);
  const auto list = LoadList();
  ASSERT_TRUE(list->Append({&parts[2], 1}));
  EXPECT_EQ(PartsOf(*LoadList()), (std::vector<FilePart>{parts[0], longer, parts[2]}));
}

TEST_F(FileListTest, WithoutADirectoryItLivesInMemory) {
  const auto list = NewList();
  ASSERT_TRUE(list->Append(std::vector{PartOf("a.csv")}));
  ASSERT_TRUE(list->MarkGone(0));
  EXPECT_EQ(list->size(), 1);
  EXPECT_TRUE(disk_->Files().empty());
}

TEST_F(FileListTest, ForgottenPartsKeepTheirNumbers) {
  const auto list = LoadList();
  ASSERT_TRUE(list->Append(std::vector{PartOf("a"), PartOf("b"), PartOf("c")}));
  list->Forget(2);
  list->Forget(1);
  EXPECT_EQ(list->first(), 2);
  EXPECT_EQ(list->size(), 3);
  EXPECT_EQ(list->part(2).name, "c");
  ASSERT_TRUE(list->Append(std::vector{PartOf("d")}));
  EXPECT_EQ(LoadList()->part(3).name, "d");
}

TEST_F(FileListTest, AddsUpTheLengthsOfParts) {
  {
    const auto list = LoadList();
    EXPECT_EQ(list->BytesFrom(0), 0);
    ASSERT_TRUE(
        list->Append(std::vector{PartOf("a", 0, 10), PartOf("b", 3, 7),
                                 PartOf("c.gz", 0, FilePart::kToTheEnd), PartOf("d", 0, 100)}));
  }
  const auto list = LoadList();
  EXPECT_EQ(list->BytesFrom(0), std::nullopt) << "nobody knows how long c.gz is inside";
  EXPECT_EQ(list->BytesFrom(3), 100);
  list->Forget(1);
  EXPECT_EQ(list->BytesFrom(2), std::nullopt);
  list->Forget(3);
  EXPECT_EQ(list->BytesFrom(3), 100);
  EXPECT_EQ(list->BytesFrom(4), 0);
}

TEST_F(FileListTest, ATornEndIsCutOff) {
  ASSERT_TRUE(LoadList()->Append(std::vector{PartOf("a"), PartOf("b"), PartOf("c")}));
  const std::string whole = Text();
  for (size_t size = 0; size < whole.size(); ++size) {
    SetText(whole.substr(0, size));
    const auto list = LoadList();
    const int64_t lines =
        std::count(whole.begin(), whole.begin() + static_cast<int64_t>(size), '\n');
    ASSERT_EQ(list->size(), std::max<int64_t>(0, lines - 1)) << size;
    ASSERT_TRUE(list->Append(std::vector{PartOf("new")}));
    const auto again = LoadList();
    ASSERT_EQ(again->size(), list->size());
    EXPECT_EQ(again->part(again->size() - 1).name, "new");
  }
}

// Every byte of every line, its line end too: a crash tears only the end off.
TEST_F(FileListTest, ADamagedLineIsRefused) {
  ASSERT_TRUE(LoadList()->Append(std::vector{PartOf("aaaa"), PartOf("bbbb"), PartOf("cccc")}));
  const std::string whole = Text();
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string text = whole;
    text[at] = static_cast<char>(text[at] ^ 1);
    SetText(text);
    const Status loaded = NewList()->Load("/kept");
    ASSERT_FALSE(loaded) << at;
    EXPECT_EQ(loaded.error().code, ErrorCode::kCorruption);
    EXPECT_THAT(loaded.error().message, HasSubstr("/kept/files"));
    EXPECT_EQ(Text(), text);
  }
}

// The example of docs/format/offsets.md: version 1 is read for ever.
TEST_F(FileListTest, TheDocumentedExampleIsReadAndWritten) {
  const std::string text =
      "braid files 1\n"
      "dc8530e5 part 0 0 18 1 1 5767226 a.csv\n"
      "551bd422 part 1 0 -1 1 1 5767227 b.csv.gz\n"
      "a05de1c1 part 2 18 30 4 1 5767226 a.csv\n";
  const std::vector<FilePart> parts = {
      {"a.csv", 0, 18, 1, 5'767'226, true, false},
      {"b.csv.gz", 0, FilePart::kToTheEnd, 1, 5'767'227, true, false},
      {"a.csv", 18, 30, 4, 5'767'226, true, false}};
  ASSERT_TRUE(LoadList()->Append(parts));
  EXPECT_EQ(Text(), text);
  SetText(text);
  EXPECT_EQ(PartsOf(*LoadList()), parts);
}

TEST_F(FileListTest, AnUnknownVersionIsRefused) {
  SetText("braid files 9\nsomething\n");
  const Status loaded = NewList()->Load("/kept");
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::kCorruption);
  EXPECT_THAT(loaded.error().message, HasSubstr("/kept/files"));
}

TEST_F(FileListTest, WhatAppendGaveBackSurvivesALossOfPower) {
  for (int64_t step = 0; step < 20; ++step) {
    disk_ = std::make_shared<MemoryFileOperations>();
    disk_->StopAt(step);
    int64_t durable = 0;
    {
      const auto list = NewList();
      if (list->Load("/kept")) {
        for (int part = 0; part < 3; ++part) {
          if (!list->Append(std::vector{PartOf("p" + std::to_string(part))})) break;
          durable = list->size();
        }
      }
    }
    disk_->RestartAfterPowerLoss();
    const auto list = LoadList();
    ASSERT_GE(list->size(), durable) << "step " << step;
    for (int64_t part = 0; part < list->size(); ++part) {
      EXPECT_EQ(list->part(part).name, "p" + std::to_string(part));
    }
  }
}

}  // namespace
}  // namespace braid
