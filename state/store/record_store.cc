#include "state/store/record_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "state/faults/fail_point.h"
#include "state/rows/check.h"
#include "state/store/commit_builder.h"
#include "state/store/database_presence.h"
#include "state/store/leveldb_storage.h"
#include "state/store/live_rows.h"
#include "state/store/memory_storage.h"
#include "state/store/row_layout.h"
#include "state/store/stored_records.h"

namespace braid {

namespace {

constexpr uint32_t kLineagesMax = 1U << (64 - kSequenceBits);
constexpr std::string_view kIdentityKey(&kIdentityTag, 1);
constexpr std::string_view kPlanKey(&kPlanTag, 1);

// One transaction; before it stands the fail point of what it writes.
Status WriteAt(std::string_view fail_point, RecordStorage* storage) {
  if (const int error = PassFailPoint(fail_point)) {
    storage->Discard();
    return Fail(ErrorCode::kIo, fmt::format("the checkpoint in {}: {}", storage->location(),
                                            std::generic_category().message(error)));
  }
  return storage->Write();
}

// What of a side a version reads: chunks with rows alive in it, all of its marks in them.
StoredChunks ChunksAt(const StoreDirectory& directory, int64_t version, uint8_t side_index) {
  const SideDirectory& side = directory.side(side_index);
  const Liveness liveness = directory.versions().at(version).LivenessOf(side_index);
  StoredChunks chunks;
  for (const auto& [first_id, chunk] : side.chunks.chunks()) {
    if (chunk.head.version > version || liveness.IsDead(chunk.head)) continue;
    if (chunk.num_removed == chunk.head.num_rows()) continue;
    chunks.emplace_hint(chunks.end(), first_id, chunk);
  }
  for (const ChangeListKind kind : {ChangeListKind::kMatched, ChangeListKind::kRemoved}) {
    const Mark mark = kind == ChangeListKind::kMatched ? Mark::kMatched : Mark::kRemoved;
    for (const auto& [changed, list] : side.lists_of(kind)) {
      if (changed <= version) MarkRows(list.UnsettledIds(), mark, &chunks);
    }
  }
  return chunks;
}

}  // namespace

RecordStore::RecordStore(std::unique_ptr<RecordStorage> storage, const StoreOptions& options,
                         bool read_only, std::unique_ptr<CommitMark> mark)
    : storage_(std::move(storage)),
      retain_versions_(std::max(options.retain_versions, 1)),
      read_only_(read_only),
      mark_(std::move(mark)) {}

Result<std::unique_ptr<RecordStore>> RecordStore::Open(std::unique_ptr<RecordStorage> storage,
                                                       const StoreOptions& options, bool read_only,
                                                       std::unique_ptr<CommitMark> mark) {
  std::unique_ptr<RecordStore> store(
      new RecordStore(std::move(storage), options, read_only, std::move(mark)));
  RecordStorage& records = *store->storage_;
  std::string record;
  const Status found = records.Get(nullptr, kIdentityKey, &record);
  if (found) {
    Result<StoreIdentity> identity = ReadIdentity(record);
    if (!identity) return DamagedRecord(records, kIdentityKey, identity.error());
    store->identity_ = std::move(*identity);
  } else if (found.error().code != ErrorCode::kNotFound) {
    return tl::unexpected(found.error());
  }
  Result<StoreDirectory> directory = StoreDirectory::Load(&records);
  if (!directory) return tl::unexpected(directory.error());
  store->directory_ = std::move(*directory);
  if (!store->identity_ && !store->directory_.versions().empty()) {
    return DamagedRecord(records, kIdentityKey, {ErrorCode::kCorruption, "it is missing", {}});
  }
  store->next_lineage_ = store->lineages_closed_ = store->directory_.next_lineage();
  return store;
}

std::optional<StoreIdentity> RecordStore::identity() const {
  const std::lock_guard lock(mutex_);
  return identity_;
}

Status RecordStore::CheckWritable() const {
  if (!read_only_) return {};
  return Fail(ErrorCode::kInternal,
              fmt::format("the checkpoint in {} was opened for reading", storage_->location()));
}

Status RecordStore::Note(int64_t version, int64_t planned) {
  return mark_ == nullptr ? Status() : mark_->Note({version, planned});
}

tl::unexpected<Error> RecordStore::NotRetained(int64_t version) const {
  return Fail(ErrorCode::kNotFound, fmt::format("the checkpoint in {} has no version {} (any more)",
                                                storage_->location(), version));
}

Status RecordStore::Create(const StoreIdentity& identity) {
  if (Status status = CheckWritable(); !status) return status;
  if (identity.sides.size() > kSidesMax) {
    return Fail(ErrorCode::kInternal, fmt::format("a store has at most {} sides", kSidesMax));
  }
  const std::lock_guard lock(mutex_);
  if (identity_) {
    return Fail(ErrorCode::kConflict,
                fmt::format("the checkpoint in {} exists already", storage_->location()));
  }
  storage_->Discard();
  const Result<int64_t> bytes = StageIdentity(identity);
  if (!bytes) return tl::unexpected(bytes.error());
  if (Status status = WriteAt("state.identity", storage_.get()); !status) return status;
  identity_ = identity;
  bytes_written_ += *bytes;
  return Note(-1, -1);
}

Result<int64_t> RecordStore::StageIdentity(const StoreIdentity& identity) {
  int64_t bytes = 0;
  const auto put = [&](std::string_view key, std::string_view record) {
    storage_->Put(key, record);
    bytes += static_cast<int64_t>(key.size() + record.size());
  };
  const Status written = WriteIdentity(&writer_, identity, put);
  if (!written) return tl::unexpected(written.error());
  return bytes;
}

Result<int64_t> RecordStore::StageAdapted() {
  if (identity_is_stored_) return int64_t{0};
  return StageIdentity(*identity_);
}

Status RecordStore::Adapt(const std::string& fingerprint, const std::vector<SideLayout>& sides,
                          const std::vector<std::vector<uint16_t>>& kept,
                          const std::vector<FormerOutput>& former_outputs) {
  if (Status status = CheckWritable(); !status) return status;
  const std::lock_guard lock(mutex_);
  if (!identity_) return Fail(ErrorCode::kInternal, "the store has not been created");
  StoreIdentity adapted = *identity_;
  adapted.fingerprint = fingerprint;
  EarlierLayout before{identity_->sides, kept};
  if (!LeadsTo(before, sides)) {
    return Fail(ErrorCode::kInternal, fmt::format("the rows of the checkpoint in {} cannot be "
                                                  "stored as they are asked for",
                                                  storage_->location()));
  }
  if (!IsStoredAlike(before, sides)) adapted.earlier.push_back(std::move(before));
  adapted.sides = sides;
  adapted.former_outputs = former_outputs;
  identity_ = std::move(adapted);
  identity_is_stored_ = false;
  return {};
}

Result<uint32_t> RecordStore::NextLineage() {
  if (next_lineage_ >= kLineagesMax) {
    return Fail(
        ErrorCode::kInvalidOption,
        fmt::format("the checkpoint in {} has used up its {} lineages, one for each side and "
                    "partition at each start; start with a new checkpoint directory",
                    storage_->location(), kLineagesMax));
  }
  return next_lineage_++;
}

Status RecordStore::WritePlan(const BatchPlan& plan) {
  if (Status status = CheckWritable(); !status) return status;
  storage_->Discard();
  int64_t bytes = 0;
  const auto put = [&](std::string_view key, std::string_view record) {
    storage_->Put(key, record);
    bytes += static_cast<int64_t>(key.size() + record.size());
  };
  if (Status status = WritePlanRecord(&writer_, plan, put); !status) return status;
  const Result<int64_t> identity_bytes = StageAdapted();
  if (!identity_bytes) return tl::unexpected(identity_bytes.error());
  const std::lock_guard lock(mutex_);
  if (Status status = WriteAt("state.plan", storage_.get()); !status) return status;
  identity_is_stored_ = true;
  bytes_written_ += bytes + *identity_bytes;
  const auto& versions = directory_.versions();
  return Note(versions.empty() ? -1 : versions.rbegin()->first, plan.batch_id);
}

Result<std::optional<BatchPlan>> RecordStore::PendingPlan() {
  std::string record;
  const Status found = storage_->Get(nullptr, kPlanKey, &record);
  if (!found) {
    if (found.error().code == ErrorCode::kNotFound) return std::optional<BatchPlan>();
    return tl::unexpected(found.error());
  }
  Result<BatchPlan> plan = ReadPlanRecord(record);
  if (!plan) return DamagedRecord(*storage_, kPlanKey, plan.error());
  return std::optional(std::move(*plan));
}

Status RecordStore::Commit(const BatchCommit& commit, std::span<const SideDelta> deltas,
                           const BatchPlan* next_plan) {
  if (Status status = CheckWritable(); !status) return status;
  if (!identity_) return Fail(ErrorCode::kInternal, "the store has not been created");
  storage_->Discard();
  CommitContext context;
  context.storage = storage_.get();
  context.writer = &writer_;
  context.directory = &directory_;
  context.identity = &*identity_;
  context.retain_versions = retain_versions_;
  context.next_lineage = next_lineage_;
  context.lineages_closed = lineages_closed_;
  CommitBuilder builder(context);
  int64_t plan_bytes = 0;
  Status built = builder.Build(commit, deltas);
  if (built && next_plan != nullptr) {
    built =
        WritePlanRecord(&writer_, *next_plan, [&](std::string_view key, std::string_view record) {
          storage_->Put(key, record);
          plan_bytes += static_cast<int64_t>(key.size() + record.size());
        });
  } else if (built) {
    storage_->Delete(kPlanKey);
  }
  const Result<int64_t> identity_bytes = StageAdapted();
  if (built && !identity_bytes) built = tl::unexpected(identity_bytes.error());
  if (!built) {
    storage_->Discard();
    return built;
  }
  // Readers wait for the disk here: what they see of the directory and the records must agree.
  const std::lock_guard lock(mutex_);
  if (Status status = WriteAt("state.commit", storage_.get()); !status) return status;
  directory_.Apply(builder.TakeEdit());
  identity_is_stored_ = true;
  bytes_written_ += builder.bytes_staged() + plan_bytes + *identity_bytes;
  return Note(commit.batch_id, next_plan != nullptr ? next_plan->batch_id : -1);
}

Status RecordStore::RollBack(int64_t version) {
  if (Status status = CheckWritable(); !status) return status;
  const std::lock_guard lock(mutex_);
  const auto& versions = directory_.versions();
  const auto found = versions.find(version);
  if (found == versions.end()) return NotRetained(version);
  storage_->Discard();
  storage_->Delete(kPlanKey);
  DirectoryEdit edit;
  // Its own commit is written anew: with which other records it stands has changed.
  for (auto later = found; later != versions.end(); ++later) {
    edit.dropped_versions.push_back(later->first);
    if (later != found) storage_->Delete(CommitRecordKey(later->first));
  }
  for (uint8_t index = 0; index < kSidesMax; ++index) {
    const SideDirectory& side = directory_.side(index);
    for (const auto& [first_id, chunk] : side.chunks.chunks()) {
      if (chunk.head.version <= version) continue;
      storage_->Delete(ChunkHeadRecordKey(chunk.head.key));
      storage_->Delete(ChunkRecordKey(chunk.head.key));
      edit.sides[index].removed_chunks.push_back(first_id);
    }
    for (uint8_t kind = 0; kind < kChangeListKinds; ++kind) {
      const auto list_kind = static_cast<ChangeListKind>(kind);
      const auto& lists = side.lists_of(list_kind);
      for (auto list = lists.upper_bound(version); list != lists.end(); ++list) {
        storage_->Delete(ChangeListRecordKey({index, list_kind, list->first}));
        edit.sides[index].removed_lists.emplace_back(list_kind, list->first);
      }
    }
  }
  StoredVersion kept = found->second;
  kept.info.commit.rolled_back = true;
  const CommitRecord record{kept.info.commit, next_lineage_, directory_.DigestAfter(edit)};
  const auto put = [&](std::string_view key, std::string_view bytes) {
    kept.checksum = RecordChecksum(bytes);
    storage_->Put(key, bytes);
  };
  if (Status status = WriteCommit(&writer_, record, put); !status) return status;
  edit.version = std::move(kept);
  // Told first: the mark must never be newer than the store.
  if (Status noted = Note(version, -1); !noted) return noted;
  if (Status status = storage_->Write(); !status) return status;
  directory_.Apply(std::move(edit));
  return {};
}

Result<std::vector<VersionInfo>> RecordStore::Versions() {
  const std::lock_guard lock(mutex_);
  std::vector<VersionInfo> versions;
  for (const auto& [version, stored] : directory_.versions()) versions.push_back(stored.info);
  return versions;
}

Result<std::optional<VersionInfo>> RecordStore::LatestVersion() {
  const std::lock_guard lock(mutex_);
  const auto& versions = directory_.versions();
  if (versions.empty()) return std::optional<VersionInfo>();
  return std::optional(versions.rbegin()->second.info);
}

Status RecordStore::ReadSide(int64_t version, uint8_t side,
                             const std::function<Status(StateRows)>& consumer) {
  StoredChunks chunks;
  Liveness liveness;
  StoreIdentity identity;
  std::shared_ptr<const RecordStorage::Snapshot> snapshot;
  {
    const std::lock_guard lock(mutex_);
    const auto found = directory_.versions().find(version);
    if (found == directory_.versions().end()) return NotRetained(version);
    if (side >= identity_->sides.size()) {
      return Fail(ErrorCode::kInternal, fmt::format("the store has no side {}", side));
    }
    liveness = found->second.LivenessOf(side);
    identity = *identity_;
    chunks = ChunksAt(directory_, version, side);
    snapshot = storage_->TakeSnapshot();
  }
  for (const auto& [first_id, chunk] : chunks) {
    Result<StateRows> rows = LoadChunk(storage_.get(), snapshot.get(), identity, chunk.head);
    if (!rows) return tl::unexpected(rows.error());
    StateRows live = KeepLiveRows(std::move(*rows), chunk, liveness);
    if (live.num_rows == 0) continue;
    if (Status status = consumer(std::move(live)); !status) return status;
  }
  return {};
}

Result<ChangeList> RecordStore::ReadChanges(int64_t version, uint8_t side, ChangeListKind kind) {
  std::vector<int64_t> lists;
  std::shared_ptr<const RecordStorage::Snapshot> snapshot;
  {
    const std::lock_guard lock(mutex_);
    if (!directory_.versions().contains(version)) return NotRetained(version);
    if (side >= identity_->sides.size()) {
      return Fail(ErrorCode::kInternal, fmt::format("the store has no side {}", side));
    }
    for (const auto& [changed, list] : directory_.side(side).lists_of(kind)) {
      if (changed <= version) lists.push_back(changed);
    }
    snapshot = storage_->TakeSnapshot();
  }
  std::vector<ChangeList> parts;
  for (const int64_t changed : lists) {
    Result<ChangeList> part = LoadList(storage_.get(), snapshot.get(), {side, kind, changed});
    if (!part) return part;
    parts.push_back(std::move(*part));
  }
  const auto keep_all = [](const IdRuns& ids) { return ids; };
  return MergeChanges(kind, parts, /*from_start=*/true, keep_all);
}

Result<std::vector<TimerChange>> RecordStore::ReadTimers(int64_t version, uint8_t side) {
  Result<ChangeList> changes = ReadChanges(version, side, ChangeListKind::kTimers);
  if (!changes) return tl::unexpected(changes.error());
  return std::move(changes->timers);
}

Result<std::vector<CountChange>> RecordStore::ReadCounts(int64_t version, uint8_t side) {
  Result<ChangeList> changes = ReadChanges(version, side, ChangeListKind::kCounts);
  if (!changes) return tl::unexpected(changes.error());
  return std::move(changes->counts);
}

StoreCounters RecordStore::counters() const {
  const std::lock_guard lock(mutex_);
  return {bytes_written_, directory_.num_chunks()};
}

void RecordStore::CheckInvariants() const {
  const std::lock_guard lock(mutex_);
  directory_.CheckInvariants();
}

void RecordStore::VisitRecords(
    const std::function<void(std::string_view, std::string_view)>& visit) const {
  const auto visit_one = [&](std::string_view key, std::string_view record) -> Status {
    visit(key, record);
    return {};
  };
  BRAID_CHECK(storage_->Scan(nullptr, "", visit_one).has_value(), "the records cannot be read");
}

std::unique_ptr<VersionedStore> NewMemoryStore(StoreOptions options) {
  // Reading an empty map does not fail.
  return *RecordStore::Open(std::make_unique<MemoryStorage>(), options, /*read_only=*/false);
}

Result<std::unique_ptr<VersionedStore>> OpenLevelDbStore(const std::string& directory,
                                                         StoreOptions options, bool read_only) {
  const Result<std::optional<Committed>> committed =
      CheckPresenceBeforeOpening(directory, read_only);
  if (!committed) return tl::unexpected(committed.error());
  std::string missing_log;  // Nothing was in it.
  LevelDbStorageOptions storage_options;
  storage_options.create = !read_only;
  storage_options.read_only = read_only;
  if (*committed) storage_options.missing_log = &missing_log;
  Result<std::unique_ptr<RecordStorage>> storage = OpenLevelDbStorage(directory, storage_options);
  if (!storage) return tl::unexpected(storage.error());
  return RecordStore::Open(std::move(*storage), options, read_only,
                           read_only ? nullptr : std::make_unique<CommitMark>(directory));
}

}  // namespace braid
