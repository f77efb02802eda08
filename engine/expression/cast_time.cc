#include <algorithm>
#include <limits>

#include "braid/time.h"
#include "engine/expression/calendar.h"
#include "engine/expression/cast_loops.h"
#include "engine/expression/time_unit.h"
#include "state/rows/time_zone.h"

namespace braid {

namespace {

// Every time through `change(micros array, count)` after it was copied.
template <typename Change>
Column ChangeTimes(const KernelCall& call, Change change) {
  ResultColumn result(call);
  int64_t* out = result.values<int64_t>();
  ReadFixed<int64_t>(call.arguments[0], [&](auto values) {
    for (int64_t i = 0; i < call.count; ++i) out[i] = values[i];
  });
  change(out, call.count);
  return result.Finish();
}

void FloorAll(int64_t* micros, int64_t count, int64_t unit) {
  if (unit == 1) return;
  for (int64_t i = 0; i < count; ++i) micros[i] = FloorToUnit(micros[i], unit);
}

Kernel MakeTimestampCast(const DataType& from, const DataType& to) {
  const bool same_kind = from.kind == to.kind;
  if (same_kind && from.precision <= to.precision) {
    return [](const KernelCall& call) { return Retyped(call.arguments[0].values, call.type); };
  }
  const int64_t unit = from.precision <= to.precision ? 1 : MicrosPerUnit(to.precision);
  const bool to_local = !same_kind && to.kind == TypeKind::kTimestamp;
  const bool to_utc = !same_kind && to.kind == TypeKind::kTimestampLtz;
  return [unit, to_local, to_utc](const KernelCall& call) {
    const TimeZone* zone = call.context->zone;
    return ChangeTimes(call, [&](int64_t* micros, int64_t count) {
      if (zone != nullptr && to_local) zone->ToLocal(micros, count);
      if (zone != nullptr && to_utc) zone->ToUtc(micros, count);
      FloorAll(micros, count, unit);
    });
  };
}

Column TimestampsToDates(const KernelCall& call) {
  const Operand& argument = call.arguments[0];
  const TimeZone* zone = call.context->zone;
  const bool moments = argument.values.type().kind == TypeKind::kTimestampLtz;
  ResultColumn result(call);
  int32_t* out = result.values<int32_t>();
  if (!moments || zone == nullptr) {
    ReadFixed<int64_t>(argument, [&](auto values) {
      for (int64_t i = 0; i < call.count; ++i) out[i] = static_cast<int32_t>(FloorDays(values[i]));
    });
    return result.Finish();
  }
  std::vector<int64_t> local(static_cast<size_t>(call.count));
  ReadFixed<int64_t>(argument, [&](auto values) {
    for (int64_t i = 0; i < call.count; ++i) local[static_cast<size_t>(i)] = values[i];
  });
  zone->ToLocal(local.data(), call.count);
  for (int64_t i = 0; i < call.count; ++i) {
    out[i] = static_cast<int32_t>(FloorDays(local[static_cast<size_t>(i)]));
  }
  return result.Finish();
}

Column DatesToTimestamps(const KernelCall& call) {
  const TimeZone* zone = call.context->zone;
  const bool moments = call.type.kind == TypeKind::kTimestampLtz;
  ResultColumn result(call);
  int64_t* out = result.values<int64_t>();
  ReadFixed<int32_t>(call.arguments[0], [&](auto values) {
    for (int64_t i = 0; i < call.count; ++i) {
      out[i] = SaturatingMultiply(values[i], kMicrosPerDay);
    }
  });
  if (moments && zone != nullptr) zone->ToUtc(out, call.count);
  return result.Finish();
}

}  // namespace

Kernel MakeTimeCast(const DataType& from, const DataType& to) {
  if (from.kind == TypeKind::kDate && to.kind == TypeKind::kDate) {
    return [](const KernelCall& call) { return call.arguments[0].values; };
  }
  if (to.kind == TypeKind::kDate) return TimestampsToDates;
  if (from.kind == TypeKind::kDate) return DatesToTimestamps;
  return MakeTimestampCast(from, to);
}

}  // namespace braid
