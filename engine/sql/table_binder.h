// CREATE TABLE: syntax to a TableDefinition.
//
// Thread rule: free function.
#pragma once

#include "braid/error.h"
#include "engine/sql/logical_plan.h"
#include "engine/sql/source_text.h"
#include "engine/sql/syntax.h"

namespace braid {

// Fails with kInvalidQuery and the place of what does not fit.
Result<TablePtr> BindTable(const CreateTableSyntax& syntax, SourceRange range,
                           const SourceText& source);

}  // namespace braid
