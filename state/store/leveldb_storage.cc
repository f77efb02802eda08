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

tl::unexpected<Error> Failed(const std::string& location, const leveldb::Status& status) {
  return Fail(CodeOf(status), fmt::format("the checkpoint in {}: {}", location, status.ToString()));
}

class LevelDbStorage final : public RecordStorage {
 public:
  LevelDbStorage(std::string location, std::unique_ptr<leveldb::DB> db)
      : location_(std::move(location)), db_(std::move(db)) {}

  void Put(std::string_view key, std::string_view record) override {
    batch_.Put(ToSlice(key), ToSlice(record));
  }

  void Delete(std::string_view key) override { batch_.Delete(ToSlice(key)); }

  void Discard() override { batch_.Clear(); }

  Status Write() override {
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
    tl::unexpected<Error> error = Failed(location_, status);
    failure_ = error.value();
    return error;
  }

  std::shared_ptr<const Snapshot> TakeSnapshot() override {
    return std::make_shared<DatabaseSnapshot>(db_.get());
  }

  Status Get(const Snapshot* snapshot, std::string_view key, std::string* record) override {
    const leveldb::Status status = db_->Get(ReadOptions(snapshot), ToSlice(key), record);
    if (!status.ok()) return Failed(location_, status);
    return {};
  }

  Status Scan(const Snapshot* snapshot, std::string_view prefix,
              const std::function<Status(std::string_view, std::string_view)>& visit) override {
    const std::unique_ptr<leveldb::Iterator> it(db_->NewIterator(ReadOptions(snapshot)));
    for (it->Seek(ToSlice(prefix)); it->Valid() && ToView(it->key()).starts_with(prefix);
         it->Next()) {
      if (Status status = visit(ToView(it->key()), ToView(it->value())); !status) return status;
    }
    if (!it->status().ok()) return Failed(location_, it->status());
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
  const std::unique_ptr<leveldb::DB> db_;
  leveldb::WriteBatch batch_;  // Reused: it keeps its memory.
  size_t log_writes_ = 0;
  size_t log_bytes_ = 0;
  std::optional<Error> failure_;
};

// The process that holds the lock file; absent if it is this one, or nobody any more.
std::optional<pid_t> LockHolder(const std::string& location) {
  const int file = open((location + "/LOCK").c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  const bool asked = fcntl(file, F_GETLK, &lock) == 0;
  close(file);
  if (!asked || lock.l_type == F_UNLCK) return std::nullopt;
  return lock.l_pid;
}

tl::unexpected<Error> OpenFailed(const std::string& location, const leveldb::Status& status) {
  const std::string text = status.ToString();
  if (!status.IsIOError() || text.find(": lock ") == std::string::npos) {
    return Failed(location, status);
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

struct FolderContent {
  bool has_current = false;
  bool has_data = false;  // Tables or logs: something was committed here.
  bool empty = true;
};

FolderContent LookInto(leveldb::Env* env, const std::string& location) {
  FolderContent content;
  std::vector<std::string> names;
  if (!env->GetChildren(location, &names).ok()) return content;
  for (const std::string& name : names) {
    if (name == "." || name == "..") continue;
    content.empty = false;
    content.has_current |= name == "CURRENT";
    content.has_data |= name.ends_with(".ldb") || name.ends_with(".sst") || name.ends_with(".log");
  }
  return content;
}

// One name for a folder, however it was written: LevelDB tells by name whether this process has it
// open, and the machine's lock does not keep a process from itself.
std::string LocationIn(const std::string& directory) {
  std::error_code error;
  const std::filesystem::path canonical = std::filesystem::weakly_canonical(directory, error);
  return (error ? std::filesystem::path(directory) : canonical) / "state";
}

// Makes the entry of a new folder durable in the folder that holds it.
Status SyncFolder(const std::filesystem::path& folder) {
  const std::string path = folder.empty() ? "." : folder.string();
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
    if (folder.empty()) return SyncFolder(folder);
    // Where this process may create nothing, none of it has.
    if (access(folder.c_str(), R_OK | W_OK) != 0) continue;
    if (Status status = SyncFolder(folder); !status) return status;
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<RecordStorage>> OpenLevelDbStorage(const std::string& directory,
                                                          const LevelDbStorageOptions& options) {
  leveldb::Env* const env = options.env == nullptr ? TableFiles() : options.env;
  const std::string location = LocationIn(directory);
  const FolderContent content = LookInto(env, location);
  if (!content.has_current && content.has_data) {
    return Fail(ErrorCode::kCorruption,
                fmt::format("the checkpoint in {}: the file CURRENT is missing", location));
  }
  if (!content.has_current && !options.create) {
    return Fail(ErrorCode::kNotFound, fmt::format("there is no checkpoint in {}", directory));
  }
  if (content.empty) {
    if (Status created = CreateFolders(location); !created) return tl::unexpected(created.error());
  }
  leveldb::Options database;
  database.env = env;
  database.create_if_missing = options.create;
  database.paranoid_checks = true;
  database.write_buffer_size = kWriteBufferBytes;
  database.max_file_size = kTableFileBytes;
  database.compression = leveldb::kNoCompression;
  leveldb::DB* opened = nullptr;
  const leveldb::Status status = leveldb::DB::Open(database, location, &opened);
  if (!status.ok()) return OpenFailed(location, status);
  std::unique_ptr<leveldb::DB> db(opened);
  // LevelDB leaves it to the file system when the new name of CURRENT is safe. If it got lost
  // behind a commit, the manifest before would be read again, with logs that an attempt which was
  // killed had not synced.
  Status synced = options.sync_folder ? options.sync_folder(location) : SyncFolder(location);
  if (!synced) return tl::unexpected(synced.error());
  return std::make_unique<LevelDbStorage>(location, std::move(db));
}

}  // namespace braid
