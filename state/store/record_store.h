// The versioned store over any storage of records; both implementations of VersionedStore are this.
//
// Thread rule: as VersionedStore.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "state/store/commit_mark.h"
#include "state/store/record_frame.h"
#include "state/store/record_storage.h"
#include "state/store/store_directory.h"
#include "state/versioned_store.h"

namespace braid {

class RecordStore final : public VersionedStore {
 public:
  // Reads what is stored. kConflict: another format version. kCorruption: names what is damaged.
  // `mark` is told of each plan and commit once it is durable; may be null.
  static Result<std::unique_ptr<RecordStore>> Open(std::unique_ptr<RecordStorage> storage,
                                                   const StoreOptions& options, bool read_only,
                                                   std::unique_ptr<CommitMark> mark = nullptr);

  std::optional<StoreIdentity> identity() const override;
  Status Create(const StoreIdentity& identity) override;
  Status Adapt(const std::string& fingerprint, const std::vector<SideLayout>& sides,
               const std::vector<std::vector<uint16_t>>& kept,
               const std::vector<FormerOutput>& former_outputs) override;
  Result<uint32_t> NextLineage() override;
  Status WritePlan(const BatchPlan& plan) override;
  Result<std::optional<BatchPlan>> PendingPlan() override;
  Status Commit(const BatchCommit& commit, std::span<const SideDelta> deltas,
                const BatchPlan* next_plan) override;
  Result<std::vector<VersionInfo>> Versions() override;
  Result<std::optional<VersionInfo>> LatestVersion() override;
  Status ReadSide(int64_t version, uint8_t side,
                  const std::function<Status(StateRows)>& consumer) override;
  Result<std::vector<TimerChange>> ReadTimers(int64_t version, uint8_t side) override;
  Result<std::vector<CountChange>> ReadCounts(int64_t version, uint8_t side) override;
  StoreCounters counters() const override;

  // Makes the version the newest one, in one transaction; the pending plan goes with the versions
  // after it. kNotFound: it is not retained.
  Status RollBack(int64_t version);

  // For tests: ends the program if the directory contradicts itself.
  void CheckInvariants() const;
  // For tests: all records as they are stored.
  void VisitRecords(const std::function<void(std::string_view, std::string_view)>& visit) const;

 private:
  RecordStore(std::unique_ptr<RecordStorage> storage, const StoreOptions& options, bool read_only,
              std::unique_ptr<CommitMark> mark);

  Status CheckWritable() const;
  // Stages it, and says how many bytes that are.
  Result<int64_t> StageIdentity(const StoreIdentity& identity);
  // The same of what Adapt has changed, if it is not stored yet.
  Result<int64_t> StageAdapted();
  Status Note(int64_t version, int64_t planned);
  tl::unexpected<Error> NotRetained(int64_t version) const;
  // The latest of all changes of a kind up to a version.
  Result<ChangeList> ReadChanges(int64_t version, uint8_t side, ChangeListKind kind);

  const std::unique_ptr<RecordStorage> storage_;
  const int retain_versions_;
  const bool read_only_;

  // The writer's own.
  const std::unique_ptr<CommitMark> mark_;
  RecordWriter writer_;
  uint32_t next_lineage_ = 0;
  uint32_t lineages_closed_ = 0;

  mutable std::mutex mutex_;  // Guards the rest, and keeps it and the storage in step.
  std::optional<StoreIdentity> identity_;
  bool identity_is_stored_ = true;
  StoreDirectory directory_;
  int64_t bytes_written_ = 0;
};

}  // namespace braid
