// Arithmetic on the unscaled digits of DECIMALs, in 128 bits.
//
// Thread rule: free functions.
#pragma once

#include <cstdint>

namespace braid {

// 10 to the power of `exponent`. REQUIRES: 0 <= exponent <= 36.
__extension__ typedef __int128 WideDigits;
WideDigits PowerOfTen(int exponent);

// `digits` at scale `from` as digits at scale `to`, rounded half up (away from zero at the half).
// True, with `out` set, if it fits into 128 bits.
bool Rescale(WideDigits digits, int from, int to, WideDigits* out);

// The quotient rounded half up. REQUIRES: divisor != 0.
WideDigits DivideRounded(WideDigits dividend, WideDigits divisor);

// True, with `out` set, if |digits| has at most `precision` (<= 18) digits.
bool NarrowDigits(WideDigits digits, int precision, int64_t* out);

}  // namespace braid
