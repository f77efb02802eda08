// Functions over times: CEIL and FLOOR to a unit, DATE_TRUNC, EXTRACT, DATE_FORMAT; and the time of
// the batch: CURRENT_DATE, CURRENT_TIMESTAMP, LOCALTIMESTAMP. A TIMESTAMP_LTZ is taken as the clock
// of the session zone shows it.
//
// Thread rule: free functions; kernels are immutable.
#pragma once

#include <string>

#include "engine/expression/evaluation_node.h"
#include "engine/expression/function_registry.h"

namespace braid {

// CEIL, FLOOR: (time, unit as a literal text).
Result<ExpressionPtr> MakeRoundedTime(FunctionCall call);
// DATE_TRUNC(unit, time).
Result<ExpressionPtr> MakeDateTrunc(FunctionCall call);
// EXTRACT(field as a literal text, time) -> BIGINT.
Result<ExpressionPtr> MakeExtract(FunctionCall call);
// DATE_FORMAT(time or text, format).
Result<ExpressionPtr> MakeDateFormat(FunctionCall call);
Result<ExpressionPtr> MakeCurrentDate(FunctionCall call);
Result<ExpressionPtr> MakeCurrentTimestamp(FunctionCall call);
Result<ExpressionPtr> MakeLocalTimestamp(FunctionCall call);

// The kernel of the call; an empty one if it is none of these functions. Fails with kInvalidQuery
// for a time format with an unknown letter.
Result<Kernel> FindTimeKernel(const Expression& call);

// True for CURRENT_DATE, CURRENT_TIMESTAMP and LOCALTIMESTAMP, whose argument, PROCTIME(), is not
// written.
bool IsCurrentTime(const Expression& call);

}  // namespace braid
