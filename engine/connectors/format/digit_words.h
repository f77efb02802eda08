// Digits eight at a time, in a 64-bit number: the first byte of a text is the low byte.
//
// In an unnamed namespace on purpose: files that are compiled for different processors include it
// and must not share a copy. Thread rule: free functions.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace braid {
namespace {  // NOLINT(google-build-namespaces): see above.

inline uint64_t LoadEight(const char* from) {
  uint64_t word;
  std::memcpy(&word, from, sizeof(word));
  return word;
}

// NOLINTBEGIN(misc-definitions-in-headers): see above.
constexpr double kPowersOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                   1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
constexpr int64_t kWholePowersOfTen[] = {1,
                                         10,
                                         100,
                                         1'000,
                                         10'000,
                                         100'000,
                                         1'000'000,
                                         10'000'000,
                                         100'000'000,
                                         1'000'000'000,
                                         10'000'000'000,
                                         100'000'000'000,
                                         1'000'000'000'000,
                                         10'000'000'000'000,
                                         100'000'000'000'000,
                                         1'000'000'000'000'000,
                                         10'000'000'000'000'000,
                                         100'000'000'000'000'000,
                                         1'000'000'000'000'000'000};

constexpr uint64_t kZeros = 0x3030303030303030U;  // Eight times '0'.
// NOLINTEND(misc-definitions-in-headers)

// True if each byte is at most 9.
inline bool AreDigits(uint64_t digits) {
  return ((digits | (digits + 0x0606060606060606U)) & 0xf0f0f0f0f0f0f0f0U) == 0;
}

// How many of the first bytes are at most 9.
inline size_t CountDigits(uint64_t digits) {
  const uint64_t others =
      (((digits & 0x7f7f7f7f7f7f7f7fU) + 0x7676767676767676U) | digits) & 0x8080808080808080U;
  return static_cast<size_t>(std::countr_zero(others)) / 8;
}

// The number of eight digits, the first in the low byte. REQUIRES: AreDigits(digits).
inline uint64_t EightDigits(uint64_t digits) {
  digits = digits * 10 + (digits >> 8);
  return ((digits & 0x000000ff000000ffU) * 0x000f424000000064U +
          ((digits >> 16) & 0x000000ff000000ffU) * 0x0000271000000001U) >>
         32;
}

}  // namespace
}  // namespace braid
