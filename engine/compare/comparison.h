// What a comparison of both modes says. Times are event times in microseconds, lengths as well.
//
// Thread rule: values.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "braid/change_kind.h"
#include "braid/mode.h"
#include "braid/schema.h"
#include "braid/time.h"

namespace braid {

// How a row of the result came about.
enum class RowKind : uint8_t {
  kMatched,    // Of a pair; without a join: any row. A row of SEMI.
  kPadded,     // With NULLs for a partner it did not find; a row of ANTI.
  kRetracted,  // It takes an earlier row back.
};
constexpr size_t kNumRowKinds = 3;
const char* RowKindName(RowKind kind);  // "matched", "padded", "retracted"

// From the row to its result, in event time: the largest row time read when the result came, minus
// the largest row time of the result's rows.
struct DelayFigures {
  int64_t num_rows = 0;  // Those with a row time.
  Interval median;
  Interval percentile_99;
  Interval maximum;
  // Delays at 0 %, 1 %, … 100 % of the rows, of an even sample; empty without rows.
  std::vector<Interval> percentiles;
};

// How a run stood at one moment.
struct StateSample {
  std::optional<EventTime> event_time;  // The largest row time read.
  std::optional<Watermark> watermark;   // Absent: unset.
  int64_t state_rows = 0;
  int64_t state_bytes = 0;
};

struct TableFigures {
  std::string name;
  int64_t num_rows = 0;  // Read.
};

// One mode's run.
struct ModeFigures {
  int64_t num_output_rows = 0;  // With those that take others back.
  int64_t num_final_rows = 0;   // What remains when the changes are applied.
  int64_t num_row_errors = 0;   // Rows dropped by execution.on-row-error = drop.
  int64_t num_late = 0;         // Rows dropped for being late.
  std::vector<TableFigures> tables;
  std::array<DelayFigures, kNumRowKinds> delays;
  int64_t state_rows_max = 0;
  int64_t state_bytes_max = 0;
  std::vector<StateSample> samples;  // Rising in event time; evenly thinned out.
  int64_t wall_micros = 0;
  int64_t processor_micros = 0;
  std::string operator_name;  // "symmetric hash join", "row-time interval join" …
};

// Why a final row is only in one of the modes; "the other" is the mode that lacks it.
enum class DifferenceReason : uint8_t {
  kLate,         // A row of it was late in the other, and was dropped.
  kAtWatermark,  // So, by exactly nothing: its time was the watermark.
  kPartnerLate,  // Unmatched here, since the partner was late and dropped here.
  kPaddedEarly,  // One padded it before its partner came, one joined it.
  kStateGone,    // The other had removed a row of the pair before the second one came.
  kBoundary,     // The pair's distance is on the edge of the range: only one of the modes takes it.
  kOtherContent,  // The other joined the same rows, but with another content.
  kUnknown,
};
constexpr size_t kNumDifferenceReasons = 8;
const char* DifferenceReasonName(DifferenceReason reason);  // "late", "at-watermark" …

struct DifferingRow {
  DifferenceReason reason = DifferenceReason::kUnknown;
  RowKind kind = RowKind::kMatched;
  std::array<std::optional<EventTime>, 2> row_times;  // Left, right; of one table: the first.
  std::optional<EventTime> emitted_at;                // The largest row time read then.
  std::vector<std::string> values;                    // As csv prints them.
};

struct OnlyRows {
  int64_t count = 0;
  std::array<std::array<int64_t, kNumRowKinds>, kNumDifferenceReasons> by_reason{};
  std::vector<DifferingRow> rows;  // The first in the order in which they came.

  int64_t count_of(DifferenceReason reason, RowKind kind) const {
    return by_reason[static_cast<size_t>(reason)][static_cast<size_t>(kind)];
  }
  int64_t count_of(DifferenceReason reason) const {
    return count_of(reason, RowKind::kMatched) + count_of(reason, RowKind::kPadded);
  }
};

constexpr size_t Index(Mode mode) { return mode == Mode::kMicroBatch ? 0 : 1; }
constexpr std::array<Mode, 2> kBothModes{Mode::kMicroBatch, Mode::kPerRecord};
const char* ModeName(Mode mode);  // "micro-batch", "per-record"

struct Comparison {
  Schema schema;  // Of the result.
  std::array<ModeFigures, 2> modes;
  int64_t num_equal = 0;
  int64_t num_equal_padded = 0;
  int64_t num_padded_at_another_time = 0;  // Of them: not at the same event time in both.
  std::array<OnlyRows, 2> only;
  int64_t compare_micros = 0;  // What it took beside the two runs.
  std::vector<std::string> notes;

  bool agrees() const { return only[0].count == 0 && only[1].count == 0; }
  const ModeFigures& mode(Mode which) const { return modes[Index(which)]; }
};

}  // namespace braid
