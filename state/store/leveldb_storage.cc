#include "state/store/leveldb_storage.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <leveldb/db.h>
#include <leveldb/env.h>
#include <leveldb/write_batch.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "state/faults/fail_point.h"
#include "state/lock_holder.h"
#include "state/store/database_check.h"
#include "state/store/still_files.h"
#include "state/store/table_files.h"

namespace braid {

namespace {

// A batch of 100,000 rows is a few megabytes; larger tables mean that most rows die before they
// are compacted twice.
constexpr size_t kWriteBufferBytes = 64 << 20;
constexpr size_t kTableFileBytes = 16 << 20;
// The log of a job with tiny batches, of which a restart reads every one, is cut earlier: when it
// has so many writes and bytes. Each write was synced, so that what a cut costs beside is nothing;
// the bytes keep writes of plans and of nothing from making tables of nothing.
constexpr size_t kLogWritesMin = 2'000;
constexpr size_t kLogBytesMin = 2 << 20;

leveldb::Slice ToSlice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }
std::string_view ToView(const leveldb::Slice& slice) { return {slice.data(), slice.size()}; }

ErrorCode CodeOf(const leveldb::Status& status) {
  if (status.IsNotFound()) return ErrorCode::kNotFound;
  if (status.IsCorruption()) return ErrorCode::kCorruption;
  return ErrorCode::kIo;
}

tl::unexpected<Error> Damaged(const std::string& location, const std::vector<DamagedFile>& files,
                              const std::string& what) {
  std::string names;
  for (const DamagedFile& file : files) {
    names += fmt::format("{}{}", names.empty() ? "" : "; ", file.ToString());
  }
  if (!names.empty()) return Fail(ErrorCode::kCorruption, names);
  return Fail(ErrorCode::kCorruption, fmt::format("the checkpoint in {}: {}", location, what));
}

// LevelDB does not say which file it was: they are looked at one by one.
tl::unexpected<Error> Failed(leveldb::Env* env, const std::string& location,
                             const leveldb::Status& status) {
  if (status.IsCorruption()) {
    return Damaged(location, CheckDatabase(env, location, CheckDepth::kAll), status.ToString());
  }
  return Fail(CodeOf(status), fmt::format("the checkpoint in {}: {}", location, status.ToString()));
}

class LevelDbStorage final : public RecordStorage {
 public:
  // `still`: the files that `db` reads, if it is for looking at only; else null.
  LevelDbStorage(std::string location, leveldb::Env* env, std::unique_ptr<StillFiles> still,
                 std::unique_ptr<leveldb::DB> db)
      : location_(std::move(location)), env_(env), still_(std::move(still)), db_(std::move(db)) {}

  ~LevelDbStorage() override {
    if (still_ != nullptr) still_->FinishWork();
  }

  void Put(std::string_view key, std::string_view record) override {
    batch_.Put(ToSlice(key), ToSlice(record));
  }

  void Delete(std::string_view key) override { batch_.Delete(ToSlice(key)); }

  void Discard() override { batch_.Clear(); }

  Status Write() override {
    if (still_ != nullptr) {
      batch_.Clear();
      return Fail(ErrorCode::kInternal,
                  fmt::format("the checkpoint in {} was opened for reading", location_));
    }
    if (failure_) {
      batch_.Clear();
      return Fail(failure_->code, fmt::format("an earlier write failed, the checkpoint must be "
                                              "opened again: {}",
                                              failure_->message));
    }
    leveldb::WriteOptions options;
    options.sync = true;
    const size_t bytes = batch_.ApproximateSize();
    const leveldb::Status status = db_->Write(options, &batch_);
    batch_.Clear();
    if (status.ok()) {
      CutLogAfter(bytes);
      return {};
    }
    // LevelDB goes on after a failed append and would then write behind a torn record, which no
    // one could read again. So nothing more is written.
    tl::unexpected<Error> error = Failed(env_, location_, status);
    failure_ = error.value();
    return error;
  }

  std::shared_ptr<const Snapshot> TakeSnapshot() override {
    return std::make_shared<DatabaseSnapshot>(db_.get());
  }

  Status Get(const Snapshot* snapshot, std::string_view key, std::string* record) override {
    const leveldb::Status status = db_->Get(ReadOptions(snapshot), ToSlice(key), record);
    if (!status.ok()) return Failed(env_, location_, status);
    return {};
  }

  Status Scan(const Snapshot* snapshot, std::string_view prefix,
              const std::function<Status(std::string_view, std::string_view)>& visit) override {
    const std::unique_ptr<leveldb::Iterator> it(db_->NewIterator(ReadOptions(snapshot)));
    for (it->Seek(ToSlice(prefix)); it->Valid() && ToView(it->key()).starts_with(prefix);
         it->Next()) {
      if (Status status = visit(ToView(it->key()), ToView(it->value())); !status) return status;
    }
    if (!it->status().ok()) return Failed(env_, location_, it->status());
    return {};
  }

