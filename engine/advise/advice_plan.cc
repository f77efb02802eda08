#include "engine/advise/advice_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/plan/input_plan.h"
#include "engine/plan/interval_text.h"
#include "engine/plan/joined_columns.h"
#include "engine/plan/outer_join.h"
#include "engine/plan/query_shape.h"
#include "engine/plan/time_bound.h"

namespace braid {

namespace {

constexpr Interval kDefaultMax = Seconds(3600);
// Two joined columns, one of each side.
struct TimePair {
  int left = -1;
  int right = -1;
};

// The conditions that stay, and the time bounds among those of the job.
struct Conditions {
  std::vector<ExpressionPtr> kept;
  std::vector<TimeBound> bounds;
};

Status AddCondition(const ExpressionPtr& conjunct, const JoinedColumns& columns,
                    Conditions* conditions) {
  Result<std::optional<TimeBound>> bound = TimeBoundOf(*conjunct, columns);
  if (!bound) return tl::unexpected(bound.error());
  if (*bound) {
    conditions->bounds.push_back(**bound);
  } else {
    conditions->kept.push_back(conjunct);
  }
  return {};
}

// ON, and what of WHERE acts on rows before they are joined.
Result<Conditions> ConditionsOf(const QueryShape& shape, const JoinedColumns& columns,
                                std::vector<std::string>* notes) {
  const JoinType type = SimplifyOuterJoin(shape.join_type, shape.where, columns);
  Conditions conditions;
  for (const ExpressionPtr& conjunct : shape.on) {
    if (Status added = AddCondition(conjunct, columns, &conditions); !added) {
      return tl::unexpected(added.error());
    }
  }
  for (const ExpressionPtr& conjunct : shape.where) {
    const SidesUsed used = SidesOf(*conjunct, columns);
    const bool is_on = type == JoinType::kInner;
    const bool is_before = (used.only(Side::kLeft) && IsPreserved(type, Side::kLeft)) ||
                           (used.only(Side::kRight) && IsPreserved(type, Side::kRight));
    if (!is_on && !is_before) {
      notes->push_back(fmt::format("WHERE {} acts on joined rows and does not count here",
                                   columns.Format(*conjunct)));
      continue;
    }
    if (Status added = AddCondition(conjunct, columns, &conditions); !added) {
      return tl::unexpected(added.error());
    }
  }
  return conditions;
}

std::optional<int> OnlyOne(const std::vector<int>& candidates) {
  return candidates.size() == 1 ? std::optional<int>(candidates[0]) : std::nullopt;
}

// The row time of a side, else its only timestamp.
Result<int> TimeColumnOf(Side side, const QueryShape& shape, const JoinedColumns& columns) {
  std::vector<int> row_times;
  std::vector<int> timestamps;
  for (int column = 0; column < columns.size(); ++column) {
    if (columns.side_of(column) != side) continue;
    const SideColumn& candidate = columns.at(column);
    if (candidate.is_row_time) row_times.push_back(column);
    if (candidate.type.is_timestamp() && !candidate.is_processing_time) {
      timestamps.push_back(column);
    }
  }
  if (!row_times.empty()) return row_times.front();
  if (const std::optional<int> only = OnlyOne(timestamps)) return *only;
  const std::string alias = FormatName(shape.inputs[Index(side)].alias);
  std::vector<std::string> names;
  for (const int column : timestamps) names.push_back(columns.at(column).name);
  return Fail(
      ErrorCode::kInvalidQuery,
      timestamps.empty()
          ? fmt::format("no column of {} is a TIMESTAMP: there is no time to compare", alias)
          : fmt::format("which time of {} counts: {}? Give its table a WATERMARK, or write "
                        "a time bound with it",
                        alias, fmt::join(names, " or ")),
      shape.join_place);
}

// The columns of a bound that the job writes, row times first; else those of the tables.
Result<TimePair> ChooseTimes(const QueryShape& shape, const std::vector<TimeBound>& bounds,
                             const JoinedColumns& columns) {
  const auto are_row_times = [&columns](const TimeBound& bound) {
    return columns.at(bound.left).is_row_time && columns.at(bound.right).is_row_time;
  };
  auto chosen = std::find_if(bounds.begin(), bounds.end(), are_row_times);
  if (chosen == bounds.end()) chosen = bounds.begin();
  if (chosen != bounds.end()) return TimePair{chosen->left, chosen->right};
  const Result<int> left = TimeColumnOf(Side::kLeft, shape, columns);
  if (!left) return tl::unexpected(left.error());
  const Result<int> right = TimeColumnOf(Side::kRight, shape, columns);
  if (!right) return tl::unexpected(right.error());
  return TimePair{*left, *right};
}

TimeRange WrittenRange(const std::vector<TimeBound>& bounds, const TimePair& pair) {
  constexpr Interval kMicrosecond{1};
  TimeRange range;
  for (const TimeBound& bound : bounds) {
    if (bound.left != pair.left || bound.right != pair.right) continue;
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

Interval ChooseMax(const TimeRange& written) {
  Interval farthest{0};
  for (const std::optional<Interval>& end : {written.lower, written.upper}) {
    if (end) farthest = std::max(farthest, std::max(*end, -*end));
  }
  return std::max(kDefaultMax, farthest + farthest);
}

// right - left in [-max, max], as two comparisons.
Status AddRange(const TimePair& pair, Interval max, const JoinedColumns& columns,
                std::vector<ExpressionPtr>* on) {
  const ExpressionPtr left = MakeColumn(pair.left, columns.at(pair.left).type);
  const ExpressionPtr right = MakeColumn(pair.right, columns.at(pair.right).type);
  for (const bool is_lower : {true, false}) {
    const Interval offset = is_lower ? -max : max;
    Result<ExpressionPtr> end = MakeCall(
        Operation::kAdd, {left, MakeLiteral(Value{DataType::IntervalDay(), offset.micros})});
    if (!end) return tl::unexpected(end.error());
    Result<ExpressionPtr> bound =
        MakeCall(is_lower ? Operation::kGreaterEqual : Operation::kLessEqual, {right, *end});
    if (!bound) return tl::unexpected(bound.error());
    on->push_back(std::move(*bound));
  }
  return {};
}

Status RefuseOtherShapes(const QueryShape& shape, const Place& place) {
  const bool joins_tables =
      shape.inputs.size() == 2 && std::all_of(shape.inputs.begin(), shape.inputs.end(),
                                              [](const auto& input) { return input.table; });
  if (joins_tables) return {};
  return Fail(ErrorCode::kInvalidQuery,
              shape.inputs.size() == 1
                  ? "advise looks at the distance of two tables; this query reads one"
                  : "advise looks at one join of two tables; this query has more than one join",
              place);
}

// The planner has found the range and the times where they were put.
Status CheckPlanned(const AdvicePlan& advice, const Place& place) {
  const JoinPlan& join = *advice.plan.join;
  bool fine = join.time_range.lower == -advice.max && join.time_range.upper == advice.max;
  for (const JoinSidePlan& side : join.sides) {
    fine = fine && side.time.size() == 1 && side.time[0].offset.micros == 0;
  }
  if (fine) return {};
  return Fail(ErrorCode::kInvalidQuery,
              "a time is compared with IS NOT DISTINCT FROM: write = for advice on its distance",
              place);
}

}  // namespace

Result<AdvicePlan> PlanAdvice(const BoundQuery& query, std::optional<Interval> max) {
  Result<QueryShape> shape = ShapeOf(*query.root, Mode::kMicroBatch);
  if (!shape) return tl::unexpected(shape.error());
  if (Status fine = RefuseOtherShapes(*shape, query.place); !fine) {
    return tl::unexpected(fine.error());
  }
  const JoinedColumns columns(VisibleColumns(shape->inputs[0]), VisibleColumns(shape->inputs[1]));
  AdvicePlan advice;
  Result<Conditions> conditions = ConditionsOf(*shape, columns, &advice.notes);
  if (!conditions) return tl::unexpected(conditions.error());
  const Result<TimePair> pair = ChooseTimes(*shape, conditions->bounds, columns);
  if (!pair) return tl::unexpected(pair.error());

  advice.written = WrittenRange(conditions->bounds, *pair);
  advice.max = max.value_or(ChooseMax(advice.written));
  for (const Side side : kBothSides) {
    const SideColumn& time = columns.at(side == Side::kLeft ? pair->left : pair->right);
    advice.time_names[Index(side)] = time.name;
    advice.table_columns[Index(side)] = time.table_column;
  }
  shape->join_type = JoinType::kInner;
  shape->written_join_type = JoinType::kInner;
  shape->on = std::move(conditions->kept);
  shape->where.clear();
  if (Status added = AddRange(*pair, advice.max, columns, &shape->on); !added) {
    return tl::unexpected(added.error());
  }
  const Place place = shape->join_place;
  Result<StreamPlan> plan = MakeStreamPlanOf(query, std::move(*shape), Mode::kMicroBatch);
  if (!plan) return tl::unexpected(plan.error());
  advice.plan = std::move(*plan);
  if (Status fine = CheckPlanned(advice, place); !fine) return tl::unexpected(fine.error());
  return advice;
}

}  // namespace braid
