#include "state/store/memory_storage.h"

namespace braid {

struct MemoryStorage::MapSnapshot final : Snapshot {
  std::shared_ptr<const Records> records;
};

void MemoryStorage::Put(std::string_view key, std::string_view record) {
  staged_.emplace_back(key, std::make_shared<const std::string>(record));
}

void MemoryStorage::Delete(std::string_view key) { staged_.emplace_back(key, nullptr); }

Status MemoryStorage::Write() {
  const std::lock_guard lock(mutex_);
  for (auto& [key, record] : staged_) {
    if (record == nullptr) {
      records_.erase(key);
    } else {
      records_[std::move(key)] = std::move(record);
    }
  }
  staged_.clear();
  return {};
}

std::shared_ptr<const RecordStorage::Snapshot> MemoryStorage::TakeSnapshot() {
  auto snapshot = std::make_shared<MapSnapshot>();
  const std::lock_guard lock(mutex_);
  snapshot->records = std::make_shared<const Records>(records_);
  return snapshot;
}

std::shared_ptr<const MemoryStorage::Records> MemoryStorage::RecordsOf(const Snapshot* snapshot) {
  if (snapshot != nullptr) return static_cast<const MapSnapshot*>(snapshot)->records;
  const std::lock_guard lock(mutex_);
  return std::make_shared<const Records>(records_);
}

Status MemoryStorage::Get(const Snapshot* snapshot, std::string_view key, std::string* record) {
  const auto find = [&](const Records& records) -> Status {
    const auto found = records.find(key);
    if (found == records.end()) return Fail(ErrorCode::kNotFound, "there is no such record");
    *record = *found->second;
    return {};
  };
  if (snapshot != nullptr) return find(*RecordsOf(snapshot));
  const std::lock_guard lock(mutex_);
  return find(records_);
}

Status MemoryStorage::Scan(const Snapshot* snapshot, std::string_view prefix,
                           const std::function<Status(std::string_view, std::string_view)>& visit) {
  const std::shared_ptr<const Records> records = RecordsOf(snapshot);
  for (auto it = records->lower_bound(prefix); it != records->end(); ++it) {
    if (!it->first.starts_with(prefix)) break;
    if (Status status = visit(it->first, *it->second); !status) return status;
  }
  return {};
}

}  // namespace braid
