#include "engine/sql/from_binder.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/sql/expression_binder.h"
#include "engine/sql/query_binder.h"

namespace braid {

namespace {

// The columns of both sides, under their own names.
Scope BothScopes(const Relation& left, const Relation& right) {
  Scope both = left.scope;
  const Scope shifted = right.scope.Shifted(left.num_columns());
  for (const std::string& table : shifted.tables()) both.AddTable(table);
  for (const ScopeColumn& column : shifted.columns()) both.AddColumn(column);
  return both;
}

// What a USING column is as one: the side that is never padded, or the first that is not NULL.
Result<ExpressionPtr> MergedColumn(JoinType type, const ExpressionPtr& left,
                                   const ExpressionPtr& right, const Place& place) {
  if (type == JoinType::kRight) return right;
  if (type != JoinType::kFull) return left;
  return MakeCall(Operation::kCoalesce, {left, right}, place);
}

}  // namespace

Result<Relation> FromBinder::Bind(const FromSyntax& from) const {
  switch (from.kind) {
    case FromSyntax::Kind::kTable:
      return BindTable(from);
    case FromSyntax::Kind::kFile:
      return BindFile(from);
    case FromSyntax::Kind::kQuery:
      return BindQuery(from);
    case FromSyntax::Kind::kJoin:
      break;
  }
  return BindJoin(from);
}

Result<Relation> FromBinder::BindTable(const FromSyntax& from) const {
  Result<const CatalogEntry*> entry = catalog_->Find(from.names, *source_);
  if (!entry) return tl::unexpected(std::move(entry.error()));
  return BindEntry(**entry, from);
}

Result<Relation> FromBinder::BindFile(const FromSyntax& from) const {
  Result<TablePtr> table = catalog_->FindFile(from.file, *source_);
  if (!table) return tl::unexpected(std::move(table.error()));
  std::string name = (*table)->name;
  return BindEntry({std::move(name), std::move(*table), {}}, from);
}

Result<Relation> FromBinder::BindEntry(const CatalogEntry& entry, const FromSyntax& from) const {
  const std::string alias = from.alias.name ? from.alias.name->text : entry.name;
  Relation relation = entry.table == nullptr
                          ? entry.view
                          : MakeScan(entry.table, alias, source_->PlaceAt(from.range.begin));
  Result<Relation> named = WithColumnNames(std::move(relation), from.alias.columns, *source_);
  if (!named) return named;
  return Renamed(std::move(*named), alias);
}

Result<Relation> FromBinder::BindQuery(const FromSyntax& from) const {
  Result<Relation> relation = QueryBinder(catalog_, source_).Bind(*from.query);
  if (!relation) return relation;
  relation = WithColumnNames(std::move(*relation), from.alias.columns, *source_);
  if (!relation) return relation;
  return Renamed(std::move(*relation), from.alias.name ? from.alias.name->text : "");
}

Status FromBinder::CheckAliases(const Relation& left, const Relation& right,
                                const FromSyntax& from) const {
  for (const std::string& table : right.scope.tables()) {
    const std::vector<std::string>& others = left.scope.tables();
    if (std::find(others.begin(), others.end(), table) == others.end()) continue;
    return Fail(
        ErrorCode::kInvalidQuery,
        fmt::format("{0} stands twice in FROM; give one of them another name: {0} AS {0}2", table),
        source_->PlaceAt(from.right->range.begin));
  }
  return {};
}

Result<Relation> FromBinder::BindJoin(const FromSyntax& from) const {
  Result<Relation> left = Bind(*from.left);
  if (!left) return left;
  Result<Relation> right = Bind(*from.right);
  if (!right) return right;
  if (Status status = CheckAliases(*left, *right, from); !status) {
    return tl::unexpected(std::move(status.error()));
  }
  JoinParts parts;
  parts.type = from.join_type;
  parts.is_cross_join = from.is_cross_join;
  parts.place = source_->PlaceAt(from.join_range.begin);
  if (!from.using_columns.empty()) {
    if (Status status = BindUsing(from, *left, *right, &parts); !status) {
      return tl::unexpected(std::move(status.error()));
    }
    return MakeJoin(*left, *right, std::move(parts));
  }
  const Scope both = BothScopes(*left, *right);
  if (from.condition != nullptr) {
    Result<ExpressionPtr> predicate =
        ExpressionBinder(&both, source_).BindCondition(*from.condition, "ON");
    if (!predicate) return tl::unexpected(std::move(predicate.error()));
    parts.predicate = std::move(*predicate);
  }
  parts.scope = OutputsRight(parts.type) ? both : left->scope;
  return MakeJoin(*left, *right, std::move(parts));
}

Status FromBinder::BindUsing(const FromSyntax& from, const Relation& left, const Relation& right,
                             JoinParts* parts) const {
  const Scope shifted = right.scope.Shifted(left.num_columns());
  std::set<const ScopeColumn*> merged_away;
  std::vector<ScopeColumn> merged;
  std::vector<ExpressionPtr> conjuncts;
  for (const NameSyntax& name : from.using_columns) {
    const Place place = source_->PlaceAt(name.range.begin);
    Result<const ScopeColumn*> left_column = left.scope.Find({name}, *source_);
    if (!left_column) return tl::unexpected(std::move(left_column.error()));
    Result<const ScopeColumn*> right_column = shifted.Find({name}, *source_);
    if (!right_column) return tl::unexpected(std::move(right_column.error()));
    const ExpressionPtr& left_side = (*left_column)->expression;
    const ExpressionPtr& right_side = (*right_column)->expression;
    if (!merged_away.insert(*left_column).second || !merged_away.insert(*right_column).second) {
      return Fail(ErrorCode::kInvalidQuery, fmt::format("USING has {} twice", name.text), place);
    }
    Result<ExpressionPtr> equal = MakeCall(Operation::kEqual, {left_side, right_side}, place);
    if (!equal) return tl::unexpected(std::move(equal.error()));
    conjuncts.push_back(std::move(*equal));
    Result<ExpressionPtr> column = MergedColumn(parts->type, left_side, right_side, place);
    if (!column) return tl::unexpected(std::move(column.error()));
    merged.push_back({"", (*left_column)->name, std::move(*column)});
  }
  parts->predicate = JoinConjuncts(conjuncts);
  for (const std::string& table : left.scope.tables()) parts->scope.AddTable(table);
  for (ScopeColumn& column : merged) parts->scope.AddColumn(std::move(column));
  const auto add_all = [&](const Scope& scope) {
    for (const ScopeColumn& column : scope.columns()) {
      ScopeColumn copy = column;
      copy.hidden = copy.hidden || merged_away.contains(&column);
      parts->scope.AddColumn(std::move(copy));
    }
  };
  add_all(left.scope);
  if (!OutputsRight(parts->type)) return {};
  for (const std::string& table : shifted.tables()) parts->scope.AddTable(table);
  add_all(shifted);
  return {};
}

}  // namespace braid
