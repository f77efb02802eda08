// The versioned store: where the deltas of the side states go, one version a batch. Two
// implementations with one test suite: in memory, and one LevelDB in a checkpoint directory.
//
// A version is written by one transaction that holds the new rows, the matched and removed entries,
// the thresholds, the watermarks, the offsets and the commit mark: there is no state without its
// offsets and no half state. `retain` versions can be loaded (ten unless told otherwise).
//
// Errors: kIo and kCorruption name the directory and what in it; nothing that was committed is
// lost. kConflict: another process holds the directory. kInternal: the caller contradicts what is
// stored. After kIo of a writing call the store takes no more writes (open it again; the commit
// that failed may turn out to have been made). Thread rule: one writer thread; reads (Versions,
// ReadSide) from any thread at any time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "braid/error.h"
#include "braid/schema.h"
#include "state/batch_log.h"
#include "state/state_delta.h"

namespace braid {

// Left and right of 32 joins.
constexpr uint8_t kSidesMax = 64;

// How the rows of a side are stored; fixed when the store is created.
struct SideLayout {
  std::string name;  // The table's name or alias.
  bool hashed_key = false;
  bool has_time = false;
  Schema payload;
  // For those who look at rows: what the word is (unless hashed) and what the time is.
  Field key;
  Field time;

  friend bool operator==(const SideLayout&, const SideLayout&) = default;
};

// The word of a side whose keys are not hashed, an integer or a time, NULL where it is not
// linkable.
inline constexpr uint16_t kKeyWordColumn = 0xffff;

// How rows were stored before Adapt, and where their columns have gone.
struct EarlierLayout {
  std::vector<SideLayout> sides;
  // For each side and each payload column of the layout that followed: the payload column here that
  // it was, or kKeyWordColumn. One that is in no list was dropped.
  std::vector<std::vector<uint16_t>> kept;

  friend bool operator==(const EarlierLayout&, const EarlierLayout&) = default;
};

// A place that the query wrote to before its job named another one, or none.
struct FormerOutput {
  std::string path;        // From the root on.
  std::string table;       // "table o": for those who are told.
  int64_t last_batch = 0;  // Later batches are not there.

  friend bool operator==(const FormerOutput&, const FormerOutput&) = default;
};

// Written when the store is created, and by Adapt.
struct StoreIdentity {
  std::string query_id;     // A random id that survives restarts.
  std::string fingerprint;  // What the state depends on, as text lines (microbatch/query_identity).
  // Left and right of each join, the joins in the order in which they are executed: side = 2 * join
  // + (0 left, 1 right). None without a join, at most kSidesMax.
  std::vector<SideLayout> sides;
  std::vector<EarlierLayout> earlier = {};  // Oldest first.
  // Which of them hold batches that a rollback may give up; others may be among them.
  std::vector<FormerOutput> former_outputs = {};
};

struct VersionInfo {
  int64_t version = 0;  // = batch id.
  BatchCommit commit;
};

struct StoreCounters {
  int64_t bytes_written = 0;  // Handed to the store since it was opened.
  int64_t chunks = 0;         // Row chunks that exist now.
};

class VersionedStore {
 public:
  virtual ~VersionedStore() = default;

  // Absent for a new store.
  virtual std::optional<StoreIdentity> identity() const = 0;
  // Once, before the first Commit. kConflict if there is an identity already.
  virtual Status Create(const StoreIdentity& identity) = 0;

  // From now on rows are stored as `sides` says; those that are stored come as if they had been.
  // `kept` as in EarlierLayout, for the layout so far. It becomes durable with the next plan or
  // commit: until then another start finds what there was. kInternal if the sides are others than
  // those so far, or a column would get a type that its values do not convert to.
  virtual Status Adapt(const std::string& fingerprint, const std::vector<SideLayout>& sides,
                       const std::vector<std::vector<uint16_t>>& kept,
                       const std::vector<FormerOutput>& former_outputs) = 0;

  // A number never given out before by this store: the upper bits of persistent ids. It becomes
  // durable with the next Commit; a number whose rows were never committed may be given out again.
  // kInvalidOption when all 2^24 are used up (one a side, partition and start): rows may still
  // carry the old ones, so only a new checkpoint directory helps.
  virtual Result<uint32_t> NextLineage() = 0;

  // Puts the plan of the next batch there, durable when the call returns.
  virtual Status WritePlan(const BatchPlan& plan) = 0;
  // The plan that has no commit yet.
  virtual Result<std::optional<BatchPlan>> PendingPlan() = 0;

  // Ends a batch: everything or nothing, durable when the call returns. `next_plan` (may be null)
  // saves the separate sync of WritePlan; without it the pending plan goes.
  //
  // kInternal, and nothing changes, unless: batch ids rise; thresholds do not fall, and there are
  // no more of them, or of row counts, than sides (two are always allowed); nothing follows a
  // finished version; ids of a run, and of the runs of one lineage from commit to commit, rise; a
  // lineage taken before the store was opened gets no further rows. Marks of rows that are gone are
  // ignored. Later deltas of a side go before earlier ones where both set a timer or a count.
  virtual Status Commit(const BatchCommit& commit, std::span<const SideDelta> deltas,
                        const BatchPlan* next_plan) = 0;

  // Retained versions, rising.
  virtual Result<std::vector<VersionInfo>> Versions() = 0;
  virtual Result<std::optional<VersionInfo>> LatestVersion() = 0;

  // Gives the live rows of one side as of `version`, in id order, run by run, matched flags set:
  // rows of chunks up to it that are not below the threshold stored with it and not removed up to
  // it; none if it is finished. Times come as TIMESTAMP(6). kNotFound if the version is not
  // retained. Stops with the consumer's error.
  virtual Status ReadSide(int64_t version, uint8_t side,
                          const std::function<Status(StateRows)>& consumer) = 0;
  // Per-record operators: timers that are set and counts as of the version, by word and key, and by
  // id. A row without an entry has count 0; there may be entries of rows that are gone.
  virtual Result<std::vector<TimerChange>> ReadTimers(int64_t version, uint8_t side) = 0;
  virtual Result<std::vector<CountChange>> ReadCounts(int64_t version, uint8_t side) = 0;

  virtual StoreCounters counters() const = 0;
};

struct StoreOptions {
  int retain_versions = 10;  // At least 1.
};

// Holds packed rows in memory; nothing is durable.
std::unique_ptr<VersionedStore> NewMemoryStore(StoreOptions options);

// Opens, and unless `read_only` creates, the store in `directory` (the LevelDB in its folder
// `state`). kConflict: a process, maybe this one, has it open, or it has another format version.
// `read_only`: the store as it is now, for reads alone; kNotFound if there is none. It locks and
// writes nothing: others may open it, and a query may run on it, before and afterwards.
Result<std::unique_ptr<VersionedStore>> OpenLevelDbStore(const std::string& directory,
                                                         StoreOptions options, bool read_only);

}  // namespace braid
