// SELECT: syntax to logical nodes. FROM is bound by from_binder.h, WHERE by where_binder.h.
//
// Thread rule: one thread; borrows catalog and source.
#pragma once

#include "braid/error.h"
#include "engine/sql/catalog.h"
#include "engine/sql/relation.h"
#include "engine/sql/source_text.h"
#include "engine/sql/syntax.h"

namespace braid {

class QueryBinder {
 public:
  QueryBinder(const Catalog* catalog, const SourceText* source)
      : catalog_(catalog), source_(source) {}

  // The result's node is a projection of the SELECT list. The LIMIT must have been taken care of:
  // fails if `may_limit` is false and there is one.
  Result<Relation> Bind(const QuerySyntax& query, bool may_limit = false) const;

 private:
  Result<Relation> BindSelect(const QuerySyntax& query) const;

  const Catalog* catalog_;
  const SourceText* source_;
};

// Puts the common tables of a WITH into `catalog`, each seeing those before it.
Status BindCommonTables(const QuerySyntax& query, const SourceText& source, Catalog* catalog);

// Gives the columns of a view, a subquery … the names of a list behind it; none: they keep theirs.
Result<Relation> WithColumnNames(Relation relation, const std::vector<NameSyntax>& names,
                                 const SourceText& source);

// One output column of a SELECT list.
struct SelectedColumn {
  ExpressionPtr expression;
  std::string name;
};

// The SELECT list over `scope`, with * and t.* written out.
Result<std::vector<SelectedColumn>> BindSelectList(const QuerySyntax& query, const Scope& scope,
                                                   const SourceText& source);

// Where output column `index` is written, for messages.
SourceRange SelectedRange(const QuerySyntax& query, size_t index);

}  // namespace braid
