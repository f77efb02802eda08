// What `braid advise` says about a join, as figures.
//
// Thread rule: values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "braid/time.h"
#include "engine/advise/time_distribution.h"
#include "engine/plan/stream_plan.h"

namespace braid {

// The watermark delay with which at most 1 - share of the rows are late, and how many those are.
struct DelayAdvice {
  double share = 1;
  Interval delay;
  int64_t num_late_rows = 0;
};

struct SideAdvice {
  std::string table;
  std::string alias;
  std::string time_name;    // "l.ts"
  std::string time_column;  // "ts", of the table; empty for a computed one.
  int64_t num_rows = 0;
  int64_t num_joined_rows = 0;
  int64_t num_null_time_rows = 0;
  int64_t num_null_key_rows = 0;
  int64_t num_row_errors = 0;
  int64_t num_bad_records = 0;
  std::optional<EventTime> first_time;  // Of the rows that can match.
  std::optional<EventTime> last_time;
  double rows_per_second = 0;  // Of event time, of the rows that can match; 0 if they span none.
  double bytes_per_row = 0;    // In state.

  std::optional<Interval> written_delay;  // Of the table's WATERMARK.
  int64_t num_late_at_written_delay = 0;
  bool is_lateness_exact = true;
  std::vector<DelayAdvice> delays;  // By falling share; empty without a row with a time.

  const DelayAdvice* no_late_rows() const { return delays.empty() ? nullptr : &delays.front(); }
};

struct StateCost {
  std::array<double, 2> rows = {0, 0};
  std::array<double, 2> bytes = {0, 0};
  double total_bytes() const { return bytes[0] + bytes[1]; }
};

// right.time BETWEEN left.time + lower AND left.time + upper.
struct BoundAdvice {
  double share = 1;  // Asked for.
  Interval lower;
  Interval upper;
  int64_t kept = 0;  // Matches in it.
  StateCost state;
};

// One set of matches: all pairs, or the nearest partner of each left row.
struct MatchAdvice {
  int64_t count = 0;
  bool is_exact = true;
  std::vector<TimeDistribution::Bin> bins;  // Rising; empty without matches.
  std::vector<BoundAdvice> bounds;          // By rising share.
};

struct Advice {
  std::array<SideAdvice, 2> sides;
  Interval max;
  MatchAdvice pairs;
  MatchAdvice nearest;  // Its count is that of left rows with a partner.
  int64_t num_pair_errors = 0;

  // How far event time runs ahead of the watermark that `state` is reckoned with.
  Interval watermark_lag;
  TimeRange written;                       // The job's own bounds.
  std::optional<double> written_share;     // Of the pairs; absent without such bounds or pairs.
  std::optional<StateCost> written_state;  // Absent unless both ends are written.

  int64_t buffer_bytes_peak = 0;
  int64_t spilled_bytes = 0;
  std::vector<std::string> notes;

  const SideAdvice& side(Side which) const { return sides[Index(which)]; }
};

}  // namespace braid
