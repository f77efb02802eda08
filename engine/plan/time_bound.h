// Time bounds: what a comparison says about the distance of two row times.
//
// A comparison is a bound when both its sides are linear in timestamp columns and constant
// intervals, and what is left is one column of each side: `r.ts <= l.ts + INTERVAL '5' SECOND`,
// `r.ts - l.ts <= …`, `l.ts + … = r.ts - …`. All arithmetic is on microseconds and saturates.
//
// Thread rule: free functions over immutable expressions.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "braid/error.h"
#include "braid/time.h"
#include "engine/expression/expression.h"
#include "engine/plan/joined_columns.h"

namespace braid {

// Sum of coefficient * column over `columns` (rising, no coefficient is 0), plus a constant.
struct LinearTime {
  std::vector<std::pair<int, int64_t>> columns;
  Interval constant;
  bool has_months = false;           // A month interval was in it, taken as 0.
  bool has_processing_time = false;  // PROCTIME() was in it, taken as 0.

  // column + constant: the column; otherwise nothing.
  std::optional<int> single_column() const {
    const bool plain = columns.size() == 1 && columns[0].second == 1;
    return plain ? std::optional<int>(columns[0].first) : std::nullopt;
  }
};

// Nothing when the expression is not linear. A cast is not: it gives an ordinary timestamp.
std::optional<LinearTime> LinearTimeOf(const Expression& expression);

enum class BoundKind : uint8_t {
  kLower,  // right - left >= distance
  kUpper,  // right - left <= distance
  kExact,  // right - left = distance
};

// What it says about right - left, with columns as joined columns. A strict bound is not rounded:
// `strict` excludes the distance itself.
struct TimeBound {
  int left = -1;
  int right = -1;
  BoundKind kind = BoundKind::kLower;
  Interval distance;
  bool strict = false;

  bool is_lower() const { return kind != BoundKind::kUpper; }
  bool is_upper() const { return kind != BoundKind::kLower; }
};

// The bound that a conjunct is; nothing for any other condition, NULL-safe equality included.
// Fails with kInvalidQuery and the place for a bound with months (not a fixed length) or between
// processing times (micro-batch mode has one for all rows of a batch).
Result<std::optional<TimeBound>> TimeBoundOf(const Expression& conjunct,
                                             const JoinedColumns& columns);

}  // namespace braid
