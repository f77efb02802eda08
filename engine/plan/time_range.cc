#include "engine/plan/time_range.h"

#include <algorithm>
#include <optional>

namespace braid {

namespace {

constexpr Interval kMicrosecond{1};

// The joined column that is the stored time of `side`, if it is a plain one.
std::optional<int> TimeColumn(const JoinPlan& plan, Side side, const JoinedColumns& columns) {
  const std::vector<TimeTerm>& time = plan.side(side).time;
  if (time.size() != 1 || time[0].offset.micros != 0) return std::nullopt;
  return columns.joined(side, time[0].column);
}

bool IsDecidedByTimes(const TimeBound& bound, const JoinedColumns& columns, const JoinPlan& plan) {
  return TimeColumn(plan, Side::kLeft, columns) == bound.left &&
         TimeColumn(plan, Side::kRight, columns) == bound.right;
}

}  // namespace

void ChooseTimesForRange(const PredicateSplit& split, const JoinedColumns& columns,
                         JoinPlan* plan) {
  JoinSidePlan& left = plan->sides[Index(Side::kLeft)];
  JoinSidePlan& right = plan->sides[Index(Side::kRight)];
  for (const TimeBound& bound : split.bounds) {
    const std::optional<int> left_time = TimeColumn(*plan, Side::kLeft, columns);
    const std::optional<int> right_time = TimeColumn(*plan, Side::kRight, columns);
    const bool left_fits = left.time.empty() || left_time == bound.left;
    const bool right_fits = right.time.empty() || right_time == bound.right;
    if (!left_fits || !right_fits) continue;
    left.time = {{columns.on_side(bound.left), Interval{0}}};
    right.time = {{columns.on_side(bound.right), Interval{0}}};
    return;
  }
}

TimeRange TimeRangeOf(const PredicateSplit& split, const JoinedColumns& columns,
                      const JoinPlan& plan) {
  TimeRange range;
  for (const TimeBound& bound : split.bounds) {
    if (!IsDecidedByTimes(bound, columns, plan)) continue;
    if (bound.is_lower()) {
      const Interval lower = bound.strict ? bound.distance + kMicrosecond : bound.distance;
      range.lower = std::max(range.lower.value_or(lower), lower);
    }
    if (bound.is_upper()) {
      const Interval upper = bound.strict ? bound.distance + (-kMicrosecond) : bound.distance;
      range.upper = std::min(range.upper.value_or(upper), upper);
    }
  }
  return range;
}

std::vector<ExpressionPtr> UndecidedConditions(const PredicateSplit& split,
                                               const JoinedColumns& columns, const JoinPlan& plan) {
  std::vector<ExpressionPtr> conditions;
  for (const PostCondition& post : split.post) {
    if (post.bound && IsDecidedByTimes(*post.bound, columns, plan)) continue;
    conditions.push_back(post.conjunct);
  }
  return conditions;
}

}  // namespace braid
