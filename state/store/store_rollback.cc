#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "state/checkpoint_repair.h"
#include "state/store/commit_mark.h"
#include "state/store/leveldb_storage.h"
#include "state/store/record_store.h"
#include "state/store/stored_records.h"
#include "state/store/version_ranges.h"

namespace braid {

namespace {

constexpr const char* kNewFolder = "state.new";
// Records of one write while a store is written anew.
constexpr size_t kCopyBytesMax = 4 << 20;

tl::unexpected<Error> NotRetained(const std::string& directory, int64_t version,
                                  const std::vector<VersionInfo>& versions) {
  return Fail(ErrorCode::kNotFound,
              fmt::format("{}: version {} is not retained; the checkpoint has {}", directory,
                          version, VersionRanges(versions)));
}

// Copies what the given versions need, record by record: what else there is may be damaged.
class StoreCopier {
 public:
  // `kept`: versions of `known`, rising.
  StoreCopier(RecordStorage* from, RecordStorage* to, const StoreDirectory& known,
              std::vector<int64_t> kept)
      : from_(from), to_(to), known_(known), kept_(std::move(kept)) {}

  Status Run() {
    // Chunks are got by their heads, and the plan is given up.
    for (const char tag : {kIdentityTag, kCommitTag, kChunkHeadTag, kChangeListTag}) {
      Status scanned = from_->Scan(nullptr, std::string(1, tag),
                                   [this, tag](std::string_view key, std::string_view record) {
                                     return Take(tag, key, record);
                                   });
      if (!scanned) return scanned;
    }
    return to_->Write();
  }

 private:
  Status Take(char tag, std::string_view key, std::string_view record) {
    if (tag == kCommitTag && !IsKept(ParseCommitRecordKey(key))) return {};
    if (tag == kChangeListTag) {
      const auto list = ParseChangeListRecordKey(key);
      if (list && list->version > kept_.back()) return {};
    }
    if (tag == kChunkHeadTag) {
      const Result<ChunkHead> head = ReadChunkHead(key, record);
      if (!head) return DamagedRecord(*from_, key, head.error());
      if (!IsNeeded(*head)) return {};
      const std::string chunk_key = ChunkRecordKey(head->key);
      std::string chunk;
      if (Status got = from_->Get(nullptr, chunk_key, &chunk); !got) return got;
      if (Status put = Put(chunk_key, chunk); !put) return put;
    }
    return Put(key, record);
  }

  bool IsKept(std::optional<int64_t> version) const {
    return version && std::binary_search(kept_.begin(), kept_.end(), *version);
  }

  bool IsNeeded(const ChunkHead& head) const {
    return std::any_of(kept_.begin(), kept_.end(),
                       [&](int64_t version) { return known_.versions().at(version).Needs(head); });
  }

  Status Put(std::string_view key, std::string_view record) {
    to_->Put(key, record);
    bytes_ += key.size() + record.size();
    if (bytes_ < kCopyBytesMax) return {};
    bytes_ = 0;
    return to_->Write();
  }

