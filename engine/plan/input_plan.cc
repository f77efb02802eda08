#include "engine/plan/input_plan.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <utility>

#include "engine/plan/interval_text.h"

namespace braid {

namespace {

bool IsWatermarked(const TableDefinition& table, int column) {
  return table.watermark && table.watermark->column == column;
}

bool IsProcessingTime(const ColumnDefinition& column) {
  return column.computed != nullptr && column.computed->is_call(Operation::kProcTime);
}

// Column `index` of the shape as the join sees it.
SideColumn ColumnOfShape(const InputShape& shape, size_t index) {
  const Expression& expression = *shape.columns[index];
  const LogicalColumn& name = shape.names[index];
  SideColumn column{QualifiedName(shape.alias, name.name), expression.type};
  column.is_processing_time = expression.is_call(Operation::kProcTime);
  if (expression.kind != ExpressionKind::kColumn) return column;
  column.table_column = expression.column;
  column.is_row_time = name.is_row_time && IsWatermarked(*shape.table, expression.column);
  column.is_processing_time =
      IsProcessingTime(shape.table->columns[static_cast<size_t>(expression.column)]);
  return column;
}

void NameColumns(PlannedInput* input) {
  for (const SideColumn& column : input->columns) input->plan.column_names.push_back(column.name);
}

// Every needed column is a column of the table, so that no projection is needed. (A row time that a
// subquery made an ordinary timestamp needs one, to be told apart.)
bool ArePlainColumns(const InputShape& shape, const std::vector<bool>& needed) {
  for (size_t index = 0; index < needed.size(); ++index) {
    if (!needed[index]) continue;
    const SideColumn column = ColumnOfShape(shape, index);
    if (column.table_column < 0) return false;
    if (IsWatermarked(*shape.table, column.table_column) && !column.is_row_time) return false;
  }
  return true;
}

// Each computed column of the table over its physical ones.
std::vector<ExpressionPtr> OverPhysicalColumns(const TableDefinition& table) {
  std::vector<ExpressionPtr> columns;
  columns.reserve(table.columns.size());
  for (size_t index = 0; index < table.columns.size(); ++index) {
    columns.push_back(MakeColumn(static_cast<int>(index), table.columns[index].type));
  }
  for (size_t index = 0; index < table.columns.size(); ++index) {
    const ExpressionPtr& computed = table.columns[index].computed;
    if (computed != nullptr) columns[index] = SubstituteColumns(computed, columns);
  }
  return columns;
}

std::set<int> NeededTableColumns(const InputShape& shape, const std::vector<bool>& needed) {
  std::set<int> table_columns;
  const auto add = [&](const Expression& expression) {
    const std::vector<int> columns = ReferencedColumns(expression);
    table_columns.insert(columns.begin(), columns.end());
  };
  for (const ExpressionPtr& filter : shape.filters) add(*filter);
  for (size_t index = 0; index < needed.size(); ++index) {
    if (needed[index]) add(*shape.columns[index]);
  }
  if (shape.table->watermark) table_columns.insert(shape.table->watermark->column);
  return table_columns;
}

// The needed columns and the reported ones; notes which are reported alone.
std::set<int> WithReported(std::set<int> columns, const ReportedColumns& reported,
                           InputPlan* plan) {
  std::vector<int> of_side_alone;
  std::set_difference(reported.of_side.begin(), reported.of_side.end(), columns.begin(),
                      columns.end(), std::back_inserter(of_side_alone));
  columns.insert(of_side_alone.begin(), of_side_alone.end());
  std::set_difference(reported.of_table.begin(), reported.of_table.end(), columns.begin(),
                      columns.end(), std::back_inserter(plan->late_only_columns));
  columns.insert(plan->late_only_columns.begin(), plan->late_only_columns.end());
  std::merge(of_side_alone.begin(), of_side_alone.end(), plan->late_only_columns.begin(),
             plan->late_only_columns.end(), std::back_inserter(plan->report_only_columns));
  return columns;
}

void PlanReading(const InputShape& shape, const std::set<int>& needed, InputPlan* plan) {
  const std::vector<ExpressionPtr> expressions = OverPhysicalColumns(*shape.table);
  std::set<int> read;
  for (const int column : needed) {
    const std::vector<int> physical = ReferencedColumns(*expressions[static_cast<size_t>(column)]);
    read.insert(physical.begin(), physical.end());
  }
  plan->read_columns.assign(read.begin(), read.end());
  std::vector<int> positions(shape.table->columns.size(), -1);
  for (size_t position = 0; position < plan->read_columns.size(); ++position) {
    positions[static_cast<size_t>(plan->read_columns[position])] = static_cast<int>(position);
  }
  plan->table_columns.resize(shape.table->columns.size());
  for (const int column : needed) {
    plan->table_columns[static_cast<size_t>(column)] = RemapColumns(
        expressions[static_cast<size_t>(column)],
        [&positions](int physical) { return positions[static_cast<size_t>(physical)]; });
  }
}

// The side's columns are the table's, under the names that the query gives them.
void KeepTableColumns(const InputShape& shape, const std::vector<bool>& needed,
                      PlannedInput* input) {
  const TableDefinition& table = *shape.table;
  for (size_t index = 0; index < table.columns.size(); ++index) {
    const ColumnDefinition& column = table.columns[index];
    input->plan.schema.fields.push_back({column.name, column.type});
    SideColumn side{QualifiedName(shape.alias, column.name), column.type};
    side.is_row_time = IsWatermarked(table, static_cast<int>(index));
    side.is_processing_time = IsProcessingTime(column);
    side.table_column = static_cast<int>(index);
    input->columns.push_back(std::move(side));
  }
  for (size_t index = needed.size(); index-- > 0;) {
    if (!needed[index]) continue;
    const int column = shape.columns[index]->column;
    input->positions[index] = column;
    input->plan.schema.fields[static_cast<size_t>(column)].name = shape.names[index].name;
    input->columns[static_cast<size_t>(column)].name =
        QualifiedName(shape.alias, shape.names[index].name);
  }
}

// The side's columns are the needed ones of the shape, and behind them what is reported.
void ProjectColumns(const InputShape& shape, const std::vector<bool>& needed,
                    const std::set<int>& reported, PlannedInput* input) {
  TransformStep step;
  for (size_t index = 0; index < needed.size(); ++index) {
    if (!needed[index]) continue;
    input->positions[index] = static_cast<int>(step.projection.size());
    step.projection.push_back(shape.columns[index]);
    input->plan.schema.fields.push_back({shape.names[index].name, shape.columns[index]->type});
    input->columns.push_back(ColumnOfShape(shape, index));
  }
  for (const int column : reported) {
    const auto holds = [column](const SideColumn& side) { return side.table_column == column; };
    if (std::any_of(input->columns.begin(), input->columns.end(), holds)) continue;
    const ColumnDefinition& definition = shape.table->columns[static_cast<size_t>(column)];
    step.projection.push_back(MakeColumn(column, definition.type));
    input->plan.schema.fields.push_back({definition.name, definition.type});
    SideColumn side{QualifiedName(shape.alias, definition.name), definition.type};
    side.table_column = column;
    input->columns.push_back(std::move(side));
  }
  input->plan.steps.push_back(std::move(step));
}

}  // namespace

PlannedInput PlanInput(const InputShape& shape, const std::vector<bool>& needed,
                       const ReportedColumns& reported) {
  PlannedInput input;
  input.plan.table = shape.table;
  input.plan.alias = shape.alias;
  input.plan.watermark = shape.table->watermark;
  input.positions.assign(shape.columns.size(), -1);
  PlanReading(shape, WithReported(NeededTableColumns(shape, needed), reported, &input.plan),
              &input.plan);
  if (!shape.filters.empty()) {
    TransformStep step;
    step.filter = JoinConjuncts(shape.filters);
    input.plan.steps.push_back(std::move(step));
  }
  if (ArePlainColumns(shape, needed)) {
    KeepTableColumns(shape, needed, &input);
  } else {
    ProjectColumns(shape, needed, reported.of_side, &input);
  }
  NameColumns(&input);
  return input;
}

PlannedInput PlanQueryInput(const InputShape& shape, const std::vector<bool>& needed,
                            StreamPlan query) {
  PlannedInput input;
  input.plan.alias = shape.ReadableName();
  input.plan.schema = query.output;
  input.positions.assign(shape.columns.size(), -1);
  for (size_t index = 0; index < needed.size(); ++index) {
    if (!needed[index]) continue;
    const int position = static_cast<int>(input.columns.size());
    input.positions[index] = position;
    input.plan.read_columns.push_back(position);
    input.plan.table_columns.push_back(MakeColumn(position, shape.names[index].type));
    input.columns.push_back(shape.visible[index]);
  }
  input.plan.query = std::make_shared<const StreamPlan>(std::move(query));
  NameColumns(&input);
  return input;
}

std::vector<SideColumn> VisibleColumns(const InputShape& shape) {
  std::vector<SideColumn> columns;
  columns.reserve(shape.columns.size());
  for (size_t index = 0; index < shape.columns.size(); ++index) {
    columns.push_back(ColumnOfShape(shape, index));
  }
  return columns;
}

std::string QualifiedName(const std::string& alias, const std::string& column) {
  return FormatName(alias) + "." + FormatName(column);
}

}  // namespace braid
