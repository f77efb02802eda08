#include "engine/expression/cast.h"

#include <fmt/format.h>

#include "engine/expression/cast_loops.h"

namespace braid {

void FailCast(const KernelCall& call, bool try_cast, int64_t position, ResultColumn* result) {
  result->SetNull(position);
  if (try_cast) return;
  const Operand& argument = call.arguments[0];
  const Value value = ValueAt(argument.values, argument.index(position));
  const bool text = value.type.is_variable_width();
  call.errors->Add(position,
                   fmt::format("cannot cast {}{}{} to {}", text ? "'" : "", FormatValue(value),
                               text ? "'" : "", call.type.ToString()));
}

bool CastNeedsZone(const DataType& from, const DataType& to) {
  const bool from_local = from.kind == TypeKind::kTimestampLtz;
  const bool to_local = to.kind == TypeKind::kTimestampLtz;
  if (from_local != to_local) return to.kind != TypeKind::kString;
  // A text may name its own zone.
  return from.kind == TypeKind::kString && to.is_timestamp();
}

Kernel MakeCastKernel(const DataType& from, const DataType& to, bool try_cast) {
  if (from.kind == TypeKind::kNull) {
    return [](const KernelCall& call) { return NullColumn(call.type, call.count); };
  }
  if (to.is_variable_width()) return MakeCastToText(from, to, try_cast);
  if (from.kind == TypeKind::kString) return MakeCastFromText(to, try_cast);
  if (from.is_timestamp() || from.kind == TypeKind::kDate) return MakeTimeCast(from, to);
  if (from.kind == TypeKind::kIntervalDay || from.kind == TypeKind::kIntervalMonth) {
    return [](const KernelCall& call) { return call.arguments[0].values; };
  }
  return MakeNumberCast(from, to, try_cast);
}

}  // namespace braid
