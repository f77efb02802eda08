// WHERE: its conditions become a filter, but for those with a subquery: EXISTS and IN become semi
// joins, NOT EXISTS an anti join. A condition of the subquery that names a column from outside
// becomes part of the join's predicate, the others filter the subquery's rows.
//
// Thread rule: one thread; borrows catalog and source.
#pragma once

#include <vector>

#include "braid/error.h"
#include "engine/sql/catalog.h"
#include "engine/sql/relation.h"
#include "engine/sql/source_text.h"
#include "engine/sql/syntax.h"

namespace braid {

class WhereBinder {
 public:
  WhereBinder(const Catalog* catalog, const SourceText* source)
      : catalog_(catalog), source_(source) {}

  // The rows of `input` for which `where` is TRUE; all if it is null.
  Result<Relation> Apply(Relation input, const ExpressionSyntax* where) const;

 private:
  // EXISTS (query), or needle IN (query) if `needle` is set.
  struct SubqueryCondition {
    const QuerySyntax* query = nullptr;
    const ExpressionSyntax* needle = nullptr;
    JoinType type = JoinType::kLeftSemi;
    Place place;
  };

  // Sets `condition->query` if the syntax is a condition with a subquery.
  Status FindSubquery(const ExpressionSyntax& syntax, SubqueryCondition* condition) const;
  // Joins all conditions with a subquery to `input`; returns the other conditions.
  Result<std::vector<const ExpressionSyntax*>> JoinSubqueries(const ExpressionSyntax* where,
                                                              Relation* input) const;
  Result<Relation> JoinSubquery(const Relation& outer, const SubqueryCondition& condition) const;
  Result<Relation> JoinSubqueryOf(const Relation& outer, const SubqueryCondition& condition,
                                  const Catalog& catalog) const;
  // needle = selected column, for IN.
  Result<std::vector<ExpressionPtr>> BindNeedle(const Relation& outer, const Scope& both,
                                                const SubqueryCondition& condition) const;

  const Catalog* catalog_;
  const SourceText* source_;
};

}  // namespace braid
