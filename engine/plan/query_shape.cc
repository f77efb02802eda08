#include "engine/plan/query_shape.h"

#include <fmt/format.h>

#include <utility>

#include "engine/plan/outer_join.h"

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

Result<InputShape> QueryInputOf(const LogicalNode& top, const std::string& alias, Mode mode) {
  Result<QueryShape> query = ShapeOf(top, mode);
  if (!query) return tl::unexpected(query.error());
  InputShape input;
  input.query = std::make_shared<QueryShape>(std::move(*query));
  input.alias = alias;
  input.columns = IdentityColumns(top.columns);
  input.names = top.columns;
  return input;
}

// Which side each column is of; nothing else is known of the columns yet.
JoinedColumns SidesOnly(const QueryShape& shape) {
  return {std::vector<SideColumn>(shape.inputs[0].columns.size()),
          std::vector<SideColumn>(shape.inputs[1].columns.size())};
}

// Moves the conjuncts that refer to `side` alone into the WHERE of the query there.
void MoveIntoQuery(Side side, const JoinedColumns& columns, std::vector<ExpressionPtr>* conjuncts,
                   QueryShape* query) {
  std::vector<ExpressionPtr> kept;
  for (const ExpressionPtr& conjunct : *conjuncts) {
    if (SidesOf(*conjunct, columns).only(side)) {
      query->where.push_back(SubstituteColumns(columns.OverSide(conjunct), query->projections));
    } else {
      kept.push_back(conjunct);
    }
  }
  *conjuncts = std::move(kept);
}

void AddTables(const QueryShape& shape, std::vector<const TableDefinition*>* tables) {
  for (const InputShape& input : shape.inputs) {
    if (input.query == nullptr) {
      tables->push_back(input.table.get());
    } else {
      AddTables(*input.query, tables);
    }
  }
}

}  // namespace

std::string InputShape::ReadableName() const {
  if (!alias.empty()) return alias;
  return fmt::format("{} JOIN {}", query->inputs[0].ReadableName(),
                     query->inputs[1].ReadableName());
}

void PushDownConditions(QueryShape* shape) {
  if (shape->inputs.size() != 2) return;
  const JoinedColumns columns = SidesOnly(*shape);
  shape->join_type = SimplifyOuterJoin(shape->join_type, shape->where, columns);
  const bool is_inner = shape->join_type == JoinType::kInner;
  for (const Side side : {Side::kLeft, Side::kRight}) {
    QueryShape* query = shape->inputs[Index(side)].query.get();
    if (query == nullptr) continue;
    if (is_inner) MoveIntoQuery(side, columns, &shape->on, query);
    if (is_inner || IsPreserved(shape->join_type, side)) {
      MoveIntoQuery(side, columns, &shape->where, query);
    }
  }
}

std::vector<const TableDefinition*> TablesOf(const QueryShape& shape) {
  std::vector<const TableDefinition*> tables;
  AddTables(shape, &tables);
  return tables;
}

Result<QueryShape> ShapeOf(const LogicalNode& root, Mode mode) {
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
    if (input.bottom->kind != LogicalKind::kJoin) {
      shape.inputs.push_back(InputOf(*node, std::move(input)));
      continue;
    }
    if (mode == Mode::kMicroBatch) return RefuseSecondJoin(bottom);
    Result<InputShape> query = QueryInputOf(*node, input.alias, mode);
    if (!query) return tl::unexpected(query.error());
    shape.inputs.push_back(std::move(*query));
  }
  shape.join_type = bottom.join_type;
  shape.written_join_type = bottom.join_type;
  shape.is_cross_join = bottom.is_cross_join;
  shape.join_place = bottom.place;
  if (bottom.predicate != nullptr) shape.on = SplitConjuncts(bottom.predicate);
  return shape;
}

}  // namespace braid
