#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "engine/expression/cast_loops.h"
#include "engine/expression/decimal_digits.h"
#include "engine/expression/number_text.h"
#include "engine/expression/physical_type.h"

namespace braid {

namespace {

// An integer or a floating-point number to another; a fraction is cut off.
template <typename From, typename To>
bool ConvertNumber(From from, To* to) {
  if constexpr (std::is_floating_point_v<To>) {
    *to = static_cast<To>(from);
    return true;
  } else if constexpr (std::is_floating_point_v<From>) {
    // The limits of To are powers of two, so they are exact as double; NaN fails both tests.
    constexpr double kEnd = -static_cast<double>(std::numeric_limits<To>::min());
    const double whole = std::trunc(static_cast<double>(from));
    if (!(whole >= -kEnd && whole < kEnd)) return false;
    *to = static_cast<To>(whole);
    return true;
  } else {
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): a TINYINT is a number.
    *to = static_cast<To>(from);
    return sizeof(To) >= sizeof(From) || static_cast<From>(*to) == from;
  }
}

// Reads the shortest text that stands for the number, so that 1.005 is 1.005 and not a bit less.
template <typename From>
bool FloatingToDecimal(From from, const DataType& type, int64_t* digits) {
  if (!std::isfinite(from)) return false;
  char text[64];
  const char* end = fmt::format_to(text, "{}", from);
  return ParseDecimal({text, static_cast<size_t>(end - text)}, type.precision, type.scale, digits);
}

double DecimalToDouble(int64_t digits, int scale) {
  constexpr int64_t kExact = int64_t{1} << 53;
  if (digits >= -kExact && digits <= kExact) {
    // Both are exact, so the quotient is the nearest double.
    return static_cast<double>(digits) /
           static_cast<double>(static_cast<int64_t>(PowerOfTen(scale)));
  }
  char text[64];
  const char* end = fmt::format_to(text, "{}e-{}", digits, scale);
  double number = 0;
  (void)ParseDouble({text, static_cast<size_t>(end - text)}, &number);
  return number;
}

Kernel MakeDecimalToDecimal(int from_scale, const DataType& to, bool try_cast) {
  return [from_scale, to, try_cast](const KernelCall& call) {
    return CastFixed<int64_t, int64_t>(call, try_cast, [&](int64_t from, int64_t* out) {
      WideDigits digits = 0;
      return Rescale(from, from_scale, to.scale, &digits) &&
             NarrowDigits(digits, to.precision, out);
    });
  };
}

template <typename From>
Column NumberToDecimal(const KernelCall& call, bool try_cast) {
  const DataType type = call.type;
  return CastFixed<From, int64_t>(call, try_cast, [type](From from, int64_t* out) {
    if constexpr (std::is_floating_point_v<From>) {
      return FloatingToDecimal(from, type, out);
    } else {
      return NarrowDigits(from * PowerOfTen(type.scale), type.precision, out);
    }
  });
}

template <typename To>
Column DecimalToNumber(const KernelCall& call, bool try_cast) {
  const int scale = call.arguments[0].values.type().scale;
  const auto unit = static_cast<int64_t>(PowerOfTen(scale));
  return CastFixed<int64_t, To>(call, try_cast, [scale, unit](int64_t digits, To* out) {
    if constexpr (std::is_floating_point_v<To>) {
      *out = static_cast<To>(DecimalToDouble(digits, scale));
      return true;
    } else {
      return ConvertNumber(digits / unit, out);
    }
  });
}

// The physical type, where DECIMAL and BOOLEAN count by their digits.
template <typename Visit>
decltype(auto) VisitDigits(TypeKind kind, Visit visit) {
  if (kind == TypeKind::kBoolean) return visit(std::type_identity<uint8_t>());
  if (kind == TypeKind::kDecimal) return visit(std::type_identity<int64_t>());
  return VisitNumber(kind, visit);
}

Kernel MakeNumberToBoolean(TypeKind from) {
  return VisitDigits(from, [](auto identity) -> Kernel {
    using From = typename decltype(identity)::type;
    return [](const KernelCall& call) {
      return CastFixed<From, uint8_t>(call, false, [](From number, uint8_t* out) {
        *out = static_cast<uint8_t>(number != 0);
        return true;
      });
    };
  });
}

Kernel MakeCastToDecimal(TypeKind from, bool try_cast) {
  return VisitDigits(from, [try_cast](auto identity) -> Kernel {
    using From = typename decltype(identity)::type;
    return [try_cast](const KernelCall& call) { return NumberToDecimal<From>(call, try_cast); };
  });
}

Kernel MakeDecimalToNumber(TypeKind to, bool try_cast) {
  return VisitNumber(to, [try_cast](auto identity) -> Kernel {
    using To = typename decltype(identity)::type;
    return [try_cast](const KernelCall& call) { return DecimalToNumber<To>(call, try_cast); };
  });
}

}  // namespace

Kernel MakeNumberCast(const DataType& from, const DataType& to, bool try_cast) {
  if (from.kind == TypeKind::kDecimal && to.kind == TypeKind::kDecimal) {
    return MakeDecimalToDecimal(from.scale, to, try_cast);
  }
  if (to.kind == TypeKind::kBoolean) return MakeNumberToBoolean(from.kind);
  if (to.kind == TypeKind::kDecimal) return MakeCastToDecimal(from.kind, try_cast);
  if (from.kind == TypeKind::kDecimal) return MakeDecimalToNumber(to.kind, try_cast);
  return VisitDigits(from.kind, [&to, try_cast](auto from_identity) {
    using From = typename decltype(from_identity)::type;
    return VisitNumber(to.kind, [try_cast](auto to_identity) -> Kernel {
      using To = typename decltype(to_identity)::type;
      return [try_cast](const KernelCall& call) {
        return CastFixed<From, To>(call, try_cast, ConvertNumber<From, To>);
      };
    });
  });
}

}  // namespace braid
