#include "engine/plan/plan_zone.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/expression/zone_dependence.h"

namespace braid {

namespace {

bool AnyDepends(const std::vector<ExpressionPtr>& expressions) {
  return std::any_of(expressions.begin(), expressions.end(),
                     [](const ExpressionPtr& expression) { return DependsOnZone(expression); });
}

bool TableDepends(const InputPlan& input) {
  const std::vector<ColumnDefinition>& columns = input.table->columns;
  const bool reads_moments =
      std::any_of(input.read_columns.begin(), input.read_columns.end(), [&](int column) {
        return columns[static_cast<size_t>(column)].type.kind == TypeKind::kTimestampLtz;
      });
  return reads_moments || AnyDepends(input.table_columns) ||
         std::any_of(input.steps.begin(), input.steps.end(), [](const TransformStep& step) {
           return DependsOnZone(step.filter) || AnyDepends(step.projection);
         });
}

bool QueryDepends(const StreamPlan& plan) {
  if (DependsOnZone(plan.where) || AnyDepends(plan.projections)) return true;
  if (!plan.join) return TableDepends(*plan.single);
  if (DependsOnZone(plan.join->post_join_filter)) return true;
  return std::any_of(
      plan.join->sides.begin(), plan.join->sides.end(), [](const JoinSidePlan& side) {
        const InputPlan& input = side.input;
        return DependsOnZone(side.where) || DependsOnZone(side.pre_join_filter) ||
               AnyDepends(side.keys) || AnyDepends(side.payload_expressions) ||
               (input.query == nullptr ? TableDepends(input) : QueryDepends(*input.query));
      });
}

bool ReportDepends(const std::optional<RowReport>& report) {
  return report &&
         std::any_of(report->inputs.begin(), report->inputs.end(),
                     [](const RowReport::Input& input) { return AnyDepends(input.columns); });
}

}  // namespace

bool DependsOnZone(const StreamPlan& plan) {
  return QueryDepends(plan) || ReportDepends(plan.late_rows) || ReportDepends(plan.unmatched_rows);
}

}  // namespace braid
