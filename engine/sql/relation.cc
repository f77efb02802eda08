#include "engine/sql/relation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "state/rows/limits.h"

namespace braid {

namespace {

Result<Relation> WithinLimits(Relation relation) {
  const Place& place = relation.node->place;
  if (relation.depth > kMaxNesting) {
    return Fail(ErrorCode::kInvalidQuery,
                fmt::format("views and subqueries are nested more than {} deep", kMaxNesting),
                place);
  }
  if (relation.nodes > kMaxPlanNodes) {
    return Fail(
        ErrorCode::kInvalidQuery,
        fmt::format("the query has more than {} steps, those of its views included", kMaxPlanNodes),
        place);
  }
  if (relation.node->columns.size() > kMaxColumns) {
    return Fail(
        ErrorCode::kInvalidQuery,
        fmt::format("{} columns; there may be {}", relation.node->columns.size(), kMaxColumns),
        place);
  }
  return relation;
}

// What is known of the output column that `expression` over `input` makes.
LogicalColumn ProjectedColumn(const LogicalNode& input, const Expression& expression,
                              std::string name) {
  LogicalColumn column{std::move(name), expression.type};
  if (expression.kind == ExpressionKind::kColumn) {
    const LogicalColumn& source = input.columns[static_cast<size_t>(expression.column)];
    column.is_row_time = source.is_row_time;
    column.is_processing_time = source.is_processing_time;
  }
  column.is_processing_time = column.is_processing_time || expression.is_call(Operation::kProcTime);
  return column;
}

Scope ScopeOf(const LogicalNode& node, const std::string& alias) {
  Scope scope;
  if (!alias.empty()) scope.AddTable(alias);
  for (size_t index = 0; index < node.columns.size(); ++index) {
    const LogicalColumn& column = node.columns[index];
    scope.AddColumn(
        {alias, column.name, MakeColumn(static_cast<int>(index), column.type), /*hidden=*/false});
  }
  return scope;
}

}  // namespace

bool OutputsRight(JoinType type) {
  return type != JoinType::kLeftSemi && type != JoinType::kLeftAnti;
}

Relation MakeScan(TablePtr table, std::string alias, Place place) {
  auto node = std::make_shared<LogicalNode>();
  node->kind = LogicalKind::kScan;
  node->place = std::move(place);
  for (size_t index = 0; index < table->columns.size(); ++index) {
    const ColumnDefinition& definition = table->columns[index];
    LogicalColumn column{definition.name, definition.type};
    column.is_row_time =
        table->watermark.has_value() && table->watermark->column == static_cast<int>(index);
    column.is_processing_time =
        definition.computed != nullptr && definition.computed->is_call(Operation::kProcTime);
    node->columns.push_back(std::move(column));
  }
  node->table = std::move(table);
  node->alias = alias;
  Scope scope = ScopeOf(*node, alias);
  return {std::move(node), std::move(scope)};
}

Relation Renamed(Relation relation, const std::string& alias) {
  relation.scope = ScopeOf(*relation.node, alias);
  auto node = std::make_shared<LogicalNode>(*relation.node);
  node->alias = alias;
  relation.node = std::move(node);
  return relation;
}

Result<Relation> MakeFilter(Relation input, ExpressionPtr predicate, Place place) {
  auto node = std::make_shared<LogicalNode>();
  node->kind = LogicalKind::kFilter;
  node->place = std::move(place);
  node->columns = input.node->columns;
  node->inputs = {std::move(input.node)};
  node->predicate = std::move(predicate);
  input.node = std::move(node);
  ++input.depth;
  ++input.nodes;
  return WithinLimits(std::move(input));
}

Result<Relation> MakeProject(const Relation& input, std::vector<ExpressionPtr> projections,
                             std::vector<std::string> names, Place place) {
  auto node = std::make_shared<LogicalNode>();
  node->kind = LogicalKind::kProject;
  node->place = std::move(place);
  for (size_t index = 0; index < projections.size(); ++index) {
    node->columns.push_back(
        ProjectedColumn(*input.node, *projections[index], std::move(names[index])));
  }
  node->inputs = {input.node};
  node->projections = std::move(projections);
  Scope scope = ScopeOf(*node, "");
  return WithinLimits({std::move(node), std::move(scope), input.depth + 1, input.nodes + 1});
}

Result<Relation> MakeJoin(const Relation& left, const Relation& right, JoinParts parts) {
  auto node = std::make_shared<LogicalNode>();
  node->kind = LogicalKind::kJoin;
  node->place = std::move(parts.place);
  node->columns = left.node->columns;
  if (OutputsRight(parts.type)) {
    const std::vector<LogicalColumn>& columns = right.node->columns;
    node->columns.insert(node->columns.end(), columns.begin(), columns.end());
  }
  node->inputs = {left.node, right.node};
  node->predicate = std::move(parts.predicate);
  node->join_type = parts.type;
  node->is_cross_join = parts.is_cross_join;
  return WithinLimits({std::move(node), std::move(parts.scope),
                       std::max(left.depth, right.depth) + 1, left.nodes + right.nodes + 1});
}

}  // namespace braid
