#include <fmt/format.h>
#include <leveldb/env.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "state/checkpoint_repair.h"
#include "state/store/change_list.h"
#include "state/store/commit_mark.h"
#include "state/store/database_check.h"
#include "state/store/database_presence.h"
#include "state/store/leveldb_storage.h"
#include "state/store/still_files.h"
#include "state/store/store_directory.h"
#include "state/store/stored_records.h"
#include "state/store/table_files.h"

namespace braid {

namespace {

class StoreVerifier {
 public:
  explicit StoreVerifier(std::string directory)
      : directory_(std::move(directory)), location_(StoreLocation(directory_)) {}

  Result<StoreVerdict> Run() {
    Result<std::optional<Committed>> committed = ReadCommitMark(directory_);
    if (Status checked = CheckFiles(WasUsed(directory_, committed)); !checked)
      return tl::unexpected(checked.error());
    Result<std::unique_ptr<RecordStorage>> opened = Open(&committed);
    if (opened) {
      storage_ = std::move(*opened);
      LookInto(committed);
    } else if (verdict_.damage.empty()) {
      Note(opened.error().message);
    }
    if (!committed) Note(committed.error().message, StoreDamage::Place::kMark);
    for (StoreDamage& damage : verdict_.damage) damage.what += NeededBy(damage.what);
    return std::move(verdict_);
  }

 private:
  void LookInto(const Result<std::optional<Committed>>& committed) {
    if (Status read = ReadSmallRecords(); !read) Note(read.error().message);
    Result<StoreDirectory> loaded = StoreDirectory::Load(storage_.get());
    if (!loaded) {
      if (verdict_.damage.empty()) Note(loaded.error().message);
      return;
    }
    loaded_ = std::move(*loaded);
    for (const auto& [version, stored] : loaded_.versions()) {
      verdict_.versions.push_back(stored.info);
    }
    CheckChunks();
    CheckOrder();
    TellWholeVersions();
    // Damage that is known would only be said again.
    if (!verdict_.damage.empty()) return;
    const bool lacks_log =
        committed && !*committed && was_used_ && identity_ && !missing_log_.empty();
    if (lacks_log) return Note(missing_log_);
    if (!mark_fits_) Note(mark_fits_.error().message);
  }

  // A damaged mark says nothing of the store.
  Status CheckMark(RecordStorage* storage,
                   const Result<std::optional<Committed>>& committed) const {
    if (!was_used_ || !committed) return {};
    const Result<StoreContent> content = LookIntoStore(storage);
    if (!content) return tl::unexpected(content.error());
    return CheckPresence(*content, directory_, *committed, missing_log_);
  }

  void Note(std::string what, StoreDamage::Place place = StoreDamage::Place::kStore) {
    if (!IsNoted(what)) verdict_.damage.push_back({std::move(what), place});
  }

  // LevelDB fails with what the check of the files has found, of all of them.
  bool IsNoted(std::string_view what) const {
    while (!what.empty()) {
      const auto noted =
          std::find_if(verdict_.damage.begin(), verdict_.damage.end(),
                       [&](const StoreDamage& damage) { return what.starts_with(damage.what); });
      if (noted == verdict_.damage.end()) return false;
      what.remove_prefix(noted->what.size());
      if (what.starts_with("; ")) what.remove_prefix(2);
    }
    return true;
  }

  void NoteRecord(std::string_view key, const Error& error) {
    Note(DamagedRecord(*storage_, key, error).value().message);
  }

  Status CheckFiles(bool was_used) {
    leveldb::Env* const env = TableFiles();
    const Result<std::unique_ptr<StillFiles>> still = StillFiles::Take(env, location_);
    if (!still) return tl::unexpected(still.error());
    if (LookIntoFolder((*still)->env(), location_).is_unbegun() && !was_used) {
      return Fail(ErrorCode::kNotFound, fmt::format("there is no checkpoint in {}", directory_));
    }
    for (const DamagedFile& file : CheckDatabase((*still)->env(), location_, CheckDepth::kAll)) {
      // What was in it, if anything was, is told by what else was committed.
      if (file.is_missing_log) {
        missing_log_ = file.ToString();
      } else {
        Note(file.ToString());
      }
    }
    return {};
  }

