#include "engine/expression/comparison.h"

#include <utility>

#include "engine/expression/comparison_order.h"
#include "engine/expression/physical_type.h"
#include "engine/expression/result_column.h"
#include "engine/expression/values.h"

namespace braid {

namespace {

template <typename Test, typename Left, typename Right>
void CompareAll(Left left, Right right, int64_t count, uint8_t* out) {
  for (int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<uint8_t>(Test::Holds(left[i], right[i]));
  }
}

// Ignores NULLs. REQUIRES: `left` is dense, or there is one value only.
void CompareValues(Operation operation, const Operand& left, const Operand& right, int64_t count,
                   uint8_t* out) {
  VisitComparison(operation, [&](auto test) {
    using Test = decltype(test);
    if (left.values.type().is_variable_width()) {
      const StringValues left_values(left.values);
      const StringValues right_values(right.values);
      if (right.constant) {
        CompareAll<Test>(left_values, ConstantValue<std::string_view>(right_values[0]), count, out);
      } else {
        CompareAll<Test>(left_values, right_values, count, out);
      }
      return;
    }
    VisitFixedWidth(left.values.type().kind, [&](auto identity) {
      using T = typename decltype(identity)::type;
      const FixedValues<T> left_values(left.values);
      const FixedValues<T> right_values(right.values);
      if (right.constant) {
        CompareAll<Test>(left_values, ConstantValue<T>(right_values[0]), count, out);
      } else {
        CompareAll<Test>(left_values, right_values, count, out);
      }
    });
  });
}

// TRUE where both are NULL or both are equal values; never NULL.
void MarkNotDistinct(const Operand& left, const Operand& right, int64_t count, uint8_t* out) {
  if (left.values.null_count() == 0 && right.values.null_count() == 0) return;
  for (int64_t i = 0; i < count; ++i) {
    const bool left_null = left.IsNull(i);
    const bool right_null = right.IsNull(i);
    if (left_null || right_null) out[i] = static_cast<uint8_t>(left_null && right_null);
  }
}

template <typename Test, typename Left, typename Right>
void KeepRows(Left left, Right right, std::vector<int32_t>* rows) {
  int32_t* kept = rows->data();
  for (const int32_t row : *rows) {
    *kept = row;
    kept += static_cast<int>(Test::Holds(left[row], right[row]));
  }
  rows->resize(static_cast<size_t>(kept - rows->data()));
}

}  // namespace

Operation FlippedComparison(Operation operation) {
  switch (operation) {
    case Operation::kLess:
      return Operation::kGreater;
    case Operation::kLessEqual:
      return Operation::kGreaterEqual;
    case Operation::kGreater:
      return Operation::kLess;
    case Operation::kGreaterEqual:
      return Operation::kLessEqual;
    default:
      return operation;
  }
}

Operation NegatedComparison(Operation operation) {
  switch (operation) {
    case Operation::kEqual:
      return Operation::kNotEqual;
    case Operation::kNotEqual:
      return Operation::kEqual;
    case Operation::kLess:
      return Operation::kGreaterEqual;
    case Operation::kLessEqual:
      return Operation::kGreater;
    case Operation::kGreater:
      return Operation::kLessEqual;
    case Operation::kGreaterEqual:
      return Operation::kLess;
    case Operation::kIsDistinctFrom:
      return Operation::kIsNotDistinctFrom;
    default:
      return Operation::kIsDistinctFrom;
  }
}

bool IsOrderedComparison(Operation operation) {
  return operation >= Operation::kEqual && operation <= Operation::kGreaterEqual;
}

Column Compare(Operation operation, const KernelCall& call) {
  const Operand* left = &call.arguments[0];
  const Operand* right = &call.arguments[1];
  if (left->constant && !right->constant) {
    std::swap(left, right);
    operation = FlippedComparison(operation);
  }
  if (IsOrderedComparison(operation)) {
    ResultColumn result(call);
    CompareValues(operation, *left, *right, call.count, result.values<uint8_t>());
    return result.Finish();
  }
  ResultColumn result(call.type, call.count);
  uint8_t* out = result.values<uint8_t>();
  CompareValues(Operation::kEqual, *left, *right, call.count, out);
  MarkNotDistinct(*left, *right, call.count, out);
  if (operation == Operation::kIsDistinctFrom) {
    for (int64_t i = 0; i < call.count; ++i) out[i] = static_cast<uint8_t>(out[i] ^ 1);
  }
  return result.Finish();
}

void FilterByValidity(const Column& column, bool keep_nulls, std::vector<int32_t>* rows) {
  if (column.null_count() == 0) {
    if (keep_nulls) rows->clear();
    return;
  }
  int32_t* kept = rows->data();
  for (const int32_t row : *rows) {
    *kept = row;
    kept += static_cast<int>(column.IsNull(row) == keep_nulls);
  }
  rows->resize(static_cast<size_t>(kept - rows->data()));
}

void FilterByComparison(Operation operation, const Column& left, const Column& right,
                        bool right_constant, std::vector<int32_t>* rows) {
  FilterByValidity(left, false, rows);
  if (right_constant) {
    if (right.IsNull(0)) rows->clear();
  } else {
    FilterByValidity(right, false, rows);
  }
  if (rows->empty()) return;
  VisitComparison(operation, [&](auto test) {
    using Test = decltype(test);
    if (left.type().is_variable_width()) {
      const StringValues left_values(left);
      const StringValues right_values(right);
      if (right_constant) {
        KeepRows<Test>(left_values, ConstantValue<std::string_view>(right_values[0]), rows);
      } else {
        KeepRows<Test>(left_values, right_values, rows);
      }
      return;
    }
    VisitFixedWidth(left.type().kind, [&](auto identity) {
      using T = typename decltype(identity)::type;
      const FixedValues<T> left_values(left);
      const FixedValues<T> right_values(right);
      if (right_constant) {
        KeepRows<Test>(left_values, ConstantValue<T>(right_values[0]), rows);
      } else {
        KeepRows<Test>(left_values, right_values, rows);
      }
    });
  });
}

}  // namespace braid
