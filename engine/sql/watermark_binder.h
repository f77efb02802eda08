// WATERMARK FOR c AS c - INTERVAL …: the delay.
//
// Thread rule: free function.
#pragma once

#include "braid/error.h"
#include "engine/sql/logical_plan.h"
#include "engine/sql/source_text.h"
#include "engine/sql/syntax.h"

namespace braid {

// `table` has all its columns. Fails with kInvalidQuery if the column is no timestamp, if the
// expression is not the column minus a constant, fixed interval, or if that is negative.
Result<WatermarkDefinition> BindWatermark(const WatermarkSyntax& syntax,
                                          const TableDefinition& table, const SourceText& source);

}  // namespace braid
