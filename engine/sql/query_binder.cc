#include "engine/sql/query_binder.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "engine/sql/expression_binder.h"
#include "engine/sql/from_binder.h"
#include "engine/sql/where_binder.h"
#include "state/rows/limits.h"

namespace braid {

namespace {

// The text of an expression in one line: the name of a column that got none.
std::string ColumnNameFromText(std::string_view text) {
  std::string name;
  for (const char letter : text) {
    const bool blank = letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r';
    if (!blank) {
      name += letter;
    } else if (!name.empty() && name.back() != ' ') {
      name += ' ';
    }
  }
  return name;
}

Result<SelectedColumn> BindSelectItem(const SelectItemSyntax& item, const Scope& scope,
                                      const SourceText& source) {
  Result<ExpressionPtr> expression = ExpressionBinder(&scope, &source).Bind(*item.expression);
  if (!expression) return tl::unexpected(std::move(expression.error()));
  if (item.alias) return SelectedColumn{std::move(*expression), item.alias->text};
  if (item.expression->kind == SyntaxKind::kName) {
    Result<const ScopeColumn*> column = scope.Find(item.expression->names, source);
    if (column) return SelectedColumn{std::move(*expression), (*column)->name};
  }
  return SelectedColumn{std::move(*expression), ColumnNameFromText(source.Slice(item.range))};
}

}  // namespace

Result<std::vector<SelectedColumn>> BindSelectList(const QuerySyntax& query, const Scope& scope,
                                                   const SourceText& source) {
  std::vector<SelectedColumn> columns;
  for (const SelectItemSyntax& item : query.items) {
    if (!item.is_star) {
      Result<SelectedColumn> column = BindSelectItem(item, scope, source);
      if (!column) return tl::unexpected(std::move(column.error()));
      columns.push_back(std::move(*column));
      continue;
    }
    std::vector<const ScopeColumn*> stars = scope.Star();
    if (!item.star_of.empty()) {
      Result<std::vector<const ScopeColumn*>> of = scope.StarOf(item.star_of, source);
      if (!of) return tl::unexpected(std::move(of.error()));
      stars = std::move(*of);
    }
    for (const ScopeColumn* star : stars) columns.push_back({star->expression, star->name});
    if (columns.size() > kMaxColumns) {
      return Fail(ErrorCode::kInvalidQuery,
                  fmt::format("the SELECT list has more than {} columns", kMaxColumns),
                  source.PlaceAt(item.range.begin));
    }
  }
  return columns;
}

SourceRange SelectedRange(const QuerySyntax& query, size_t index) {
  // Behind a * the columns and the items no longer go together.
  for (size_t item = 0; item < query.items.size() && item <= index; ++item) {
    if (query.items[item].is_star || item == index) return query.items[item].range;
  }
  return query.range;
}

Status BindCommonTables(const QuerySyntax& query, const SourceText& source, Catalog* catalog) {
  for (const CommonTableSyntax& table : query.common_tables) {
    if (catalog->FindExact(table.name.text) != nullptr) {
      return Fail(ErrorCode::kInvalidQuery, fmt::format("WITH defines {} twice", table.name.text),
                  source.PlaceAt(table.name.range.begin));
    }
    Result<Relation> relation = QueryBinder(catalog, &source).Bind(*table.query);
    if (!relation) return tl::unexpected(std::move(relation.error()));
    relation = WithColumnNames(std::move(*relation), table.columns, source);
    if (!relation) return tl::unexpected(std::move(relation.error()));
    catalog->Put({table.name.text, nullptr, std::move(*relation)});
  }
  return {};
}

Result<Relation> WithColumnNames(Relation relation, const std::vector<NameSyntax>& names,
                                 const SourceText& source) {
  if (names.empty()) return relation;
  const std::vector<LogicalColumn>& columns = relation.node->columns;
  const Place place = source.PlaceAt(names[0].range.begin);
  if (names.size() != columns.size()) {
    return Fail(ErrorCode::kInvalidQuery,
                fmt::format("the list of names is {} long, but there are {} columns", names.size(),
                            columns.size()),
                place);
  }
  std::vector<ExpressionPtr> projections;
  std::vector<std::string> texts;
  for (size_t index = 0; index < columns.size(); ++index) {
    projections.push_back(MakeColumn(static_cast<int>(index), columns[index].type));
    texts.push_back(names[index].text);
  }
  return MakeProject(relation, std::move(projections), std::move(texts), place);
}

Result<Relation> QueryBinder::Bind(const QuerySyntax& query, bool may_limit) const {
  if (query.limit && !may_limit) {
    return Fail(ErrorCode::kInvalidQuery,
                "LIMIT is possible only in a SELECT that is printed, not in a view, a subquery or "
                "an INSERT",
                source_->PlaceAt(query.limit->range.begin));
  }
  if (query.common_tables.empty()) return BindSelect(query);
  Catalog local(catalog_);
  if (Status status = BindCommonTables(query, *source_, &local); !status) {
    return tl::unexpected(std::move(status.error()));
  }
  return QueryBinder(&local, source_).BindSelect(query);
}

Result<Relation> QueryBinder::BindSelect(const QuerySyntax& query) const {
  Result<Relation> relation = FromBinder(catalog_, source_).Bind(*query.from);
  if (!relation) return relation;
  relation = WhereBinder(catalog_, source_).Apply(std::move(*relation), query.where.get());
  if (!relation) return relation;
  Result<std::vector<SelectedColumn>> columns = BindSelectList(query, relation->scope, *source_);
  if (!columns) return tl::unexpected(std::move(columns.error()));
  std::vector<ExpressionPtr> projections;
  std::vector<std::string> names;
  for (SelectedColumn& column : *columns) {
    projections.push_back(std::move(column.expression));
    names.push_back(std::move(column.name));
  }
  return MakeProject(*relation, std::move(projections), std::move(names),
                     source_->PlaceAt(query.range.begin));
}

}  // namespace braid