  // With what the mark says of the store that is opened, and whether it fits.
  Result<std::unique_ptr<RecordStorage>> Open(Result<std::optional<Committed>>* committed) {
    LevelDbStorageOptions options;
    options.read_only = options.cuts_damaged_logs = true;
    options.missing_log = &missing_log_;
    FaultSeenTwice fault;
    while (true) {
      *committed = ReadCommitMark(directory_);
      was_used_ = WasUsed(directory_, *committed);
      Result<std::unique_ptr<RecordStorage>> opened = OpenLevelDbStorage(directory_, options);
      mark_fits_ =
          opened ? CheckMark(opened->get(), *committed) : Status(tl::unexpected(opened.error()));
      if (mark_fits_ || fault.Is(mark_fits_.error())) return opened;
    }
  }

  // All but the rows: those are read through their heads.
  Status ReadSmallRecords() {
    return storage_->Scan(nullptr, "", [this](std::string_view key, std::string_view record) {
      ++verdict_.num_records;
      ReadSmallRecord(key, record);
      return Status();
    });
  }

  template <typename Value>
  bool Took(std::string_view key, const Result<Value>& value) {
    if (!value) NoteRecord(key, value.error());
    return value.has_value();
  }

  void ReadSmallRecord(std::string_view key, std::string_view record) {
    switch (key.empty() ? '\0' : key.front()) {
      case kIdentityTag: {
        Result<StoreIdentity> identity = ReadIdentity(record);
        if (!Took(key, identity)) break;
        identity_ = std::move(*identity);
        verdict_.former_outputs = identity_->former_outputs;
        break;
      }
      case kPlanTag: {
        Result<BatchPlan> plan = ReadPlanRecord(record);
        if (Took(key, plan)) verdict_.pending_plan = std::move(*plan);
        break;
      }
      case kCommitTag:
        Took(key, ReadCommit(key, record));
        break;
      case kChunkHeadTag:
        Took(key, ReadChunkHead(key, record));
        break;
      case kChunkTag:
        stored_chunks_.emplace(key);
        break;
      case kChangeListTag: {
        const Result<ChangeList> list = ReadChangeList(key, record);
        const auto list_key = ParseChangeListRecordKey(key);
        if (!Took(key, list) && list_key) bad_versions_.push_back(list_key->version);
        break;
      }
      default:
        break;  // Not ours.
    }
  }

  void CheckChunks() {
    for (uint8_t side = 0; side < kSidesMax; ++side) {
      for (const auto& [first_id, chunk] : loaded_.side(side).chunks.chunks()) {
        stored_chunks_.erase(ChunkRecordKey(chunk.head.key));
        if (!identity_ || side >= identity_->sides.size()) {
          Note(fmt::format("{}: {}: the store has no such side", location_,
                           DescribeRecordKey(ChunkHeadRecordKey(chunk.head.key))));
          continue;
        }
        const Result<StateRows> rows = LoadChunk(storage_.get(), nullptr, *identity_, chunk.head);
        if (rows) continue;
        bad_chunks_.push_back(&chunk.head);
        Note(rows.error().message);
        NoteNeeded(rows.error().message, chunk.head);
      }
    }
    for (const std::string& key : stored_chunks_) {
      NoteRecord(key, {ErrorCode::kCorruption, "it has no head", {}});
    }
  }

  void NoteNeeded(const std::string& what, const ChunkHead& head) {
    std::set<int64_t>& versions = needed_by_[what];
    for (const auto& [version, stored] : loaded_.versions()) {
      if (stored.Needs(head)) versions.insert(version);
    }
  }

