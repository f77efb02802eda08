#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "state/rows/column_builder.h"
#include "state/versioned_store.h"

namespace braid {

namespace {

constexpr uint32_t kLineagesMax = 1U << (64 - kSequenceBits);

// Keeps the deltas of all versions as they came and works every answer out from them.
class MemoryStore final : public VersionedStore {
 public:
  explicit MemoryStore(StoreOptions options) : retain_(std::max(options.retain_versions, 1)) {}

  std::optional<StoreIdentity> identity() const override {
    const std::lock_guard lock(mutex_);
    return identity_;
  }

  Status Create(const StoreIdentity& identity) override {
    const std::lock_guard lock(mutex_);
    if (identity_) return Fail(ErrorCode::kConflict, "the store has been created already");
    identity_ = identity;
    return {};
  }

  Result<uint32_t> NextLineage() override {
    if (next_lineage_ == kLineagesMax) {
      return Fail(ErrorCode::kInvalidOption, "the store has given out all lineages");
    }
    return next_lineage_++;
  }

  Status WritePlan(const BatchPlan& plan) override {
    plan_ = plan;
    return {};
  }

  Result<std::optional<BatchPlan>> PendingPlan() override { return plan_; }

  Status Commit(const BatchCommit& commit, std::span<const SideDelta> deltas,
                const BatchPlan* next_plan) override {
    const std::lock_guard lock(mutex_);
    if (!versions_.empty() && commit.batch_id <= versions_.rbegin()->first) {
      return Fail(ErrorCode::kInternal,
                  fmt::format("version {} is committed already", commit.batch_id));
    }
    versions_[commit.batch_id] = {commit.batch_id, commit};
    while (versions_.size() > static_cast<size_t>(retain_)) versions_.erase(versions_.begin());
    for (const SideDelta& delta : deltas) {
      if (!delta.empty()) deltas_.emplace(commit.batch_id, delta);
    }
    plan_ = next_plan == nullptr ? std::nullopt : std::optional(*next_plan);
    return {};
  }

  Result<std::vector<VersionInfo>> Versions() override {
    const std::lock_guard lock(mutex_);
    std::vector<VersionInfo> versions;
    for (const auto& [version, info] : versions_) versions.push_back(info);
    return versions;
  }

  Result<std::optional<VersionInfo>> LatestVersion() override {
    const std::lock_guard lock(mutex_);
    if (versions_.empty()) return std::optional<VersionInfo>();
    return std::optional(versions_.rbegin()->second);
  }

  Status ReadSide(int64_t version, uint8_t side,
                  const std::function<Status(StateRows)>& consumer) override {
    std::map<PersistentId, StateRows> runs;
    std::set<PersistentId> matched;
    std::set<PersistentId> removed;
    BatchCommit commit;
    {
      const std::lock_guard lock(mutex_);
      if (!versions_.contains(version)) return NotRetained(version);
      commit = versions_[version].commit;
      for (const auto& [changed, delta] : deltas_) {
        if (changed > version || delta.side != side) continue;
        for (const StateRows& run : delta.rows) {
          if (run.num_rows > 0) runs[run.IdAt(0)] = run;
        }
        matched.insert(delta.matched.begin(), delta.matched.end());
        removed.insert(delta.removed.begin(), delta.removed.end());
      }
    }
    if (commit.finished) return {};
    for (const auto& [first, run] : runs) {
      StateRows alive = AliveRows(run, commit.thresholds[side], matched, removed);
      if (alive.num_rows == 0) continue;
      if (Status status = consumer(std::move(alive)); !status) return status;
    }
    return {};
  }

  Result<std::vector<TimerChange>> ReadTimers(int64_t version, uint8_t side) override {
    const std::lock_guard lock(mutex_);
    if (!versions_.contains(version)) return NotRetained(version);
    std::map<std::pair<uint64_t, std::vector<uint8_t>>, TimerChange> latest;
    for (const auto& [changed, delta] : deltas_) {
      if (changed > version || delta.side != side) continue;
      for (const TimerChange& timer : delta.timers) latest[{timer.word, timer.key}] = timer;
    }
    std::vector<TimerChange> timers;
    for (const auto& [key, timer] : latest) {
      if (timer.time_ms) timers.push_back(timer);
    }
    return timers;
  }

  Result<std::vector<CountChange>> ReadCounts(int64_t version, uint8_t side) override {
    const std::lock_guard lock(mutex_);
    if (!versions_.contains(version)) return NotRetained(version);
    std::map<PersistentId, int64_t> latest;
    for (const auto& [changed, delta] : deltas_) {
      if (changed > version || delta.side != side) continue;
      for (const CountChange& count : delta.counts) latest[count.id] = count.count;
    }
    std::vector<CountChange> counts;
    for (const auto& [id, count] : latest) counts.push_back({id, count});
    return counts;
  }

  StoreCounters counters() const override { return {}; }

 private:
  static tl::unexpected<Error> NotRetained(int64_t version) {
    return Fail(ErrorCode::kNotFound, fmt::format("version {} is not retained", version));
  }

  static StateRows AliveRows(const StateRows& run, std::optional<EventTime> threshold,
                             const std::set<PersistentId>& matched,
                             const std::set<PersistentId>& removed) {
    StateRows alive;
    std::vector<int32_t> rows;
    for (int64_t row = 0; row < run.num_rows; ++row) {
      const PersistentId id = run.IdAt(row);
      const size_t index = static_cast<size_t>(row);
      if (removed.contains(id)) continue;
      const bool below = run.times && threshold && !run.times->IsNull(row) &&
                         run.times->Values<int64_t>()[index] < threshold->micros;
      if (below) continue;
      rows.push_back(static_cast<int32_t>(row));
      alive.ids.push_back(id);
      alive.words.push_back(run.words[index]);
      if (!run.linkable.empty()) alive.linkable.push_back(run.linkable[index]);
      const bool was_matched = !run.matched.empty() && run.matched[index] != 0;
      alive.matched.push_back(was_matched || matched.contains(id) ? 1 : 0);
    }
    alive.num_rows = static_cast<int64_t>(rows.size());
    if (!rows.empty()) alive.first_id = alive.ids[0];
    if (run.times) alive.times = Gather(*run.times, rows);
    for (const Column& column : run.payload) alive.payload.push_back(Gather(column, rows));
    return alive;
  }

  const int retain_;
  mutable std::mutex mutex_;
  std::optional<StoreIdentity> identity_;
  std::optional<BatchPlan> plan_;
  uint32_t next_lineage_ = 0;
  std::map<int64_t, VersionInfo> versions_;
  std::multimap<int64_t, SideDelta> deltas_;
};

}  // namespace

std::unique_ptr<VersionedStore> NewMemoryStore(StoreOptions options) {
  return std::make_unique<MemoryStore>(options);
}

}  // namespace braid
