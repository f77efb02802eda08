#include "engine/expression/cast.h"

#include <fmt/format.h>

#include <optional>

#include "engine/expression/cast_loops.h"
#include "engine/expression/number_text.h"
#include "state/rows/time_text.h"

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

bool MayNameZone(const Expression& text) {
  if (text.kind != ExpressionKind::kLiteral) return true;
  if (text.literal.is_null() || text.type.kind != TypeKind::kString) return false;
  int64_t micros = 0;
  std::optional<int32_t> offset;
  return ParseTimestamp(TrimBlanks(text.literal.text()), &micros, &offset) && offset.has_value();
}

bool CastNeedsZone(const Expression& cast) {
  const Expression& argument = *cast.arguments[0];
  const DataType& from = argument.type;
  const DataType& to = cast.type;
  if (from.kind == TypeKind::kString && to.kind == TypeKind::kTimestamp) {
    // A clock time stays what it is, unless the text says of which zone it is.
    return MayNameZone(argument);
  }
  const bool from_moment = from.kind == TypeKind::kTimestampLtz;
  const bool to_moment = to.kind == TypeKind::kTimestampLtz;
  return from_moment != to_moment && to.kind != TypeKind::kString;
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
