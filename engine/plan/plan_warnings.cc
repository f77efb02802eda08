#include "engine/plan/plan_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/plan/interval_text.h"

namespace braid {

// Late is: at or below the watermark. So with delay 0 the newest time itself is late in the next
// batch.
void WarnOfNoDelay(const std::vector<const TableDefinition*>& tables,
                   std::vector<std::string>* warnings) {
  std::set<const TableDefinition*> seen;
  for (const TableDefinition* one : tables) {
    const TableDefinition& table = *one;
    if (!table.watermark || table.watermark->delay.micros > 0) continue;
    if (!seen.insert(&table).second) continue;
    const std::string column =
        FormatName(table.columns[static_cast<size_t>(table.watermark->column)].name);
    warnings->push_back(fmt::format(
        "table {}: its watermark has no delay, so a row with the newest time seen so far is late "
        "in the next batch; write WATERMARK FOR {} AS {} - INTERVAL '0.001' SECOND, or more",
        FormatName(table.name), column, column));
  }
}

void WarnOfNoWatermark(const std::vector<const TableDefinition*>& tables, StreamPlan* plan) {
  const bool has_watermark =
      std::any_of(tables.begin(), tables.end(),
                  [](const TableDefinition* table) { return table->watermark.has_value(); });
  if (!plan->late_rows) return;
  const std::vector<const JoinPlan*> joins = Joins(*plan);
  const bool refuses_late =
      plan->mode == Mode::kMicroBatch ||
      std::any_of(joins.begin(), joins.end(), [](const JoinPlan* join) {
        return join->per_record->chosen == PerRecordOperator::kDataStreamInterval;
      });
  if (has_watermark && !refuses_late) {
    plan->warnings.push_back(fmt::format(
        "late-rows.table = {}: in per-record mode a late row is joined like any other, and only "
        "the "
        "DataStream interval join refuses it; write SET 'per-record.interval-join' = 'datastream'",
        FormatName(plan->late_rows->table->name)));
  }
  if (has_watermark) return;
  plan->warnings.push_back(
      fmt::format("late-rows.table = {}: no table of the query has a watermark, so no row is late; "
                  "write WATERMARK FOR <time> AS <time> - INTERVAL '<delay>' SECOND",
                  FormatName(plan->late_rows->table->name)));
}

void WarnOfJoin(const QueryShape& shape, StreamPlan* plan) {
  const JoinPlan& join = *plan->join;
  const std::string left = FormatName(join.side(Side::kLeft).input.alias);
  const std::string right = FormatName(join.side(Side::kRight).input.alias);
  const TimeRange& range = join.time_range;
  const bool is_interval = join.per_record && join.per_record->is_interval();
  const bool has_bound = is_interval || range.lower.has_value() || range.upper.has_value();
  if (join.side(Side::kLeft).keys.empty()) {
    if (shape.is_cross_join && !has_bound && join.post_join_filter == nullptr) {
      plan->warnings.push_back(fmt::format(
          "CROSS JOIN: every row of {} is joined with every row of {}; write JOIN {} ON with an "
          "equality and a time bound",
          left, right, right));
    }
    plan->warnings.push_back(
        fmt::format("the join condition has no equality between {} and {}, so the join runs in one "
                    "partition whatever the parallelism, and compares more rows; add one: AND "
                    "{}.<key> = {}.<key>",
                    left, right, left, right));
  }
  const bool is_empty = is_interval ? join.per_record->is_empty_window()
                                    : range.lower && range.upper && *range.lower > *range.upper;
  if (is_empty) {
    plan->warnings.push_back(fmt::format(
        "the time bounds exclude each other, so that no row of {} matches a row of {}: look at "
        "their signs",
        left, right));
  }
}

}  // namespace braid