  const std::string& location() const override { return location_; }

 private:
  // Makes a table of what the log has, once that is many small writes.
  void CutLogAfter(size_t bytes_written) {
    ++log_writes_;
    log_bytes_ += bytes_written;
    // LevelDB has begun a new one by itself at about this size, if not exactly now.
    if (log_bytes_ >= kWriteBufferBytes) log_writes_ = log_bytes_ = 0;
    if (log_writes_ < kLogWritesMin || log_bytes_ < kLogBytesMin) return;
    log_writes_ = log_bytes_ = 0;
    // LevelDB makes a table of all that is in memory before it compacts a range, also one without
    // any key. A failure is kept there and comes with the next write.
    const leveldb::Slice behind_all_keys("\xff");
    db_->CompactRange(&behind_all_keys, &behind_all_keys);
  }

  struct DatabaseSnapshot final : Snapshot {
    explicit DatabaseSnapshot(leveldb::DB* of) : db(of), snapshot(of->GetSnapshot()) {}
    DatabaseSnapshot(const DatabaseSnapshot&) = delete;
    DatabaseSnapshot& operator=(const DatabaseSnapshot&) = delete;
    ~DatabaseSnapshot() override { db->ReleaseSnapshot(snapshot); }

    leveldb::DB* db;
    const leveldb::Snapshot* snapshot;
  };

  static leveldb::ReadOptions ReadOptions(const Snapshot* snapshot) {
    leveldb::ReadOptions options;
    options.verify_checksums = true;
    // A side is read once, from end to end.
    options.fill_cache = false;
    if (snapshot != nullptr) {
      options.snapshot = static_cast<const DatabaseSnapshot*>(snapshot)->snapshot;
    }
    return options;
  }

  const std::string location_;
  leveldb::Env* const env_;
  const std::unique_ptr<StillFiles> still_;
  const std::unique_ptr<leveldb::DB> db_;
  leveldb::WriteBatch batch_;  // Reused: it keeps its memory.
  size_t log_writes_ = 0;
  size_t log_bytes_ = 0;
  std::optional<Error> failure_;
};

tl::unexpected<Error> OpenFailed(leveldb::Env* env, const std::string& location,
                                 const leveldb::Status& status) {
  const std::string text = status.ToString();
  if (!status.IsIOError() || text.find(": lock ") == std::string::npos) {
    return Failed(env, location, status);
  }
  // Looking into the lock file would give up this process's own lock on it.
  if (text.find("already held by process") != std::string::npos) {
    return Fail(ErrorCode::kConflict,
                fmt::format("the checkpoint in {} is open in this process already", location));
  }
  const std::optional<pid_t> holder = LockHolder(location);
  return Fail(ErrorCode::kConflict,
              fmt::format("another process{} is using the checkpoint in {}",
                          holder ? fmt::format(" ({})", *holder) : "", location));
}

// They survive a crash of the machine, also those that a process which was killed has created.
Status CreateFolders(const std::filesystem::path& location) {
  std::error_code error;
  if (const int failure = PassFailPoint("state.create-folder")) {
    error.assign(failure, std::generic_category());
  } else {
    std::filesystem::create_directories(location, error);
  }
  if (error) {
    return Fail(ErrorCode::kIo, fmt::format("the folder {} cannot be made: {}", location.string(),
                                            error.message()));
  }
  for (std::filesystem::path folder = location; folder != folder.parent_path();) {
    folder = folder.parent_path();
    if (folder.empty()) return SyncFolder(folder.string());
    // Where this process may create nothing, none of it has.
    if (access(folder.c_str(), R_OK | W_OK) != 0) continue;
    if (Status status = SyncFolder(folder.string()); !status) return status;
  }
  return {};
}

// Fails if any of the files is damaged; a missing log may be accepted (LevelDbStorageOptions).
Status RefuseDamaged(const std::string& location, std::vector<DamagedFile> damaged,
                     std::string* missing_log) {
  std::erase_if(damaged, [missing_log](const DamagedFile& file) {
    if (!file.is_missing_log) return false;
    if (missing_log != nullptr) *missing_log = file.ToString();
    // A database that is just being created.
    return missing_log != nullptr || !file.has_tables;
  });
  if (damaged.empty()) return {};
  return Damaged(location, damaged, "");
}

// The database of the folder is looked at before LevelDB opens it, and changes it: nobody else may
// do so meanwhile.
Status CheckBeforeOpening(leveldb::Env* env, const std::string& location,
                          std::string* missing_log) {
  leveldb::FileLock* lock = nullptr;
  const leveldb::Status locked = env->LockFile(location + "/LOCK", &lock);
  if (!locked.ok()) return OpenFailed(env, location, locked);
  Status whole =
      RefuseDamaged(location, CheckDatabase(env, location, CheckDepth::kEnds), missing_log);
  const leveldb::Status unlocked = env->UnlockFile(lock);
  if (whole && !unlocked.ok()) return Failed(env, location, unlocked);
  return whole;
}

Result<std::unique_ptr<StillFiles>> TakeStillFiles(leveldb::Env* env, const std::string& location,
                                                   const LevelDbStorageOptions& options) {
  Result<std::unique_ptr<StillFiles>> still = StillFiles::Take(env, location);
  if (!still || !(*still)->env()->FileExists(location + "/CURRENT")) return still;
  const CheckDepth depth = options.cuts_damaged_logs ? CheckDepth::kAll : CheckDepth::kEnds;
  std::vector<DamagedFile> damaged = CheckDatabase((*still)->env(), location, depth);
  if (options.cuts_damaged_logs) {
    for (const DamagedFile& file : damaged) {
      if (file.name.ends_with(".log")) (*still)->Cut(file.name, file.good_bytes);
    }
    return still;
  }
  Status whole = RefuseDamaged(location, std::move(damaged), options.missing_log);
  if (!whole) return tl::unexpected(whole.error());
  return still;
}

}  // namespace

