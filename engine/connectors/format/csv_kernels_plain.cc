// The variant in plain C++: for processors without one of their own, and to compare others with.
#include "engine/connectors/format/csv_kernel_loops.h"
#include "engine/connectors/format/csv_kernel_variants.h"

namespace braid {

namespace {

struct PlainMasks {
  explicit PlainMasks(const char* from) : bytes(from) {}

  uint64_t Equal(char letter) const {
    uint64_t mask = 0;
    for (size_t index = 0; index < kWordBytes; ++index) {
      mask |= uint64_t{bytes[index] == letter} << index;
    }
    return mask;
  }

  static uint64_t Inside(uint64_t quotes) {
    for (int shift = 1; shift < 64; shift *= 2) quotes ^= quotes << shift;
    return quotes;
  }

  static uint32_t* Write(uint64_t mask, uint32_t base, uint32_t* out) {
    for (; mask != 0; mask &= mask - 1) {
      *out++ = base + static_cast<uint32_t>(__builtin_ctzll(mask));
    }
    return out;
  }

  const char* bytes;
};

}  // namespace

const CsvKernels kPlainCsvKernels = KernelsOf<PlainMasks, WordDigits>("plain");

}  // namespace braid
