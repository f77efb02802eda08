// INTERVAL literals as exact values: whole microseconds (INTERVAL DAY) or whole months (INTERVAL
// MONTH), never through a double.
//
//   INTERVAL '1.500' SECOND            one unit, as in Flink; only seconds have a fraction
//   INTERVAL '1 02:03:04.5' DAY TO SECOND   several, as in Flink
//   INTERVAL 5 MINUTES 30 SECONDS      as in Spark
//   INTERVAL '5 minutes 30 seconds'    as in Spark
//
// Thread rule: free function.
#pragma once

#include "braid/error.h"
#include "braid/value.h"
#include "engine/sql/source_text.h"
#include "engine/sql/syntax.h"

namespace braid {

// Fails with kInvalidQuery at the part that does not fit.
Result<Value> IntervalLiteral(const IntervalSyntax& interval, const SourceText& source);

}  // namespace braid
