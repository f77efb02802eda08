#include "engine/plan/state_watermark.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engine/plan/interval_text.h"
#include "engine/plan/time_bound.h"

namespace braid {

namespace {

constexpr Interval kMicrosecond{1};

// A timestamp column plus a constant, as an operand of a key.
struct KeyTime {
  int column = -1;  // Joined.
  Interval constant;
};

std::optional<KeyTime> KeyTimeOf(const Expression& operand) {
  const std::optional<LinearTime> linear = LinearTimeOf(operand);
  if (!linear || linear->has_months || linear->has_processing_time) return std::nullopt;
  const std::optional<int> column = linear->single_column();
  if (!column) return std::nullopt;
  return KeyTime{*column, linear->constant};
}

bool IsBounded(int column, const std::vector<TimeBound>& bounds) {
  return std::any_of(bounds.begin(), bounds.end(), [column](const TimeBound& bound) {
    return bound.left == column || bound.right == column;
  });
}

bool ApplyKeyRule(Side side, const PredicateSplit& split, const JoinedColumns& columns,
                  StateWatermark* state_watermark) {
  for (const EquiKey& key : split.keys) {
    const std::optional<KeyTime> own = KeyTimeOf(*key.sides[Index(side)]);
    const std::optional<KeyTime> other = KeyTimeOf(*key.sides[Index(Other(side))]);
    if (!own || !other || !columns.at(other->column).is_row_time) continue;
    const Interval reach = std::min(Interval{0}, other->constant);
    state_watermark->rules.push_back(
        {columns.on_side(own->column), reach + (-own->constant), true});
    state_watermark->keeps_null_times = key.null_safe && !IsBounded(own->column, split.bounds);
    return true;
  }
  return false;
}

void ApplyRangeRule(Side side, const PredicateSplit& split, const JoinedColumns& columns,
                    StateWatermark* state_watermark) {
  for (const TimeBound& bound : split.bounds) {
    const int own = side == Side::kLeft ? bound.left : bound.right;
    const int other = side == Side::kLeft ? bound.right : bound.left;
    const bool lets_go = side == Side::kLeft ? bound.is_upper() : bound.is_lower();
    if (!lets_go || !columns.at(other).is_row_time) continue;
    const Interval limit = side == Side::kLeft ? -bound.distance : bound.distance;
    state_watermark->rules.push_back({columns.on_side(own), limit, bound.strict});
  }
}

// `column < watermark + offset`, exact to the microsecond.
Interval ExclusiveLimit(const RemovalRule& rule) {
  return rule.inclusive ? rule.limit + kMicrosecond : rule.limit;
}

// One rule a column: the one that lets a row go first.
std::vector<RemovalRule> OnePerColumn(const std::vector<RemovalRule>& rules) {
  std::vector<RemovalRule> merged;
  for (const RemovalRule& rule : rules) {
    const auto same = std::find_if(merged.begin(), merged.end(), [&](const RemovalRule& other) {
      return other.column == rule.column;
    });
    if (same == merged.end()) {
      merged.push_back(rule);
    } else if (ExclusiveLimit(rule) > ExclusiveLimit(*same)) {
      *same = rule;
    }
  }
  return merged;
}

}  // namespace

StateWatermark StateWatermarkOf(Side side, const PredicateSplit& split,
                                const JoinedColumns& columns) {
  StateWatermark state_watermark;
  if (!ApplyKeyRule(side, split, columns, &state_watermark)) {
    ApplyRangeRule(side, split, columns, &state_watermark);
  }
  state_watermark.rules = OnePerColumn(state_watermark.rules);
  return state_watermark;
}

void ApplyStateWatermark(Side side, const StateWatermark& state_watermark,
                         const JoinedColumns& columns, JoinSidePlan* plan) {
  const std::vector<RemovalRule>& rules = state_watermark.rules;
  plan->eviction_text.clear();
  for (const RemovalRule& rule : rules) {
    if (!plan->eviction_text.empty()) plan->eviction_text += " or ";
    plan->eviction_text +=
        fmt::format("{} {} watermark{}", columns.at(columns.joined(side, rule.column)).name,
                    rule.inclusive ? "<=" : "<", FormatOffset(rule.limit));
  }
  if (rules.size() == 1) {
    // The stored time is then the plain column, which is not stored a second time.
    plan->time = {{rules[0].column, Interval{0}}};
    plan->eviction_offset = ExclusiveLimit(rules[0]);
    return;
  }
  plan->time.clear();
  for (const RemovalRule& rule : rules) {
    plan->time.push_back({rule.column, -ExclusiveLimit(rule)});
  }
  plan->eviction_offset = Interval{0};
}

}  // namespace braid
