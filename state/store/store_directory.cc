#include "state/store/store_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "state/rows/check.h"
#include "state/store/stored_records.h"

namespace braid {

namespace {

bool HasIds(ChangeListKind kind) {
  return kind == ChangeListKind::kMatched || kind == ChangeListKind::kRemoved;
}

tl::unexpected<Error> Incomplete(const RecordStorage& storage, std::string what) {
  return Fail(ErrorCode::kCorruption,
              fmt::format("the checkpoint in {}: {}", storage.location(), what));
}

}  // namespace

IdRuns StoredList::UnsettledIds() const {
  std::optional<IdRuns> ids =
      IdRuns::Decode({reinterpret_cast<const uint8_t*>(unsettled.data()), unsettled.size()});
  BRAID_CHECK(ids.has_value(), "ids were encoded");
  return std::move(*ids);
}

IdRuns RangesOf(const IdRuns& ids) {
  IdRuns ranges;
  const auto& runs = ids.runs();
  for (size_t i = 0; i < runs.size();) {
    const uint64_t lineage = runs[i].first >> kSequenceBits;
    size_t end = i + 1;
    while (end < runs.size() && runs[end].first >> kSequenceBits == lineage) ++end;
    ranges.Append(runs[i].first, runs[end - 1].end() - runs[i].first);
    i = end;
  }
  return ranges;
}

Result<StoreDirectory> StoreDirectory::Load(RecordStorage* storage) {
  StoreDirectory directory;
  if (Status status = directory.LoadVersions(storage); !status) {
    return tl::unexpected(status.error());
  }
  if (Status status = directory.LoadChunks(storage); !status) {
    return tl::unexpected(status.error());
  }
  if (Status status = directory.LoadLists(storage); !status) {
    return tl::unexpected(status.error());
  }
  if (Status status = directory.CheckDigest(storage); !status) {
    return tl::unexpected(status.error());
  }
  directory.Settle();
  directory.NoteGivenUp();
  return directory;
}

Status StoreDirectory::LoadVersions(RecordStorage* storage) {
  const std::string prefix(1, kCommitTag);
  return storage->Scan(nullptr, prefix,
                       [&](std::string_view key, std::string_view record) -> Status {
                         Result<CommitRecord> commit = ReadCommit(key, record);
                         if (!commit) return DamagedRecord(*storage, key, commit.error());
                         const int64_t version = commit->commit.batch_id;
                         const uint64_t checksum = RecordChecksum(record);
                         digest_ += checksum;
                         // Keys rise: the last one is the newest.
                         written_digest_ = commit->digest + checksum;
                         next_lineage_ = commit->next_lineage;
                         versions_[version] = {{version, std::move(commit->commit)}, checksum};
                         return {};
                       });
}

Status StoreDirectory::LoadChunks(RecordStorage* storage) {
  const std::string prefix(1, kChunkHeadTag);
  return storage->Scan(
      nullptr, prefix, [&](std::string_view key, std::string_view record) -> Status {
        Result<ChunkHead> head = ReadChunkHead(key, record);
        if (!head) return DamagedRecord(*storage, key, head.error());
        ChunkDirectory& chunks = sides_[head->key.side].chunks;
        if (chunks.Overlaps(head->ids.first(), head->ids.last())) {
          return DamagedRecord(*storage, key, {ErrorCode::kCorruption, "it overlaps another", {}});
        }
        const uint64_t checksum = RecordChecksum(record);
        digest_ += checksum;
        chunks.Add({std::move(*head), checksum, {}, {}, 0});
        return {};
      });
}

Status StoreDirectory::LoadLists(RecordStorage* storage) {
  const std::string prefix(1, kChangeListTag);
  return storage->Scan(
      nullptr, prefix, [&](std::string_view key, std::string_view record) -> Status {
        Result<ChangeList> list = ReadChangeList(key, record);
        if (!list) return DamagedRecord(*storage, key, list.error());
        const ChangeListKey list_key = *ParseChangeListRecordKey(key);
        StoredList stored;
        stored.size = list->size(list_key.kind);
        stored.checksum = RecordChecksum(record);
        digest_ += stored.checksum;
        if (HasIds(list_key.kind)) {
          stored.ranges = RangesOf(list->ids);
          stored.unsettled = list->ids.Encode();
        }
        sides_[list_key.side].lists_of(list_key.kind)[list_key.version] = std::move(stored);
        return {};
      });
}

Status StoreDirectory::CheckDigest(RecordStorage* storage) const {
  if (versions_.empty()) {
    if (digest_ == 0) return {};
    return Incomplete(*storage, "it has rows but no commit");
  }
  if (digest_ == written_digest_) return {};
  return Incomplete(*storage,
                    fmt::format("records that version {} was committed with are missing, or there "
                                "are others beside them",
                                versions_.rbegin()->first));
}

std::optional<int64_t> StoreDirectory::oldest() const {
  if (versions_.empty()) return std::nullopt;
  return versions_.begin()->first;
}

int64_t StoreDirectory::num_chunks() const {
  int64_t chunks = 0;
  for (const SideDirectory& side : sides_) chunks += std::ssize(side.chunks.chunks());
  return chunks;
}

uint64_t StoreDirectory::DigestAfter(const DirectoryEdit& edit) const {
  uint64_t digest = digest_;
  for (const int64_t version : edit.dropped_versions) digest -= versions_.at(version).checksum;
  for (uint8_t index = 0; index < kSidesMax; ++index) {
    const SideEdit& side_edit = edit.sides[index];
    const SideDirectory& side = sides_[index];
    for (const PersistentId first_id : side_edit.removed_chunks) {
      digest -= side.chunks.chunks().at(first_id).head_checksum;
    }
    for (const StoredChunk& chunk : side_edit.added_chunks) digest += chunk.head_checksum;
    for (const auto& [kind, version] : side_edit.removed_lists) {
      digest -= side.lists_of(kind).at(version).checksum;
    }
    for (const auto& [kind, version, list] : side_edit.written_lists) {
      const auto replaced = side.lists_of(kind).find(version);
      if (replaced != side.lists_of(kind).end()) digest -= replaced->second.checksum;
      digest += list.checksum;
    }
  }
  return digest;
}

uint32_t StoreDirectory::FirstFreeIndex(uint8_t side, int64_t version) const {
  const auto found = free_index_.find({version, side});
  return found == free_index_.end() ? 0 : found->second;
}

void StoreDirectory::NoteGivenUp() {
  free_index_.clear();
  const int64_t newest = versions_.empty() ? -1 : versions_.rbegin()->first;
  for (uint8_t index = 0; index < kSidesMax; ++index) {
    for (const auto& [first_id, chunk] : sides_[index].chunks.chunks()) {
      const ChunkKey& key = chunk.head.key;
      if (key.written <= newest) continue;
      uint32_t& free = free_index_[{key.written, index}];
      free = std::max(free, key.index + 1);
    }
  }
}

void StoreDirectory::Apply(DirectoryEdit edit) {
  digest_ = DigestAfter(edit);
  const int64_t newest_before = versions_.empty() ? -1 : versions_.rbegin()->first;
  for (const int64_t version : edit.dropped_versions) versions_.erase(version);
  if (edit.version) {
    digest_ += edit.version->checksum;
    const int64_t version = edit.version->info.version;
    versions_[version] = std::move(*edit.version);
  }
  for (uint8_t index = 0; index < kSidesMax; ++index) {
    SideEdit& side_edit = edit.sides[index];
    SideDirectory& side = sides_[index];
    side.chunks.ClearCandidates();
    for (const PersistentId first_id : side_edit.removed_chunks) side.chunks.Remove(first_id);
    for (StoredChunk& chunk : side_edit.added_chunks) side.chunks.Add(std::move(chunk));
    for (const auto& [kind, version] : side_edit.removed_lists) side.lists_of(kind).erase(version);
    for (auto& [kind, version, list] : side_edit.written_lists) {
      side.lists_of(kind)[version] = std::move(list);
    }
  }
  Settle();
  const int64_t newest = versions_.empty() ? -1 : versions_.rbegin()->first;
  if (newest < newest_before) NoteGivenUp();
}

void StoreDirectory::Settle() {
  const std::optional<int64_t> oldest_version = oldest();
  if (!oldest_version) return;
  for (SideDirectory& side : sides_) {
    for (const ChangeListKind kind : {ChangeListKind::kMatched, ChangeListKind::kRemoved}) {
      const Mark mark = kind == ChangeListKind::kMatched ? Mark::kMatched : Mark::kRemoved;
      auto& lists = side.lists_of(kind);
      // From the newest settled one back: those before the first settled already have no ids.
      auto list = lists.upper_bound(*oldest_version);
      while (list != lists.begin()) {
        --list;
        if (list->second.unsettled.empty()) break;
        side.chunks.MarkSettled(list->second.UnsettledIds(), mark);
        list->second.unsettled = {};
      }
    }
    side.chunks.Settle(*oldest_version);
  }
}

void StoreDirectory::CheckInvariants() const {
  uint64_t digest = 0;
  for (const auto& [version, stored] : versions_) digest += stored.checksum;
  for (const SideDirectory& side : sides_) {
    side.chunks.CheckInvariants();
    for (const auto& [first_id, chunk] : side.chunks.chunks()) digest += chunk.head_checksum;
    for (const auto& lists : side.lists) {
      for (const auto& [version, list] : lists) digest += list.checksum;
    }
  }
  BRAID_CHECK(digest == digest_, "the digest is not the sum of the checksums");
}

}  // namespace braid
