#include "engine/expression/number_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "engine/expression/decimal_digits.h"
#include "engine/expression/function_arguments.h"
#include "engine/expression/physical_type.h"
#include "engine/expression/result_column.h"
#include "engine/expression/text_result.h"
#include "engine/expression/type_rules.h"
#include "engine/expression/values.h"

namespace braid {

namespace {

Status TakeNumber(FunctionCall* call, size_t index) {
  ExpressionPtr& argument = call->arguments[index];
  if (argument->type.is_numeric()) return {};
  if (argument->type.kind != TypeKind::kNull) return RefuseArgument(*call, "a number", *argument);
  Result<ExpressionPtr> cast = MakeImplicitCast(argument, DataType::Int());
  if (!cast) return tl::unexpected(std::move(cast.error()));
  argument = std::move(*cast);
  return {};
}

// ---------------------------------------------------------------------------- CEIL and FLOOR

template <typename T, bool up>
Column WholeFloats(const KernelCall& call) {
  ResultColumn result(call);
  T* out = result.values<T>();
  ReadFixed<T>(call.arguments[0], [&](auto values) {
    for (int64_t i = 0; i < call.count; ++i)
      out[i] = up ? std::ceil(values[i]) : std::floor(values[i]);
  });
  return result.Finish();
}

template <bool up>
Kernel WholeDecimalKernel(int scale) {
  return [unit = static_cast<int64_t>(PowerOfTen(scale))](const KernelCall& call) {
    ResultColumn result(call);
    int64_t* out = result.values<int64_t>();
    ReadFixed<int64_t>(call.arguments[0], [&](auto values) {
      for (int64_t i = 0; i < call.count; ++i) {
        const int64_t rest = values[i] % unit;
        out[i] = values[i] / unit;
        if (up && rest > 0) ++out[i];
        if (!up && rest < 0) --out[i];
      }
    });
    return result.Finish();
  };
}

template <bool up>
Kernel WholeNumberKernel(const Expression& call) {
  switch (call.type.kind) {
    case TypeKind::kFloat:
      return WholeFloats<float, up>;
    case TypeKind::kDouble:
      return WholeFloats<double, up>;
    case TypeKind::kDecimal:
      return WholeDecimalKernel<up>(call.arguments[0]->type.scale);
    default:
      return [](const KernelCall& whole) { return whole.arguments[0].values; };
  }
}

// --------------------------------------------------------------------------------- ROUND

// `number` rounded half away from zero to `digits` digits behind the point (before it, if
// negative), in decimal: 2.675 has the digits that it is printed with, so that 2 of them are 2.68.
double RoundFloating(double number, int64_t digits) {
  if (!std::isfinite(number) || number == 0) return number;
  // d.ddde±xx, the shortest text that reads back as the number.
  char text[40];
  const auto written =
      std::to_chars(text, text + sizeof(text), std::abs(number), std::chars_format::scientific);
  const std::string_view shortest(text, static_cast<size_t>(written.ptr - text));
  const size_t exponent_at = shortest.find('e');
  int64_t exponent = 0;
  const char* exponent_text = shortest.data() + exponent_at + 1;
  if (*exponent_text == '+') ++exponent_text;
  std::from_chars(exponent_text, written.ptr, exponent);
  int64_t mantissa = 0;
  int64_t mantissa_digits = 0;
  for (const char letter : shortest.substr(0, exponent_at)) {
    if (letter == '.') continue;
    mantissa = mantissa * 10 + (letter - '0');
    ++mantissa_digits;
  }
  // The number is mantissa * 10^lowest; digits below 10^-digits go.
  const int64_t lowest = exponent - (mantissa_digits - 1);
  const int64_t dropped = -digits - lowest;
  if (dropped <= 0) return number;
  if (dropped > mantissa_digits) return std::copysign(0.0, number);
  const auto rounded =
      static_cast<int64_t>(DivideRounded(mantissa, PowerOfTen(static_cast<int>(dropped))));
  const std::string rounded_text = fmt::format("{}e{}", rounded, lowest + dropped);
  double magnitude = 0;
  const auto read =
      std::from_chars(rounded_text.data(), rounded_text.data() + rounded_text.size(), magnitude);
  if (read.ec != std::errc()) magnitude = std::numeric_limits<double>::infinity();
  return std::copysign(magnitude, number);
}

template <typename T>
bool RoundInteger(T number, int64_t digits, T* rounded) {
  *rounded = number;
  if (digits >= 0) return true;
  *rounded = 0;
  if (digits < -19) return true;
  const WideDigits unit = PowerOfTen(static_cast<int>(-digits));
  const WideDigits wide = DivideRounded(number, unit) * unit;
  *rounded = static_cast<T>(wide);
  return *rounded == wide;
}

template <typename T>
Column RoundNumbers(const KernelCall& call) {
  ResultColumn result(call);
  T* out = result.values<T>();
  const bool has_digits = call.arguments.size() == 2;
  ReadFixed<T>(call.arguments[0], [&](auto values) {
    for (int64_t i = 0; i < call.count; ++i) {
      out[i] = 0;
      if (result.IsNull(i)) continue;
      const int64_t digits = has_digits ? IntArgument(call, 1, i) : 0;
      if constexpr (std::is_same_v<T, float>) {
        // Rounded as it is printed: with the digits of a FLOAT.
        double shortest = 0;
        const std::string text = fmt::format("{}", values[i]);
        std::from_chars(text.data(), text.data() + text.size(), shortest);
        out[i] = std::isfinite(values[i]) ? static_cast<float>(RoundFloating(shortest, digits))
                                          : values[i];
      } else if constexpr (std::is_same_v<T, double>) {
        out[i] = RoundFloating(values[i], digits);
      } else if (!RoundInteger<T>(values[i], digits, &out[i])) {
        call.errors->Add(i, fmt::format("{} overflow: ROUND({}, {})", call.type.ToString(),
                                        int64_t{values[i]}, digits));
        result.SetNull(i);
      }
    }
  });
  return result.Finish();
}

// DECIMAL to fewer digits behind the point, or to whole tens, hundreds …
Kernel RoundDecimalKernel(const Expression& call) {
  const int from = call.arguments[0]->type.scale;
  const bool has_digits = call.arguments.size() == 2;
  int64_t digits = has_digits ? call.arguments[1]->literal.integer() : 0;
  digits = std::clamp<int64_t>(digits, -20, from);
  const int dropped = static_cast<int>(from - digits);
  const int zeros = digits < 0 ? static_cast<int>(-digits) : 0;
  return [dropped, zeros](const KernelCall& kernel_call) {
    const int precision = kernel_call.type.precision;
    ResultColumn result(kernel_call.type, kernel_call.count);
    result.TakeNulls(kernel_call.arguments[0]);
    int64_t* out = result.values<int64_t>();
    ReadFixed<int64_t>(kernel_call.arguments[0], [&](auto values) {
      for (int64_t i = 0; i < kernel_call.count; ++i) {
        out[i] = 0;
        // Nothing of 18 digits is left where more than 19 are dropped.
        const WideDigits rounded =
            dropped > 19 ? 0 : DivideRounded(values[i], PowerOfTen(dropped)) * PowerOfTen(zeros);
        if (NarrowDigits(rounded, precision, &out[i]) || result.IsNull(i)) continue;
        kernel_call.errors->Add(i,
                                fmt::format("{} overflow in ROUND", kernel_call.type.ToString()));
        result.SetNull(i);
      }
    });
    return result.Finish();
  };
}

Kernel RoundKernel(const Expression& call) {
  if (call.type.kind == TypeKind::kDecimal) {
    const bool null_digits = call.arguments.size() == 2 && call.arguments[1]->literal.is_null();
    if (!null_digits) return RoundDecimalKernel(call);
    return [](const KernelCall& null) { return NullColumn(null.type, null.count); };
  }
  return VisitNumber(call.type.kind, [](auto identity) {
    return Kernel(RoundNumbers<typename decltype(identity)::type>);
  });
}

// Flink's type of ROUND(DECIMAL(p, s), digits): one more digit before the point, if digits go.
DataType RoundedDecimal(const DataType& type, int64_t digits) {
  if (digits >= type.scale) return type;
  const int64_t scale = std::max<int64_t>(digits, 0);
  const int64_t precision =
      std::min<int64_t>(kMaxDecimalPrecision, 1 + type.precision - type.scale + scale);
  return DataType::Decimal(static_cast<uint8_t>(precision), static_cast<uint8_t>(scale));
}

// ---------------------------------------------------------------------------------- SIGN

template <typename T>
Column Signs(const KernelCall& call) {
  const T one = call.type.kind == TypeKind::kDecimal ? static_cast<T>(PowerOfTen(call.type.scale))
                                                     : static_cast<T>(1);
  ResultColumn result(call);
  T* out = result.values<T>();
  ReadFixed<T>(call.arguments[0], [&](auto values) {
    for (int64_t i = 0; i < call.count; ++i) {
      const T value = values[i];
      out[i] = value > 0 ? one : value < 0 ? static_cast<T>(-one) : value;
    }
  });
  return result.Finish();
}

// ------------------------------------------------------------- EXP, LN, POWER and SQRT

template <double (*function)(double)>
Column ApplyToDoubles(const KernelCall& call) {
  ResultColumn result(call);
  double* out = result.values<double>();
  ReadFixed<double>(call.arguments[0], [&](auto values) {
    for (int64_t i = 0; i < call.count; ++i) out[i] = function(values[i]);
  });
  return result.Finish();
}

double Exponential(double number) { return std::exp(number); }
double NaturalLogarithm(double number) { return std::log(number); }
double SquareRoot(double number) { return std::sqrt(number); }

Column Powers(const KernelCall& call) {
  ResultColumn result(call);
  double* out = result.values<double>();
  ReadFixedPair<double, double>(call.arguments[0], call.arguments[1],
                                [&](auto base, auto exponent) {
                                  for (int64_t i = 0; i < call.count; ++i)
                                    out[i] = std::pow(base[i], exponent[i]);
                                });
  return result.Finish();
}

// ------------------------------------------------------------------- GREATEST and LEAST

template <typename T>
bool IsBefore(T left, T right) {
  // NaN is the greatest, as in comparisons.
  if constexpr (std::is_floating_point_v<T>) {
    return left < right || (std::isnan(right) && !std::isnan(left));
  } else {
    return left < right;
  }
}

template <typename T, bool greatest>
Column Extremes(const KernelCall& call) {
  ResultColumn result(call);
  T* out = result.values<T>();
  bool first = true;
  for (const Operand& operand : call.arguments) {
    ReadFixed<T>(operand, [&](auto values) {
      for (int64_t i = 0; i < call.count; ++i) {
        const T value = values[i];
        const bool better = greatest ? IsBefore<T>(out[i], value) : IsBefore<T>(value, out[i]);
        if (first || better) out[i] = value;
      }
    });
    first = false;
  }
  return result.Finish();
}

template <bool greatest>
Column ExtremeTexts(const KernelCall& call) {
  TextResult result(call);
  for (int64_t i = 0; i < call.count; ++i) {
    if (result.TakesNull(i)) continue;
    std::string_view best = TextArgument(call, 0, i);
    for (size_t index = 1; index < call.arguments.size(); ++index) {
      const std::string_view text = TextArgument(call, index, i);
      if (greatest ? best < text : text < best) best = text;
    }
    result.Append(best);
  }
  return result.Finish();
}

template <bool greatest>
Kernel ExtremeKernel(const Expression& call) {
  if (call.type.is_variable_width()) return ExtremeTexts<greatest>;
  return VisitFixedWidth(call.type.kind, [](auto identity) {
    return Kernel(Extremes<typename decltype(identity)::type, greatest>);
  });
}

}  // namespace

Result<ExpressionPtr> MakeWholeNumber(FunctionCall call) {
  if (Status status = TakeNumber(&call, 0); !status) return tl::unexpected(status.error());
  DataType type = call.arguments[0]->type;
  type.scale = 0;
  return MakeKernelCall(std::move(call), type);
}

Result<ExpressionPtr> MakeDoubleFunction(FunctionCall call) {
  for (size_t index = 0; index < call.arguments.size(); ++index) {
    if (Status status = TakeNumber(&call, index); !status) return tl::unexpected(status.error());
    Result<ExpressionPtr> cast = MakeImplicitCast(call.arguments[index], DataType::Double());
    if (!cast) return cast;
    call.arguments[index] = std::move(*cast);
  }
  return MakeKernelCall(std::move(call), DataType::Double());
}

Result<ExpressionPtr> MakeRound(FunctionCall call) {
  if (Status status = TakeNumber(&call, 0); !status) return tl::unexpected(status.error());
  if (Status status = TakeInt(&call, 1); !status) return tl::unexpected(status.error());
  DataType type = call.arguments[0]->type;
  const bool has_digits = call.arguments.size() == 2;
  if (has_digits && IsConstant(*call.arguments[1])) {
    Result<Value> digits = EvaluateConstant(call.arguments[1]);
    if (!digits) return tl::unexpected(std::move(digits.error()));
    call.arguments[1] = MakeLiteral(std::move(*digits), call.arguments[1]->place);
  }
  if (type.kind == TypeKind::kDecimal) {
    if (has_digits && call.arguments[1]->kind != ExpressionKind::kLiteral) {
      return Fail(ErrorCode::kInvalidQuery,
                  "the digits of ROUND of a DECIMAL are a constant number", call.place);
    }
    const bool null = has_digits && call.arguments[1]->literal.is_null();
    const int64_t digits = has_digits && !null ? call.arguments[1]->literal.integer() : 0;
    type = RoundedDecimal(type, digits);
  }
  return MakeKernelCall(std::move(call), type);
}

Result<ExpressionPtr> MakeSign(FunctionCall call) {
  if (Status status = TakeNumber(&call, 0); !status) return tl::unexpected(status.error());
  DataType type = call.arguments[0]->type;
  if (type.kind == TypeKind::kDecimal && type.precision == type.scale) {
    // Room for the 1.
    if (type.precision < kMaxDecimalPrecision) {
      ++type.precision;
    } else {
      --type.scale;
    }
    Result<ExpressionPtr> cast = MakeImplicitCast(call.arguments[0], type);
    if (!cast) return cast;
    call.arguments[0] = std::move(*cast);
  }
  return MakeKernelCall(std::move(call), type);
}

Result<ExpressionPtr> MakeExtreme(FunctionCall call) {
  DataType common;
  for (const ExpressionPtr& argument : call.arguments) {
    Result<DataType> wider = CommonType(common, argument->type);
    if (!wider) {
      return Fail(ErrorCode::kInvalidQuery,
                  fmt::format("{} cannot compare {} with {}; write a CAST", call.name,
                              common.ToString(), Describe(*argument)),
                  call.place);
    }
    common = *wider;
  }
  if (common.kind == TypeKind::kNull) common = DataType::Int();
  for (ExpressionPtr& argument : call.arguments) {
    Result<ExpressionPtr> cast = MakeImplicitCast(argument, common);
    if (!cast) return cast;
    argument = std::move(*cast);
  }
  return MakeKernelCall(std::move(call), common);
}

Kernel FindNumberKernel(const Expression& call) {
  const std::string_view name = call.function;
  if (name == "CEIL") return WholeNumberKernel<true>(call);
  if (name == "EXP") return ApplyToDoubles<Exponential>;
  if (name == "FLOOR") return WholeNumberKernel<false>(call);
  if (name == "GREATEST") return ExtremeKernel<true>(call);
  if (name == "LEAST") return ExtremeKernel<false>(call);
  if (name == "LN") return ApplyToDoubles<NaturalLogarithm>;
  if (name == "POWER") return Powers;
  if (name == "ROUND") return RoundKernel(call);
  if (name == "SIGN") {
    if (call.type.kind == TypeKind::kDecimal) return Signs<int64_t>;
    return VisitNumber(call.type.kind, [](auto identity) {
      return Kernel(Signs<typename decltype(identity)::type>);
    });
  }
  if (name == "SQRT") return ApplyToDoubles<SquareRoot>;
  return {};
}

}  // namespace braid
