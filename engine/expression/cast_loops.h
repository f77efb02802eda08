// The loops that casts share: every value through a converter, and what happens to those that fail.
//
// Thread rule: free functions.
#pragma once

#include <string>

#include "engine/expression/evaluation_node.h"
#include "engine/expression/result_column.h"
#include "engine/expression/values.h"

namespace braid {

// Turns the value at `position` into NULL, with a row error unless `try_cast`.
void FailCast(const KernelCall& call, bool try_cast, int64_t position, ResultColumn* result);

// convert(from, &to) returns false for a value that cannot be converted.
template <typename From, typename To, typename Convert>
Column CastFixed(const KernelCall& call, bool try_cast, Convert convert) {
  ResultColumn result(call);
  To* out = result.values<To>();
  ReadFixed<From>(call.arguments[0], [&](auto values) {
    for (int64_t i = 0; i < call.count; ++i) {
      out[i] = To{};
      if (!convert(values[i], &out[i]) && !result.IsNull(i)) FailCast(call, try_cast, i, &result);
    }
  });
  return result.Finish();
}

// … from text; convert is only called for values that are not NULL.
template <typename To, typename Convert>
Column CastFromText(const KernelCall& call, bool try_cast, Convert convert) {
  ResultColumn result(call);
  To* out = result.values<To>();
  const Operand& argument = call.arguments[0];
  const StringValues values(argument.values);
  for (int64_t i = 0; i < call.count; ++i) {
    out[i] = To{};
    if (result.IsNull(i)) continue;
    if (!convert(values[argument.index(i)], &out[i])) FailCast(call, try_cast, i, &result);
  }
  return result.Finish();
}

// Casts from and to text and BYTES (cast_text.cc), between times (cast_time.cc) and between numbers
// and BOOLEAN (cast_number.cc).
Kernel MakeCastToText(const DataType& from, const DataType& to, bool try_cast);
Kernel MakeCastFromText(const DataType& to, bool try_cast);
Kernel MakeTimeCast(const DataType& from, const DataType& to);
Kernel MakeNumberCast(const DataType& from, const DataType& to, bool try_cast);

}  // namespace braid
