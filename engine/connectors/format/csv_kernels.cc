#include "engine/connectors/format/csv_kernels.h"

#include <bit>
#include <string_view>
#include <vector>

#include "engine/connectors/format/csv_kernel_variants.h"
#include "state/rows/time_text.h"

namespace braid {

static_assert(std::endian::native == std::endian::little, "the first digit is the low byte");

bool ReadCsvDay(const char* text, int64_t* micros) {
  int32_t days = 0;
  if (!ParseDate(std::string_view(text, 10), &days)) return false;
  *micros = days * int64_t{86'400'000'000};
  return true;
}

std::span<const CsvKernels* const> SupportedCsvKernels() {
  static const std::vector<const CsvKernels*> kSupported = [] {
    std::vector<const CsvKernels*> supported = {&kPlainCsvKernels};
#if defined(__x86_64__)
    supported.push_back(&kSse2CsvKernels);
    const bool has_avx512 =
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi2") &&
        __builtin_cpu_supports("pclmul");
    if (has_avx512) supported.push_back(&kAvx512CsvKernels);
#endif
    return supported;
  }();
  return kSupported;
}

}  // namespace braid
