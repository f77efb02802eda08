#include "tests/state/store/test_rows.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "braid/column_builder.h"

namespace braid {

std::ostream& operator<<(std::ostream& stream, const TestRow& row) {
  stream << (row.id >> kSequenceBits) << ":" << (row.id & ((1ULL << kSequenceBits) - 1)) << " word "
         << row.word << " time ";
  if (row.time) {
    stream << *row.time;
  } else {
    stream << "NULL";
  }
  stream << " number ";
  if (row.number) {
    stream << *row.number;
  } else {
    stream << "NULL";
  }
  stream << " text " << row.text.value_or("NULL");
  return stream << (row.linkable ? "" : " unlinkable") << (row.matched ? " matched" : "");
}

SideLayout TestLayout(const std::string& name, bool has_time) {
  SideLayout layout;
  layout.name = name;
  layout.has_time = has_time;
  layout.payload.fields = {{"number", DataType::BigInt()}, {"text", DataType::String()}};
  layout.key = {"key of " + name, DataType::Decimal(12, 2)};
  if (has_time) layout.time = {"ts", DataType::Timestamp(3)};
  return layout;
}

StoreIdentity TestIdentity(bool has_time) {
  return {"query", "fingerprint", {TestLayout("l", has_time), TestLayout("r", has_time)}};
}

StateRows MakeRun(std::span<const TestRow> rows, bool has_time) {
  StateRows run;
  run.num_rows = std::ssize(rows);
  if (rows.empty()) return run;
  run.first_id = rows[0].id;
  ColumnBuilder times(DataType::Timestamp(6));
  ColumnBuilder numbers(DataType::BigInt());
  ColumnBuilder texts(DataType::String());
  bool consecutive = true;
  for (size_t i = 0; i < rows.size(); ++i) {
    const TestRow& row = rows[i];
    consecutive &= row.id == run.first_id + i;
    run.ids.push_back(row.id);
    run.words.push_back(row.word);
    run.linkable.push_back(row.linkable ? 1 : 0);
    run.matched.push_back(row.matched ? 1 : 0);
    row.time ? times.Append(*row.time) : times.AppendNull();
    row.number ? numbers.Append(*row.number) : numbers.AppendNull();
    row.text ? texts.AppendString(*row.text) : texts.AppendNull();
  }
  if (consecutive) run.ids.clear();
  if (std::find(run.linkable.begin(), run.linkable.end(), 0) == run.linkable.end()) {
    run.linkable.clear();
  }
  if (std::find(run.matched.begin(), run.matched.end(), 1) == run.matched.end()) {
    run.matched.clear();
  }
  if (has_time) run.times = times.Finish();
  run.payload = {numbers.Finish(), texts.Finish()};
  return run;
}

std::vector<TestRow> RowsOf(const StateRows& run) {
  std::vector<TestRow> rows;
  for (int64_t i = 0; i < run.num_rows; ++i) {
    const size_t index = static_cast<size_t>(i);
    TestRow& row = rows.emplace_back();
    row.id = run.IdAt(i);
    row.word = run.words[index];
    row.linkable = run.linkable.empty() || run.linkable[index] != 0;
    row.matched = !run.matched.empty() && run.matched[index] != 0;
    if (run.times && run.times->IsValid(i)) row.time = run.times->Values<int64_t>()[index];
    if (run.payload[0].IsValid(i)) row.number = run.payload[0].Values<int64_t>()[index];
    if (run.payload[1].IsValid(i)) row.text = std::string(run.payload[1].String(i));
  }
  return rows;
}

std::vector<TestRow> ReadRows(VersionedStore* store, int64_t version, uint8_t side) {
  std::vector<TestRow> all;
  const Status status = store->ReadSide(version, side, [&](StateRows run) -> Status {
    EXPECT_GT(run.num_rows, 0);
    const std::vector<TestRow> rows = RowsOf(run);
    all.insert(all.end(), rows.begin(), rows.end());
    return {};
  });
  EXPECT_TRUE(status.has_value()) << status.error().ToString();
  return all;
}

std::vector<PersistentId> ReadIds(VersionedStore* store, int64_t version, uint8_t side) {
  std::vector<PersistentId> ids;
  for (const TestRow& row : ReadRows(store, version, side)) ids.push_back(row.id);
  return ids;
}

}  // namespace braid
