#include "engine/plan/per_record_planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "engine/plan/interval_text.h"
#include "engine/plan/missing_bound.h"
#include "engine/plan/outer_join.h"
#include "engine/plan/state_watermark.h"
#include "engine/plan/time_bound.h"

namespace braid {

namespace {

constexpr int64_t kMicrosPerMilli = 1'000;

// The two columns that a window is between, and what all bounds between them say together about
// left - right.
struct Window {
  int left = -1;
  int right = -1;
  std::optional<Interval> lower;
  std::optional<Interval> upper;
  // The same without what strictness takes away.
  Interval declared_lower{std::numeric_limits<int64_t>::min()};
  Interval declared_upper{std::numeric_limits<int64_t>::max()};

  bool Holds(const TimeBound& bound) const { return bound.left == left && bound.right == right; }
};

bool IsFine(const JoinedColumns& columns, const Window& window) {
  return columns.at(window.left).type.precision > 3 || columns.at(window.right).type.precision > 3;
}

int64_t FloorTo(int64_t micros, int64_t unit) {
  const int64_t rest = micros % unit;
  return rest == 0 ? micros : micros - (rest < 0 ? rest + unit : rest);
}

int64_t CeilTo(int64_t micros, int64_t unit) {
  const int64_t floor = FloorTo(micros, unit);
  return floor == micros ? micros : SaturatingAdd(floor, unit);
}

// Tightens the window by a bound, whose distance is of right - left.
void Intersect(const TimeBound& bound, bool fine, Window* window) {
  const int64_t unit = fine ? 1 : kMicrosPerMilli;
  const int64_t distance = (-bound.distance).micros;
  if (bound.is_lower()) {  // right - left >= d: left - right <= -d.
    int64_t upper = FloorTo(distance, unit);
    window->declared_upper = std::min(window->declared_upper, Interval{distance});
    if (bound.strict && upper == distance) upper = SaturatingAdd(upper, -unit);
    window->upper = std::min(window->upper.value_or(Interval{upper}), Interval{upper});
  }
  if (bound.is_upper()) {
    int64_t lower = CeilTo(distance, unit);
    window->declared_lower = std::max(window->declared_lower, Interval{distance});
    if (bound.strict && lower == distance) lower = SaturatingAdd(lower, unit);
    window->lower = std::max(window->lower.value_or(Interval{lower}), Interval{lower});
  }
}

// A window between two columns for which `is_time` holds, if it has both ends.
template <typename IsTime>
std::optional<Window> FindWindow(const PredicateSplit& split, const JoinedColumns& columns,
                                 const IsTime& is_time) {
  for (const TimeBound& first : split.bounds) {
    if (!is_time(columns.at(first.left)) || !is_time(columns.at(first.right))) continue;
    Window window;
    window.left = first.left;
    window.right = first.right;
    const bool fine = IsFine(columns, window);
    for (const TimeBound& bound : split.bounds) {
      if (window.Holds(bound)) Intersect(bound, fine, &window);
    }
    if (window.lower && window.upper) return window;
  }
  return std::nullopt;
}

// A time of each side that a comparison is between, whatever their kinds.
struct ComparedTimes {
  int left = -1;
  int right = -1;
};

// The expression without the casts that type rules added between kinds of timestamps.
ExpressionPtr WithoutImplicitCasts(const ExpressionPtr& expression) {
  if (expression->kind != ExpressionKind::kCall) return expression;
  const bool is_cast = expression->is_call(Operation::kCast) && expression->implicit;
  if (is_cast && expression->arguments[0]->type.is_timestamp()) {
    return WithoutImplicitCasts(expression->arguments[0]);
  }
  Expression copy = *expression;
  for (ExpressionPtr& argument : copy.arguments) argument = WithoutImplicitCasts(argument);
  return std::make_shared<const Expression>(std::move(copy));
}

std::optional<ComparedTimes> TimesOfComparison(const Expression& conjunct,
                                               const JoinedColumns& columns) {
  switch (conjunct.kind == ExpressionKind::kCall ? conjunct.operation : Operation::kAnd) {
    case Operation::kEqual:
    case Operation::kLess:
    case Operation::kLessEqual:
    case Operation::kGreater:
    case Operation::kGreaterEqual:
      break;
    default:
      return std::nullopt;
  }
  std::vector<int> times;
  for (const ExpressionPtr& argument : conjunct.arguments) {
    const std::optional<LinearTime> linear = LinearTimeOf(*WithoutImplicitCasts(argument));
    if (!linear) return std::nullopt;
    for (const auto& [column, coefficient] : linear->columns) times.push_back(column);
  }
  if (times.size() != 2) return std::nullopt;
  if (columns.side_of(times[0]) == Side::kRight) std::swap(times[0], times[1]);
  const ComparedTimes compared{times[0], times[1]};
  const bool both = columns.side_of(compared.left) == Side::kLeft &&
                    columns.side_of(compared.right) == Side::kRight;
  return both ? std::optional(compared) : std::nullopt;
}

// Of all conditions over both sides.
std::vector<ComparedTimes> AllComparedTimes(const PredicateSplit& split,
                                            const JoinedColumns& columns) {
  std::vector<ComparedTimes> all;
  const auto add = [&](const ExpressionPtr& conjunct) {
    const std::optional<ComparedTimes> times = TimesOfComparison(*conjunct, columns);
    if (times) all.push_back(*times);
  };
  for (const EquiKey& key : split.keys) add(key.conjunct);
  for (const PostCondition& post : split.post) add(post.conjunct);
  return all;
}

Status RefuseProcessingTimeWithWatermark(const QueryShape& shape,
                                         const std::vector<ComparedTimes>& compared,
                                         const JoinedColumns& columns) {
  const bool bounds =
      std::any_of(compared.begin(), compared.end(), [&](const ComparedTimes& times) {
        return columns.at(times.left).is_processing_time ||
               columns.at(times.right).is_processing_time;
      });
  if (!bounds) return {};
  for (const TableDefinition* table : TablesOf(shape)) {
    if (!table->watermark) continue;
    return Fail(ErrorCode::kInvalidQuery,
                fmt::format("the join is bounded by processing time, but table {} has a watermark: "
                            "bound the row times, or remove WATERMARK FOR from the table",
                            FormatName(table->name)),
                shape.join_place);
  }
  return {};
}

// A cast gives no bound, so the join would become a regular one for the sake of a type.
Status RefuseRowTimesOfTwoKinds(const QueryShape& shape, const std::vector<ComparedTimes>& compared,
                                const JoinedColumns& columns) {
  for (const ComparedTimes& times : compared) {
    const SideColumn& left = columns.at(times.left);
    const SideColumn& right = columns.at(times.right);
    if (!left.is_row_time || !right.is_row_time || left.type.kind == right.type.kind) continue;
    return Fail(ErrorCode::kInvalidQuery,
                fmt::format("the row times {} ({}) and {} ({}) cannot bound a join, since they are "
                            "of different kinds: declare both as TIMESTAMP, or both as "
                            "TIMESTAMP_LTZ",
                            left.name, left.type.ToString(), right.name, right.type.ToString()),
                shape.join_place);
  }
  return {};
}

void ApplyConditions(const PredicateSplit& split, const JoinedColumns& columns,
                     const std::optional<Window>& window, JoinPlan* join) {
  const auto decided = [&window](const std::optional<TimeBound>& bound) {
    return window && bound && window->Holds(*bound);
  };
  for (const EquiKey& key : split.keys) {
    if (decided(key.bound)) continue;
    for (const Side side : kBothSides) {
      join->sides[Index(side)].keys.push_back(columns.OverSide(key.sides[Index(side)]));
    }
    join->null_safe_keys.push_back(static_cast<uint8_t>(key.null_safe));
  }
  std::vector<ExpressionPtr> conditions;
  for (const Side side : kBothSides) {
    for (const ExpressionPtr& conjunct : split.pre[Index(side)]) {
      // A constant one is in both lists.
      if (side == Side::kRight && SidesOf(*conjunct, columns).none()) continue;
      conditions.push_back(conjunct);
    }
  }
  for (const PostCondition& post : split.post) {
    if (!decided(post.bound)) conditions.push_back(post.conjunct);
  }
  join->post_join_filter = JoinConjuncts(conditions);
}

std::string WindowText(const JoinedColumns& columns, const Window& window) {
  return fmt::format("{} - {} is between {} and {}", columns.at(window.left).name,
                     columns.at(window.right).name, FormatInterval(*window.lower),
                     FormatInterval(*window.upper));
}

void ChooseInterval(PerRecordOperator chosen, const JoinedColumns& columns, const Window& window,
                    JoinPlan* join) {
  PerRecordPlan plan;
  plan.chosen = chosen;
  plan.lower = *window.lower;
  plan.upper = *window.upper;
  plan.declared_empty = window.declared_lower > window.declared_upper;
  plan.reason = WindowText(columns, window);
  if (chosen == PerRecordOperator::kRowTimeInterval) {
    join->sides[Index(Side::kLeft)].time = {{columns.on_side(window.left), Interval{0}}};
    join->sides[Index(Side::kRight)].time = {{columns.on_side(window.right), Interval{0}}};
  }
  join->per_record = std::move(plan);
}

void ChooseRegular(const QueryShape& shape, const PredicateSplit& split,
                   const JoinedColumns& columns, JoinPlan* join,
                   std::vector<std::string>* warnings) {
  PerRecordPlan plan;
  plan.chosen = PerRecordOperator::kRegular;
  plan.reason =
      "there is no lower and upper bound between one row time of each side, or one PROCTIME() of "
      "each";
  for (const Side side : kBothSides) {
    if (!StateWatermarkOf(side, split, columns).rules.empty()) continue;
    if (!plan.missing_line.empty()) plan.missing_line += "; and ";
    plan.missing_line += MissingForEviction(side, shape, split, columns);
  }
  std::string warning = fmt::format(
      "the join of {} with {} runs as a regular join, whose state grows for ever unless "
      "table.exec.state.ttl is set",
      FormatName(join->side(Side::kLeft).input.alias),
      FormatName(join->side(Side::kRight).input.alias));
  if (!plan.missing_line.empty()) warning += ": " + plan.missing_line;
  for (const InputShape& input : shape.inputs) {
    if (input.lost_row_time.empty()) continue;
    plan.reason += "; " + input.lost_row_time;
    const bool is_said = plan.missing_line.find(input.lost_row_time) != std::string::npos;
    if (!is_said) warning += "; " + input.lost_row_time;
  }
  warnings->push_back(std::move(warning));
  join->per_record = std::move(plan);
}

}  // namespace

const char* PerRecordOperatorName(PerRecordOperator chosen) {
  switch (chosen) {
    case PerRecordOperator::kRowTimeInterval:
      return "row-time interval join";
    case PerRecordOperator::kProcessingTimeInterval:
      return "processing-time interval join";
    case PerRecordOperator::kDataStreamInterval:
      return "DataStream interval join";
    case PerRecordOperator::kRegular:
      return "regular join";
  }
  return "";
}

Status UseDataStreamJoin(const QueryShape& shape, JoinPlan* join) {
  if (!join->per_record || join->per_record->chosen != PerRecordOperator::kRowTimeInterval) {
    return {};
  }
  PerRecordPlan& plan = *join->per_record;
  if (join->type != JoinType::kInner) {
    return Fail(
        ErrorCode::kInvalidQuery,
        fmt::format("per-record.interval-join = datastream takes inner joins only, and this "
                    "is a {} JOIN",
                    JoinTypeName(join->type)),
        shape.join_place);
  }
  if (plan.declared_empty) {
    return Fail(ErrorCode::kInvalidQuery,
                "the lower bound of the join is above its upper bound, so that nothing can match",
                shape.join_place);
  }
  plan.chosen = PerRecordOperator::kDataStreamInterval;
  return {};
}

Status PlanPerRecordJoin(const QueryShape& shape, const PredicateSplit& split,
                         const JoinedColumns& columns, JoinPlan* join,
                         std::vector<std::string>* warnings) {
  for (const Side side : kBothSides) {
    JoinSidePlan& plan = join->sides[Index(side)];
    plan.pads = Pads(join->type, side);
    std::vector<ExpressionPtr> where;
    for (const ExpressionPtr& conjunct : split.where_before[Index(side)]) {
      where.push_back(columns.OverSide(conjunct));
    }
    plan.where = JoinConjuncts(where);
  }
  const std::vector<ComparedTimes> compared = AllComparedTimes(split, columns);
  Status allowed = RefuseProcessingTimeWithWatermark(shape, compared, columns);
  if (!allowed) return allowed;
  const std::optional<Window> row_time =
      FindWindow(split, columns, [](const SideColumn& column) { return column.is_row_time; });
  if (!row_time) allowed = RefuseRowTimesOfTwoKinds(shape, compared, columns);
  if (!allowed) return allowed;
  const std::optional<Window> clock = FindWindow(
      split, columns, [](const SideColumn& column) { return column.is_processing_time; });
  ApplyConditions(split, columns, row_time ? row_time : clock, join);
  if (row_time) {
    ChooseInterval(PerRecordOperator::kRowTimeInterval, columns, *row_time, join);
  } else if (clock) {
    ChooseInterval(PerRecordOperator::kProcessingTimeInterval, columns, *clock, join);
  } else {
    ChooseRegular(shape, split, columns, join, warnings);
  }
  return {};
}

void PlanPrimaryKeys(const JoinedColumns& columns, JoinPlan* join) {
  for (const Side side : kBothSides) {
    JoinSidePlan& plan = join->sides[Index(side)];
    if (plan.input.table == nullptr) continue;
    std::vector<int> payload;
    for (const int key : plan.input.table->primary_key) {
      const int num_columns = plan.input.schema.num_columns();
      for (int column = 0; column < num_columns; ++column) {
        if (columns.at(columns.joined(side, column)).table_column != key) continue;
        const ExpressionPtr expression =
            MakeColumn(column, plan.input.schema.fields[static_cast<size_t>(column)].type);
        std::vector<ExpressionPtr>& stored = plan.payload_expressions;
        const auto found = std::find_if(stored.begin(), stored.end(), [&](const auto& candidate) {
          return candidate->kind == ExpressionKind::kColumn && candidate->column == column;
        });
        payload.push_back(static_cast<int>(found - stored.begin()));
        if (found == stored.end()) stored.push_back(expression);
        break;
      }
    }
    // A key of which the query drops a part is none.
    const bool whole = payload.size() == plan.input.table->primary_key.size();
    if (whole) join->per_record->primary_key[Index(side)] = std::move(payload);
  }
}

}  // namespace braid
