#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "engine/expression/arithmetic.h"
#include "engine/expression/decimal_digits.h"
#include "engine/expression/result_column.h"
#include "engine/expression/values.h"
#include "state/rows/check.h"

namespace braid {

namespace {

constexpr int kExponentMax = 36;

constexpr std::array<WideDigits, kExponentMax + 1> MakePowers() {
  std::array<WideDigits, kExponentMax + 1> powers{};
  WideDigits power = 1;
  for (WideDigits& each : powers) {
    each = power;
    power *= 10;
  }
  return powers;
}

constexpr std::array<WideDigits, kExponentMax + 1> kPowersOfTen = MakePowers();

WideDigits Absolute(WideDigits digits) { return digits < 0 ? -digits : digits; }

struct Scales {
  int left;
  int right;
  int result;
  int precision;
};

// left + right, or with `sign` -1 left - right, at the larger scale.
bool AddDigits(int64_t left, int64_t right, int sign, const Scales& scales, WideDigits* out) {
  const int scale = std::max(scales.left, scales.right);
  const WideDigits sum =
      left * PowerOfTen(scale - scales.left) + sign * (right * PowerOfTen(scale - scales.right));
  return Rescale(sum, scale, scales.result, out);
}

bool MultiplyDigits(int64_t left, int64_t right, const Scales& scales, WideDigits* out) {
  const WideDigits product = static_cast<WideDigits>(left) * right;
  return Rescale(product, scales.left + scales.right, scales.result, out);
}

// Digit by digit, for a dividend that does not fit into 128 bits: left * 10^shift / right.
bool DivideLong(WideDigits left, WideDigits right, int shift, WideDigits* out) {
  const bool negative = (left < 0) != (right < 0);
  const WideDigits divisor = Absolute(right);
  WideDigits quotient = Absolute(left) / divisor;
  WideDigits rest = Absolute(left) % divisor;
  for (int digit = 0; digit < shift; ++digit) {
    rest *= 10;
    if (__builtin_mul_overflow(quotient, WideDigits{10}, &quotient)) return false;
    quotient += rest / divisor;
    rest %= divisor;
  }
  if (rest * 2 >= divisor) ++quotient;
  *out = negative ? -quotient : quotient;
  return true;
}

// REQUIRES: right != 0.
bool DivideDigits(int64_t left, int64_t right, const Scales& scales, WideDigits* out) {
  const int shift = scales.result + scales.right - scales.left;
  if (shift < 0) {
    *out = DivideRounded(left, right * PowerOfTen(-shift));
    return true;
  }
  WideDigits dividend = 0;
  if (__builtin_mul_overflow(static_cast<WideDigits>(left), PowerOfTen(shift), &dividend)) {
    return DivideLong(left, right, shift, out);
  }
  *out = DivideRounded(dividend, right);
  return true;
}

// REQUIRES: right != 0.
bool ModuloDigits(int64_t left, int64_t right, const Scales& scales, WideDigits* out) {
  const int scale = std::max(scales.left, scales.right);
  const WideDigits rest =
      left * PowerOfTen(scale - scales.left) % (right * PowerOfTen(scale - scales.right));
  return Rescale(rest, scale, scales.result, out);
}

bool ComputeDigits(Operation operation, int64_t left, int64_t right, const Scales& scales,
                   WideDigits* out) {
  switch (operation) {
    case Operation::kAdd:
      return AddDigits(left, right, 1, scales, out);
    case Operation::kSubtract:
      return AddDigits(left, right, -1, scales, out);
    case Operation::kMultiply:
      return MultiplyDigits(left, right, scales, out);
    case Operation::kDivide:
      return DivideDigits(left, right, scales, out);
    default:
      return ModuloDigits(left, right, scales, out);
  }
}

const char* SignOf(Operation operation) {
  switch (operation) {
    case Operation::kAdd:
      return "+";
    case Operation::kSubtract:
      return "-";
    case Operation::kMultiply:
      return "*";
    case Operation::kDivide:
      return "/";
    default:
      return "%";
  }
}

}  // namespace

WideDigits PowerOfTen(int exponent) {
  BRAID_DCHECK(exponent >= 0 && exponent <= kExponentMax, "an exponent of the table");
  return kPowersOfTen[static_cast<size_t>(exponent)];
}

WideDigits DivideRounded(WideDigits dividend, WideDigits divisor) {
  const WideDigits quotient = dividend / divisor;
  const WideDigits rest = Absolute(dividend % divisor);
  const WideDigits half = Absolute(divisor) - rest;
  if (rest < half) return quotient;
  return (dividend < 0) != (divisor < 0) ? quotient - 1 : quotient + 1;
}

bool Rescale(WideDigits digits, int from, int to, WideDigits* out) {
  if (to >= from) return !__builtin_mul_overflow(digits, PowerOfTen(to - from), out);
  *out = DivideRounded(digits, PowerOfTen(from - to));
  return true;
}

bool NarrowDigits(WideDigits digits, int precision, int64_t* out) {
  const WideDigits limit = PowerOfTen(precision);
  if (digits <= -limit || digits >= limit) return false;
  *out = static_cast<int64_t>(digits);
  return true;
}

Column ComputeDecimals(Operation operation, const KernelCall& call) {
  const DataType left_type = call.arguments[0].values.type();
  const DataType right_type = call.arguments[1].values.type();
  const Scales scales = {left_type.scale, right_type.scale, call.type.scale, call.type.precision};
  const bool divides = operation == Operation::kDivide || operation == Operation::kModulo;
  ResultColumn result(call);
  int64_t* out = result.values<int64_t>();
  ReadFixedPair<int64_t, int64_t>(call.arguments[0], call.arguments[1], [&](auto left, auto right) {
    for (int64_t i = 0; i < call.count; ++i) {
      out[i] = 0;
      if (result.IsNull(i)) continue;
      WideDigits digits = 0;
      const bool by_zero = divides && right[i] == 0;
      const bool fits = !by_zero && ComputeDigits(operation, left[i], right[i], scales, &digits) &&
                        NarrowDigits(digits, scales.precision, &out[i]);
      if (fits) continue;
      call.errors->Add(i, by_zero
                              ? "division by zero"
                              : fmt::format("{} overflow: {} {} {}", call.type.ToString(),
                                            FormatValue({left_type, left[i]}), SignOf(operation),
                                            FormatValue({right_type, right[i]})));
      result.SetNull(i);
    }
  });
  return result.Finish();
}

}  // namespace braid