  RecordStorage* const from_;
  RecordStorage* const to_;
  const StoreDirectory& known_;
  const std::vector<int64_t> kept_;
  size_t bytes_ = 0;
};

// The whole versions that lead up to `version` without a gap: what an earlier one lacks, a later
// one may not need.
std::vector<int64_t> VersionsToKeep(const StoreVerdict& verdict, int64_t version) {
  std::vector<int64_t> kept;
  for (const VersionInfo& info : verdict.versions) {
    if (info.version > version) break;
    const bool is_whole = std::binary_search(verdict.whole_versions.begin(),
                                             verdict.whole_versions.end(), info.version);
    is_whole ? kept.push_back(info.version) : kept.clear();
  }
  return kept;
}

// Both folders change places at once, so that a crash leaves one or the other.
Status Exchange(const std::string& first, const std::string& second) {
  if (renameat2(AT_FDCWD, first.c_str(), AT_FDCWD, second.c_str(), RENAME_EXCHANGE) == 0) return {};
  const std::error_code error(errno, std::generic_category());
  return Fail(ErrorCode::kIo,
              fmt::format("{} and {} cannot change places: {}", first, second, error.message()));
}

Status RemoveFolder(const std::string& folder) {
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  if (!error) return {};
  return Fail(ErrorCode::kIo,
              fmt::format("the folder {} cannot be removed: {}", folder, error.message()));
}

// The commits of later versions are left out, so that of the version has to say with which records
// it stands now.
Status Reseal(RecordStorage* storage, int64_t version, uint32_t next_lineage) {
  uint64_t digest = 0;
  std::optional<CommitRecord> kept;
  Status read =
      storage->Scan(nullptr, "", [&](std::string_view key, std::string_view record) -> Status {
        const char tag = key.empty() ? '\0' : key.front();
        if (tag == kCommitTag && ParseCommitRecordKey(key) == version) {
          Result<CommitRecord> commit = ReadCommit(key, record);
          if (!commit) return DamagedRecord(*storage, key, commit.error());
          kept = std::move(*commit);
        } else if (tag == kCommitTag || tag == kChunkHeadTag || tag == kChangeListTag) {
          digest += RecordChecksum(record);
        }
        return {};
      });
  if (!read) return read;
  if (!kept) return Fail(ErrorCode::kInternal, "the version's commit was not copied");
  kept->commit.rolled_back = true;
  RecordWriter writer;
  const auto put = [&](std::string_view key, std::string_view record) {
    storage->Put(key, record);
  };
  if (Status written = WriteCommit(&writer, {kept->commit, next_lineage, digest}, put); !written) {
    return written;
  }
  return storage->Write();
}

Status WriteAnew(const std::string& directory, const std::vector<int64_t>& kept) {
  const int64_t version = kept.back();
  const std::string location = StoreLocation(directory);
  const std::string new_location = StoreLocation(directory, kNewFolder);
  if (Status removed = RemoveFolder(new_location); !removed) return removed;
  {
    LevelDbStorageOptions reading;
    reading.read_only = reading.cuts_damaged_logs = true;
    const Result<std::unique_ptr<RecordStorage>> from = OpenLevelDbStorage(directory, reading);
    if (!from) return tl::unexpected(from.error());
    const Result<StoreDirectory> known = StoreDirectory::Load(from->get());
    if (!known) return tl::unexpected(known.error());
    LevelDbStorageOptions writing;
    writing.folder = kNewFolder;
    const Result<std::unique_ptr<RecordStorage>> to = OpenLevelDbStorage(directory, writing);
    if (!to) return tl::unexpected(to.error());
    StoreCopier copier(from->get(), to->get(), *known, kept);
    if (Status copied = copier.Run(); !copied) return copied;
    Status sealed = Reseal(to->get(), version, known->next_lineage());
    if (!sealed) return sealed;
  }
  CommitMark mark(directory);
  if (Status noted = mark.Note({version, -1}); !noted) return noted;
  if (Status exchanged = Exchange(location, new_location); !exchanged) return exchanged;
  const std::string parent = std::filesystem::path(location).parent_path().string();
  if (Status synced = SyncFolder(parent); !synced) return synced;
  return RemoveFolder(new_location);
}

Status RollBackWhole(const std::string& directory, int64_t version) {
  LevelDbStorageOptions options;
  options.create = false;
  Result<std::unique_ptr<RecordStorage>> storage = OpenLevelDbStorage(directory, options);
  if (!storage) return tl::unexpected(storage.error());
  const Result<std::unique_ptr<RecordStore>> store = RecordStore::Open(
      std::move(*storage), {}, /*read_only=*/false, std::make_unique<CommitMark>(directory));
  if (!store) return tl::unexpected(store.error());
  return (*store)->RollBack(version);
}

std::vector<OffsetRange> GivenUp(const BatchCommit& kept, const StoreVerdict& verdict) {
  std::vector<OffsetRange> ranges;
  const BatchCommit& newest = verdict.versions.back().commit;
  for (size_t i = 0; i < newest.source_ends_table.size(); ++i) {
    OffsetRange range;
    range.table = newest.source_ends_table[i];
    range.end = newest.source_ends[i];
    if (verdict.pending_plan) {
      for (const OffsetRange& planned : verdict.pending_plan->sources) {
        if (planned.table == range.table) range.end = planned.end;
      }
    }
    const std::string* const start = kept.source_end(range.table);
    if (start != nullptr) range.start = *start;
    if (range.start != range.end) ranges.push_back(std::move(range));
  }
  return ranges;
}

tl::unexpected<Error> NothingToKeep(int64_t version, const StoreVerdict& verdict) {
  std::string what;
  for (const StoreDamage& damage : verdict.damage) {
    what += fmt::format("{}{}", what.empty() ? "" : "; ", damage.what);
  }
  return Fail(
      ErrorCode::kCorruption,
      fmt::format("version {} cannot be kept, what it needs is damaged: {}", version, what));
}

}  // namespace

Result<RollBackReport> RollBackStore(const std::string& directory, int64_t version) {
  const std::string location = StoreLocation(directory);
  Result<std::unique_ptr<StoreLock>> lock = StoreLock::Take(location);
  if (!lock && lock.error().code == ErrorCode::kNotFound) {
    return Fail(ErrorCode::kNotFound, fmt::format("there is no checkpoint in {}", directory));
  }
  if (!lock) return tl::unexpected(lock.error());
  Result<StoreVerdict> verdict = VerifyStore(directory);
  if (!verdict) return tl::unexpected(verdict.error());
  const std::vector<VersionInfo>& versions = verdict->versions;
  const auto found = std::find_if(versions.begin(), versions.end(),
                                  [&](const VersionInfo& info) { return info.version == version; });
  const bool is_damaged = !verdict->damage.empty();
  if (found == versions.end() && is_damaged) return NothingToKeep(version, *verdict);
  if (found == versions.end()) return NotRetained(directory, version, versions);
  RollBackReport report;
  report.from = versions.back().version;
  report.was_newest = report.from == version && !is_damaged;
  report.left_damage = is_damaged;
  report.commit = found->commit;
  report.given_up = GivenUp(report.commit, *verdict);
  for (const FormerOutput& output : verdict->former_outputs) {
    if (output.last_batch > version) report.former_outputs.push_back(output);
  }
  if (report.was_newest) return report;
  Status done;
  if (is_damaged) {
    const std::vector<int64_t> kept = VersionsToKeep(*verdict, version);
    if (kept.empty()) return NothingToKeep(version, *verdict);
    done = WriteAnew(directory, kept);
  } else {
    // It is taken again at once; whoever comes first in between is a conflict.
    lock->reset();
    done = RollBackWhole(directory, version);
  }
  if (!done) return tl::unexpected(done.error());
  return report;
}

}  // namespace braid
