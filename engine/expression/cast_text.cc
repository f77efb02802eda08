#include <fmt/format.h>

#include <optional>
#include <string>
#include <type_traits>

#include "braid/column_builder.h"
#include "engine/expression/calendar.h"
#include "engine/expression/cast_loops.h"
#include "engine/expression/number_text.h"
#include "engine/expression/physical_type.h"
#include "engine/expression/time_unit.h"
#include "state/rows/time_text.h"
#include "state/rows/time_zone.h"
#include "state/rows/utf8.h"

namespace braid {

namespace {

std::string_view CutToLength(std::string_view value, const DataType& type) {
  if (type.length == 0) return value;
  if (type.kind == TypeKind::kBytes) return value.substr(0, type.length);
  return FirstCharacters(value, type.length);
}

// Text of every value that is not NULL; write(position, builder) appends one.
template <typename Write>
Column WriteAll(const KernelCall& call, Write write) {
  const Operand& argument = call.arguments[0];
  ColumnBuilder builder(call.type);
  builder.Reserve(call.count, call.count * 8);
  for (int64_t i = 0; i < call.count; ++i) {
    if (argument.IsNull(i)) {
      builder.AppendNull();
    } else {
      write(argument.index(i), &builder);
    }
  }
  return builder.Finish();
}

Column CastStrings(const KernelCall& call, bool try_cast) {
  const Operand& argument = call.arguments[0];
  const DataType from = argument.values.type();
  const bool becomes_text = from.kind == TypeKind::kBytes && call.type.kind == TypeKind::kString;
  if (!becomes_text && call.type.length == 0) return Retyped(argument.values, call.type);
  ColumnBuilder builder(call.type);
  builder.Reserve(call.count);
  for (int64_t i = 0; i < call.count; ++i) {
    if (argument.IsNull(i)) {
      builder.AppendNull();
      continue;
    }
    const std::string_view value = argument.values.String(argument.index(i));
    if (becomes_text && !IsUtf8(value)) {
      builder.AppendNull();
      if (!try_cast) call.errors->Add(i, "cannot cast BYTES that are not UTF-8 to STRING");
      continue;
    }
    builder.AppendString(CutToLength(value, call.type));
  }
  return builder.Finish();
}

// Integers and intervals.
template <typename T>
Column CastIntegersToText(const KernelCall& call) {
  const std::span<const T> values = call.arguments[0].values.Values<T>();
  const DataType type = call.type;
  return WriteAll(call, [&](int64_t index, ColumnBuilder* builder) {
    const fmt::format_int text(static_cast<int64_t>(values[static_cast<size_t>(index)]));
    builder->AppendString(CutToLength({text.data(), text.size()}, type));
  });
}

Column CastTimestampsToText(const KernelCall& call) {
  const Column& column = call.arguments[0].values;
  const std::span<const int64_t> values = column.Values<int64_t>();
  const int precision = column.type().precision;
  const bool local = column.type().kind == TypeKind::kTimestampLtz;
  const DataType type = call.type;
  return WriteAll(call, [&](int64_t index, ColumnBuilder* builder) {
    char text[kTimeTextBytesMax + 1];
    char* end = WriteTimestamp(values[static_cast<size_t>(index)], precision, text);
    if (local) *end++ = 'Z';
    builder->AppendString(CutToLength({text, static_cast<size_t>(end - text)}, type));
  });
}

Column CastDatesToText(const KernelCall& call) {
  const std::span<const int32_t> values = call.arguments[0].values.Values<int32_t>();
  const DataType type = call.type;
  return WriteAll(call, [&](int64_t index, ColumnBuilder* builder) {
    char text[kTimeTextBytesMax];
    const char* end = WriteDate(values[static_cast<size_t>(index)], text);
    builder->AppendString(CutToLength({text, static_cast<size_t>(end - text)}, type));
  });
}

Column CastBooleansToText(const KernelCall& call) {
  const std::span<const uint8_t> values = call.arguments[0].values.Values<uint8_t>();
  const DataType type = call.type;
  return WriteAll(call, [&](int64_t index, ColumnBuilder* builder) {
    const bool truth = values[static_cast<size_t>(index)] != 0;
    builder->AppendString(CutToLength(truth ? "TRUE" : "FALSE", type));
  });
}

template <typename T>
Column CastFloatsToText(const KernelCall& call) {
  const std::span<const T> values = call.arguments[0].values.Values<T>();
  const DataType type = call.type;
  return WriteAll(call, [&](int64_t index, ColumnBuilder* builder) {
    const T number = values[static_cast<size_t>(index)];
    if constexpr (std::is_same_v<T, float>) {
      builder->AppendString(CutToLength(FloatText(number), type));
    } else {
      builder->AppendString(CutToLength(DoubleText(number), type));
    }
  });
}

Column CastDecimalsToText(const KernelCall& call) {
  const Column& column = call.arguments[0].values;
  const DataType type = call.type;
  return WriteAll(call, [&](int64_t index, ColumnBuilder* builder) {
    builder->AppendString(CutToLength(FormatValue(ValueAt(column, index)), type));
  });
}

// The moment or clock time that `text` stands for: a clock time as it is written, unless the text
// names a zone of its own.
bool ReadTime(std::string_view text, bool as_moment, const TimeZone* zone, int64_t* micros) {
  std::optional<int32_t> offset;
  if (!ParseTimestamp(TrimBlanks(text), micros, &offset)) return false;
  if (offset) {
    *micros -= *offset * int64_t{1'000'000};
    if (!as_moment && zone != nullptr) zone->ToLocal(micros, 1);
  } else if (as_moment && zone != nullptr) {
    zone->ToUtc(micros, 1);
  }
  return true;
}

Kernel MakeTextToTimestamp(const DataType& to, bool try_cast) {
  const bool as_moment = to.kind == TypeKind::kTimestampLtz;
  const int64_t unit = MicrosPerUnit(to.precision);
  return [as_moment, unit, try_cast](const KernelCall& call) {
    const TimeZone* zone = call.context->zone;
    return CastFromText<int64_t>(call, try_cast, [&](std::string_view text, int64_t* out) {
      if (!ReadTime(text, as_moment, zone, out)) return false;
      *out = FloorToUnit(*out, unit);
      return true;
    });
  };
}

// A date, or the day of a time.
bool ReadDate(std::string_view text, int32_t* days) {
  text = TrimBlanks(text);
  if (ParseDate(text, days)) return true;
  int64_t micros = 0;
  std::optional<int32_t> offset;
  if (!ParseTimestamp(text, &micros, &offset)) return false;
  *days = static_cast<int32_t>(FloorDays(micros));
  return true;
}

template <typename T>
bool ReadNumber(std::string_view text, T* out) {
  text = TrimBlanks(text);
  if constexpr (std::is_same_v<T, double>) {
    return ParseDouble(text, out);
  } else if constexpr (std::is_same_v<T, float>) {
    return ParseFloat(text, out);
  } else {
    int64_t number = 0;
    if (!ParseInteger(text, &number)) return false;
    *out = static_cast<T>(number);
    return *out == number;
  }
}

}  // namespace

Kernel MakeCastToText(const DataType& from, const DataType& to, bool try_cast) {
  (void)to;
  switch (from.kind) {
    case TypeKind::kString:
    case TypeKind::kBytes:
      return [try_cast](const KernelCall& call) { return CastStrings(call, try_cast); };
    case TypeKind::kTinyInt:
      return CastIntegersToText<int8_t>;
    case TypeKind::kSmallInt:
      return CastIntegersToText<int16_t>;
    case TypeKind::kInt:
      return CastIntegersToText<int32_t>;
    case TypeKind::kBigInt:
    case TypeKind::kIntervalDay:
    case TypeKind::kIntervalMonth:
      return CastIntegersToText<int64_t>;
    case TypeKind::kDate:
      return CastDatesToText;
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz:
      return CastTimestampsToText;
    case TypeKind::kBoolean:
      return CastBooleansToText;
    case TypeKind::kFloat:
      return CastFloatsToText<float>;
    case TypeKind::kDouble:
      return CastFloatsToText<double>;
    default:
      return CastDecimalsToText;
  }
}

Kernel MakeCastFromText(const DataType& to, bool try_cast) {
  if (to.is_timestamp()) return MakeTextToTimestamp(to, try_cast);
  switch (to.kind) {
    case TypeKind::kDate:
      return [try_cast](const KernelCall& call) {
        return CastFromText<int32_t>(call, try_cast, ReadDate);
      };
    case TypeKind::kBoolean:
      return [try_cast](const KernelCall& call) {
        return CastFromText<uint8_t>(call, try_cast, [](std::string_view text, uint8_t* out) {
          bool value = false;
          const bool read = ParseBoolean(TrimBlanks(text), &value);
          *out = static_cast<uint8_t>(value);
          return read;
        });
      };
    case TypeKind::kDecimal:
      return [to, try_cast](const KernelCall& call) {
        return CastFromText<int64_t>(call, try_cast, [&to](std::string_view text, int64_t* out) {
          return ParseDecimal(TrimBlanks(text), to.precision, to.scale, out);
        });
      };
    default:
      return VisitNumber(to.kind, [try_cast](auto identity) -> Kernel {
        using To = typename decltype(identity)::type;
        return [try_cast](const KernelCall& call) {
          return CastFromText<To>(call, try_cast, ReadNumber<To>);
        };
      });
  }
}

}  // namespace braid
