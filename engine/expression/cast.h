// Kernels of CAST and TRY_CAST between all types.
//
// Numbers: towards an integer a fraction is cut off, towards a DECIMAL it is rounded half up; what
// does not fit is a row error (TRY_CAST: NULL). Text is read with blanks around it; numbers,
// booleans and times print as FormatValue does. A time loses the digits beyond its precision.
// TIMESTAMP <-> TIMESTAMP_LTZ go through the session zone. CHAR(n) and VARCHAR(n) are cut to n
// characters.
//
// Thread rule: free functions; kernels are immutable.
#pragma once

#include "engine/expression/evaluation_node.h"

namespace braid {

// REQUIRES: CanCast(from, to).
Kernel MakeCastKernel(const DataType& from, const DataType& to, bool try_cast);

// True if the value of this CAST depends on the session zone. REQUIRES: kCast or kTryCast.
bool CastNeedsZone(const Expression& cast);

// True for a text that may name its own zone: any but a literal that does not, as
// '2024-01-01 00:00:00+02:00' does.
bool MayNameZone(const Expression& text);

}  // namespace braid
