// Division by a constant as one multiplication, for numbers that are mostly its multiples: a
// product with the inverse modulo 2^64 is the quotient of a multiple, and a larger number than any
// quotient for all others (Granlund and Montgomery, Division by Invariant Integers using
// Multiplication, 1994, section 9). Unlike a division, vector instructions can do that.
//
// Thread rule: free functions.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace braid {

// x with odd * x = 1 modulo 2^64. Each step of Newton's doubles the bits that are right, of which
// the first guess has three.
constexpr uint64_t InverseOfOdd(uint64_t odd) {
  uint64_t inverse = odd;
  for (int step = 0; step < 5; ++step) inverse *= 2 - odd * inverse;
  return inverse;
}

// number / kDivisor if that has no remainder; else more than kQuotientMax<kDivisor>.
template <uint64_t kDivisor>
constexpr uint64_t ExactQuotient(uint64_t number) {
  constexpr int kTwos = std::countr_zero(kDivisor);
  return std::rotr(number * InverseOfOdd(kDivisor >> kTwos), kTwos);
}

template <uint64_t kDivisor>
constexpr uint64_t kQuotientMax = std::numeric_limits<uint64_t>::max() / kDivisor;

}  // namespace braid
