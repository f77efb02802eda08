#include "state/store/decimal_doubles.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "state/rows/vector_clones.h"

namespace braid {

namespace {

constexpr double kPowersOfTen[kDecimalDigitsMax + 1] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};

// Added to a number below kLargest, it leaves the number rounded to an integer in the low bits.
constexpr double kRounding = 6755399441055744.0;  // 1.5 * 2^52
constexpr double kLargest = 1125899906842624.0;   // 2^50
constexpr size_t kBlock = 512;

bool IsValid(const uint8_t* validity, int64_t bit) {
  return validity == nullptr || ((validity[bit >> 3] >> (bit & 7)) & 1) != 0;
}

int64_t Scaled(double value, double power) {
  return std::bit_cast<int64_t>(value * power + kRounding) - std::bit_cast<int64_t>(kRounding);
}

bool IsExact(double value, double power) {
  if (!(std::abs(value * power) < kLargest)) return false;
  const double back = static_cast<double>(Scaled(value, power)) / power;
  return std::bit_cast<uint64_t>(back) == std::bit_cast<uint64_t>(value);
}

// Scales a block; whether all of it comes back. Without a branch, for vector instructions.
BRAID_VECTOR_CLONES bool ScaleBlock(const double* values, size_t count, double power,
                                    int64_t* integers) {
  uint64_t differences = 0;
  for (size_t i = 0; i < count; ++i) {
    const double shifted = values[i] * power + kRounding;
    const double back = (shifted - kRounding) / power;
    const bool is_small = std::abs(values[i] * power) < kLargest;
    differences |= std::bit_cast<uint64_t>(back) ^ std::bit_cast<uint64_t>(values[i]);
    differences |= is_small ? 0 : 1;
    // Unsigned: of a double that is not small it is any number.
    integers[i] =
        static_cast<int64_t>(std::bit_cast<uint64_t>(shifted) - std::bit_cast<uint64_t>(kRounding));
  }
  return differences == 0;
}

bool ScaleAll(std::span<const double> values, double power, int64_t* integers) {
  for (size_t first = 0; first < values.size(); first += kBlock) {
    const size_t count = std::min(kBlock, values.size() - first);
    if (!ScaleBlock(values.data() + first, count, power, integers + first)) return false;
  }
  return true;
}

bool ScaleValid(std::span<const double> values, const uint8_t* validity, int64_t first_bit,
                double power, int64_t* integers) {
  int64_t smallest = std::numeric_limits<int64_t>::max();
  for (size_t i = 0; i < values.size(); ++i) {
    if (!IsValid(validity, first_bit + static_cast<int64_t>(i))) continue;
    if (!IsExact(values[i], power)) return false;
    integers[i] = Scaled(values[i], power);
    smallest = std::min(smallest, integers[i]);
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (!IsValid(validity, first_bit + static_cast<int64_t>(i))) integers[i] = smallest;
  }
  return true;
}

// The first valid value, which tells at once that most other doubles are no decimals.
std::optional<double> FirstValid(std::span<const double> values, const uint8_t* validity,
                                 int64_t first_bit) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (IsValid(validity, first_bit + static_cast<int64_t>(i))) return values[i];
  }
  return std::nullopt;
}

}  // namespace

std::optional<int> ToDecimals(std::span<const double> values, const uint8_t* validity,
                              int64_t first_bit, std::vector<int64_t>* integers) {
  const std::optional<double> first = FirstValid(values, validity, first_bit);
  if (!first) return std::nullopt;
  integers->resize(values.size());
  for (int digits = 0; digits <= kDecimalDigitsMax; ++digits) {
    const double power = kPowersOfTen[digits];
    if (!IsExact(*first, power)) continue;
    const bool all = validity == nullptr
                         ? ScaleAll(values, power, integers->data())
                         : ScaleValid(values, validity, first_bit, power, integers->data());
    if (all) return digits;
  }
  return std::nullopt;
}

void FromDecimals(std::span<const int64_t> integers, int digits, double* values) {
  const double power = kPowersOfTen[digits];
  for (size_t i = 0; i < integers.size(); ++i) {
    values[i] = static_cast<double>(integers[i]) / power;
  }
}

}  // namespace braid
