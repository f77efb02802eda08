// Kernels over times and intervals. Everything saturates at the ends of int64 (braid/time.h), and
// is exact on integers.
//
// Thread rule: free functions over immutable arrays.
#pragma once

#include "engine/expression/evaluation_node.h"

namespace braid {

// time + interval and time - interval. Days are 24 hours; months are calendar months, of a
// TIMESTAMP_LTZ in the session zone, and end at the end of a shorter month.
Column ShiftTimes(Operation operation, const KernelCall& call);

// time - time.
Column SubtractTimes(const KernelCall& call);

// interval + interval, interval - interval, -interval.
Column AddIntervals(Operation operation, const KernelCall& call);
Column NegateIntervals(const KernelCall& call);

// interval * number and interval / number, for BIGINT and DECIMAL; rounded half up to whole
// microseconds (months). Division by zero is a row error.
Column ScaleIntervals(Operation operation, const KernelCall& call);

}  // namespace braid
