// record_seeds FOLDER: writes inputs of the target state_records, made as a store makes records, so
// that a fuzzer begins with messages that are right. The first byte is the target's choice.
#include <cstdio>
#include <fstream>
#include <map>
#include <string>

#include "braid/column_builder.h"
#include "state/store/chunk_codec.h"
#include "state/store/memory_storage.h"
#include "state/store/record_key.h"
#include "state/store/record_store.h"
#include "tests/fuzz/record_layout.h"
#include "tests/state/store/scenario.h"
#include "tests/state/store/test_rows.h"

namespace braid {
namespace {

constexpr size_t kChecksumBytes = 8;

void WriteSeed(const std::string& path, const std::string& choice, std::string_view record) {
  std::ofstream file(path, std::ios::binary);
  file << choice << record.substr(kChecksumBytes);
}

// The choice that reads a record of this key; empty for chunks, whose layout is another one.
std::string ChoiceOf(std::string_view key) {
  switch (key[0]) {
    case kIdentityTag:
      return {'\0', 1};
    case kPlanTag:
      return "\x01";
    case kCommitTag:
      return "\x02";
    case kChunkHeadTag:
      return "\x03";
    case kChangeListTag:
      return std::string("\x05") + key[2];
    default:
      return {};
  }
}

void WriteRecords(const std::string& folder) {
  std::unique_ptr<RecordStore> store =
      *RecordStore::Open(std::make_unique<MemoryStorage>(), {}, /*read_only=*/false);
  if (!store->Create(TestIdentity())) return;
  for (const ScenarioCommit& step : MakeScenario(6, 5)) {
    if (!store->Commit(step.commit, step.deltas, &step.next_plan)) return;
  }
  std::map<std::string, int> counts;
  store->VisitRecords([&](std::string_view key, std::string_view record) {
    const std::string choice = ChoiceOf(key);
    if (key[0] == kChunkTag || ++counts[choice] > 2) return;
    const std::string name =
        std::string(1, key[0]) + std::to_string(choice.back()) + std::to_string(counts[choice]);
    WriteSeed(folder + "/" + name, choice, record);
  });
}

void WriteChunkSeed(const std::string& folder) {
  constexpr int kRows = 8;
  StateRows rows;
  rows.num_rows = kRows;
  rows.first_id = 1;
  ColumnBuilder times(DataType::Timestamp(6));
  std::vector<ColumnBuilder> columns;
  for (const Field& field : FuzzedLayout().payload.fields) columns.emplace_back(field.type);
  for (int row = 0; row < kRows; ++row) {
    rows.words.push_back(static_cast<uint64_t>(row) * 77);
    times.Append(int64_t{1'000'000} * row);
    for (ColumnBuilder& column : columns) column.AppendNull();
  }
  rows.times = times.Finish();
  for (ColumnBuilder& column : columns) rows.payload.push_back(column.Finish());
  RecordWriter writer;
  const auto sink = [&](std::string_view, std::string_view record) {
    WriteSeed(folder + "/chunk", std::string("\x04") + static_cast<char>(kRows - 1), record);
  };
  static_cast<void>(WriteChunk(&writer, {0, 3, 1}, rows, {0, kRows}, sink));
}

}  // namespace
}  // namespace braid

int main(int argument_count, char** arguments) {
  if (argument_count != 2) {
    std::fprintf(stderr, "usage: record_seeds FOLDER\n");
    return 2;
  }
  braid::WriteRecords(arguments[1]);
  braid::WriteChunkSeed(arguments[1]);
  return 0;
}
