// What a store must say, worked out in the plainest way: every row with the versions in which it
// came, was matched and was removed.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "state/versioned_store.h"
#include "tests/state/store/test_rows.h"

namespace braid {

class ModelStore {
 public:
  explicit ModelStore(int retain_versions) : retain_versions_(retain_versions) {}

  void Commit(const BatchCommit& commit, std::span<const SideDelta> deltas);

  const std::map<int64_t, BatchCommit>& versions() const { return versions_; }
  std::vector<TestRow> Rows(int64_t version, uint8_t side) const;

  using TimerKey = std::pair<uint64_t, std::vector<uint8_t>>;
  std::map<TimerKey, int64_t> Timers(int64_t version, uint8_t side) const;
  // Without rows whose count is 0.
  std::map<PersistentId, int64_t> Counts(int64_t version, uint8_t side) const;

 private:
  struct Row {
    TestRow row;
    int64_t added = 0;
    std::optional<int64_t> matched;
    std::optional<int64_t> removed;
  };
  struct Side {
    std::map<PersistentId, Row> rows;
    std::map<TimerKey, std::map<int64_t, std::optional<int64_t>>> timers;  // By version.
    std::map<PersistentId, std::map<int64_t, int64_t>> counts;
  };

  // Forgets rows that no retained version sees.
  void ForgetDeadRows();

  const int retain_versions_;
  std::map<int64_t, BatchCommit> versions_;
  Side sides_[2];
};

}  // namespace braid
