#include "state/store/commit_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "state/store/chunk_codec.h"
#include "state/store/live_rows.h"
#include "state/store/size_class.h"
#include "state/store/stored_records.h"

namespace braid {

namespace {

tl::unexpected<Error> Contradiction(std::string what) {
  return Fail(ErrorCode::kInternal, std::move(what));
}

// A threshold only rises: a lower one would bring rows back that have been padded.
bool GoesBack(const std::optional<EventTime>& before, const std::optional<EventTime>& after) {
  return before && (!after || *after < *before);
}

bool HasIds(ChangeListKind kind) {
  return kind == ChangeListKind::kMatched || kind == ChangeListKind::kRemoved;
}

// Lists of so many marks are merged no further: that would hold a commit up for long. They go as a
// whole when the rows they are about die or are rewritten.
constexpr uint64_t kMergedMarksMax = 16'384;

constexpr ChangeListKind kAllKinds[] = {ChangeListKind::kMatched, ChangeListKind::kRemoved,
                                        ChangeListKind::kTimers, ChangeListKind::kCounts};

}  // namespace

void CommitBuilder::Put(std::string_view key, std::string_view record) {
  context_.storage->Put(key, record);
  bytes_staged_ += static_cast<int64_t>(key.size() + record.size());
}

void CommitBuilder::Delete(std::string_view key) {
  context_.storage->Delete(key);
  bytes_staged_ += static_cast<int64_t>(key.size());
}

void CommitBuilder::DeleteChunk(uint8_t side, const StoredChunk& chunk) {
  Delete(ChunkHeadRecordKey(chunk.head.key));
  Delete(ChunkRecordKey(chunk.head.key));
  edit_.sides[side].removed_chunks.push_back(chunk.head.ids.first());
}

Liveness CommitBuilder::OldestLiveness(uint8_t side) const {
  const auto& versions = context_.directory->versions();
  const auto oldest = std::next(versions.begin(), std::ssize(edit_.dropped_versions));
  if (oldest != versions.end()) return oldest->second.LivenessOf(side);
  return {commit_->finished, commit_->threshold(side)};
}

Status CommitBuilder::Build(const BatchCommit& commit, std::span<const SideDelta> deltas) {
  commit_ = &commit;
  if (Status status = Check(commit, deltas); !status) return status;
  DropVersions();
  const uint8_t num_sides = static_cast<uint8_t>(context_.identity->sides.size());
  for (uint8_t side = 0; side < num_sides; ++side) {
    if (Status status = AddRows(side, deltas); !status) return status;
    if (Status status = AddChanges(side, deltas); !status) return status;
    if (Status status = RewriteChunks(side); !status) return status;
    for (const ChangeListKind kind : kAllKinds) {
      if (HasIds(kind)) DropLists(side, kind);
      if (Status status = MergeLists(side, kind); !status) return status;
    }
  }
  return PutCommit(commit);
}

Status CommitBuilder::Check(const BatchCommit& commit, std::span<const SideDelta> deltas) const {
  const auto& versions = context_.directory->versions();
  if (!versions.empty()) {
    const BatchCommit& latest = versions.rbegin()->second.info.commit;
    if (commit.batch_id <= latest.batch_id) {
      return Contradiction(fmt::format("version {} cannot be committed after version {}",
                                       commit.batch_id, latest.batch_id));
    }
    if (latest.finished) {
      return Contradiction(
          fmt::format("version {} is the last one: it was flushed", latest.batch_id));
    }
    for (size_t side = 0; side < kSidesMax; ++side) {
      if (GoesBack(latest.threshold(side), commit.threshold(side))) {
        return Contradiction(fmt::format(
            "the eviction threshold of side {} goes back in version {}", side, commit.batch_id));
      }
    }
  }
  const size_t sides_max = std::max<size_t>(context_.identity->sides.size(), 2);
  if (commit.thresholds.size() > sides_max || commit.num_state_rows.size() > sides_max) {
    return Contradiction("a commit speaks of more sides than the store has");
  }
  if (commit.source_ends.size() != commit.source_ends_table.size()) {
    return Contradiction("a commit has not one end offset a source");
  }
  for (const SideDelta& delta : deltas) {
    if (delta.side >= context_.identity->sides.size()) {
      return Contradiction(fmt::format("the store has no side {}", delta.side));
    }
    for (const StateRows& run : delta.rows) {
      if (Status status = CheckRun(delta, run); !status) return status;
    }
  }
  return CheckRunsApart(deltas);
}

// Runs of one commit must not lie within each other, as chunks must not.
Status CommitBuilder::CheckRunsApart(std::span<const SideDelta> deltas) const {
  std::vector<std::tuple<uint8_t, PersistentId, PersistentId>> ranges;
  for (const SideDelta& delta : deltas) {
    for (const StateRows& run : delta.rows) {
      if (run.num_rows == 0) continue;
      ranges.emplace_back(delta.side, run.IdAt(0), run.IdAt(run.num_rows - 1));
    }
  }
  std::sort(ranges.begin(), ranges.end());
  for (size_t i = 1; i < ranges.size(); ++i) {
    const auto& [side, first, last] = ranges[i];
    const auto& [side_before, first_before, last_before] = ranges[i - 1];
    if (side == side_before && first <= last_before) {
      return Contradiction(fmt::format("two runs of side {} share row ids", side));
    }
  }
  return {};
}

Status CommitBuilder::CheckRun(const SideDelta& delta, const StateRows& run) const {
  if (run.num_rows == 0) return {};
  const SideLayout& layout = context_.identity->sides[delta.side];
  if (Status status = CheckStateRows(layout, run); !status) return status;
  if (run.IdAt(0) >> kSequenceBits < context_.lineages_closed) {
    return Contradiction(
        fmt::format("rows of side {} have a lineage of an earlier start", layout.name));
  }
  const ChunkDirectory& chunks = context_.directory->side(delta.side).chunks;
  if (chunks.Overlaps(run.IdAt(0), run.IdAt(run.num_rows - 1))) {
    return Contradiction(
        fmt::format("rows of side {} have ids that are stored already", layout.name));
  }
  return {};
}

void CommitBuilder::DropVersions() {
  const auto& versions = context_.directory->versions();
  const int64_t dropped = std::ssize(versions) + 1 - context_.retain_versions;
  auto version = versions.begin();
  for (int64_t i = 0; i < dropped && version != versions.end(); ++i, ++version) {
    Delete(CommitRecordKey(version->first));
    edit_.dropped_versions.push_back(version->first);
  }
}

Status CommitBuilder::AddRows(uint8_t side, std::span<const SideDelta> deltas) {
  ChunkHead as;
  as.version = commit_->batch_id;
  // Rows that arrive and die in one batch are seen by no version.
  const Liveness seen{commit_->finished, commit_->threshold(side)};
  for (const SideDelta& delta : deltas) {
    if (delta.side != side) continue;
    for (const StateRows& run : delta.rows) {
      if (Status status = AddChunks(side, run, as, seen); !status) return status;
    }
  }
  return {};
}

// Writes the chunks with rows that `seen` sees. Version and whether changes are worked in come from
// `as`.
Status CommitBuilder::AddChunks(uint8_t side, const StateRows& rows, const ChunkHead& as,
                                const Liveness& seen) {
  for (const RowRange range : CutIntoChunks(rows)) {
    StoredChunk chunk;
    ChunkHead& head = chunk.head;
    head = DescribeChunk(rows, range);
    head.version = as.version;
    head.folded = as.folded;
    head.layout = static_cast<uint32_t>(context_.identity->earlier.size());
    if (seen.IsDead(head)) continue;
    uint32_t& next = next_index_[side];
    next = std::max(next, context_.directory->FirstFreeIndex(side, commit_->batch_id));
    head.key = {side, commit_->batch_id, next++};
    const auto put_chunk = [&](std::string_view key, std::string_view record) {
      head.chunk_bytes = static_cast<uint32_t>(record.size());
      head.chunk_checksum = RecordChecksum(record);
      Put(key, record);
    };
    if (Status status = WriteChunk(context_.writer, head.key, rows, range, put_chunk); !status) {
      return status;
    }
    const auto put_head = [&](std::string_view key, std::string_view record) {
      chunk.head_checksum = RecordChecksum(record);
      Put(key, record);
    };
    if (Status status = WriteChunkHead(context_.writer, head, put_head); !status) return status;
    edit_.sides[side].added_chunks.push_back(std::move(chunk));
  }
  return {};
}

Status CommitBuilder::AddChanges(uint8_t side, std::span<const SideDelta> deltas) {
  for (const ChangeListKind kind : kAllKinds) {
    Result<ChangeList> changes = CollectChanges(kind, side, deltas);
    if (!changes) return tl::unexpected(changes.error());
    const ChangeListKey key{side, kind, commit_->batch_id};
    if (Status status = PutList(key, *changes, /*settled=*/false); !status) {
      return status;
    }
  }
  return {};
}

// An empty list is not written.
Status CommitBuilder::PutList(const ChangeListKey& key, const ChangeList& list, bool settled) {
  StoredList stored;
  stored.size = list.size(key.kind);
  if (stored.size == 0) return {};
  const auto put = [&](std::string_view record_key, std::string_view record) {
    stored.checksum = RecordChecksum(record);
    Put(record_key, record);
  };
  std::string ids = EncodedIds(key.kind, list);
  Status written = WriteChangeList(context_.writer, key, list, ids, put);
  if (!written) return written;
  if (HasIds(key.kind)) {
    stored.ranges = RangesOf(list.ids);
    if (!settled) stored.unsettled = std::move(ids);
  }
  edit_.sides[key.side].written_lists.emplace_back(key.kind, key.version, std::move(stored));
  return {};
}

Status CommitBuilder::RewriteChunks(uint8_t side) {
  const ChunkDirectory& chunks = context_.directory->side(side).chunks;
  const Liveness oldest = OldestLiveness(side);
  for (const PersistentId first_id : chunks.DeadChunks(oldest)) {
    DeleteChunk(side, chunks.chunks().at(first_id));
  }
  if (oldest.none) return {};
  for (const auto& group : chunks.ChunksToRewrite(oldest, context_.lineages_closed)) {
    if (Status status = RewriteGroup(side, group); !status) return status;
  }
  return {};
}

Status CommitBuilder::RewriteGroup(uint8_t side, const std::vector<PersistentId>& group) {
  const ChunkDirectory& chunks = context_.directory->side(side).chunks;
  std::vector<StateRows> runs;
  for (const PersistentId first_id : group) {
    const StoredChunk& chunk = chunks.chunks().at(first_id);
    Result<StateRows> rows = LoadChunk(context_.storage, nullptr, *context_.identity, chunk.head);
    if (!rows) return tl::unexpected(rows.error());
    StateRows live = KeepLiveRows(std::move(*rows), chunk, OldestLiveness(side));
    if (live.num_rows > 0) runs.push_back(std::move(live));
    DeleteChunk(side, chunk);
  }
  if (runs.empty()) return {};
  ChunkHead as;
  as.version = *context_.directory->oldest();
  as.folded = true;
  return AddChunks(side, JoinRuns(runs), as, OldestLiveness(side));
}

// Lists of settled marks of rows that are gone, or that have the marks worked in.
void CommitBuilder::DropLists(uint8_t side, ChangeListKind kind) {
  const std::optional<int64_t> oldest = context_.directory->oldest();
  const SideDirectory& directory = context_.directory->side(side);
  for (const auto& [version, list] : directory.lists_of(kind)) {
    if (!oldest || version > *oldest) break;
    if (directory.chunks.IsAnyStored(list.ranges, version)) continue;
    Delete(ChangeListRecordKey({side, kind, version}));
    edit_.sides[side].removed_lists.emplace_back(kind, version);
  }
}

Status CommitBuilder::MergeLists(uint8_t side, ChangeListKind kind) {
  const std::optional<int64_t> oldest = context_.directory->oldest();
  if (!oldest) return {};
  const SideDirectory& directory = context_.directory->side(side);
  const auto& lists = directory.lists_of(kind);
  std::set<int64_t> dropped;
  for (const auto& [dropped_kind, version] : edit_.sides[side].removed_lists) {
    if (dropped_kind == kind) dropped.insert(version);
  }
  // Newest first.
  std::vector<uint64_t> sizes;
  std::vector<int64_t> versions;
  for (auto list = lists.upper_bound(*oldest); list != lists.begin();) {
    --list;
    if (dropped.contains(list->first)) continue;
    if (HasIds(kind) && list->second.size >= kMergedMarksMax) break;
    sizes.push_back(list->second.size);
    versions.push_back(list->first);
  }
  versions.resize(MergeLength(sizes, /*least_class=*/0));
  if (versions.empty()) return {};
  // Of marks nothing is left out on that account.
  const bool from_start = versions.size() == sizes.size();
  const int64_t newest = versions.front();

  std::vector<ChangeList> parts;
  for (auto version = versions.rbegin(); version != versions.rend(); ++version) {
    Result<ChangeList> part = LoadList(context_.storage, nullptr, {side, kind, *version});
    if (!part) return tl::unexpected(part.error());
    parts.push_back(std::move(*part));
  }
  const auto keep = [&](const IdRuns& ids) { return directory.chunks.Stored(ids, newest); };
  const ChangeList merged = MergeChanges(kind, parts, from_start, keep);
  const bool is_empty = merged.size(kind) == 0;
  if (Status status = PutList({side, kind, newest}, merged, true); !status) {
    return status;
  }
  for (const int64_t version : versions) {
    if (version == newest && !is_empty) continue;
    Delete(ChangeListRecordKey({side, kind, version}));
    edit_.sides[side].removed_lists.emplace_back(kind, version);
  }
  return {};
}

Status CommitBuilder::PutCommit(const BatchCommit& commit) {
  CommitRecord record;
  record.commit = commit;
  record.next_lineage = context_.next_lineage;
  record.digest = context_.directory->DigestAfter(edit_);
  StoredVersion version{{commit.batch_id, commit}, 0};
  const auto put = [&](std::string_view key, std::string_view bytes) {
    version.checksum = RecordChecksum(bytes);
    Put(key, bytes);
  };
  if (Status status = WriteCommit(context_.writer, record, put); !status) return status;
  edit_.version = std::move(version);
  return {};
}

}  // namespace braid
