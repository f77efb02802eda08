// INSERT INTO: the query's columns become those that the table writes. The column that the option
// 'changelog.column' names is none of them: the sink writes the kind of each row there, and gets
// NULL for it.
//
// Thread rule: free functions.
#pragma once

#include "braid/error.h"
#include "engine/sql/catalog.h"
#include "engine/sql/logical_plan.h"
#include "engine/sql/source_text.h"
#include "engine/sql/syntax.h"

namespace braid {

struct BoundInsert {
  TablePtr sink;
  LogicalNodePtr root;  // A projection to the sink's physical columns, in their order and types.
};

// Fails with kInvalidQuery: a wrong number of columns, a type that does not fit (naming the column
// and both types), a NOT NULL column that the list leaves out.
Result<BoundInsert> BindInsert(const InsertSyntax& insert, const Catalog& catalog,
                               const SourceText& source);

}  // namespace braid
