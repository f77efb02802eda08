#include "state/store/database_presence.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <system_error>

#include "state/store/leveldb_storage.h"
#include "state/store/record_codec.h"
#include "state/store/stored_records.h"

namespace braid {

namespace {

// Of any table.
bool HasFileLists(const std::string& directory) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory + "/sources", error)) {
    if (std::filesystem::exists(entry.path() / "files", error)) return true;
  }
  return false;
}

}  // namespace

bool WasUsed(const std::string& directory, const Result<std::optional<Committed>>& mark) {
  return !mark || *mark || HasFileLists(directory);
}

namespace {

Status LookForPresence(const std::string& directory, const std::optional<Committed>& committed) {
  LevelDbStorageOptions options;
  options.read_only = true;
  std::string missing_log;
  if (committed) options.missing_log = &missing_log;
  const Result<std::unique_ptr<RecordStorage>> storage = OpenLevelDbStorage(directory, options);
  if (!storage && storage.error().code == ErrorCode::kNotFound) {
    return Fail(ErrorCode::kCorruption,
                fmt::format("{}: the database of the checkpoint is missing, though a query has run "
                            "on it",
                            StoreLocation(directory)));
  }
  if (!storage) return tl::unexpected(storage.error());
  const Result<StoreContent> content = LookIntoStore(storage->get());
  if (!content) return tl::unexpected(content.error());
  return CheckPresence(*content, directory, committed, missing_log);
}

}  // namespace

Result<StoreContent> LookIntoStore(RecordStorage* storage) {
  StoreContent content;
  std::string record;
  const std::string identity(1, kIdentityTag);
  const std::string plan(1, kPlanTag);
  Status got = storage->Get(nullptr, identity, &record);
  content.is_created = got.has_value();
  if (!got && got.error().code != ErrorCode::kNotFound) return tl::unexpected(got.error());
  got = storage->Get(nullptr, plan, &record);
  if (!got && got.error().code != ErrorCode::kNotFound) return tl::unexpected(got.error());
  if (got) {
    const Result<BatchPlan> pending = ReadPlanRecord(record);
    if (!pending) return DamagedRecord(*storage, plan, pending.error());
    content.committed.planned = pending->batch_id;
  }
  const Status scanned = storage->Scan(
      nullptr, std::string(1, kCommitTag), [&](std::string_view key, std::string_view) -> Status {
        // Keys rise.
        content.committed.version = ParseCommitRecordKey(key).value_or(-1);
        return {};
      });
  if (!scanned) return tl::unexpected(scanned.error());
  return content;
}

Status CheckPresence(const StoreContent& content, const std::string& directory,
                     const std::optional<Committed>& committed, const std::string& missing_log) {
  const std::string location = StoreLocation(directory);
  if (!content.is_created) {
    return Fail(ErrorCode::kCorruption,
                fmt::format("{}: the database is empty, but a query has run on this checkpoint: "
                            "its files or the end of its log are missing",
                            missing_log.empty() ? location : missing_log));
  }
  const std::string fault =
      missing_log.empty() ? location + ": the end of a log is missing" : missing_log;
  const int64_t newest = content.committed.version;
  if (!committed || newest > committed->version) return {};
  const std::string mark = CommitMarkPath(directory);
  if (newest < committed->version) {
    return Fail(ErrorCode::kCorruption,
                fmt::format("{}: version {} was committed ({} says so), and the newest one that "
                            "is there is {}. If an older copy was put back on purpose, remove {}",
                            fault, committed->version, mark,
                            newest < 0 ? "none" : std::to_string(newest), mark));
  }
  if (committed->planned < 0 || content.committed.planned == committed->planned) return {};
  return Fail(ErrorCode::kCorruption,
              fmt::format("{}: batch {} was planned ({} says so), and its plan is not there", fault,
                          committed->planned, mark));
}

Result<std::optional<Committed>> CheckPresenceBeforeOpening(const std::string& directory,
                                                            bool read_only) {
  std::unique_ptr<StoreLock> lock;
  FaultSeenTwice fault;
  while (true) {
    Result<std::optional<Committed>> committed = ReadCommitMark(directory);
    const bool was_used = WasUsed(directory, committed);
    if (was_used && !read_only && lock == nullptr) {
      Result<std::unique_ptr<StoreLock>> taken = StoreLock::Take(StoreLocation(directory));
      if (!taken && taken.error().code != ErrorCode::kNotFound) {
        return tl::unexpected(taken.error());
      }
      // Whoever held it may have written the mark since.
      if (taken) {
        lock = std::move(*taken);
        continue;
      }
    }
    if (!committed || !was_used) return committed;
    const Status present = LookForPresence(directory, *committed);
    if (present) return committed;
    if (fault.Is(present.error())) return tl::unexpected(present.error());
  }
}

}  // namespace braid
