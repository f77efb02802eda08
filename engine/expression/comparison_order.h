// The six comparisons as types, with SQL's order of floating-point numbers.
//
// Thread rule: free functions.
#pragma once

#include <type_traits>

#include "engine/expression/expression.h"
#include "state/rows/check.h"

namespace braid {

template <typename T>
bool SqlEqual(T left, T right) {
  if constexpr (std::is_floating_point_v<T>) {
    // Without branches, so that loops stay plain; NaN is what does not equal itself.
    return static_cast<bool>((left == right) | ((left != left) & (right != right)));
  } else {
    return left == right;
  }
}

template <typename T>
bool SqlLess(T left, T right) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<bool>((left < right) | ((right != right) & (left == left)));
  } else {
    return left < right;
  }
}

struct TestEqual {
  template <typename T>
  static bool Holds(T left, T right) {
    return SqlEqual(left, right);
  }
};
struct TestNotEqual {
  template <typename T>
  static bool Holds(T left, T right) {
    return !SqlEqual(left, right);
  }
};
struct TestLess {
  template <typename T>
  static bool Holds(T left, T right) {
    return SqlLess(left, right);
  }
};
struct TestLessEqual {
  template <typename T>
  static bool Holds(T left, T right) {
    return !SqlLess(right, left);
  }
};
struct TestGreater {
  template <typename T>
  static bool Holds(T left, T right) {
    return SqlLess(right, left);
  }
};
struct TestGreaterEqual {
  template <typename T>
  static bool Holds(T left, T right) {
    return !SqlLess(left, right);
  }
};

// Calls visit(test). REQUIRES: an ordered comparison.
template <typename Visit>
void VisitComparison(Operation operation, Visit visit) {
  switch (operation) {
    case Operation::kEqual:
      return visit(TestEqual());
    case Operation::kNotEqual:
      return visit(TestNotEqual());
    case Operation::kLess:
      return visit(TestLess());
    case Operation::kLessEqual:
      return visit(TestLessEqual());
    case Operation::kGreater:
      return visit(TestGreater());
    default:
      BRAID_CHECK(operation == Operation::kGreaterEqual, "an ordered comparison");
      return visit(TestGreaterEqual());
  }
}

}  // namespace braid
