// The variants of csv_kernels.h by name, each in a file of its own. Only csv_kernels.cc asks
// whether a processor can run one.
#pragma once

#include "engine/connectors/format/csv_kernels.h"

namespace braid {

extern const CsvKernels kPlainCsvKernels;
#if defined(__x86_64__)
extern const CsvKernels kSse2CsvKernels;
extern const CsvKernels kAvx512CsvKernels;
#endif

}  // namespace braid
