#include "state/payload_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace braid {
namespace {

using ::testing::HasSubstr;

std::string Folder(const char* name) {
  std::string folder = testing::TempDir() + "/" + name;
  std::filesystem::remove_all(folder);
  return folder;
}

std::string Written(int64_t number, int64_t length) {
  std::string text(static_cast<size_t>(length), ' ');
  for (size_t i = 0; i < text.size(); ++i)
    text[i] = static_cast<char>(number * 31 + std::ssize(text) + static_cast<int64_t>(i));
  return text;
}

TEST(PayloadFileTest, GivesBackWhatWasWrittenAndUsesFreeSpaceAgain) {
  PayloadFile file(Folder("payload_file"));
  std::mt19937_64 random(7);
  struct Piece {
    int64_t offset = 0;
    std::string text;
  };
  std::vector<Piece> pieces;
  int64_t disk_bytes_max = 0;
  int64_t end_max = 0;
  for (int64_t step = 0; step < 2'000; ++step) {
    if (pieces.size() > 40 || (!pieces.empty() && random() % 3 == 0)) {
      const size_t at = random() % pieces.size();
      file.Free(pieces[at].offset, std::ssize(pieces[at].text));
      std::swap(pieces[at], pieces.back());
      pieces.pop_back();
    } else {
      std::string text = Written(step, 1 + static_cast<int64_t>(random() % 20'000));
      const Result<int64_t> offset = file.Write(text);
      ASSERT_TRUE(offset) << offset.error().ToString();
      end_max = std::max(end_max, *offset);
      pieces.push_back({*offset, std::move(text)});
    }
    disk_bytes_max = std::max(disk_bytes_max, file.disk_bytes());
    if (step % 50 != 0) continue;
    for (const Piece& piece : pieces) {
      std::string text(piece.text.size(), ' ');
      ASSERT_TRUE(file.Read(piece.offset, text));
      ASSERT_EQ(text, piece.text);
    }
  }
  // Everything was written some thirty times over.
  EXPECT_LT(end_max, 3 * disk_bytes_max);
  for (const Piece& piece : pieces) file.Free(piece.offset, std::ssize(piece.text));
  EXPECT_EQ(file.disk_bytes(), 0);
}

TEST(PayloadFileTest, LeavesNothingInItsFolder) {
  const std::string folder = Folder("payload_file_folder");
  PayloadFile file(folder);
  ASSERT_TRUE(file.Write(std::string(10'000, 'x')));
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST(PayloadFileTest, NamesItsFolderWhereItCannotWriteOrRead) {
  PayloadFile nowhere("/proc/no/such/folder");
  const Result<int64_t> written = nowhere.Write(std::string(10, 'x'));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kIo);
  EXPECT_THAT(written.error().message, HasSubstr("/proc/no/such/folder"));

  const std::string folder = Folder("payload_file_errors");
  PayloadFile file(folder);
  const Result<int64_t> offset = file.Write(std::string(10, 'x'));
  ASSERT_TRUE(offset);
  std::string text(10'000, ' ');
  const Status read = file.Read(*offset + 100'000, text);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr(folder));
}

}  // namespace
}  // namespace braid
