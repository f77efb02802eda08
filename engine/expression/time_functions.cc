#include "engine/expression/time_functions.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "braid/time.h"
#include "engine/expression/calendar.h"
#include "engine/expression/function_arguments.h"
#include "engine/expression/result_column.h"
#include "engine/expression/text_result.h"
#include "engine/expression/time_field.h"
#include "engine/expression/time_format.h"
#include "engine/expression/time_unit.h"
#include "engine/expression/values.h"
#include "state/rows/check.h"
#include "state/rows/time_zone.h"

namespace braid {

namespace {

constexpr int64_t kDaysPerWeek = 7;

bool IsTime(const DataType& type) { return type.is_timestamp() || type.kind == TypeKind::kDate; }

// The argument as a timestamp; a DATE is its midnight.
Status TakeTime(FunctionCall* call, size_t index) {
  ExpressionPtr& argument = call->arguments[index];
  if (argument->type.is_timestamp()) return {};
  if (!IsTime(argument->type) && argument->type.kind != TypeKind::kNull) {
    return RefuseArgument(*call, "a timestamp or a date", *argument);
  }
  Result<ExpressionPtr> cast = MakeImplicitCast(argument, DataType::Timestamp(0));
  if (!cast) return tl::unexpected(std::move(cast.error()));
  argument = std::move(*cast);
  return {};
}

// The call, of the type that its time argument had before TakeTime.
Result<ExpressionPtr> MakeOfTimeType(FunctionCall call, const DataType& type) {
  if (type.is_timestamp()) return MakeKernelCall(std::move(call), type);
  Result<ExpressionPtr> made = MakeKernelCall(std::move(call), DataType::Timestamp(0));
  if (!made || type.kind != TypeKind::kDate) return made;
  return MakeImplicitCast(*made, type);
}

Result<ExpressionPtr> MakeToUnit(FunctionCall call, size_t time, size_t unit) {
  if (Status status = TakeUnit(&call, unit); !status) return tl::unexpected(status.error());
  const DataType type = call.arguments[time]->type;
  if (Status status = TakeTime(&call, time); !status) return tl::unexpected(status.error());
  return MakeOfTimeType(std::move(call), type);
}

// ------------------------------------------------------------------ to the begin of a unit

// Where the units of a time begin. Months come before microseconds.
struct UnitGrid {
  int64_t months = 0;
  int64_t micros = 0;
  int64_t offset = 0;  // How long before 1970-01-01 00:00 the first unit begins.
};

int64_t FloorOnGrid(const UnitGrid& grid, int64_t micros) {
  if (grid.months == 0) {
    return SaturatingAdd(FloorToUnit(SaturatingAdd(micros, grid.offset), grid.micros),
                         -grid.offset);
  }
  const int64_t month = CalendarDayOf(FloorDays(micros)).month;
  const int64_t rest = (month % grid.months + grid.months) % grid.months;
  return SaturatingMultiply(DaysOf({month - rest, 1}), kMicrosPerDay);
}

int64_t CeilOnGrid(const UnitGrid& grid, int64_t micros) {
  const int64_t floor = FloorOnGrid(grid, micros);
  if (floor == micros) return micros;
  return grid.months == 0 ? SaturatingAdd(floor, grid.micros)
                          : AddMonthsToMicros(floor, grid.months);
}

template <bool up>
Kernel GridKernel(UnitGrid grid, size_t time) {
  return [grid, time](const KernelCall& call) {
    ResultColumn result(call.type, call.count);
    result.TakeNulls(call.arguments[time]);
    int64_t* out = result.values<int64_t>();
    const bool moments = call.type.kind == TypeKind::kTimestampLtz;
    const TimeZone* zone = moments ? call.context->zone : nullptr;
    const bool within_day = grid.months == 0 && grid.micros < kMicrosPerDay;
    ReadFixed<int64_t>(call.arguments[time], [&](auto values) {
      for (int64_t i = 0; i < call.count; ++i) {
        out[i] = values[i];
        if (zone != nullptr) zone->ToLocal(&out[i], 1);
        const int64_t local = out[i];
        out[i] = up ? CeilOnGrid(grid, local) : FloorOnGrid(grid, local);
        if (zone == nullptr) continue;
        // An hour that the clock shows twice stays the one that it was.
        if (within_day) {
          out[i] = SaturatingAdd(values[i], out[i] - local);
        } else {
          zone->ToUtc(&out[i], 1);
        }
      }
    });
    return result.Finish();
  };
}

// Weeks begin on Sunday for FLOOR and CEIL (as in Flink), on Monday for DATE_TRUNC (as in Spark).
UnitGrid GridOf(const TimeUnit& unit, bool monday) {
  UnitGrid grid{unit.months, unit.micros, 0};
  // 1970-01-01 was a Thursday.
  if (unit.micros == kDaysPerWeek * kMicrosPerDay) grid.offset = (monday ? 3 : 4) * kMicrosPerDay;
  return grid;
}

Kernel ToUnitKernel(const Expression& call) {
  const bool truncates = call.function == "DATE_TRUNC";
  const size_t time = truncates ? 1 : 0;
  const TimeUnit* unit = FindTimeUnit(*LiteralText(*call.arguments[1 - time]));
  BRAID_CHECK(unit != nullptr, "a unit that TakeUnit let through");
  const UnitGrid grid = GridOf(*unit, truncates);
  return call.function == "CEIL" ? GridKernel<true>(grid, time) : GridKernel<false>(grid, time);
}

// ------------------------------------------------------------------ EXTRACT and DATE_FORMAT

// The clock time that argument `index` shows at `position`; a moment in the session zone.
int64_t ClockTime(const KernelCall& call, size_t index, int64_t position) {
  const Operand& operand = call.arguments[index];
  const auto row = static_cast<size_t>(operand.index(position));
  int64_t micros = operand.values.Values<int64_t>()[row];
  const bool moment = operand.values.type().kind == TypeKind::kTimestampLtz;
  if (moment && call.context->zone != nullptr) call.context->zone->ToLocal(&micros, 1);
  return micros;
}

Kernel ExtractKernel(const Expression& call) {
  const std::optional<TimeField> field = FindTimeField(*LiteralText(*call.arguments[0]));
  BRAID_CHECK(field.has_value(), "a field that MakeExtract let through");
  return [field = *field](const KernelCall& kernel_call) {
    ResultColumn result(kernel_call);
    int64_t* out = result.values<int64_t>();
    const Operand& argument = kernel_call.arguments[1];
    for (int64_t i = 0; i < kernel_call.count; ++i) {
      out[i] = 0;
      if (result.IsNull(i)) continue;
      // The epoch counts moments, whatever the clock shows.
      const auto row = static_cast<size_t>(argument.index(i));
      const int64_t micros = field == TimeField::kEpoch ? argument.values.Values<int64_t>()[row]
                                                        : ClockTime(kernel_call, 1, i);
      out[i] = FieldOf(field, micros);
    }
    return result.Finish();
  };
}

Result<Kernel> DateFormatKernel(const Expression& call) {
  const std::string* format = LiteralText(*call.arguments[1]);
  if (format == nullptr) {
    return Fail(ErrorCode::kInvalidQuery, "the format of DATE_FORMAT must be a literal text",
                call.place);
  }
  Result<TimeFormat> compiled = TimeFormat::Compile(*format);
  if (!compiled) return Fail(compiled.error().code, compiled.error().message, call.place);
  return Kernel([compiled = std::move(*compiled)](const KernelCall& kernel_call) {
    TextResult result(kernel_call);
    std::string text;
    for (int64_t i = 0; i < kernel_call.count; ++i) {
      if (result.TakesNull(i)) continue;
      text.clear();
      compiled.Write(ClockTime(kernel_call, 0, i), &text);
      result.Append(text);
    }
    return result.Finish();
  });
}

// ------------------------------------------------------------------ the time of the batch

// A call over PROCTIME(), so that whoever asks whether an expression needs the time of the batch
// finds it; being a call it makes no processing time of a column.
Result<ExpressionPtr> MakeCurrentTime(FunctionCall call, DataType type) {
  Result<ExpressionPtr> now = MakeCall(Operation::kProcTime, {}, call.place);
  if (!now) return now;
  call.arguments = {std::move(*now)};
  return MakeKernelCall(std::move(call), type);
}

Column CurrentTimes(const KernelCall& call) {
  if (call.type.kind == TypeKind::kTimestampLtz) return call.arguments[0].values;
  ResultColumn result(call);
  for (int64_t i = 0; i < call.count; ++i) {
    const int64_t now = ClockTime(call, 0, i);
    if (call.type.kind == TypeKind::kDate) {
      result.values<int32_t>()[i] = static_cast<int32_t>(FloorDays(now));
    } else {
      result.values<int64_t>()[i] = now;
    }
  }
  return result.Finish();
}

}  // namespace

Result<ExpressionPtr> MakeRoundedTime(FunctionCall call) {
  return MakeToUnit(std::move(call), 0, 1);
}

Result<ExpressionPtr> MakeDateTrunc(FunctionCall call) { return MakeToUnit(std::move(call), 1, 0); }

Result<ExpressionPtr> MakeExtract(FunctionCall call) {
  const std::string* text = LiteralText(*call.arguments[0]);
  const std::string name = text == nullptr ? "" : UpperCaseAscii(*text);
  if (!FindTimeField(name)) {
    return Fail(ErrorCode::kInvalidQuery,
                "EXTRACT takes MILLENNIUM, CENTURY, DECADE, YEAR, ISOYEAR, QUARTER, MONTH, WEEK, "
                "DAY, DOY, DOW, ISODOW, HOUR, MINUTE, SECOND, MILLISECOND, MICROSECOND or EPOCH "
                "FROM a time",
                call.arguments[0]->place.known() ? call.arguments[0]->place : call.place);
  }
  call.arguments[0] = MakeLiteral(Value::String(name), call.arguments[0]->place);
  if (Status status = TakeTime(&call, 1); !status) return tl::unexpected(status.error());
  return MakeKernelCall(std::move(call), DataType::BigInt());
}

Result<ExpressionPtr> MakeDateFormat(FunctionCall call) {
  if (call.arguments[0]->type.kind == TypeKind::kString) {
    Result<ExpressionPtr> read =
        MakeCall(Operation::kToTimestamp, {call.arguments[0]}, call.arguments[0]->place);
    if (!read) return read;
    call.arguments[0] = std::move(*read);
  }
  if (Status status = TakeTime(&call, 0); !status) return tl::unexpected(status.error());
  if (Status status = TakeTexts(&call, 1, 2); !status) return tl::unexpected(status.error());
  return MakeKernelCall(std::move(call), DataType::String());
}

Result<ExpressionPtr> MakeCurrentDate(FunctionCall call) {
  return MakeCurrentTime(std::move(call), DataType::Date());
}

Result<ExpressionPtr> MakeCurrentTimestamp(FunctionCall call) {
  call.name = "CURRENT_TIMESTAMP";
  return MakeCurrentTime(std::move(call), DataType::TimestampLtz(3));
}

Result<ExpressionPtr> MakeLocalTimestamp(FunctionCall call) {
  return MakeCurrentTime(std::move(call), DataType::Timestamp(3));
}

Result<Kernel> FindTimeKernel(const Expression& call) {
  const std::string& name = call.function;
  const bool rounds = name == "CEIL" || name == "FLOOR";
  if ((rounds && call.arguments.size() == 2) || name == "DATE_TRUNC") return ToUnitKernel(call);
  if (name == "EXTRACT") return ExtractKernel(call);
  if (name == "DATE_FORMAT") return DateFormatKernel(call);
  if (IsCurrentTime(call)) return Kernel(CurrentTimes);
  return Kernel();
}

bool IsCurrentTime(const Expression& call) {
  return call.is_call(Operation::kFunction) &&
         (call.function == "CURRENT_DATE" || call.function == "CURRENT_TIMESTAMP" ||
          call.function == "LOCALTIMESTAMP");
}

}  // namespace braid
