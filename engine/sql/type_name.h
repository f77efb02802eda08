// Types as SQL text names them, in Flink's spelling, to DataTypes.
//
// Thread rule: free function.
#pragma once

#include "braid/data_type.h"
#include "braid/error.h"
#include "engine/sql/source_text.h"
#include "engine/sql/syntax.h"

namespace braid {

// Fails with kInvalidQuery for an unknown name (with the nearest known one), for a type that Braid
// leaves out, and for precisions it does not have.
Result<DataType> ResolveType(const TypeSyntax& type, const SourceText& source);

}  // namespace braid
