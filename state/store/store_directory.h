// What a store knows in memory of its records: versions, chunks and change lists of all sides. It
// is rebuilt from the small records when the store is opened, and changed by the edit of a commit
// once that is durable.
//
// Thread rule: one thread at a time; copies are independent.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "braid/error.h"
#include "state/store/change_list.h"
#include "state/store/chunk_directory.h"
#include "state/store/record_storage.h"
#include "state/versioned_store.h"

namespace braid {

struct StoredVersion {
  VersionInfo info;
  uint64_t checksum = 0;

  Liveness LivenessOf(uint8_t side) const {
    return {info.commit.finished, info.commit.threshold(side)};
  }
  // Whether rows of the chunk may live in it.
  bool Needs(const ChunkHead& head) const {
    return head.version <= info.version && !LivenessOf(head.key.side).IsDead(head);
  }
};

struct StoredList {
  uint64_t size = 0;  // Changes in it.
  uint64_t checksum = 0;
  // Matched and removed rows only: their ids as IdRuns::Encode gives them, which takes an eighth of
  // the memory of runs, until the marks are settled; then it is empty. `ranges` covers them with
  // one run a lineage.
  std::string unsettled;
  IdRuns ranges;

  IdRuns UnsettledIds() const;
};

// One run a lineage that covers `ids`.
IdRuns RangesOf(const IdRuns& ids);

struct SideDirectory {
  ChunkDirectory chunks;
  std::array<std::map<int64_t, StoredList>, kChangeListKinds> lists;  // By version, for each kind.

  std::map<int64_t, StoredList>& lists_of(ChangeListKind kind) {
    return lists[static_cast<size_t>(kind)];
  }
  const std::map<int64_t, StoredList>& lists_of(ChangeListKind kind) const {
    return lists[static_cast<size_t>(kind)];
  }
};

// What a commit changes, once it is durable.
struct SideEdit {
  std::vector<PersistentId> removed_chunks;
  std::vector<StoredChunk> added_chunks;
  std::vector<std::pair<ChangeListKind, int64_t>> removed_lists;
  std::vector<std::tuple<ChangeListKind, int64_t, StoredList>> written_lists;  // New or in place.
};

struct DirectoryEdit {
  std::vector<int64_t> dropped_versions;
  std::optional<StoredVersion> version;
  std::array<SideEdit, kSidesMax> sides;
};

class StoreDirectory {
 public:
  // Reads the small records and checks that they are all there. kCorruption names what is not.
  static Result<StoreDirectory> Load(RecordStorage* storage);

  const std::map<int64_t, StoredVersion>& versions() const { return versions_; }
  const SideDirectory& side(uint8_t index) const { return sides_[index]; }
  // The oldest version that can be read; absent before the first commit.
  std::optional<int64_t> oldest() const;
  uint32_t next_lineage() const { return next_lineage_; }
  int64_t num_chunks() const;
  // The first index that no chunk of the side has which `version` wrote. A version that is written
  // for the first time has none; one that was gone back behind may have rewritten older chunks.
  uint32_t FirstFreeIndex(uint8_t side, int64_t version) const;

  // Sum of the checksums of the records that stand for it after `edit`, without the new commit's.
  uint64_t DigestAfter(const DirectoryEdit& edit) const;

  void Apply(DirectoryEdit edit);

  void CheckInvariants() const;

 private:
  Status LoadVersions(RecordStorage* storage);
  Status LoadChunks(RecordStorage* storage);
  Status LoadLists(RecordStorage* storage);
  Status CheckDigest(RecordStorage* storage) const;
  // Works marks of versions up to the oldest one into the chunks.
  void Settle();
  // Finds the chunks that were written by versions above the newest one.
  void NoteGivenUp();

  std::map<int64_t, StoredVersion> versions_;
  std::array<SideDirectory, kSidesMax> sides_;
  uint64_t digest_ = 0;          // Sum of the checksums of all commits, heads and lists.
  uint64_t written_digest_ = 0;  // What the newest commit says it is.
  uint32_t next_lineage_ = 0;
  // Of versions above the newest one: the first free index, by version and side.
  std::map<std::pair<int64_t, uint8_t>, uint32_t> free_index_;
};

}  // namespace braid
