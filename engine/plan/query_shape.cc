#include "engine/plan/query_shape.h"

#include <fmt/format.h>

#include <utility>

namespace braid {

namespace {

std::vector<ExpressionPtr> IdentityColumns(const std::vector<LogicalColumn>& columns) {
  std::vector<ExpressionPtr> expressions;
  expressions.reserve(columns.size());
  for (size_t column = 0; column < columns.size(); ++column) {
    expressions.push_back(MakeColumn(static_cast<int>(column), columns[column].type));
  }
  return expressions;
}

// Filters and projections met on the way down from `top`, over the columns of `bottom`.
struct Descent {
  const LogicalNode* bottom = nullptr;
  std::string alias;  // The outermost name given on the way.
  std::vector<ExpressionPtr> filters;
  std::vector<ExpressionPtr> columns;
};

void Substitute(const std::vector<ExpressionPtr>& replacements,
                std::vector<ExpressionPtr>* expressions) {
  for (ExpressionPtr& expression : *expressions) {
    expression = SubstituteColumns(expression, replacements);
  }
}

Descent Descend(const LogicalNode& top) {
  Descent descent;
  descent.columns = IdentityColumns(top.columns);
  const LogicalNode* node = &top;
  while (true) {
    if (descent.alias.empty()) descent.alias = node->alias;
    if (node->kind == LogicalKind::kFilter) {
      // An inner filter goes first, so that it can keep rows from an outer one that fails on them.
      std::vector<ExpressionPtr> filters = SplitConjuncts(node->predicate);
      filters.insert(filters.end(), descent.filters.begin(), descent.filters.end());
      descent.filters = std::move(filters);
    } else if (node->kind == LogicalKind::kProject) {
      Substitute(node->projections, &descent.filters);
      Substitute(node->projections, &descent.columns);
    } else {
      descent.bottom = node;
      return descent;
    }
    node = node->inputs[0].get();
  }
}

std::string NameOf(const LogicalNode& node) {
  const Descent descent = Descend(node);
  if (!descent.alias.empty()) return descent.alias;
  if (descent.bottom->table != nullptr) return descent.bottom->table->name;
  return "a join";
}

// `join` joins the result of another join.
tl::unexpected<Error> RefuseSecondJoin(const LogicalNode& join) {
  const LogicalNode* second = &join;
  if (Descend(*join.inputs[0]).bottom->kind != LogicalKind::kJoin) {
    second = Descend(*join.inputs[1]).bottom;
  }
  return Fail(ErrorCode::kInvalidQuery,
              fmt::format("a second join in a query is not supported yet: {} JOIN with {}. Write "
                          "the result of the first join to a table, and join that in a job of its "
                          "own",
                          JoinTypeName(second->join_type), NameOf(*second->inputs[1])),
              second->place);
}

InputShape InputOf(const LogicalNode& top, Descent descent) {
  InputShape input;
  input.table = descent.bottom->table;
  input.alias = descent.alias.empty() ? input.table->name : descent.alias;
  input.filters = std::move(descent.filters);
  input.columns = std::move(descent.columns);
  input.names = top.columns;
  return input;
}

}  // namespace

Result<QueryShape> ShapeOf(const LogicalNode& root) {
  QueryShape shape;
  shape.output = root.columns;
  Descent descent = Descend(root);
  const LogicalNode& bottom = *descent.bottom;
  shape.where = std::move(descent.filters);
  shape.projections = std::move(descent.columns);

  if (bottom.kind == LogicalKind::kScan) {
    Descent scan = Descend(bottom);
    scan.alias = descent.alias;
    shape.inputs.push_back(InputOf(bottom, std::move(scan)));
    return shape;
  }

  for (const LogicalNodePtr& node : bottom.inputs) {
    Descent input = Descend(*node);
    if (input.bottom->kind == LogicalKind::kJoin) return RefuseSecondJoin(bottom);
    shape.inputs.push_back(InputOf(*node, std::move(input)));
  }
  shape.join_type = bottom.join_type;
  shape.is_cross_join = bottom.is_cross_join;
  shape.join_place = bottom.place;
  if (bottom.predicate != nullptr) shape.on = SplitConjuncts(bottom.predicate);
  return shape;
}

}  // namespace braid
