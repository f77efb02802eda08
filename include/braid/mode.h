// The two ways to run a join: in micro-batches as Spark does, or record by record as Flink does.
//
// Thread rule: values.
#pragma once

#include <cstdint>

namespace braid {

enum class Mode : uint8_t { kMicroBatch, kPerRecord };

}  // namespace braid
