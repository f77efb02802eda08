#include "engine/compare/compare_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "engine/plan/input_plan.h"
#include "engine/plan/joined_columns.h"
#include "engine/plan/query_shape.h"
#include "engine/plan/row_report.h"

namespace braid {

namespace {

// What tells of the rows of one side, over the joined columns of the shape.
struct SideTags {
  ExpressionPtr time;     // Null without a watermark.
  ExpressionPtr present;  // Null where nothing needs it.
  std::vector<ExpressionPtr> keys;
};

int NumColumns(const QueryShape& shape, Side side) {
  return static_cast<int>(shape.inputs[Index(side)].columns.size());
}

void MoveRightColumns(int from, std::vector<ExpressionPtr>* expressions) {
  for (ExpressionPtr& expression : *expressions) {
    expression = RemapColumns(expression,
                              [from](int column) { return column < from ? column : column + 1; });
  }
}

// Appends a column to the side, as a subquery would that selects one more; gives its joined index.
int AppendColumn(const ExpressionPtr& over_table, const char* name, Side side, QueryShape* shape) {
  InputShape& input = shape->inputs[Index(side)];
  const int column = NumColumns(*shape, side);
  input.columns.push_back(over_table);
  LogicalColumn described;
  described.name = name;
  described.type = over_table->type;
  input.names.push_back(std::move(described));
  if (side == Side::kRight) return NumColumns(*shape, Side::kLeft) + column;
  if (shape->inputs.size() > 1) {
    for (auto* expressions : {&shape->on, &shape->where, &shape->projections}) {
      MoveRightColumns(column, expressions);
    }
  }
  return column;
}

bool IsLeftOnly(const QueryShape& shape) {
  return shape.join_type == JoinType::kLeftSemi || shape.join_type == JoinType::kLeftAnti;
}

// Sides whose columns the output can name.
bool IsVisible(Side side, const QueryShape& shape) {
  return side == Side::kLeft || (shape.inputs.size() > 1 && !IsLeftOnly(shape));
}

bool MayBePadded(Side side, const QueryShape& shape) {
  const JoinType type = shape.join_type;
  if (type == JoinType::kFull) return true;
  return type == (side == Side::kLeft ? JoinType::kRight : JoinType::kLeft);
}

// Makes the row time of each side a column that the query can name.
void AppendTimes(QueryShape* shape) {
  for (size_t index = 0; index < shape->inputs.size(); ++index) {
    const InputShape& input = shape->inputs[index];
    if (!input.table->watermark) continue;
    const int column = input.table->watermark->column;
    const bool is_there =
        std::any_of(input.columns.begin(), input.columns.end(), [column](const auto& expression) {
          return expression->kind == ExpressionKind::kColumn && expression->column == column;
        });
    if (is_there) continue;
    const DataType type = input.table->columns[static_cast<size_t>(column)].type;
    AppendColumn(MakeColumn(column, type), "row time", static_cast<Side>(index), shape);
  }
}

// The row time of a side, over the joined columns. REQUIRES: AppendTimes.
ExpressionPtr TimeOf(Side side, const QueryShape& shape) {
  const InputShape& input = shape.inputs[Index(side)];
  if (!input.table->watermark) return nullptr;
  const int wanted = input.table->watermark->column;
  const int offset = side == Side::kLeft ? 0 : NumColumns(shape, Side::kLeft);
  for (size_t column = 0; column < input.columns.size(); ++column) {
    const Expression& expression = *input.columns[column];
    if (expression.kind != ExpressionKind::kColumn || expression.column != wanted) continue;
    return MakeColumn(offset + static_cast<int>(column), expression.type);
  }
  return nullptr;
}

// Both sides of each ON condition `left expression = right expression`; times are known already.
void AddKeys(const std::vector<ExpressionPtr>& conjuncts, const JoinedColumns& columns,
             std::array<SideTags, 2>* tags) {
  for (const ExpressionPtr& conjunct : conjuncts) {
    const bool is_equality =
        conjunct->is_call(Operation::kEqual) || conjunct->is_call(Operation::kIsNotDistinctFrom);
    if (!is_equality || UsesProcessingTime(*conjunct)) continue;
    ExpressionPtr left = conjunct->arguments[0];
    ExpressionPtr right = conjunct->arguments[1];
    if (left->type.is_timestamp()) continue;
    if (SidesOf(*left, columns).only(Side::kRight)) std::swap(left, right);
    if (!SidesOf(*left, columns).only(Side::kLeft)) continue;
    if (!SidesOf(*right, columns).only(Side::kRight)) continue;
    (*tags)[0].keys.push_back(left);
    (*tags)[1].keys.push_back(right);
  }
}

std::array<SideTags, 2> TagShape(QueryShape* shape) {
  std::array<SideTags, 2> tags;
  AppendTimes(shape);
  std::array<int, 2> present = {-1, -1};
  for (const Side side : kBothSides) {
    if (!IsVisible(side, *shape) || !MayBePadded(side, *shape)) continue;
    if (shape->inputs[Index(side)].table->watermark) continue;
    present[Index(side)] = AppendColumn(MakeLiteral(Value::Boolean(true)), "present", side, shape);
    // A left column stands before all right ones.
    if (side == Side::kLeft && present[1] >= 0) ++present[1];
  }
  for (size_t index = 0; index < shape->inputs.size(); ++index) {
    tags[index].time = TimeOf(static_cast<Side>(index), *shape);
    if (present[index] >= 0) {
      tags[index].present = MakeColumn(present[index], DataType::Boolean());
    }
  }
  if (shape->inputs.size() == 1) return tags;
  const JoinedColumns columns(VisibleColumns(shape->inputs[0]), VisibleColumns(shape->inputs[1]));
  AddKeys(shape->on, columns, &tags);
  AddKeys(shape->where, columns, &tags);
  return tags;
}

int AppendOutput(const ExpressionPtr& expression, QueryShape* shape) {
  LogicalColumn described;
  described.name = fmt::format("compared {}", shape->output.size());
  described.type = expression->type;
  shape->projections.push_back(expression);
  shape->output.push_back(std::move(described));
  return static_cast<int>(shape->projections.size()) - 1;
}

SideColumns AppendOutputs(const SideTags& tags, QueryShape* shape) {
  SideColumns columns;
  if (tags.time != nullptr) columns.time = AppendOutput(tags.time, shape);
  if (tags.present != nullptr) columns.present = AppendOutput(tags.present, shape);
  for (const ExpressionPtr& key : tags.keys) columns.keys.push_back(AppendOutput(key, shape));
  return columns;
}

// What is reported of the late rows of one side, over the columns that a late row has in the mode.
struct LateSide {
  std::string alias;
  int num_columns = 0;
  int time_column = -1;
  DataType time_type = DataType::Timestamp(6);
  std::vector<ExpressionPtr> keys;

