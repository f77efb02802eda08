// Kernels for + - * / % and the sign of numbers. Overflow and division by zero are row errors; a
// FLOAT or DOUBLE that grows too large is infinite, as IEEE has it.
//
// Thread rule: free functions over immutable arrays.
#pragma once

#include "engine/expression/evaluation_node.h"

namespace braid {

// Two integers or floating-point numbers of the result's type.
Column ComputeNumbers(Operation operation, const KernelCall& call);

// Two DECIMALs of any precision and scale, exactly, rounded half up to the result's scale.
Column ComputeDecimals(Operation operation, const KernelCall& call);

// -x and ABS(x) of any number.
Column NegateNumbers(const KernelCall& call);
Column AbsoluteNumbers(const KernelCall& call);

}  // namespace braid
