// BatchProgress as one line of JSON with the names of Spark's StreamingQueryProgress.
//
// Thread rule: free functions.
#pragma once

#include <string>

#include "braid/progress.h"

namespace braid {

// Without a line end. Absent values and rates of batches without rows are left out, as in Spark.
std::string ProgressToJson(const BatchProgress& progress);

}  // namespace braid
