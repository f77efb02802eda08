#include "state/store/stored_records.h"

#include <fmt/format.h>

#include <string>

#include "state/store/chunk_codec.h"

namespace braid {

namespace {

Result<std::string> Load(RecordStorage* storage, const RecordStorage::Snapshot* snapshot,
                         std::string_view key) {
  std::string record;
  const Status status = storage->Get(snapshot, key, &record);
  if (status) return record;
  if (status.error().code != ErrorCode::kNotFound) return tl::unexpected(status.error());
  return DamagedRecord(*storage, key, {ErrorCode::kCorruption, "it is missing", {}});
}

}  // namespace

tl::unexpected<Error> DamagedRecord(const RecordStorage& storage, std::string_view key,
                                    const Error& error) {
  return Fail(error.code, fmt::format("the checkpoint in {}: {}: {}", storage.location(),
                                      DescribeRecordKey(key), error.message));
}

Result<StateRows> LoadChunk(RecordStorage* storage, const RecordStorage::Snapshot* snapshot,
                            const SideLayout& layout, const ChunkHead& head) {
  const std::string key = ChunkRecordKey(head.key);
  const Result<std::string> record = Load(storage, snapshot, key);
  if (!record) return tl::unexpected(record.error());
  Result<StateRows> rows = ReadChunk(head, layout, *record);
  if (!rows) return DamagedRecord(*storage, key, rows.error());
  return rows;
}

Result<ChangeList> LoadList(RecordStorage* storage, const RecordStorage::Snapshot* snapshot,
                            const ChangeListKey& list_key) {
  const std::string key = ChangeListRecordKey(list_key);
  const Result<std::string> record = Load(storage, snapshot, key);
  if (!record) return tl::unexpected(record.error());
  Result<ChangeList> list = ReadChangeList(key, *record);
  if (!list) return DamagedRecord(*storage, key, list.error());
  return list;
}

}  // namespace braid
