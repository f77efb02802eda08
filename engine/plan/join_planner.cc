#include "engine/plan/join_planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/plan/interval_text.h"
#include "engine/plan/missing_bound.h"
#include "engine/plan/outer_join.h"
#include "engine/plan/per_record_planner.h"
#include "engine/plan/predicate_split.h"
#include "engine/plan/state_watermark.h"
#include "engine/plan/stored_row.h"
#include "engine/plan/time_range.h"

namespace braid {

namespace {

ExpressionPtr JoinOverSide(const std::vector<ExpressionPtr>& conjuncts,
                           const JoinedColumns& columns) {
  std::vector<ExpressionPtr> over_side;
  over_side.reserve(conjuncts.size());
  for (const ExpressionPtr& conjunct : conjuncts) over_side.push_back(columns.OverSide(conjunct));
  return JoinConjuncts(over_side);
}

std::vector<int> NullTimeColumns(Side side, const PredicateSplit& split,
                                 const JoinedColumns& columns) {
  std::vector<int> times;
  for (const TimeBound& bound : split.bounds) {
    times.push_back(columns.on_side(side == Side::kLeft ? bound.left : bound.right));
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

void ApplySplit(const PredicateSplit& split, const JoinedColumns& columns, JoinPlan* join) {
  for (const Side side : kBothSides) {
    JoinSidePlan& plan = join->sides[Index(side)];
    plan.pads = Pads(join->type, side);
    plan.where = JoinOverSide(split.where_before[Index(side)], columns);
    plan.pre_join_filter = JoinOverSide(split.pre[Index(side)], columns);
    plan.null_time_columns = NullTimeColumns(side, split, columns);
    plan.null_rejecting_columns = split.null_rejecting[Index(side)];
    for (const EquiKey& key : split.keys) {
      plan.keys.push_back(columns.OverSide(key.sides[Index(side)]));
    }
  }
  for (const EquiKey& key : split.keys) {
    join->null_safe_keys.push_back(static_cast<uint8_t>(key.null_safe));
  }
}

// What happens to rows of a side that waits for ever.
std::string Consequence(JoinType type, Side side, const std::string& alias) {
  if (type == JoinType::kLeftSemi) {
    return fmt::format("rows of {} without a match would be kept for ever", alias);
  }
  if (type == JoinType::kLeftAnti) {
    return fmt::format("rows of {} could never be emitted", alias);
  }
  const char* other = side == Side::kLeft ? "right" : "left";
  return fmt::format("rows of {} without a match could never be emitted with NULLs for the {} side",
                     alias, other);
}

tl::unexpected<Error> Refuse(const JoinPlan& join, Side side, const std::string& reason,
                             const Place& place) {
  const std::string alias = FormatName(join.side(side).input.alias);
  return Fail(ErrorCode::kInvalidQuery,
              fmt::format("{} JOIN: {}: {}", JoinTypeName(join.type),
                          Consequence(join.type, side, alias), reason),
              place);
}

// Both tables are files that nobody declared. They end, and then every row leaves.
bool AllEnd(const QueryShape& shape) {
  return std::all_of(shape.inputs.begin(), shape.inputs.end(), [](const InputShape& input) {
    return input.table != nullptr && input.table->is_guessed;
  });
}

Status PlanEviction(const QueryShape& shape, const PredicateSplit& split,
                    const JoinedColumns& columns, JoinPlan* join,
                    std::vector<std::string>* warnings) {
  for (const Side side : kBothSides) {
    JoinSidePlan& plan = join->sides[Index(side)];
    const std::string alias = FormatName(plan.input.alias);
    const StateWatermark state_watermark = StateWatermarkOf(side, split, columns);
    if (state_watermark.rules.empty() && AllEnd(shape)) {
      plan.eviction_text = "files in FROM have no watermark; its rows leave when the input ends";
      continue;
    }
    if (state_watermark.rules.empty()) {
      plan.eviction_text = MissingForEviction(side, shape, split, columns);
      if (MustDecide(join->type, side)) {
        return Refuse(*join, side, plan.eviction_text, shape.join_place);
      }
      warnings->push_back(fmt::format("rows of {} are never removed, so state grows for ever: {}",
                                      alias, plan.eviction_text));
      continue;
    }
    ApplyStateWatermark(side, state_watermark, columns, &plan);
    if (!state_watermark.keeps_null_times) continue;
    const std::string time = columns.at(columns.joined(side, state_watermark.rules[0].column)).name;
    const std::string reason = fmt::format(
        "rows with a NULL in {} may match by IS NOT DISTINCT FROM and never expire; "
        "write = instead, or add a bound on {}",
        time, time);
    if (MustDecide(join->type, side)) return Refuse(*join, side, reason, shape.join_place);
    warnings->push_back(reason);
  }
  return {};
}

void MarkColumns(const Expression& expression, const JoinedColumns& columns,
                 std::array<std::vector<bool>, 2>* needed) {
  for (const int column : ReferencedColumns(expression)) {
    const size_t side = Index(columns.side_of(column));
    (*needed)[side][static_cast<size_t>(columns.on_side(column))] = true;
  }
}

void NeedReportedColumns(const RowReport& report, JoinPlan* join,
                         std::array<std::vector<bool>, 2>* needed) {
  for (const Side side : kBothSides) {
    for (const int column : report.inputs[Index(side)].needed) {
      if ((*needed)[Index(side)][static_cast<size_t>(column)]) continue;
      (*needed)[Index(side)][static_cast<size_t>(column)] = true;
      join->sides[Index(side)].report_only_columns.push_back(column);
    }
  }
}

void PlanStoredRows(const QueryShape& shape, const StreamPlan& plan, const JoinedColumns& columns,
                    JoinPlan* join) {
  std::array<std::vector<bool>, 2> needed;
  for (const Side side : kBothSides) {
    needed[Index(side)].assign(static_cast<size_t>(join->side(side).input.schema.num_columns()),
                               false);
  }
  for (const ExpressionPtr& projection : shape.projections) {
    MarkColumns(*projection, columns, &needed);
  }
  if (plan.where != nullptr) MarkColumns(*plan.where, columns, &needed);
  if (join->post_join_filter != nullptr) MarkColumns(*join->post_join_filter, columns, &needed);
  if (plan.unmatched_rows) NeedReportedColumns(*plan.unmatched_rows, join, &needed);
  for (const Side side : kBothSides) {
    const KeyStorage storage = join->per_record ? KeyStorage::kAlways : KeyStorage::kWhereHashed;
    PlanStoredRow(needed[Index(side)], join->null_safe_keys, storage, &join->sides[Index(side)]);
  }
}

}  // namespace

Status PlanJoin(const QueryShape& shape, const JoinedColumns& columns,
                std::vector<PlannedInput> inputs, Mode mode, StreamPlan* plan) {
  JoinPlan join;
  join.written_type = shape.written_join_type;
  join.type = shape.join_type;
  join.reports_unmatched = plan->unmatched_rows.has_value();
  for (const Side side : kBothSides) {
    join.sides[Index(side)].input = std::move(inputs[Index(side)].plan);
  }
  const Result<PredicateSplit> split = SplitPredicates(join.type, shape.on, shape.where, columns);
  if (!split) return tl::unexpected(split.error());
  if (mode == Mode::kPerRecord) {
    Status planned = PlanPerRecordJoin(shape, *split, columns, &join, &plan->warnings);
    if (!planned) return planned;
    plan->where = JoinConjuncts(split->where_after);
    PlanStoredRows(shape, *plan, columns, &join);
    PlanPrimaryKeys(columns, &join);
    plan->join = std::move(join);
    return {};
  }
  ApplySplit(*split, columns, &join);
  Status evictable = PlanEviction(shape, *split, columns, &join, &plan->warnings);
  if (!evictable) return evictable;

  ChooseTimesForRange(*split, columns, &join);
  join.time_range = TimeRangeOf(*split, columns, join);
  join.post_join_filter = JoinConjuncts(UndecidedConditions(*split, columns, join));
  plan->where = JoinConjuncts(split->where_after);
  PlanStoredRows(shape, *plan, columns, &join);
  plan->join = std::move(join);
  return {};
}

}  // namespace braid
