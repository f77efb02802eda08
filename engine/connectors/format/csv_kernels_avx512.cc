// The variant for x86-64 processors with AVX-512 (BW, DQ, VL, VBMI2) and PCLMULQDQ. This file alone
// is compiled for them; see csv_kernel_loops.h for what that forbids.
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

  static inline bool ReadFour(const CsvFields& fields, size_t row, int64_t* values) {
    FourTexts texts;
    __m256i numbers;
    if (!texts.Load(fields, row) || !FourNumbers(texts.Digits(), &numbers)) return false;
    if (texts.signs != 0) [[unlikely]] {
      const __m256i zero = _mm256_setzero_si256();
      numbers = _mm256_mask_sub_epi64(numbers, texts.Negative(), zero, numbers);
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(values), numbers);
    return true;
  }

  static inline bool ReadFour(const CsvFields& fields, size_t row, double* values) {
    FourTexts texts;
    if (!texts.Load(fields, row)) return false;
    const uint64_t points = _mm512_mask_cmpeq_epi8_mask(texts.used, texts.bytes, Bytes('.'));
    // A point alone is no number, and a second one no digit.
    if ((points & kLastBytes & ~(texts.used << 1)) != 0) return false;
    uint64_t moved = 0;
    const double* powers[kFour];
    for (size_t i = 0; i < kFour; ++i) {
      const uint32_t lane = static_cast<uint32_t>(points >> (16 * i)) & 0xffffU;
      const uint32_t upto_point = lane == 0 ? 0 : lane ^ (lane - 1);
      moved |= uint64_t{upto_point} << (16 * i);
      powers[i] = kPowersOfTen + (lane == 0 ? 0 : 15 - __builtin_ctz(lane));
    }
    // What stands before the point moves up by one byte, over the point.
    const __m512i digits = texts.Digits();
    __m256i numbers;
    if (!FourNumbers(_mm512_mask_blend_epi8(moved, digits, _mm512_bslli_epi128(digits, 1)),
                     &numbers)) {
      return false;
    }
    const __m256i exact_max = _mm256_set1_epi64x(static_cast<int64_t>(kDoubleExactMax));
    if (_mm256_cmpgt_epu64_mask(numbers, exact_max) != 0) return false;
    const __m256d divisors = _mm256_set_pd(*powers[3], *powers[2], *powers[1], *powers[0]);
    __m256d quotients = _mm256_div_pd(_mm256_cvtepi64_pd(numbers), divisors);
    if (texts.signs != 0) [[unlikely]] {
      const __m256d sign = _mm256_set1_pd(-0.0);
      quotients = _mm256_mask_xor_pd(quotients, texts.Negative(), quotients, sign);
    }
    _mm256_storeu_pd(values, quotients);
    return true;
  }

 private:
  static constexpr uint64_t kLastBytes = 0x8000'8000'8000'8000U;

  static inline __m512i Bytes(char byte) { return _mm512_set1_epi8(byte); }

  // The last sixteen bytes of four fields, in the four parts of a register.
  struct FourTexts {
    // False if a field has no byte behind its sign, or more than sixteen with it.
    bool Load(const CsvFields& fields, size_t row) {
      const uint32_t* first = fields.separators + row * fields.stride;
      const uint32_t* second = first + fields.stride;
      const uint32_t* third = second + fields.stride;
      const uint32_t* fourth = third + fields.stride;
      bytes = _mm512_castsi128_si512(LoadSixteen(fields.bytes + first[1]));
      bytes = _mm512_inserti32x4(bytes, LoadSixteen(fields.bytes + second[1]), 1);
      bytes = _mm512_inserti32x4(bytes, LoadSixteen(fields.bytes + third[1]), 2);
      bytes = _mm512_inserti32x4(bytes, LoadSixteen(fields.bytes + fourth[1]), 3);
      // A number of 64 bits for each: where it begins below, where it ends above.
      const __m256i pairs = _mm256_set_m128i(LoadPairs(third, fourth), LoadPairs(first, second));
      // How many of the sixteen bytes stand before the field: 16 - (end - (begin + 1)).
      const __m256i ahead = _mm256_add_epi32(_mm256_sub_epi32(pairs, _mm256_srli_epi64(pairs, 32)),
                                             _mm256_set1_epi64x(17));
      const __m256i below_32_bits = _mm256_and_si256(ahead, _mm256_set1_epi64x(0xffffffff));
      if (_mm256_cmpgt_epu64_mask(below_32_bits, _mm256_set1_epi64x(15)) != 0) return false;
      const __m512i parts = _mm512_permutexvar_epi64(_mm512_set_epi64(3, 3, 2, 2, 1, 1, 0, 0),
                                                     _mm512_castsi256_si512(ahead));
      const __m512i starts = _mm512_shuffle_epi8(parts, _mm512_setzero_si512());
      const __m512i places = _mm512_set4_epi32(0x0f0e0d0c, 0x0b0a0908, 0x07060504, 0x03020100);
      const __mmask64 firsts = _mm512_cmpeq_epi8_mask(places, starts);
      signs = _mm512_mask_cmpeq_epi8_mask(firsts, bytes, Bytes('-'));
      used = _mm512_cmpge_epu8_mask(places, starts) & ~signs;
      return (signs & kLastBytes) == 0;
    }

    __m512i Digits() const { return _mm512_maskz_sub_epi8(used, bytes, Bytes('0')); }

    // Bit i is set if field i has a sign.
    __mmask8 Negative() const {
      uint32_t negative = 0;
      for (size_t i = 0; i < kFour; ++i) {
        negative |= static_cast<uint32_t>(((signs >> (16 * i)) & 0xffff) != 0) << i;
      }
      return static_cast<__mmask8>(negative);
    }

    __m512i bytes;
    __mmask64 used = 0;   // The bytes of a field, without its sign.
    __mmask64 signs = 0;  // A '-' at the beginning of a field.
  };

  // The 64 bits at each of two addresses.
  static inline __m128i LoadPairs(const uint32_t* low, const uint32_t* high) {
    const __m128i lower = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(low));
    return _mm_castps_si128(
        _mm_loadh_pi(_mm_castsi128_ps(lower), reinterpret_cast<const __m64*>(high)));
  }

  // As SixteenDigits, of each part.
  static inline bool FourNumbers(__m512i digits, __m256i* numbers) {
    if (_mm512_cmpgt_epu8_mask(digits, _mm512_set1_epi8(9)) != 0) return false;
    const __m512i twos = _mm512_maddubs_epi16(digits, _mm512_set1_epi16(0x010a));
    const __m512i fours = _mm512_madd_epi16(twos, _mm512_set1_epi32(0x00010064));
    const __m512i packed = _mm512_packus_epi32(fours, fours);
    const __m512i eights = _mm512_madd_epi16(packed, _mm512_set1_epi32(0x00012710));
    const __m512i high = _mm512_mul_epu32(eights, _mm512_set1_epi64(100'000'000));
    const __m512i sums = _mm512_add_epi64(high, _mm512_srli_epi64(eights, 32));
    const __m512i firsts = _mm512_set_epi64(6, 4, 2, 0, 6, 4, 2, 0);
    *numbers = _mm512_castsi512_si256(_mm512_permutexvar_epi64(firsts, sums));
    return true;
  }

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
