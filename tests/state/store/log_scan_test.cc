// Logs as LevelDB writes them: cut off anywhere they are torn, with one bit changed damaged.
#include "state/store/log_scan.h"

#include <gtest/gtest.h>
#include <leveldb/db.h>
#include <leveldb/write_batch.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/state/store/test_store.h"

namespace braid {
namespace {

// Records of one to some hundred thousand bytes: within a block, at its end, over several.
constexpr int kRecords = 60;

std::string MakeLog() {
  const TestFolder folder;
  leveldb::Options options;
  options.create_if_missing = true;
  leveldb::DB* opened = nullptr;
  EXPECT_TRUE(leveldb::DB::Open(options, folder.path() + "/db", &opened).ok());
  std::unique_ptr<leveldb::DB> database(opened);
  std::mt19937 random(3);
  for (int record = 0; record < kRecords; ++record) {
    std::string value((record * 977) % (record % 20 == 19 ? 100'000 : 3'000), '\0');
    for (char& byte : value) byte = static_cast<char>(random());
    EXPECT_TRUE(database->Put({}, std::to_string(record), value).ok());
  }
  database.reset();
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() + "/db")) {
    if (entry.path().extension() != ".log") continue;
    std::ifstream stream(entry.path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  return {};
}

LogEnd Scan(const std::string& log, int* records) {
  *records = 0;
  return ScanLog(log, /*begins=*/true, [records](std::string_view) {
    ++*records;
    return true;
  });
}

TEST(LogScanTest, AWholeLogHasAllRecords) {
  const std::string log = MakeLog();
  ASSERT_GT(log.size(), 4 * kLogBlockBytes);
  int records = 0;
  EXPECT_EQ(Scan(log, &records).kind, LogEnd::Kind::kWhole);
  EXPECT_EQ(records, kRecords);
}

TEST(LogScanTest, WhatIsCutOffIsTorn) {
  const std::string log = MakeLog();
  int before = 0;
  for (size_t size = 0; size < log.size(); size += 211) {
    int records = 0;
    const LogEnd end = Scan(log.substr(0, size), &records);
    ASSERT_NE(end.kind, LogEnd::Kind::kDamaged) << size;
    ASSERT_LE(end.at, size);
    ASSERT_GE(records, before);
    before = records;
  }
  EXPECT_GE(before, kRecords - 1);
}

TEST(LogScanTest, AChangedBitIsDamage) {
  const std::string log = MakeLog();
  std::mt19937 random(5);
  for (int i = 0; i < 300; ++i) {
    // The end is where LevelDB itself does not see it.
    const size_t behind = i % 2 == 0 ? 0 : log.size() / kLogBlockBytes * kLogBlockBytes;
    const size_t at = std::uniform_int_distribution<size_t>(behind, log.size() - 1)(random);
    std::string damaged = log;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (i % 8)));
    int records = 0;
    const LogEnd end = Scan(damaged, &records);
    // The bytes that fill a block up say nothing.
    if (end.kind == LogEnd::Kind::kWhole && log[at] == '\0') continue;
    ASSERT_EQ(end.kind, LogEnd::Kind::kDamaged) << at << " of " << log.size();
    ASSERT_LE(end.at, at);
  }
}

// The last block alone, as it is looked at when a store is opened.
TEST(LogScanTest, TheLastBlockCanBeReadAlone) {
  const std::string log = MakeLog();
  const std::string last = log.substr(log.size() / kLogBlockBytes * kLogBlockBytes);
  ASSERT_GT(last.size(), 100U);
  const auto take = [](std::string_view) { return true; };
  EXPECT_EQ(ScanLog(last, /*begins=*/false, take).kind, LogEnd::Kind::kWhole);
  std::string damaged = last;
  damaged[last.size() - 1] ^= 1;
  EXPECT_EQ(ScanLog(damaged, /*begins=*/false, take).kind, LogEnd::Kind::kDamaged);
}

}  // namespace
}  // namespace braid
