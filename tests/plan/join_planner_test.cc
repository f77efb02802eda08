// Properties of whole plans: what the planner takes apart still says what the condition said, and
// eviction never removes a row that could still match.
#include "engine/plan/join_planner.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "braid/column_builder.h"
#include "engine/expression/evaluator.h"
#include "engine/sql/parser.h"
#include "tests/plan/planned_query.h"

namespace braid {
namespace {

// Times are small numbers of microseconds, so that every boundary is met.
constexpr const char* kTables =
    "CREATE TABLE l (ts TIMESTAMP(6), made TIMESTAMP(6), v BIGINT, WATERMARK FOR ts AS ts - "
    "INTERVAL '1' SECOND) WITH ('connector' = 'blackhole');\n"
    "CREATE TABLE r (ts TIMESTAMP(6), made TIMESTAMP(6), v BIGINT, WATERMARK FOR ts AS ts - "
    "INTERVAL '1' SECOND) WITH ('connector' = 'blackhole');\n";

std::string Microseconds(int count) {
  return std::string(count < 0 ? "-" : "") + "INTERVAL '0.00000" +
         std::to_string(count < 0 ? -count : count) + "' SECOND";
}

std::string AnyOf(const std::vector<std::string>& texts) { return *rc::gen::elementOf(texts); }

std::string Comparison() { return AnyOf({" < ", " <= ", " > ", " >= ", " = "}); }

std::string AnyConjunct() {
  const std::string left = AnyOf({"l.ts", "l.ts", "l.made"});
  const std::string right = AnyOf({"r.ts", "r.ts", "r.made"});
  const std::string offset = Microseconds(*rc::gen::inRange(-2, 3));
  switch (*rc::gen::inRange(0, 7)) {
    case 0:
      return right + Comparison() + left + " + " + offset;
    case 1:
      return right + " - " + left + Comparison() + offset;
    case 2:
      return left + " - " + right + Comparison() + offset;
    case 3:
      return left + " + " + offset + Comparison() + right + " - " +
             Microseconds(*rc::gen::inRange(-2, 3));
    case 4:
      return left + " IS NOT DISTINCT FROM " + right + " + " + offset;
    case 5:
      return AnyOf({"l.v = r.v", "l.v <=> r.v", "l.v < r.v", "l.v + 1 = r.v", "l.v <> r.v",
                    "(l.v = 1 OR r.v = 1)", "COALESCE(l.v, 0) <= r.v"});
    default:
      return AnyOf({"l.v > 0", "r.v > 0", "l.v IS NULL", "r.v IS NOT NULL", "1 = 1", "1 = 0",
                    "l.ts >= l.made"});
  }
}

std::string AnyCondition() {
  std::string condition = AnyConjunct();
  for (int more = *rc::gen::inRange(0, 4); more > 0; --more) condition += " AND " + AnyConjunct();
  return condition;
}

// Every row of a small domain.
std::vector<Column> AllRows() {
  ColumnBuilder ts(DataType::Timestamp(6));
  ColumnBuilder made(DataType::Timestamp(6));
  ColumnBuilder v(DataType::BigInt());
  const std::vector<std::optional<int64_t>> times{std::nullopt, -2, -1, 0, 1, 2};
  const auto append = [](std::optional<int64_t> value, ColumnBuilder* column) {
    value ? column->Append<int64_t>(*value) : column->AppendNull();
  };
  for (const std::optional<int64_t> first : times) {
    for (const std::optional<int64_t> second : {times[0], times[2], times[3]}) {
      for (const std::optional<int64_t> third : {times[0], times[3], times[4]}) {
        append(first, &ts);
        append(second, &made);
        append(third, &v);
      }
    }
  }
  return {ts.Finish(), made.Finish(), v.Finish()};
}

Evaluator Prepared(const ExpressionPtr& expression) {
  Result<Evaluator> evaluator = Evaluator::Create(expression);
  EXPECT_TRUE(evaluator.has_value());
  return std::move(*evaluator);
}

// TRUE for each row? All rows if there is no condition.
std::vector<bool> TrueRows(const ExpressionPtr& condition, const std::vector<Column>& columns,
                           int64_t num_rows) {
  std::vector<bool> result(static_cast<size_t>(num_rows), condition == nullptr);
  if (condition == nullptr) return result;
  EvaluationContext context;
  const Column values = Prepared(condition).Evaluate(columns, num_rows, &context);
  for (int64_t row = 0; row < num_rows; ++row) {
    const bool is_true =
        values.IsValid(row) && values.Values<uint8_t>()[static_cast<size_t>(row)] != 0;
    result[static_cast<size_t>(row)] = is_true;
  }
  return result;
}

std::optional<int64_t> NumberAt(const Column& column, int64_t row) {
  if (column.IsNull(row)) return std::nullopt;
  return column.Values<int64_t>()[static_cast<size_t>(row)];
}

// All pairs of the rows of one side with those of the other; pair = left * rows + right.
struct Pairs {
  std::vector<Column> side = AllRows();
  int64_t rows = side[0].length();
  std::vector<Column> joined;

