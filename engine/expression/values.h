// Ways to read the values of an operand in a loop, chosen once before it: a loop over one of these
// compiles to plain array reads.
//
// Thread rule: views; they borrow the operand.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/expression/evaluation_node.h"

namespace braid {

template <typename T>
class FixedValues {
 public:
  explicit FixedValues(const Column& column) : values_(column.Values<T>().data()) {}
  T operator[](int64_t index) const { return values_[index]; }

 private:
  const T* values_;
};

class StringValues {
 public:
  explicit StringValues(const Column& column)
      : bytes_(static_cast<const char*>(column.raw_values())), offsets_(column.offsets()) {}
  std::string_view operator[](int64_t index) const {
    return {bytes_ + offsets_[index], static_cast<size_t>(offsets_[index + 1] - offsets_[index])};
  }

 private:
  const char* bytes_;
  const int32_t* offsets_;
};

// The same value at every index.
template <typename T>
class ConstantValue {
 public:
  explicit ConstantValue(T value) : value_(value) {}
  T operator[](int64_t) const { return value_; }

 private:
  T value_;
};

// Calls visit(values) with the reader of a fixed-width operand.
template <typename T, typename Visit>
void ReadFixed(const Operand& operand, Visit visit) {
  const FixedValues<T> values(operand.values);
  if (operand.constant) {
    visit(ConstantValue<T>(values[0]));
  } else {
    visit(values);
  }
}

// Calls visit(left values, right values) for two fixed-width operands, of which at most one is
// constant unless there is one value only.
template <typename L, typename R, typename Visit>
void ReadFixedPair(const Operand& left, const Operand& right, Visit visit) {
  const FixedValues<L> left_values(left.values);
  const FixedValues<R> right_values(right.values);
  if (left.constant == right.constant) {
    visit(left_values, right_values);
  } else if (left.constant) {
    visit(ConstantValue<L>(left_values[0]), right_values);
  } else {
    visit(left_values, ConstantValue<R>(right_values[0]));
  }
}

}  // namespace braid