  // Of damage by which chunks cannot be read.
  std::string NeededBy(const std::string& what) const {
    const auto found = needed_by_.find(what);
    if (found == needed_by_.end()) return "";
    if (found->second.empty()) return " (no retained version needs it)";
    return fmt::format(" (needed by versions {})", fmt::join(found->second, ", "));
  }

  // What each record may say is fine, and all of them together are not.
  void CheckOrder() {
    const auto& versions = loaded_.versions();
    const StoredVersion* before = nullptr;
    for (const auto& [version, stored] : versions) {
      if (before != nullptr) CheckFollows(before->info, stored.info);
      before = &stored;
    }
    const int64_t newest = versions.empty() ? -1 : versions.rbegin()->first;
    const auto check = [&](const std::string& key, int64_t version) {
      if (version > newest) NoteRecord(key, {ErrorCode::kCorruption, "no commit has made it", {}});
    };
    for (uint8_t side = 0; side < kSidesMax; ++side) {
      for (const auto& [first_id, chunk] : loaded_.side(side).chunks.chunks()) {
        check(ChunkHeadRecordKey(chunk.head.key), chunk.head.version);
      }
      for (uint8_t kind = 0; kind < kChangeListKinds; ++kind) {
        const auto list_kind = static_cast<ChangeListKind>(kind);
        for (const auto& [version, list] : loaded_.side(side).lists_of(list_kind)) {
          check(ChangeListRecordKey({side, list_kind, version}), version);
        }
      }
    }
    const std::optional<BatchPlan>& plan = verdict_.pending_plan;
    if (plan && plan->batch_id != newest + 1) {
      NoteRecord(
          std::string(1, kPlanTag),
          {ErrorCode::kCorruption,
           fmt::format("it is of batch {}, and the newest version is {}", plan->batch_id, newest),
           {}});
    }
  }

  void CheckFollows(const VersionInfo& before, const VersionInfo& after) {
    const auto note = [&](const std::string& what) {
      NoteRecord(CommitRecordKey(after.version), {ErrorCode::kCorruption, what, {}});
    };
    if (before.commit.finished) note("it follows the last one");
    for (size_t side = 0; side < kSidesMax; ++side) {
      const auto was = before.commit.threshold(side);
      const auto is = after.commit.threshold(side);
      if (was && (!is || *is < *was)) note(fmt::format("the threshold of side {} fell", side));
    }
  }

  void TellWholeVersions() {
    for (const auto& [version, stored] : loaded_.versions()) {
      const int64_t number = version;
      const StoredVersion& of = stored;
      const bool lacks_chunk = std::any_of(bad_chunks_.begin(), bad_chunks_.end(),
                                           [&of](const ChunkHead* bad) { return of.Needs(*bad); });
      const bool lacks_list = std::any_of(bad_versions_.begin(), bad_versions_.end(),
                                          [&](int64_t bad) { return bad <= number; });
      if (!lacks_chunk && !lacks_list && identity_) verdict_.whole_versions.push_back(version);
    }
  }

  const std::string directory_;
  const std::string location_;
  StoreVerdict verdict_;
  bool was_used_ = false;  // Before the store was opened: a first start may go on beside.
  Status mark_fits_;       // With the store as it was opened.
  std::unique_ptr<RecordStorage> storage_;
  std::optional<StoreIdentity> identity_;
  StoreDirectory loaded_;
  std::string missing_log_;              // What is said of it; empty: there is none.
  std::set<std::string> stored_chunks_;  // Keys; of those without a head in the end.
  std::vector<const ChunkHead*> bad_chunks_;
  std::vector<int64_t> bad_versions_;                   // Of change lists.
  std::map<std::string, std::set<int64_t>> needed_by_;  // Versions, by damage.
};

}  // namespace

Result<StoreVerdict> VerifyStore(const std::string& directory) {
  return StoreVerifier(directory).Run();
}

}  // namespace braid
