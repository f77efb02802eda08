// The kernels of the functions that are called by name (Operation::kFunction), and of TO_TIMESTAMP
// and TO_TIMESTAMP_LTZ.
//
// Thread rule: free functions; kernels are immutable.
#pragma once

#include "engine/expression/evaluation_node.h"

namespace braid {

// The kernel of a kFunction, kToTimestamp or kToTimestampLtz call. Fails with kInvalidQuery for a
// constant argument that cannot be right, as a time format with an unknown letter.
Result<Kernel> MakeFunctionKernel(const Expression& call);

// text LIKE pattern [ESCAPE character].
Result<Kernel> MakeLikeKernel(const Expression& call);

}  // namespace braid