  Pairs() {
    std::array<std::vector<int32_t>, 2> picks;
    for (int32_t left = 0; left < rows; ++left) {
      for (int32_t right = 0; right < rows; ++right) {
        picks[0].push_back(left);
        picks[1].push_back(right);
      }
    }
    for (const std::vector<int32_t>& pick : picks) {
      for (const Column& column : side) {
        ColumnBuilder builder(column.type());
        builder.AppendGather(column, pick);
        joined.push_back(builder.Finish());
      }
    }
  }
};

// What the plan of one side says of each of its rows.
struct SideRows {
  std::vector<bool> can_match;
  std::vector<std::vector<std::optional<int64_t>>> keys;  // By row, then key.
  std::vector<std::optional<int64_t>> time;
};

SideRows Judge(const JoinSidePlan& plan, const Pairs& pairs) {
  SideRows judged;
  judged.can_match = TrueRows(plan.pre_join_filter, pairs.side, pairs.rows);
  judged.keys.resize(static_cast<size_t>(pairs.rows));
  for (const ExpressionPtr& key : plan.keys) {
    EvaluationContext context;
    const Column values = Prepared(key).Evaluate(pairs.side, pairs.rows, &context);
    for (int64_t row = 0; row < pairs.rows; ++row) {
      judged.keys[static_cast<size_t>(row)].push_back(NumberAt(values, row));
    }
  }
  for (int64_t row = 0; row < pairs.rows; ++row) {
    for (const std::vector<int>* columns :
         {&plan.null_time_columns, &plan.null_rejecting_columns}) {
      for (const int column : *columns) {
        if (pairs.side[static_cast<size_t>(column)].IsNull(row)) {
          judged.can_match[static_cast<size_t>(row)] = false;
        }
      }
    }
    std::optional<int64_t> time;
    for (const TimeTerm& term : plan.time) {
      const std::optional<int64_t> value =
          NumberAt(pairs.side[static_cast<size_t>(term.column)], row);
      if (!value) {
        time.reset();
        break;
      }
      time = std::min(time.value_or(*value + term.offset.micros), *value + term.offset.micros);
    }
    judged.time.push_back(time);
  }
  return judged;
}

bool KeysMatch(const SideRows& left, size_t left_row, const SideRows& right, size_t right_row,
               const std::vector<uint8_t>& null_safe) {
  for (size_t key = 0; key < null_safe.size(); ++key) {
    const std::optional<int64_t> first = left.keys[left_row][key];
    const std::optional<int64_t> second = right.keys[right_row][key];
    if (first != second || (!first && null_safe[key] == 0)) return false;
  }
  return true;
}

bool IsInRange(const TimeRange& range, std::optional<int64_t> left, std::optional<int64_t> right) {
  if (!range.lower && !range.upper) return true;
  if (!left || !right) return false;
  const Interval distance{*right - *left};
  return (!range.lower || distance >= *range.lower) && (!range.upper || distance <= *range.upper);
}

std::vector<bool> PairsOfPlan(const JoinPlan& join, const Pairs& pairs) {
  const SideRows left = Judge(join.side(Side::kLeft), pairs);
  const SideRows right = Judge(join.side(Side::kRight), pairs);
  std::vector<bool> result = TrueRows(join.post_join_filter, pairs.joined, pairs.rows * pairs.rows);
  for (size_t pair = 0; pair < result.size(); ++pair) {
    const size_t left_row = pair / static_cast<size_t>(pairs.rows);
    const size_t right_row = pair % static_cast<size_t>(pairs.rows);
    result[pair] = result[pair] && left.can_match[left_row] && right.can_match[right_row] &&
                   KeysMatch(left, left_row, right, right_row, join.null_safe_keys) &&
                   IsInRange(join.time_range, left.time[left_row], right.time[right_row]);
  }
  return result;
}

// The pairs for which the condition as the parser bound it is TRUE.
std::vector<bool> PairsOfCondition(const std::string& condition, const Pairs& pairs) {
  const Result<Script> script =
      ParseScript(kTables + ("SELECT l.v FROM l JOIN r ON " + condition), {});
  EXPECT_TRUE(script.has_value()) << condition;
  const LogicalNode* node = script->query->root.get();
  while (node->kind != LogicalKind::kJoin) node = node->inputs[0].get();
  return TrueRows(node->predicate, pairs.joined, pairs.rows * pairs.rows);
}

JoinPlan PlanOf(const std::string& condition) {
  Result<StreamPlan> plan = PlanScript(kTables + ("SELECT l.v FROM l JOIN r ON " + condition));
  EXPECT_TRUE(plan.has_value()) << condition << ": " << (plan ? "" : plan.error().message);
  return plan ? std::move(*plan->join) : JoinPlan();
}

TEST(JoinPlannerTest, ThePlanMatchesTheSamePairsAsTheCondition) {
  const Pairs pairs;
  EXPECT_TRUE(rc::check([&pairs] {
    const std::string condition = AnyCondition();
    RC_LOG() << condition << '\n';
    RC_ASSERT(PairsOfPlan(PlanOf(condition), pairs) == PairsOfCondition(condition, pairs));
  }));
}

// A row of `side` is removed when time < watermark + offset; a row that comes later on the other
// side is not late: its row time is above the watermark, or NULL.
void CheckEviction(Side side, const JoinPlan& join, const Pairs& pairs,
                   const std::vector<bool>& matches) {
  const JoinSidePlan& plan = join.side(side);
  if (!plan.eviction_offset) return;
  const std::vector<std::optional<int64_t>> time = Judge(plan, pairs).time;
  for (size_t pair = 0; pair < matches.size(); ++pair) {
    if (!matches[pair]) continue;
    const size_t left = pair / static_cast<size_t>(pairs.rows);
    const size_t right = pair % static_cast<size_t>(pairs.rows);
    const size_t own = side == Side::kLeft ? left : right;
    const size_t other = side == Side::kLeft ? right : left;
    if (!time[own]) continue;  // Never removed.
    const std::optional<int64_t> other_time = NumberAt(pairs.side[0], static_cast<int64_t>(other));
    for (int64_t watermark = -10; watermark <= 10; ++watermark) {
      const bool may_come = !other_time || *other_time > watermark;
      const bool removed = *time[own] < watermark + plan.eviction_offset->micros;
      RC_ASSERT(!(may_come && removed));
    }
  }
}

TEST(JoinPlannerTest, ARemovedRowHasNoPartnersToCome) {
  const Pairs pairs;
  EXPECT_TRUE(rc::check([&pairs] {
    const std::string condition = AnyCondition();
    RC_LOG() << condition << '\n';
    const std::vector<bool> matches = PairsOfCondition(condition, pairs);
    const JoinPlan join = PlanOf(condition);
    for (const Side side : {Side::kLeft, Side::kRight}) CheckEviction(side, join, pairs, matches);
  }));
}

}  // namespace
}  // namespace braid
