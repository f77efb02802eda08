// Records in an ordered map in memory.
//
// Thread rule: as RecordStorage.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "state/store/record_storage.h"

namespace braid {

class MemoryStorage final : public RecordStorage {
 public:
  void Put(std::string_view key, std::string_view record) override;
  void Delete(std::string_view key) override;
  void Discard() override { staged_.clear(); }
  Status Write() override;
  // O(records).
  std::shared_ptr<const Snapshot> TakeSnapshot() override;
  Status Get(const Snapshot* snapshot, std::string_view key, std::string* record) override;
  Status Scan(const Snapshot* snapshot, std::string_view prefix,
              const std::function<Status(std::string_view, std::string_view)>& visit) override;
  const std::string& location() const override { return location_; }

 private:
  using Record = std::shared_ptr<const std::string>;
  using Records = std::map<std::string, Record, std::less<>>;
  struct MapSnapshot;

  // The records that a reader sees: the snapshot's, or a copy of those of now.
  std::shared_ptr<const Records> RecordsOf(const Snapshot* snapshot);

  const std::string location_ = "memory";
  std::vector<std::pair<std::string, Record>> staged_;  // A null record is deleted.
  std::mutex mutex_;                                    // Guards records_.
  Records records_;
};

}  // namespace braid
