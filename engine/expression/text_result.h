// A column of texts while a kernel fills it, row by row. All texts of a column stay below 2 GiB: a
// row that would go beyond the limit gets a row error.
//
// Ownership: borrows the call. Thread rule: one thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "braid/column_builder.h"
#include "engine/expression/evaluation_node.h"
#include "state/rows/limits.h"

namespace braid {

class TextResult {
 public:
  explicit TextResult(const KernelCall& call) : call_(&call), builder_(call.type) {
    builder_.Reserve(call.count);
  }

  // True, and NULL appended, if one of the arguments is NULL at `position`.
  bool TakesNull(int64_t position);

  void AppendNull() { builder_.AppendNull(); }
  void Append(std::string_view text);

  // NULL, and a row error.
  void Fail(std::string_view message);
  // … for a text that would be too long.
  void FailTooLong();

  Column Finish() { return builder_.Finish(); }

 private:
  const KernelCall* call_;
  ColumnBuilder builder_;
  int64_t bytes_ = 0;
};

// The text of argument `index` at `position`. REQUIRES: a STRING that is not NULL there.
inline std::string_view TextArgument(const KernelCall& call, size_t index, int64_t position) {
  const Operand& operand = call.arguments[index];
  return operand.values.String(operand.index(position));
}

// The INT of argument `index` at `position`.
inline int32_t IntArgument(const KernelCall& call, size_t index, int64_t position) {
  const Operand& operand = call.arguments[index];
  return operand.values.Values<int32_t>()[static_cast<size_t>(operand.index(position))];
}

}  // namespace braid
