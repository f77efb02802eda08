// The changes of one kind that a version (or, once merged, several) made to one side: rows that
// became matched, rows taken out one by one, timers, counts.
//
// A list stands for the versions up to its own. Lists of versions that no reader tells apart are
// merged: rows that are gone are left out, and of timers and counts the latest value stays.
//
// Thread rule: values and free functions.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "braid/error.h"
#include "state/state_delta.h"
#include "state/store/id_runs.h"
#include "state/store/record_codec.h"

namespace braid {

struct ChangeList {
  IdRuns ids;                       // kMatched, kRemoved.
  std::vector<TimerChange> timers;  // kTimers: by word, then key; one a key.
  std::vector<CountChange> counts;  // kCounts: by id; one an id.

  size_t size(ChangeListKind kind) const;
};

// What the deltas of one side say about `kind`, over all partitions; later deltas go first.
// kInternal if ids of a delta do not rise.
Result<ChangeList> CollectChanges(ChangeListKind kind, uint8_t side,
                                  std::span<const SideDelta> deltas);

// One list in place of `lists`, which are in version order. `keep` says of a row's id whether the
// row is still stored (not asked for timers). `from_start`: no list is older than these, so that a
// deleted timer and a count of 0 need no entry.
ChangeList MergeChanges(ChangeListKind kind, std::span<const ChangeList> lists, bool from_start,
                        const std::function<IdRuns(const IdRuns&)>& keep);

// The ids as they stand in a record: matched, removed, counts.
std::string EncodedIds(ChangeListKind kind, const ChangeList& list);

// `ids`: EncodedIds of the list.
Status WriteChangeList(RecordWriter* writer, const ChangeListKey& key, const ChangeList& list,
                       std::string_view ids, const RecordSink& sink);

// kCorruption for anything that writing cannot have made.
Result<ChangeList> ReadChangeList(std::string_view key, std::string_view record);

}  // namespace braid
