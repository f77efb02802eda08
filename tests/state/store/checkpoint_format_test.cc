// The worked example of docs/format/checkpoint.md is what a store writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "braid/column_builder.h"
#include "state/store/memory_storage.h"
#include "state/store/record_store.h"
#include "tests/state/store/test_rows.h"

namespace braid {
namespace {

constexpr size_t kBytesPerLine = 8;

std::string Hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    char two[4];
    std::snprintf(two, sizeof(two), "%02x", static_cast<unsigned>(static_cast<uint8_t>(byte)));
    text += text.empty() ? "" : " ";
    text += two;
  }
  return text;
}

// "key 49", then lines of eight bytes of the value.
std::vector<std::string> Dump(std::string_view key, std::string_view value) {
  std::vector<std::string> lines = {"key " + Hex(key)};
  for (size_t at = 0; at < value.size(); at += kBytesPerLine) {
    lines.push_back(Hex(value.substr(at, kBytesPerLine)));
  }
  return lines;
}

// What the page says the example is: three rows come with version 0, the second matches in version
// 1.
std::vector<std::string> WriteExample() {
  auto storage = std::make_unique<MemoryStorage>();
  auto store = *RecordStore::Open(std::move(storage), {}, /*read_only=*/false);
  SideLayout layout;
  layout.name = "clicks";
  layout.has_time = true;
  layout.payload.fields = {{"user", DataType::String()}};
  EXPECT_TRUE(store->Create({"q1", "clicks", {layout}}).has_value());

  SideDelta added;
  StateRows& rows = added.rows.emplace_back();
  rows.first_id = MakePersistentId(1, 1);
  rows.num_rows = 3;
  rows.words = {1000, 1256, 1001};
  ColumnBuilder times(DataType::Timestamp(3));
  for (const int64_t second : {10, 70}) times.Append(second * 1'000'000);
  times.AppendNull();
  rows.times = times.Finish();
  ColumnBuilder users(DataType::String());
  for (const char* user : {"ann", "", "bob"}) users.AppendString(user);
  rows.payload = {users.Finish()};
  BatchCommit commit;
  EXPECT_TRUE(store->Commit(commit, std::span(&added, 1), nullptr).has_value());
  SideDelta matched;
  matched.matched = {MakePersistentId(1, 2)};
  commit.batch_id = 1;
  EXPECT_TRUE(store->Commit(commit, std::span(&matched, 1), nullptr).has_value());

  std::vector<std::string> lines;
  store->VisitRecords([&](std::string_view key, std::string_view value) {
    if (key[0] != 'C' && key[0] != 'H' && key[0] != 'L') return;
    for (const std::string& line : Dump(key, value)) lines.push_back(line);
  });
  return lines;
}

// The lines of the page's blocks marked `hex`, without what stands behind two blanks.
std::vector<std::string> ReadExample() {
  std::ifstream stream(BRAID_SOURCE_FOLDER "/docs/format/checkpoint.md");
  std::vector<std::string> lines;
  bool inside = false;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("```")) {
      inside = line == "```hex";
    } else if (inside && !line.empty()) {
      lines.push_back(line.substr(0, line.find("  ")));
    }
  }
  return lines;
}

TEST(CheckpointFormatTest, TheWorkedExampleIsWhatAStoreWrites) {
  const std::vector<std::string> written = WriteExample();
  std::string dump;
  for (const std::string& line : written) dump += line + "\n";
  EXPECT_EQ(ReadExample(), written) << "the example should be:\n" << dump;
}

}  // namespace
}  // namespace braid
