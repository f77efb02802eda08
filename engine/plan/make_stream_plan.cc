#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/plan/input_plan.h"
#include "engine/plan/join_planner.h"
#include "engine/plan/plan_warnings.h"
#include "engine/plan/query_shape.h"
#include "engine/plan/stream_plan.h"

namespace braid {

namespace {

Schema SchemaOf(const std::vector<LogicalColumn>& columns) {
  Schema schema;
  for (const LogicalColumn& column : columns) schema.fields.push_back({column.name, column.type});
  return schema;
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
    const std::vector<int>& key = input.table->primary_key;
    for (const ExpressionPtr& expression : input.columns) {
      const bool is_key = expression->kind == ExpressionKind::kColumn &&
                          std::find(key.begin(), key.end(), expression->column) != key.end();
      if (is_key) (*needed)[column] = true;
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

// Plans the inputs, and puts the shape's expressions over the columns that these give.
std::vector<PlannedInput> PlanInputs(Mode mode, QueryShape* shape) {
  std::vector<bool> needed = NeededColumns(*shape);
  if (mode == Mode::kPerRecord) NeedPrimaryKeys(*shape, &needed);
  std::vector<PlannedInput> inputs;
  std::vector<int> positions;
  size_t first = 0;
  int offset = 0;
  for (const InputShape& input : shape->inputs) {
    const auto begin = needed.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = begin + static_cast<std::ptrdiff_t>(input.columns.size());
    inputs.push_back(PlanInput(input, std::vector<bool>(begin, end)));
    for (const int position : inputs.back().positions) {
      positions.push_back(position < 0 ? -1 : position + offset);
    }
    first += input.columns.size();
    offset += inputs.back().plan.schema.num_columns();
  }
  Remap(positions, &shape->on);
  Remap(positions, &shape->where);
  Remap(positions, &shape->projections);
  return inputs;
}

}  // namespace

Result<StreamPlan> MakeStreamPlan(const BoundQuery& query, Mode mode) {
  Result<QueryShape> shape = ShapeOf(*query.root);
  if (!shape) return tl::unexpected(shape.error());
  return MakeStreamPlanOf(query, std::move(*shape), mode);
}

Result<StreamPlan> MakeStreamPlanOf(const BoundQuery& query, QueryShape shape, Mode mode) {
  std::vector<PlannedInput> inputs = PlanInputs(mode, &shape);

  StreamPlan plan;
  plan.text = query.text;
  plan.output = SchemaOf(shape.output);
  plan.sink = query.sink;
  plan.limit = query.limit;
  JoinedColumns columns;
  if (inputs.size() == 1) {
    columns = JoinedColumns(inputs[0].columns, {});
    plan.where = JoinConjuncts(shape.where);
    plan.single = std::move(inputs[0].plan);
  } else {
    columns = JoinedColumns(inputs[0].columns, inputs[1].columns);
    if (mode == Mode::kPerRecord) columns.AllowProcessingTime();
    Status planned = PlanJoin(shape, columns, std::move(inputs), mode, &plan);
    if (!planned) return tl::unexpected(planned.error());
  }
  plan.projections = shape.projections;
  for (size_t column = 0; column < plan.projections.size(); ++column) {
    const Expression& expression = *plan.projections[column];
    plan.output_is_row_time.push_back(expression.kind == ExpressionKind::kColumn &&
                                      shape.output[column].is_row_time &&
                                      columns.at(expression.column).is_row_time);
  }
  AddWarnings(shape, &plan);
  return plan;
}

}  // namespace braid
