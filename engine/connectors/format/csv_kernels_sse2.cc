// The variant for every x86-64 processor.
#include <emmintrin.h>

#include "engine/connectors/format/csv_kernel_loops.h"
#include "engine/connectors/format/csv_kernel_variants.h"

namespace braid {

namespace {

struct Sse2Masks {
  explicit Sse2Masks(const char* from) {
    for (int part = 0; part < 4; ++part) {
      parts[part] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from) + part);
    }
  }

  uint64_t Equal(char letter) const {
    const __m128i letters = _mm_set1_epi8(letter);
    uint64_t mask = 0;
    for (int part = 0; part < 4; ++part) {
      const int bits = _mm_movemask_epi8(_mm_cmpeq_epi8(parts[part], letters));
      mask |= static_cast<uint64_t>(static_cast<uint32_t>(bits)) << (16 * part);
    }
    return mask;
  }

  static uint64_t Inside(uint64_t quotes) {
    for (int shift = 1; shift < 64; shift *= 2) quotes ^= quotes << shift;
    return quotes;
  }

  // Eight positions at once, whether they are there or not: a branch less for each.
  static uint32_t* Write(uint64_t mask, uint32_t base, uint32_t* out) {
    uint32_t* const end = out + __builtin_popcountll(mask);
    while (mask != 0) {
      for (int index = 0; index < 8; ++index) {
        // Without bits left the position is of no use, but must be defined.
        out[index] = base + static_cast<uint32_t>(__builtin_ctzll(mask | (uint64_t{1} << 63)));
        mask &= mask - 1;
      }
      out += 8;
    }
    return end;
  }

  __m128i parts[4];
};

}  // namespace

const CsvKernels kSse2CsvKernels = KernelsOf<Sse2Masks, WordDigits>("sse2");

}  // namespace braid
