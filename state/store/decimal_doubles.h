// DOUBLEs that are decimal numbers of few digits behind the point, as prices are: the integers
// value * 10^digits take far fewer bytes than the doubles. They are taken only if every value comes
// back bit by bit.
//
// Thread rule: free functions over the caller's arrays.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace braid {

// Digits behind the point at most.
inline constexpr int kDecimalDigitsMax = 6;

// The fewest digits with which all valid values are such numbers, and in *integers one integer a
// value; the smallest of the others stands under a NULL. Absent, and *integers unspecified, if
// there is no such number of digits or no valid value. `validity`: a bitmap whose bit `first_bit`
// is that of values[0]; null: nothing is NULL. Cost: one pass, or a part of one if the values are
// of another kind.
std::optional<int> ToDecimals(std::span<const double> values, const uint8_t* validity,
                              int64_t first_bit, std::vector<int64_t>* integers);

// The values of ToDecimals. REQUIRES: digits in [0, kDecimalDigitsMax], equal lengths.
void FromDecimals(std::span<const int64_t> integers, int digits, double* values);

}  // namespace braid