// One name for a folder, however it was written: LevelDB tells by name whether this process has it
// open, and the machine's lock does not keep a process from itself.
std::string StoreLocation(const std::string& directory, const std::string& folder) {
  std::error_code error;
  const std::filesystem::path canonical = std::filesystem::weakly_canonical(directory, error);
  return (error ? std::filesystem::path(directory) : canonical) / folder;
}

Status SyncFolder(const std::string& folder) {
  const std::string path = folder.empty() ? "." : folder;
  int failure = PassFailPoint("state.sync-folder");
  if (failure == 0) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0 || fsync(file) != 0) failure = errno;
    if (file >= 0) close(file);
  }
  if (failure == 0) return {};
  const std::error_code error(failure, std::generic_category());
  return Fail(ErrorCode::kIo,
              fmt::format("the folder {} cannot be synced: {}", path, error.message()));
}

Result<std::unique_ptr<StoreLock>> StoreLock::Take(const std::string& location) {
  std::error_code error;
  if (!std::filesystem::is_directory(location, error)) {
    return Fail(ErrorCode::kNotFound, fmt::format("there is no folder {}", location));
  }
  leveldb::FileLock* lock = nullptr;
  leveldb::Env* const env = leveldb::Env::Default();
  const leveldb::Status status = env->LockFile(location + "/LOCK", &lock);
  if (!status.ok()) return OpenFailed(env, location, status);
  return std::unique_ptr<StoreLock>(new StoreLock(lock));
}

StoreLock::~StoreLock() { leveldb::Env::Default()->UnlockFile(lock_); }

Result<std::unique_ptr<RecordStorage>> OpenLevelDbStorage(const std::string& directory,
                                                          const LevelDbStorageOptions& options) {
  leveldb::Env* env = options.env == nullptr ? TableFiles() : options.env;
  const std::string location = StoreLocation(directory, options.folder);
  std::unique_ptr<StillFiles> still;
  if (options.read_only) {
    Result<std::unique_ptr<StillFiles>> taken = TakeStillFiles(env, location, options);
    if (!taken) return tl::unexpected(taken.error());
    still = std::move(*taken);
    env = still->env();
  }
  const FolderContent content = LookIntoFolder(env, location);
  if (!content.has_current && content.has_data) {
    return Fail(
        ErrorCode::kCorruption,
        fmt::format("{}/CURRENT: it is missing, though there are tables or logs", location));
  }
  const bool create = options.create && !options.read_only;
  if (!content.has_current && !create) {
    return Fail(ErrorCode::kNotFound, fmt::format("there is no checkpoint in {}", directory));
  }
  if (content.empty && create) {
    if (Status created = CreateFolders(location); !created) return tl::unexpected(created.error());
  }
  if (content.has_current && still == nullptr) {
    if (Status whole = CheckBeforeOpening(env, location, options.missing_log); !whole) {
      return tl::unexpected(whole.error());
    }
  }
  leveldb::Options database;
  database.env = env;
  database.create_if_missing = create;
  database.paranoid_checks = true;
  database.write_buffer_size = kWriteBufferBytes;
  database.max_file_size = kTableFileBytes;
  database.compression = leveldb::kNoCompression;
  // Saves a copy of the log in memory.
  database.reuse_logs = options.read_only;
  leveldb::DB* opened = nullptr;
  const leveldb::Status status = leveldb::DB::Open(database, location, &opened);
  if (!status.ok()) return OpenFailed(env, location, status);
  std::unique_ptr<leveldb::DB> db(opened);
  // LevelDB leaves it to the file system when the new name of CURRENT is safe. If it got lost
  // behind a commit, the manifest before would be read again, with logs that an attempt which was
  // killed had not synced.
  if (still == nullptr) {
    Status synced = options.sync_folder ? options.sync_folder(location) : SyncFolder(location);
    if (!synced) return tl::unexpected(synced.error());
  }
  return std::make_unique<LevelDbStorage>(location, env, std::move(still), std::move(db));
}

}  // namespace braid
