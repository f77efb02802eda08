#include "state/time_scan.h"

#include <algorithm>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "state/time_offset.h"

namespace braid {

namespace {

uint64_t ScanOneByOne(const Entry* entries, uint32_t begin, uint32_t end, uint32_t bound,
                      uint32_t* earliest) {
  uint64_t below = 0;
  for (uint32_t i = begin; i < end; ++i) {
    const bool is_below = entries[i].time < bound;
    below |= static_cast<uint64_t>(is_below) << i;
    if (!is_below) *earliest = std::min(*earliest, entries[i].time);
  }
  return below;
}

#if defined(__SSE2__)

// The times of four entries, with the sign bit turned so that signed compares order them.
__m128i LoadTimes(const Entry* entries) {
  const auto load = [&](int i) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(entries + i));
  };
  const __m128i low = _mm_unpackhi_epi32(load(0), load(1));
  const __m128i high = _mm_unpackhi_epi32(load(2), load(3));
  return _mm_xor_si128(_mm_unpacklo_epi64(low, high), _mm_set1_epi32(INT32_MIN));
}

#endif

}  // namespace

uint64_t ScanTimes(const Entry* entries, uint32_t count, uint32_t bound, uint32_t* earliest) {
  uint64_t below = 0;
  uint32_t done = 0;
#if defined(__SSE2__)
  const __m128i limit = _mm_set1_epi32(static_cast<int>(bound ^ 0x80000000U));
  __m128i smallest = _mm_set1_epi32(INT32_MAX);
  for (; done + 4 <= count; done += 4) {
    const __m128i times = LoadTimes(entries + done);
    const __m128i is_below = _mm_cmplt_epi32(times, limit);
    below |= static_cast<uint64_t>(_mm_movemask_ps(_mm_castsi128_ps(is_below))) << done;
    // Rows below count as NULL, the largest value.
    const __m128i rest = _mm_or_si128(_mm_and_si128(is_below, _mm_set1_epi32(INT32_MAX)),
                                      _mm_andnot_si128(is_below, times));
    const __m128i is_smaller = _mm_cmplt_epi32(rest, smallest);
    smallest =
        _mm_or_si128(_mm_and_si128(is_smaller, rest), _mm_andnot_si128(is_smaller, smallest));
  }
  alignas(16) int32_t lanes[4];
  _mm_store_si128(reinterpret_cast<__m128i*>(lanes), smallest);
  for (const int32_t lane : lanes) {
    *earliest = std::min(*earliest, static_cast<uint32_t>(lane) ^ 0x80000000U);
  }
#endif
  return below | ScanOneByOne(entries, done, count, bound, earliest);
}

}  // namespace braid
