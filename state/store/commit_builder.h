// One commit: stages its records in the storage and collects what it changes in the directory.
// Besides the new rows and changes it drops the versions that are no longer retained and what only
// they needed, and rewrites chunks and change lists that have become many or mostly dead.
//
// Rewritten chunks stand as of the oldest version before this commit, less the rows that are dead
// in the oldest one after it: no version that can still be read changes.
//
// Use: Build, then write the storage, then apply the edit. If Build or the write fails, discard
// what is staged; the directory is unchanged.
// Thread rule: one thread at a time; nobody changes the directory meanwhile.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "braid/error.h"
#include "state/batch_log.h"
#include "state/state_delta.h"
#include "state/store/record_frame.h"
#include "state/store/record_storage.h"
#include "state/store/store_directory.h"
#include "state/versioned_store.h"

namespace braid {

struct CommitContext {
  RecordStorage* storage = nullptr;
  RecordWriter* writer = nullptr;
  const StoreDirectory* directory = nullptr;
  const StoreIdentity* identity = nullptr;
  int retain_versions = 1;
  uint32_t next_lineage = 0;
  uint32_t lineages_closed = 0;  // Lineages below it get no further rows.
};

class CommitBuilder {
 public:
  explicit CommitBuilder(const CommitContext& context) : context_(context) {}

  // kInternal if the commit contradicts what is stored; kIo, kCorruption if what must be rewritten
  // cannot be read; kInvalidInput if a row is too large.
  Status Build(const BatchCommit& commit, std::span<const SideDelta> deltas);

  DirectoryEdit TakeEdit() { return std::move(edit_); }
  int64_t bytes_staged() const { return bytes_staged_; }

 private:
  Status Check(const BatchCommit& commit, std::span<const SideDelta> deltas) const;
  Status CheckRunsApart(std::span<const SideDelta> deltas) const;
  Status CheckRun(const SideDelta& delta, const StateRows& run) const;
  Status AddRows(uint8_t side, std::span<const SideDelta> deltas);
  Status AddChunks(uint8_t side, const StateRows& rows, const ChunkHead& as, const Liveness& seen);
  Status AddChanges(uint8_t side, std::span<const SideDelta> deltas);
  void DropVersions();
  Status RewriteChunks(uint8_t side);
  Status RewriteGroup(uint8_t side, const std::vector<PersistentId>& group);
  Status MergeLists(uint8_t side, ChangeListKind kind);
  void DropLists(uint8_t side, ChangeListKind kind);
  Status PutList(const ChangeListKey& key, const ChangeList& list, bool settled);
  Status PutCommit(const BatchCommit& commit);

  void Put(std::string_view key, std::string_view record);
  void Delete(std::string_view key);
  void DeleteChunk(uint8_t side, const StoredChunk& chunk);
  // What the oldest version after this commit sees.
  Liveness OldestLiveness(uint8_t side) const;

  const CommitContext context_;
  const BatchCommit* commit_ = nullptr;
  DirectoryEdit edit_;
  uint32_t next_index_[kSidesMax] = {};
  int64_t bytes_staged_ = 0;
};

}  // namespace braid