  DataType watermark_type() const {
    return time_type.kind == TypeKind::kTimestampLtz ? DataType::TimestampLtz(3)
                                                     : DataType::Timestamp(3);
  }
};

ExpressionPtr OverSide(const ExpressionPtr& expression, int offset) {
  return RemapColumns(expression, [offset](int column) { return column - offset; });
}

// Micro-batch mode: a late row has the table's columns.
std::vector<LateSide> LateSidesOf(const QueryShape& shape, const std::array<SideTags, 2>& tags) {
  std::vector<LateSide> sides;
  int offset = 0;
  for (size_t index = 0; index < shape.inputs.size(); ++index) {
    const InputShape& input = shape.inputs[index];
    LateSide& side = sides.emplace_back();
    side.alias = input.alias;
    side.num_columns = static_cast<int>(input.table->columns.size());
    if (input.table->watermark) {
      side.time_column = input.table->watermark->column;
      side.time_type = input.table->columns[static_cast<size_t>(side.time_column)].type;
    }
    for (const ExpressionPtr& key : tags[index].keys) {
      side.keys.push_back(SubstituteColumns(OverSide(key, offset), input.columns));
    }
    offset += static_cast<int>(input.columns.size());
  }
  return sides;
}

// Per-record mode: it has the columns of the join's side. REQUIRES: a DataStream interval join,
// which is inner, between row times.
std::vector<LateSide> LateSidesOf(const ComparePlan& compared) {
  std::vector<LateSide> sides;
  int offset = 0;
  const auto output = [&](int column) {
    return OverSide(compared.plan.projections[static_cast<size_t>(column)], offset);
  };
  for (size_t index = 0; index < 2; ++index) {
    const InputPlan& input = compared.plan.join->sides[index].input;
    const SideColumns& columns = compared.result[index];
    LateSide& side = sides.emplace_back();
    side.alias = input.alias;
    side.num_columns = input.schema.num_columns();
    const ExpressionPtr time = output(columns.time);
    side.time_column = time->column;
    side.time_type = time->type;
    for (const int key : columns.keys) side.keys.push_back(output(key));
    offset += side.num_columns;
  }
  return sides;
}

void AddLateFields(const std::vector<LateSide>& sides, ComparePlan* compared, RowReport* report) {
  const auto add = [report](const DataType& type) {
    report->schema.fields.push_back({fmt::format("c{}", report->schema.fields.size()), type});
    return report->schema.num_columns() - 1;
  };
  for (size_t index = 0; index < sides.size(); ++index) {
    compared->late[index].time = add(sides[index].time_type);
    compared->late_watermark[index] = add(sides[index].watermark_type());
    for (const ExpressionPtr& key : sides[index].keys) {
      compared->late[index].keys.push_back(add(key->type));
    }
  }
}

// The columns of one side's late rows; those of the other side are NULL.
RowReport::Input LateInput(const std::vector<LateSide>& sides, size_t index) {
  const LateSide& own = sides[index];
  RowReport::Input input;
  input.table_name = own.alias;
  input.num_columns = own.num_columns;
  input.row_time_column = own.time_column;
  input.row_time_type = own.time_type;
  input.watermark_type = own.watermark_type();
  std::set<int> needed;
  if (own.time_column >= 0) needed.insert(own.time_column);
  for (size_t side = 0; side < sides.size(); ++side) {
    const auto add_fact = [&](ReportFact which, const DataType& type) {
      input.columns.push_back(side == index
                                  ? MakeColumn(own.num_columns + static_cast<int>(which), type)
                                  : MakeLiteral(Value::Null(type)));
    };
    add_fact(ReportFact::kRowTime, sides[side].time_type);
    add_fact(ReportFact::kWatermark, sides[side].watermark_type());
    for (const ExpressionPtr& key : sides[side].keys) {
      input.columns.push_back(side == index ? key : MakeLiteral(Value::Null(key->type)));
    }
  }
  for (const ExpressionPtr& key : own.keys) {
    for (const int column : ReferencedColumns(*key)) needed.insert(column);
  }
  input.needed.assign(needed.begin(), needed.end());
  return input;
}

// Per side the time, the watermark and the keys of its late rows.
void ReportLateRows(const std::vector<LateSide>& sides, ComparePlan* compared) {
  auto table = std::make_shared<TableDefinition>();
  table->name = kComparedLateRows;
  RowReport report;
  report.table = table;
  AddLateFields(sides, compared, &report);
  StreamPlan* plan = &compared->plan;
  for (size_t index = 0; index < sides.size(); ++index) {
    report.inputs.push_back(LateInput(sides, index));
    InputPlan& input = plan->join ? plan->join->sides[index].input : *plan->single;
    input.reports_late = true;
  }
  plan->late_rows = std::move(report);
}

Status RefuseChains(const QueryShape& shape) {
  for (const InputShape& input : shape.inputs) {
    if (input.query == nullptr) continue;
    return Fail(ErrorCode::kInvalidQuery,
                "the query has more than one join, which micro-batch mode does not run: there is "
                "nothing to compare. Compare the joins one by one",
                shape.join_place);
  }
  return {};
}

}  // namespace

std::vector<int> SideColumns::identity() const {
  std::vector<int> columns = keys;
  if (time >= 0) columns.push_back(time);
  return columns;
}

Result<ComparePlan> PlanComparison(const BoundQuery& query, const Settings& settings) {
  Result<QueryShape> shape = ShapeOf(*query.root, settings.mode);
  if (!shape) return tl::unexpected(shape.error());
  if (Status fine = RefuseChains(*shape); !fine) return tl::unexpected(fine.error());
  ComparePlan compared;
  compared.num_columns = static_cast<int>(shape->output.size());
  const std::array<SideTags, 2> tags = TagShape(&*shape);
  for (const Side side : kBothSides) {
    if (!IsVisible(side, *shape)) continue;
    compared.result[Index(side)] = AppendOutputs(tags[Index(side)], &*shape);
  }
  const std::vector<LateSide> late_sides = LateSidesOf(*shape, tags);
  Result<StreamPlan> plan =
      MakeStreamPlanOf(query, std::move(*shape), settings.mode, settings.per_record.row_time_join);
  if (!plan) return tl::unexpected(plan.error());
  compared.plan = std::move(*plan);
  if (compared.plan.join) {
    const JoinType type = compared.plan.join->type;
    compared.may_be_missing = {type == JoinType::kRight || type == JoinType::kFull,
                               type == JoinType::kLeft || type == JoinType::kFull};
  }
  // Which rows LIMIT leaves depends on the order in which they come.
  compared.plan.limit.reset();
  const std::optional<JoinPlan>& join = compared.plan.join;
  const bool refuses_late_records =
      join && join->per_record &&
      join->per_record->chosen == PerRecordOperator::kDataStreamInterval;
  if (settings.mode == Mode::kMicroBatch) ReportLateRows(late_sides, &compared);
  if (refuses_late_records) ReportLateRows(LateSidesOf(compared), &compared);
  return compared;
}

}  // namespace braid
