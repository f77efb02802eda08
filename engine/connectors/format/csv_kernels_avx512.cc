// The variant for x86-64 processors with AVX-512 (BW, VL, VBMI2) and PCLMULQDQ. This file alone is
// compiled for them; see csv_kernel_loops.h for what that forbids.
#include <immintrin.h>

#include "engine/connectors/format/csv_kernel_loops.h"
#include "engine/connectors/format/csv_kernel_variants.h"

namespace braid {

namespace {

struct Avx512Masks {
  explicit Avx512Masks(const char* from) : bytes(_mm512_loadu_si512(from)) {}

  uint64_t Equal(char letter) const {
    return _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(letter));
  }

  // The carry-less product with all ones is the parity of all bits up to each.
  static uint64_t Inside(uint64_t quotes) {
    const __m128i product =
        _mm_clmulepi64_si128(_mm_set_epi64x(0, static_cast<int64_t>(quotes)), _mm_set1_epi8(-1), 0);
    return static_cast<uint64_t>(_mm_cvtsi128_si64(product));
  }

  static uint32_t* Write(uint64_t mask, uint32_t base, uint32_t* out) {
    const __m512i numbers = _mm512_set_epi8(
        63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41,
        40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18,
        17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i positions = _mm512_maskz_compress_epi8(mask, numbers);
    const __m512i bases = _mm512_set1_epi32(static_cast<int>(base));
    const int count = __builtin_popcountll(mask);
    Store(_mm512_castsi512_si128(positions), bases, out);
    if (count > 16) {
      Store(_mm512_extracti32x4_epi32(positions, 1), bases, out + 16);
      if (count > 32) {
        Store(_mm512_extracti32x4_epi32(positions, 2), bases, out + 32);
        Store(_mm512_extracti32x4_epi32(positions, 3), bases, out + 48);
      }
    }
    return out + count;
  }

  static void Store(__m128i positions, __m512i bases, uint32_t* out) {
    _mm512_storeu_si512(out, _mm512_add_epi32(_mm512_cvtepu8_epi32(positions), bases));
  }

  __m512i bytes;
};

struct Avx512Digits {
  static inline bool ReadDigits(const char* begin, const char* end, uint64_t* number) {
    const size_t length = static_cast<size_t>(end - begin);
    if (length - 1 > 15) return false;
    const __mmask16 used = static_cast<__mmask16>(0xffffU << (16 - length));
    return SixteenDigits(_mm_maskz_sub_epi8(used, LoadSixteen(end), _mm_set1_epi8('0')), number);
  }

  static inline bool ReadNumber(const char* begin, const char* end, uint64_t* number,
                                int* fraction) {
    const size_t length = static_cast<size_t>(end - begin);
    if (length - 1 > 15) return false;
    const __mmask16 used = static_cast<__mmask16>(0xffffU << (16 - length));
    const __m128i text = LoadSixteen(end);
    const uint32_t points = _mm_mask_cmpeq_epi8_mask(used, text, _mm_set1_epi8('.'));
    __m128i digits = _mm_maskz_sub_epi8(used, text, _mm_set1_epi8('0'));
    *fraction = 0;
    if (points != 0) {
      if (length == 1) return false;
      const int point = __builtin_ctz(points);
      *fraction = 15 - point;
      // What stands before the point moves up by one byte, over the point.
      const __mmask16 moved = static_cast<__mmask16>((uint32_t{2} << point) - 1);
      digits = _mm_mask_blend_epi8(moved, digits, _mm_slli_si128(digits, 1));
    }
    return SixteenDigits(digits, number);
  }

 private:
  static inline __m128i LoadSixteen(const char* end) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(end - 16));
  }

  // Sixteen numbers from 0 to 9 as one; false if one of them is more.
  static inline bool SixteenDigits(__m128i digits, uint64_t* number) {
    if (_mm_cmpgt_epu8_mask(digits, _mm_set1_epi8(9)) != 0) return false;
    const __m128i twos = _mm_maddubs_epi16(digits, _mm_set1_epi16(0x010a));  // 10, 1
    const __m128i fours = _mm_madd_epi16(twos, _mm_set1_epi32(0x00010064));  // 100, 1
    const __m128i packed = _mm_packus_epi32(fours, fours);
    const __m128i eights = _mm_madd_epi16(packed, _mm_set1_epi32(0x00012710));  // 10000, 1
    const uint64_t halves = static_cast<uint64_t>(_mm_cvtsi128_si64(eights));
    *number = (halves & 0xffffffffU) * 100'000'000 + (halves >> 32);
    return true;
  }
};

}  // namespace

const CsvKernels kAvx512CsvKernels = KernelsOf<Avx512Masks, Avx512Digits>("avx512");

}  // namespace braid
