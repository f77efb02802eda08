// What a running query is doing at this moment: the phase of its batch and how far it is. Progress
// records (progress.h) tell of batches that are done.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <optional>

#include "braid/export.h"

namespace braid {

// The phases of a batch, in their order. kIdle is between triggers.
enum class BatchPhase : uint8_t {
  kIdle,
  kReading,    // Rows are taken from the sources; what a batch takes is its plan.
  kPlanning,   // The plan is logged.
  kFiltering,  // Late filter, WHERE, preJoinFilter, keys.
  kJoining,    // Without a join: writing.
  kEvicting,  // Rows that can no longer match leave the state, padded where their side asks for it.
  kPublishing,  // The sink makes the batch visible.
  kCommitting,  // State and offsets are stored.
};

// "idle", "reading", "planning" …; never null.
BRAID_EXPORT const char* BatchPhaseName(BatchPhase phase);

enum class ProgressUnit : uint8_t { kBytes, kRows };

struct QueryActivity {
  BatchPhase phase = BatchPhase::kIdle;
  // The batch that runs; when idle, the one that comes next.
  int64_t batch_id = 0;
  // How far the phase is. `total` is 0 where nobody knows it: live sources while they are read,
  // publishing, committing. A reading batch may end before its total: it is what a trigger takes at
  // most.
  ProgressUnit unit = ProgressUnit::kRows;
  int64_t done = 0;
  int64_t total = 0;
  // Rows that the batch has read, and rows that it has handed to the sink so far.
  int64_t num_input_rows = 0;
  int64_t num_output_rows = 0;

  // Between the moment a trigger fires and the commit of its last batch.
  bool is_trigger_active = false;
  // The sources had rows when they were asked last.
  bool is_data_available = false;
  // The state is at its limit and state.on-limit = pause: some tables are not read.
  bool is_paused = false;
};

}  // namespace braid
