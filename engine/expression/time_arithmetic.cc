#include "engine/expression/time_arithmetic.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "engine/expression/calendar.h"
#include "engine/expression/decimal_digits.h"
#include "engine/expression/result_column.h"
#include "engine/expression/values.h"
#include "state/rows/time_zone.h"

namespace braid {

namespace {

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

int64_t SaturatingSubtract(int64_t left, int64_t right) {
  int64_t difference = 0;
  if (!__builtin_sub_overflow(left, right, &difference)) return difference;
  return left < 0 ? kLeast : kMost;
}

int64_t Opposite(int64_t value) { return value == kLeast ? kMost : -value; }

template <typename To, typename L, typename R, typename Combine>
Column CombineValues(const KernelCall& call, Combine combine) {
  ResultColumn result(call);
  To* out = result.values<To>();
  ReadFixedPair<L, R>(call.arguments[0], call.arguments[1], [&](auto left, auto right) {
    for (int64_t i = 0; i < call.count; ++i) out[i] = combine(left[i], right[i]);
  });
  return result.Finish();
}

int32_t ClampToDate(int64_t days) {
  return static_cast<int32_t>(std::clamp<int64_t>(days, std::numeric_limits<int32_t>::min(),
                                                  std::numeric_limits<int32_t>::max()));
}

Column ShiftDates(bool minus, bool by_months, const KernelCall& call) {
  if (by_months) {
    return CombineValues<int32_t, int32_t, int64_t>(call, [minus](int32_t days, int64_t months) {
      return ClampToDate(AddMonthsToDays(days, minus ? Opposite(months) : months));
    });
  }
  return CombineValues<int32_t, int32_t, int64_t>(call, [minus](int32_t days, int64_t micros) {
    const int64_t shift = micros / kMicrosPerDay;
    return ClampToDate(minus ? days - shift : days + shift);
  });
}

// Months are counted on the clock of the session zone.
Column ShiftLocalTimesByMonths(bool minus, const KernelCall& call) {
  ResultColumn result(call);
  int64_t* out = result.values<int64_t>();
  const TimeZone* zone = call.context->zone;
  ReadFixedPair<int64_t, int64_t>(
      call.arguments[0], call.arguments[1], [&](auto times, auto months) {
        for (int64_t i = 0; i < call.count; ++i) out[i] = times[i];
        if (zone != nullptr) zone->ToLocal(out, call.count);
        for (int64_t i = 0; i < call.count; ++i) {
          out[i] = AddMonthsToMicros(out[i], minus ? Opposite(months[i]) : months[i]);
        }
        if (zone != nullptr) zone->ToUtc(out, call.count);
      });
  return result.Finish();
}

int64_t ClampToInt64(WideDigits value) {
  return static_cast<int64_t>(std::clamp<WideDigits>(value, kLeast, kMost));
}

}  // namespace

Column ShiftTimes(Operation operation, const KernelCall& call) {
  const bool minus = operation == Operation::kSubtract;
  const DataType time = call.arguments[0].values.type();
  const bool by_months = call.arguments[1].values.type().kind == TypeKind::kIntervalMonth;
  if (time.kind == TypeKind::kDate) return ShiftDates(minus, by_months, call);
  if (by_months && time.kind == TypeKind::kTimestampLtz) {
    return ShiftLocalTimesByMonths(minus, call);
  }
  if (by_months) {
    return CombineValues<int64_t, int64_t, int64_t>(call, [minus](int64_t micros, int64_t months) {
      return AddMonthsToMicros(micros, minus ? Opposite(months) : months);
    });
  }
  if (minus) return CombineValues<int64_t, int64_t, int64_t>(call, SaturatingSubtract);
  return CombineValues<int64_t, int64_t, int64_t>(call, SaturatingAdd);
}

Column SubtractTimes(const KernelCall& call) {
  if (call.arguments[0].values.type().kind == TypeKind::kDate) {
    return CombineValues<int64_t, int32_t, int32_t>(call, [](int64_t left, int64_t right) {
      return SaturatingMultiply(left - right, kMicrosPerDay);
    });
  }
  return CombineValues<int64_t, int64_t, int64_t>(call, SaturatingSubtract);
}

Column AddIntervals(Operation operation, const KernelCall& call) {
  if (operation == Operation::kSubtract) {
    return CombineValues<int64_t, int64_t, int64_t>(call, SaturatingSubtract);
  }
  return CombineValues<int64_t, int64_t, int64_t>(call, SaturatingAdd);
}

Column NegateIntervals(const KernelCall& call) {
  ResultColumn result(call);
  int64_t* out = result.values<int64_t>();
  ReadFixed<int64_t>(call.arguments[0], [&](auto values) {
    for (int64_t i = 0; i < call.count; ++i) out[i] = Opposite(values[i]);
  });
  return result.Finish();
}

Column ScaleIntervals(Operation operation, const KernelCall& call) {
  const int scale = call.arguments[1].values.type().scale;  // 0 for BIGINT.
  const WideDigits unit = PowerOfTen(scale);
  if (operation == Operation::kMultiply) {
    if (scale == 0) return CombineValues<int64_t, int64_t, int64_t>(call, SaturatingMultiply);
    return CombineValues<int64_t, int64_t, int64_t>(call, [unit](int64_t interval, int64_t factor) {
      return ClampToInt64(DivideRounded(static_cast<WideDigits>(interval) * factor, unit));
    });
  }
  ResultColumn result(call);
  int64_t* out = result.values<int64_t>();
  ReadFixedPair<int64_t, int64_t>(
      call.arguments[0], call.arguments[1], [&](auto intervals, auto divisors) {
        for (int64_t i = 0; i < call.count; ++i) {
          const int64_t divisor = divisors[i];
          out[i] = divisor == 0 ? 0 : ClampToInt64(DivideRounded(intervals[i] * unit, divisor));
          if (divisor != 0 || result.IsNull(i)) continue;
          call.errors->Add(i, "division by zero");
          result.SetNull(i);
        }
      });
  return result.Finish();
}

}  // namespace braid
