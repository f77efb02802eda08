// FROM: tables, files, views, subqueries and joins to one relation.
//
// Thread rule: one thread; borrows catalog and source.
#pragma once

#include "braid/error.h"
#include "engine/sql/catalog.h"
#include "engine/sql/relation.h"
#include "engine/sql/source_text.h"
#include "engine/sql/syntax.h"

namespace braid {

class FromBinder {
 public:
  FromBinder(const Catalog* catalog, const SourceText* source)
      : catalog_(catalog), source_(source) {}

  Result<Relation> Bind(const FromSyntax& from) const;

 private:
  Result<Relation> BindTable(const FromSyntax& from) const;
  Result<Relation> BindFile(const FromSyntax& from) const;
  // All columns of a table or view, under the names that FROM gives it.
  Result<Relation> BindEntry(const CatalogEntry& entry, const FromSyntax& from) const;
  Result<Relation> BindQuery(const FromSyntax& from) const;
  Result<Relation> BindJoin(const FromSyntax& from) const;
  Status CheckAliases(const Relation& left, const Relation& right, const FromSyntax& from) const;
  // Fills in predicate and scope of JOIN … USING (…).
  Status BindUsing(const FromSyntax& from, const Relation& left, const Relation& right,
                   JoinParts* parts) const;

  const Catalog* catalog_;
  const SourceText* source_;
};

}  // namespace braid
