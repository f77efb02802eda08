#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/plan/change_flow.h"
#include "engine/plan/input_plan.h"
#include "engine/plan/interval_text.h"
#include "engine/plan/join_planner.h"
#include "engine/plan/per_record_planner.h"
#include "engine/plan/plan_warnings.h"
#include "engine/plan/query_shape.h"
#include "engine/plan/row_report_planner.h"
#include "engine/plan/stream_plan.h"
#include "state/rows/limits.h"

namespace braid {

namespace {

Schema SchemaOf(const std::vector<LogicalColumn>& columns) {
  Schema schema;
  for (const LogicalColumn& column : columns) schema.fields.push_back({column.name, column.type});
  return schema;
}

// A query of the tree on its way to a plan.
struct QueryPlanning {
  Mode mode = Mode::kMicroBatch;
  RowTimeJoin row_time_join = RowTimeJoin::kSql;
  ReportTables reports;
  std::vector<const TableDefinition*> tables;  // All of the tree.
  std::vector<std::string> warnings;  // Of all joins, in the order in which they are executed.
};

struct PlannedQuery {
  StreamPlan plan;
  // All columns of the query's output, needed or not.
  std::vector<SideColumn> visible;
};

Result<PlannedQuery> PlanQuery(QueryShape shape, const std::vector<bool>& needed,
                               QueryPlanning* planning);

// Drops the output columns that nobody needs.
void KeepNeededOutput(const std::vector<bool>& needed, QueryShape* shape) {
  size_t kept = 0;
  for (size_t column = 0; column < needed.size(); ++column) {
    if (!needed[column]) continue;
    shape->projections[kept] = shape->projections[column];
    shape->output[kept] = shape->output[column];
    ++kept;
  }
  shape->projections.resize(kept);
  shape->output.resize(kept);
}

// One entry for each column of all inputs: whether any condition or the output refers to it.
std::vector<bool> NeededColumns(const QueryShape& shape) {
  size_t num_columns = 0;
  for (const InputShape& input : shape.inputs) num_columns += input.columns.size();
  std::vector<bool> needed(num_columns, false);
  for (const auto* expressions : {&shape.on, &shape.where, &shape.projections}) {
    for (const ExpressionPtr& expression : *expressions) {
      for (const int column : ReferencedColumns(*expression)) {
        needed[static_cast<size_t>(column)] = true;
      }
    }
  }
  return needed;
}

// A row of a table with a primary key replaces the stored one with its key.
void NeedPrimaryKeys(const QueryShape& shape, std::vector<bool>* needed) {
  size_t column = 0;
  for (const InputShape& input : shape.inputs) {
    for (const ExpressionPtr& expression : input.columns) {
      const bool of_table = input.table != nullptr && expression->kind == ExpressionKind::kColumn;
      if (of_table) {
        const std::vector<int>& key = input.table->primary_key;
        const bool is_key = std::find(key.begin(), key.end(), expression->column) != key.end();
        if (is_key) (*needed)[column] = true;
      }
      ++column;
    }
  }
}

void Remap(const std::vector<int>& positions, std::vector<ExpressionPtr>* expressions) {
  for (ExpressionPtr& expression : *expressions) {
    expression = RemapColumns(
        expression, [&positions](int column) { return positions[static_cast<size_t>(column)]; });
  }
}

// Why no column of a query that is an input is row time; nothing where one is.
std::string LostRowTime(const InputShape& input, const StreamPlan& query) {
  const bool has_row_time =
      std::any_of(input.visible.begin(), input.visible.end(),
                  [](const SideColumn& column) { return column.is_row_time; });
  if (has_row_time) return "";
  const PerRecordPlan& join = *query.join->per_record;
  const std::string name = FormatName(input.ReadableName());
  switch (join.chosen) {
    case PerRecordOperator::kRegular:
      return fmt::format("{} is a regular join, behind which there is no row time{}", name,
                         join.missing_line.empty() ? "" : "; to make it an interval join: ") +
             join.missing_line;
    case PerRecordOperator::kProcessingTimeInterval:
      return fmt::format("{} is joined by processing time and has no row time", name);
    case PerRecordOperator::kRowTimeInterval:
    case PerRecordOperator::kDataStreamInterval:
      break;
  }
  return fmt::format(
      "the row time of {} does not reach the join: a view or subquery drops it or computes with "
      "it; select it unchanged there",
      name);
}

Result<PlannedInput> PlanOneInput(const std::vector<bool>& needed, QueryPlanning* planning,
                                  InputShape* input) {
  if (input->query == nullptr) {
    input->visible = VisibleColumns(*input);
    return PlanInput(*input, needed,
                     ReportedColumnsOf(planning->reports, *input->table, planning->mode));
  }
  Result<PlannedQuery> query = PlanQuery(*input->query, needed, planning);
  if (!query) return tl::unexpected(query.error());
  input->visible = std::move(query->visible);
  for (size_t index = 0; !input->alias.empty() && index < input->visible.size(); ++index) {
    input->visible[index].name = QualifiedName(input->alias, input->names[index].name);
  }
  input->lost_row_time = LostRowTime(*input, query->plan);
  return PlanQueryInput(*input, needed, std::move(query->plan));
}

// Plans the inputs, and puts the shape's expressions over the columns that these give.
Result<std::vector<PlannedInput>> PlanInputs(QueryPlanning* planning, QueryShape* shape) {
  std::vector<bool> needed = NeededColumns(*shape);
  if (planning->mode == Mode::kPerRecord) NeedPrimaryKeys(*shape, &needed);
  std::vector<PlannedInput> inputs;
  std::vector<int> positions;
  size_t first = 0;
  int offset = 0;
  for (InputShape& input : shape->inputs) {
    const auto begin = needed.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = begin + static_cast<std::ptrdiff_t>(input.columns.size());
    Result<PlannedInput> planned = PlanOneInput(std::vector<bool>(begin, end), planning, &input);
    if (!planned) return tl::unexpected(planned.error());
    for (const int position : planned->positions) {
      positions.push_back(position < 0 ? -1 : position + offset);
    }
    first += input.columns.size();
    offset += planned->plan.schema.num_columns();
    inputs.push_back(std::move(*planned));
  }
  Remap(positions, &shape->on);
  Remap(positions, &shape->where);
  Remap(positions, &shape->projections);
  return inputs;
}

// What the output columns are to a join that this query is an input of.
std::vector<SideColumn> OutputColumns(const std::vector<ExpressionPtr>& projections,
                                      const std::vector<LogicalColumn>& output,
                                      const QueryShape& shape, bool keeps_times) {
  std::vector<const SideColumn*> below;
  for (const InputShape& input : shape.inputs) {
    for (const SideColumn& column : input.visible) below.push_back(&column);
  }
  std::vector<SideColumn> columns;
  for (size_t index = 0; index < projections.size(); ++index) {
    const Expression& expression = *projections[index];
    SideColumn column{FormatName(output[index].name), expression.type};
    column.is_processing_time = expression.is_call(Operation::kProcTime);
    if (expression.kind == ExpressionKind::kColumn) {
      const SideColumn& source = *below[static_cast<size_t>(expression.column)];
      column.name = source.name;
      column.is_row_time = keeps_times && output[index].is_row_time && source.is_row_time;
      column.is_processing_time = keeps_times && source.is_processing_time;
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

// Behind a regular join of the per-record mode there is neither row time nor processing time.
bool KeepsTimes(const StreamPlan& plan) {
  return !plan.join || !plan.join->per_record || plan.join->per_record->is_interval();
}

void MarkRowTimes(const QueryShape& shape, const JoinedColumns& columns, StreamPlan* plan) {
  for (size_t column = 0; column < plan->projections.size(); ++column) {
    const Expression& expression = *plan->projections[column];
    plan->output_is_row_time.push_back(
        expression.kind == ExpressionKind::kColumn && shape.output[column].is_row_time &&
        columns.at(expression.column).is_row_time && KeepsTimes(*plan));
  }
}

Status PlanJoinOf(const QueryShape& shape, std::vector<PlannedInput> inputs,
                  QueryPlanning* planning, StreamPlan* plan) {
  JoinedColumns columns(inputs[0].columns, inputs[1].columns);
  if (planning->mode == Mode::kPerRecord) columns.AllowProcessingTime();
  Status planned = PlanJoin(shape, columns, std::move(inputs), planning->mode, plan);
  if (planned && planning->row_time_join == RowTimeJoin::kDataStream) {
    planned = UseDataStreamJoin(shape, &*plan->join);
  }
  if (!planned) return planned;
  // What tables give is not known yet; a join below may take rows back whatever they give.
  if (planning->mode != Mode::kPerRecord) return {};
  Status flows = CheckChangeFlow(*plan, {});
  if (!flows) return Fail(flows.error().code, flows.error().message, shape.join_place);
  return {};
}

Result<PlannedQuery> PlanQuery(QueryShape shape, const std::vector<bool>& needed,
                               QueryPlanning* planning) {
  const std::vector<ExpressionPtr> all_projections = shape.projections;
  const std::vector<LogicalColumn> all_output = shape.output;
  KeepNeededOutput(needed, &shape);
  PushDownConditions(&shape);
  Result<std::vector<PlannedInput>> inputs = PlanInputs(planning, &shape);
  if (!inputs) return tl::unexpected(inputs.error());

  PlannedQuery query;
  StreamPlan& plan = query.plan;
  plan.mode = planning->mode;
  plan.output = SchemaOf(shape.output);
  Status reported =
      PlanReports(planning->reports, planning->mode, planning->tables, &*inputs, &plan);
  if (!reported) return tl::unexpected(reported.error());
  JoinedColumns columns((*inputs)[0].columns,
                        inputs->size() == 1 ? std::vector<SideColumn>() : (*inputs)[1].columns);
  if (inputs->size() == 1) {
    plan.where = JoinConjuncts(shape.where);
    plan.single = std::move((*inputs)[0].plan);
  } else {
    Status planned = PlanJoinOf(shape, std::move(*inputs), planning, &plan);
    if (!planned) return tl::unexpected(planned.error());
  }
  plan.projections = shape.projections;
  MarkRowTimes(shape, columns, &plan);
  query.visible = OutputColumns(all_projections, all_output, shape, KeepsTimes(plan));
  if (plan.join) WarnOfJoin(shape, &plan);
  planning->warnings.insert(planning->warnings.end(), plan.warnings.begin(), plan.warnings.end());
  plan.warnings.clear();
  return query;
}

}  // namespace

Result<StreamPlan> MakeStreamPlan(const BoundQuery& query, Mode mode, RowTimeJoin row_time_join,
                                  const ReportTables& reports) {
  Result<QueryShape> shape = ShapeOf(*query.root, mode);
  if (!shape) return tl::unexpected(shape.error());
  return MakeStreamPlanOf(query, std::move(*shape), mode, row_time_join, reports);
}

Result<StreamPlan> MakeStreamPlanOf(const BoundQuery& query, QueryShape shape, Mode mode,
                                    RowTimeJoin row_time_join, const ReportTables& reports) {
  const std::vector<const TableDefinition*> tables = TablesOf(shape);
  if (tables.size() > kJoinsMax + 1) {
    return Fail(ErrorCode::kInvalidQuery,
                fmt::format("the query has {} joins, those of its views included; there may be {}",
                            tables.size() - 1, kJoinsMax),
                shape.join_place);
  }
  QueryPlanning planning{mode, row_time_join, reports, tables, {}};
  const std::vector<bool> needed(shape.output.size(), true);
  Result<PlannedQuery> planned = PlanQuery(std::move(shape), needed, &planning);
  if (!planned) return tl::unexpected(planned.error());
  StreamPlan& plan = planned->plan;
  plan.text = query.text;
  plan.sink = query.sink;
  plan.limit = query.limit;
  if (mode == Mode::kMicroBatch) WarnOfNoDelay(tables, &plan.warnings);
  WarnOfNoWatermark(tables, &plan);
  plan.warnings.insert(plan.warnings.end(), planning.warnings.begin(), planning.warnings.end());
  return std::move(plan);
}

}  // namespace braid
