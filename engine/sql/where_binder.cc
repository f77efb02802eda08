#include "engine/sql/where_binder.h"

#include <fmt/format.h>

#include <utility>

#include "engine/sql/expression_binder.h"
#include "engine/sql/from_binder.h"
#include "engine/sql/name_match.h"
#include "engine/sql/query_binder.h"

namespace braid {

namespace {

bool IsExists(const ExpressionSyntax& syntax) {
  return syntax.kind == SyntaxKind::kFunctionOfQuery &&
         EqualsIgnoringCase(syntax.names[0].text, "EXISTS");
}

bool IsNot(const ExpressionSyntax& syntax) {
  return syntax.kind == SyntaxKind::kOperator && syntax.operation == Operation::kNot;
}

// The conditions that AND joins, left to right.
void CollectConditions(const ExpressionSyntax* syntax,
                       std::vector<const ExpressionSyntax*>* conditions) {
  if (syntax->kind != SyntaxKind::kOperator || syntax->operation != Operation::kAnd) {
    conditions->push_back(syntax);
    return;
  }
  for (const ExpressionSyntaxPtr& argument : syntax->arguments) {
    CollectConditions(argument.get(), conditions);
  }
}

bool HasColumnBelow(const Expression& expression, int limit) {
  for (const int column : ReferencedColumns(expression)) {
    if (column < limit) return true;
  }
  return false;
}

}  // namespace

Result<Relation> WhereBinder::Apply(Relation input, const ExpressionSyntax* where) const {
  if (where == nullptr) return input;
  Result<std::vector<const ExpressionSyntax*>> rest = JoinSubqueries(where, &input);
  if (!rest) return tl::unexpected(std::move(rest.error()));
  if (rest->empty()) return input;
  std::vector<ExpressionPtr> conjuncts;
  for (const ExpressionSyntax* syntax : *rest) {
    Result<ExpressionPtr> condition =
        ExpressionBinder(&input.scope, source_).BindCondition(*syntax, "WHERE");
    if (!condition) return tl::unexpected(std::move(condition.error()));
    conjuncts.push_back(std::move(*condition));
  }
  return MakeFilter(std::move(input), JoinConjuncts(conjuncts),
                    source_->PlaceAt(where->range.begin));
}

Status WhereBinder::FindSubquery(const ExpressionSyntax& syntax,
                                 SubqueryCondition* condition) const {
  const bool negated = IsNot(syntax);
  const ExpressionSyntax& inner = negated ? *syntax.arguments[0] : syntax;
  condition->place = source_->PlaceAt(inner.anchor);
  if (IsExists(inner)) {
    condition->query = inner.query.get();
    condition->type = negated ? JoinType::kLeftAnti : JoinType::kLeftSemi;
    return {};
  }
  if (inner.kind != SyntaxKind::kInQuery) return {};
  if (negated || inner.negated) {
    return Fail(ErrorCode::kInvalidQuery,
                "NOT IN (SELECT …) is not supported: one NULL in the subquery would reject every "
                "row; write NOT EXISTS (SELECT 1 FROM … WHERE …)",
                condition->place);
  }
  condition->query = inner.query.get();
  condition->needle = inner.arguments[0].get();
  return {};
}

Result<std::vector<const ExpressionSyntax*>> WhereBinder::JoinSubqueries(
    const ExpressionSyntax* where, Relation* input) const {
  std::vector<const ExpressionSyntax*> conditions;
  std::vector<const ExpressionSyntax*> rest;
  if (where != nullptr) CollectConditions(where, &conditions);
  for (const ExpressionSyntax* syntax : conditions) {
    SubqueryCondition condition;
    if (Status status = FindSubquery(*syntax, &condition); !status) {
      return tl::unexpected(std::move(status.error()));
    }
    if (condition.query == nullptr) {
      rest.push_back(syntax);
      continue;
    }
    Result<Relation> joined = JoinSubquery(*input, condition);
    if (!joined) return tl::unexpected(std::move(joined.error()));
    *input = std::move(*joined);
  }
  return rest;
}

Result<Relation> WhereBinder::JoinSubquery(const Relation& outer,
                                           const SubqueryCondition& condition) const {
  const QuerySyntax& query = *condition.query;
  if (query.limit) {
    return Fail(ErrorCode::kInvalidQuery, "LIMIT is not possible in EXISTS and IN",
                source_->PlaceAt(query.limit->range.begin));
  }
  Catalog local(catalog_);
  if (Status status = BindCommonTables(query, *source_, &local); !status) {
    return tl::unexpected(std::move(status.error()));
  }
  return JoinSubqueryOf(outer, condition, local);
}

Result<Relation> WhereBinder::JoinSubqueryOf(const Relation& outer,
                                             const SubqueryCondition& condition,
                                             const Catalog& catalog) const {
  const QuerySyntax& query = *condition.query;
  Result<Relation> inner = FromBinder(&catalog, source_).Bind(*query.from);
  if (!inner) return inner;
  Result<std::vector<const ExpressionSyntax*>> conditions =
      WhereBinder(&catalog, source_).JoinSubqueries(query.where.get(), &*inner);
  if (!conditions) return tl::unexpected(std::move(conditions.error()));
  const int num_outer = outer.num_columns();
  Scope both = inner->scope.Shifted(num_outer);
  both.set_outer(&outer.scope);
  Result<std::vector<ExpressionPtr>> predicate = BindNeedle(outer, both, condition);
  if (!predicate) return tl::unexpected(std::move(predicate.error()));
  std::vector<ExpressionPtr> inner_conditions;
  for (const ExpressionSyntax* syntax : *conditions) {
    Result<ExpressionPtr> bound = ExpressionBinder(&both, source_).BindCondition(*syntax, "WHERE");
    if (!bound) return tl::unexpected(std::move(bound.error()));
    if (HasColumnBelow(**bound, num_outer)) {
      predicate->push_back(std::move(*bound));
    } else {
      inner_conditions.push_back(
          RemapColumns(*bound, [num_outer](int column) { return column - num_outer; }));
    }
  }
  if (!inner_conditions.empty()) {
    inner = MakeFilter(std::move(*inner), JoinConjuncts(inner_conditions),
                       source_->PlaceAt(query.where->range.begin));
    if (!inner) return inner;
  }
  return MakeJoin(outer, *inner,
                  {condition.type, JoinConjuncts(*predicate), /*is_cross_join=*/false, outer.scope,
                   condition.place});
}

Result<std::vector<ExpressionPtr>> WhereBinder::BindNeedle(
    const Relation& outer, const Scope& both, const SubqueryCondition& condition) const {
  // The SELECT list of EXISTS means nothing, but its names must be right.
  Result<std::vector<SelectedColumn>> selected = BindSelectList(*condition.query, both, *source_);
  if (!selected) return tl::unexpected(std::move(selected.error()));
  std::vector<ExpressionPtr> equalities;
  if (condition.needle == nullptr) return equalities;
  std::vector<const ExpressionSyntax*> needles = {condition.needle};
  if (condition.needle->kind == SyntaxKind::kRow) {
    needles.clear();
    for (const ExpressionSyntaxPtr& part : condition.needle->arguments) {
      needles.push_back(part.get());
    }
  }
  if (needles.size() != selected->size()) {
    return Fail(ErrorCode::kInvalidQuery,
                fmt::format("IN compares {} with {} selected columns; they must be as many",
                            needles.size(), selected->size()),
                condition.place);
  }
  for (size_t index = 0; index < needles.size(); ++index) {
    Result<ExpressionPtr> needle = ExpressionBinder(&outer.scope, source_).Bind(*needles[index]);
    if (!needle) return tl::unexpected(std::move(needle.error()));
    Result<ExpressionPtr> equal = MakeCall(
        Operation::kEqual, {std::move(*needle), (*selected)[index].expression}, condition.place);
    if (!equal) return tl::unexpected(std::move(equal.error()));
    equalities.push_back(std::move(*equal));
  }
  return equalities;
}

}  // namespace braid
