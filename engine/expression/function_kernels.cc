#include "engine/expression/function_kernels.h"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <string>

#include "braid/time.h"
#include "engine/expression/arithmetic.h"
#include "engine/expression/calendar.h"
#include "engine/expression/digest.h"
#include "engine/expression/function_arguments.h"
#include "engine/expression/json_value.h"
#include "engine/expression/letter_case.h"
#include "engine/expression/like_pattern.h"
#include "engine/expression/number_functions.h"
#include "engine/expression/number_text.h"
#include "engine/expression/regular_expression.h"
#include "engine/expression/result_column.h"
#include "engine/expression/text_functions.h"
#include "engine/expression/text_result.h"
#include "engine/expression/time_functions.h"
#include "engine/expression/time_pattern.h"
#include "engine/expression/time_unit.h"
#include "engine/expression/values.h"
#include "state/rows/check.h"
#include "state/rows/time_text.h"
#include "state/rows/time_zone.h"
#include "state/rows/utf8.h"
#include "state/rows/vector_clones.h"

namespace braid {

namespace {

Column CharacterLengths(const KernelCall& call) {
  ResultColumn result(call);
  int32_t* out = result.values<int32_t>();
  const Operand& argument = call.arguments[0];
  const StringValues values(argument.values);
  for (int64_t i = 0; i < call.count; ++i) {
    out[i] = static_cast<int32_t>(CountCharacters(values[argument.index(i)]));
  }
  return result.Finish();
}

Kernel MakeLetterCaseKernel(bool upper) {
  return [letters = LetterCase(upper)](const KernelCall& call) {
    TextResult result(call);
    std::string changed;
    for (int64_t i = 0; i < call.count; ++i) {
      if (result.TakesNull(i)) continue;
      letters.Change(TextArgument(call, 0, i), &changed);
      result.Append(changed);
    }
    return result.Finish();
  };
}

// Whole units between two times, by `count(from, to)`; INT where the unit is a second or more.
template <typename Count>
Kernel MakeDifferenceKernel(Count count_units) {
  return [count_units](const KernelCall& call) {
    const bool narrow = call.type.kind == TypeKind::kInt;
    ResultColumn result(call.type, call.count);
    for (const Operand& operand : call.arguments.subspan(1)) result.TakeNulls(operand);
    ReadFixedPair<int64_t, int64_t>(call.arguments[1], call.arguments[2], [&](auto from, auto to) {
      for (int64_t i = 0; i < call.count; ++i) {
        const int64_t units = count_units(from[i], to[i]);
        if (!narrow) {
          result.values<int64_t>()[i] = units;
          continue;
        }
        result.values<int32_t>()[i] = static_cast<int32_t>(units);
        if (static_cast<int32_t>(units) == units || result.IsNull(i)) continue;
        call.errors->Add(i, fmt::format("INT overflow: TIMESTAMPDIFF gives {}", units));
        result.SetNull(i);
      }
    });
    return result.Finish();
  };
}

Kernel MakeTimestampDiffKernel(const std::string& name) {
  const TimeUnit* unit = FindTimeUnit(name);
  BRAID_CHECK(unit != nullptr, "a unit that the function registry let through");
  if (unit->months > 0) {
    return MakeDifferenceKernel([months = unit->months](int64_t from, int64_t to) {
      return WholeMonthsBetween(from, to) / months;
    });
  }
  return MakeDifferenceKernel([micros = unit->micros](int64_t from, int64_t to) {
    return (EventTime{to} - Interval{from}).micros / micros;
  });
}

// NULL where parse(text, &micros) fails.
template <typename Parse>
Column ReadTimes(const KernelCall& call, Parse parse) {
  ResultColumn result(call);
  int64_t* out = result.values<int64_t>();
  const Operand& argument = call.arguments[0];
  const StringValues values(argument.values);
  const int64_t unit = MicrosPerUnit(call.type.precision);
  for (int64_t i = 0; i < call.count; ++i) {
    out[i] = 0;
    if (result.IsNull(i)) continue;
    if (parse(values[argument.index(i)], &out[i])) {
      out[i] = FloorToUnit(out[i], unit);
    } else {
      result.SetNull(i);
    }
  }
  return result.Finish();
}

Column ReadPlainTimes(const KernelCall& call) {
  const TimeZone* zone = call.context->zone;
  return ReadTimes(call, [zone](std::string_view text, int64_t* micros) {
    std::optional<int32_t> offset;
    if (!ParseTimestamp(TrimBlanks(text), micros, &offset)) return false;
    if (offset) {
      *micros -= *offset * int64_t{1'000'000};
      if (zone != nullptr) zone->ToLocal(micros, 1);
    }
    return true;
  });
}

Result<Kernel> MakeToTimestampKernel(const Expression& call) {
  if (call.arguments.size() == 1) return Kernel(ReadPlainTimes);
  const std::string* format = LiteralText(*call.arguments[1]);
  if (format == nullptr) {
    return Fail(ErrorCode::kInvalidQuery, "the format of TO_TIMESTAMP must be a literal text",
                call.place);
  }
  Result<TimePattern> pattern = TimePattern::Compile(*format);
  if (!pattern) return Fail(pattern.error().code, pattern.error().message, call.place);
  return Kernel([compiled = *pattern](const KernelCall& kernel_call) {
    return ReadTimes(kernel_call, [&compiled](std::string_view text, int64_t* micros) {
      return compiled.Parse(TrimBlanks(text), micros);
    });
  });
}

// products[i] = numbers[i] * unit. Returns whether all of them fit.
BRAID_VECTOR_CLONES bool MultiplyAll(const int64_t* numbers, int64_t count, int64_t unit,
                                     int64_t* products) {
  const int64_t limit = std::numeric_limits<int64_t>::max() / unit;
  bool fits = true;
  for (int64_t i = 0; i < count; ++i) {
    fits &= numbers[i] <= limit && numbers[i] >= -limit;
    products[i] =
        static_cast<int64_t>(static_cast<uint64_t>(numbers[i]) * static_cast<uint64_t>(unit));
  }
  return fits;
}

Kernel MakeToTimestampLtzKernel(const Expression& call) {
  const int64_t unit = MicrosPerUnit(static_cast<int>(call.arguments[1]->literal.integer()));
  return [unit](const KernelCall& kernel_call) {
    ResultColumn result(kernel_call.type, kernel_call.count);
    result.TakeNulls(kernel_call.arguments[0]);
    int64_t* out = result.values<int64_t>();
    const Operand& argument = kernel_call.arguments[0];
    const int64_t* from = argument.values.Values<int64_t>().data();
    if (!argument.constant && MultiplyAll(from, kernel_call.count, unit, out)) {
      return result.Finish();
    }
    ReadFixed<int64_t>(argument, [&](auto numbers) {
      for (int64_t i = 0; i < kernel_call.count; ++i) {
        if (!__builtin_mul_overflow(numbers[i], unit, &out[i]) || result.IsNull(i)) continue;
        kernel_call.errors->Add(i, fmt::format("TO_TIMESTAMP_LTZ: {} is out of range", numbers[i]));
        result.SetNull(i);
      }
    });
    return result.Finish();
  };
}

Column MatchPattern(const LikePattern& pattern, const KernelCall& call) {
  ResultColumn result(call);
  uint8_t* out = result.values<uint8_t>();
  const Operand& argument = call.arguments[0];
  const StringValues values(argument.values);
  for (int64_t i = 0; i < call.count; ++i) {
    out[i] = static_cast<uint8_t>(!result.IsNull(i) && pattern.Matches(values[argument.index(i)]));
  }
  return result.Finish();
}

// Patterns that come from columns; the same one many times in a row is compiled once.
Column MatchPatterns(const KernelCall& call) {
  ResultColumn result(call);
  uint8_t* out = result.values<uint8_t>();
  const auto argument = [&call](size_t index, int64_t i) {
    const Operand& operand = call.arguments[index];
    return operand.values.String(operand.index(i));
  };
  const bool has_escape = call.arguments.size() == 3;
  std::string last_pattern;
  std::string last_escape;
  std::optional<Result<LikePattern>> compiled;
  for (int64_t i = 0; i < call.count; ++i) {
    out[i] = 0;
    if (result.IsNull(i)) continue;
    const std::string_view pattern = argument(1, i);
    const std::string_view escape = has_escape ? argument(2, i) : std::string_view();
    if (!compiled || pattern != last_pattern || escape != last_escape) {
      last_pattern = pattern;
      last_escape = escape;
      compiled = LikePattern::Compile(pattern, escape);
    }
    if (*compiled) {
      out[i] = static_cast<uint8_t>((*compiled)->Matches(argument(0, i)));
    } else {
      call.errors->Add(i, compiled->error().message);
      result.SetNull(i);
    }
  }
  return result.Finish();
}

}  // namespace

Result<Kernel> MakeFunctionKernel(const Expression& call) {
  if (call.operation == Operation::kToTimestamp) return MakeToTimestampKernel(call);
  if (call.operation == Operation::kToTimestampLtz) return MakeToTimestampLtzKernel(call);
  if (call.function == "ABS") return Kernel(AbsoluteNumbers);
  if (call.function == "CHAR_LENGTH") return Kernel(CharacterLengths);
  if (call.function == "LOWER") return MakeLetterCaseKernel(false);
  if (call.function == "UPPER") return MakeLetterCaseKernel(true);
  if (call.function == "TIMESTAMPDIFF") {
    return MakeTimestampDiffKernel(*LiteralText(*call.arguments[0]));
  }
  if (call.function == "JSON_VALUE") return MakeJsonValueKernel(call);
  if (Result<Kernel> kernel = FindTimeKernel(call); !kernel || *kernel) return kernel;
  if (Result<Kernel> kernel = FindRegexpKernel(call); !kernel || *kernel) return kernel;
  if (Kernel kernel = FindTextKernel(call.function)) return kernel;
  if (Kernel kernel = FindDigestKernel(call.function)) return kernel;
  if (Kernel kernel = FindNumberKernel(call)) return kernel;
  return Fail(ErrorCode::kInternal, "no kernel for the function " + call.function, call.place);
}

Result<Kernel> MakeLikeKernel(const Expression& call) {
  const std::string* pattern = LiteralText(*call.arguments[1]);
  const bool has_escape = call.arguments.size() == 3;
  const std::string* escape = has_escape ? LiteralText(*call.arguments[2]) : nullptr;
  if (pattern == nullptr || (has_escape && escape == nullptr)) return Kernel(MatchPatterns);
  if (has_escape && escape->empty()) {
    return Fail(ErrorCode::kInvalidQuery, "the ESCAPE of LIKE is one character, got ''",
                call.place);
  }
  Result<LikePattern> compiled =
      LikePattern::Compile(*pattern, has_escape ? std::string_view(*escape) : std::string_view());
  if (!compiled) return Fail(compiled.error().code, compiled.error().message, call.place);
  return Kernel([like = *compiled](const KernelCall& kernel_call) {
    return MatchPattern(like, kernel_call);
  });
}

}  // namespace braid
