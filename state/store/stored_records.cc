#include "state/store/stored_records.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "state/store/chunk_codec.h"
#include "state/store/row_layout.h"

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
                            const StoreIdentity& identity, const ChunkHead& head) {
  const std::string key = ChunkRecordKey(head.key);
  const SideLayout* layout = FindLayout(identity, head.key.side, head.layout);
  if (layout == nullptr) {
    return DamagedRecord(*storage, ChunkHeadRecordKey(head.key),
                         {ErrorCode::kCorruption, "its layout is not known", {}});
  }
  const Result<std::string> record = Load(storage, snapshot, key);
  if (!record) return tl::unexpected(record.error());
  Result<StateRows> rows = ReadChunk(head, *layout, *record);
  if (!rows) return DamagedRecord(*storage, key, rows.error());
  return ToCurrentLayout(std::move(*rows), identity, head.key.side, head.layout);
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
