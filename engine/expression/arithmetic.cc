#include "engine/expression/arithmetic.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>

#include "engine/expression/physical_type.h"
#include "engine/expression/result_column.h"
#include "engine/expression/values.h"

namespace braid {

namespace {

// Each step writes the result and tells whether it failed; a failed result is any value.
struct AddStep {
  static constexpr const char* kSign = "+";
  template <typename T>
  static bool Fails(T left, T right, T* out) {
    if constexpr (std::is_floating_point_v<T>) {
      *out = left + right;
      return false;
    } else {
      return __builtin_add_overflow(left, right, out);
    }
  }
};

struct SubtractStep {
  static constexpr const char* kSign = "-";
  template <typename T>
  static bool Fails(T left, T right, T* out) {
    if constexpr (std::is_floating_point_v<T>) {
      *out = left - right;
      return false;
    } else {
      return __builtin_sub_overflow(left, right, out);
    }
  }
};

struct MultiplyStep {
  static constexpr const char* kSign = "*";
  template <typename T>
  static bool Fails(T left, T right, T* out) {
    if constexpr (std::is_floating_point_v<T>) {
      *out = left * right;
      return false;
    } else {
      return __builtin_mul_overflow(left, right, out);
    }
  }
};

struct DivideStep {
  static constexpr const char* kSign = "/";
  template <typename T>
  static bool Fails(T left, T right, T* out) {
    if constexpr (std::is_floating_point_v<T>) {
      *out = left / right;
      return right == 0;
    } else {
      const bool overflows = right == -1 && left == std::numeric_limits<T>::min();
      const bool fails = right == 0 || overflows;
      *out = static_cast<T>(left / (fails ? T{1} : right));
      return fails;
    }
  }
};

struct ModuloStep {
  static constexpr const char* kSign = "%";
  template <typename T>
  static bool Fails(T left, T right, T* out) {
    if constexpr (std::is_floating_point_v<T>) {
      *out = std::fmod(left, right);
      return right == 0;
    } else {
      // Anything divides by -1 without rest, also where the quotient would overflow.
      const bool plain = right != 0 && right != -1;
      *out = static_cast<T>(plain ? left % right : 0);
      return right == 0;
    }
  }
};

template <typename T>
std::string FormatNumber(DataType type, T number) {
  if constexpr (std::is_floating_point_v<T>) {
    return FormatValue({type, static_cast<double>(number)});
  } else {
    return FormatValue({type, static_cast<int64_t>(number)});
  }
}

template <typename T>
std::string Complaint(const char* sign, DataType type, T left, T right) {
  if (right == 0 && (*sign == '/' || *sign == '%')) return "division by zero";
  return fmt::format("{} overflow: {} {} {}", type.ToString(), FormatNumber(type, left), sign,
                     FormatNumber(type, right));
}

template <typename T, typename Step>
Column Compute(const KernelCall& call) {
  ResultColumn result(call);
  T* out = result.values<T>();
  ReadFixedPair<T, T>(call.arguments[0], call.arguments[1], [&](auto left, auto right) {
    bool failed = false;
    for (int64_t i = 0; i < call.count; ++i) {
      failed |= Step::template Fails<T>(left[i], right[i], &out[i]);
    }
    if (!failed) return;
    // Which rows failed is only asked when some did; what stands under a NULL does not count.
    for (int64_t i = 0; i < call.count; ++i) {
      if (result.IsNull(i) || !Step::template Fails<T>(left[i], right[i], &out[i])) continue;
      call.errors->Add(i, Complaint<T>(Step::kSign, call.type, left[i], right[i]));
      result.SetNull(i);
    }
  });
  return result.Finish();
}

template <typename T>
Column ComputeAs(Operation operation, const KernelCall& call) {
  switch (operation) {
    case Operation::kAdd:
      return Compute<T, AddStep>(call);
    case Operation::kSubtract:
      return Compute<T, SubtractStep>(call);
    case Operation::kMultiply:
      return Compute<T, MultiplyStep>(call);
    case Operation::kDivide:
      return Compute<T, DivideStep>(call);
    default:
      BRAID_CHECK(operation == Operation::kModulo, "an arithmetic operation");
      return Compute<T, ModuloStep>(call);
  }
}

// -x, or with `only_negative` |x|.
template <typename T, bool only_negative>
Column ChangeSign(const KernelCall& call) {
  ResultColumn result(call);
  T* out = result.values<T>();
  ReadFixed<T>(call.arguments[0], [&](auto values) {
    for (int64_t i = 0; i < call.count; ++i) {
      const T value = values[i];
      if constexpr (std::is_floating_point_v<T>) {
        out[i] = only_negative ? std::abs(value) : -value;
        continue;
      } else {
        out[i] = value;
        if (only_negative && value >= 0) continue;
        if (!__builtin_sub_overflow(T{0}, value, &out[i]) || result.IsNull(i)) continue;
        call.errors->Add(i, fmt::format("{} overflow: {}{}", call.type.ToString(),
                                        only_negative ? "absolute value of " : "-",
                                        FormatNumber(call.type, value)));
        result.SetNull(i);
      }
    }
  });
  return result.Finish();
}

template <bool only_negative>
Column ChangeSigns(const KernelCall& call) {
  if (call.type.kind == TypeKind::kDecimal) return ChangeSign<int64_t, only_negative>(call);
  return VisitNumber(call.type.kind, [&call](auto identity) {
    return ChangeSign<typename decltype(identity)::type, only_negative>(call);
  });
}

}  // namespace

Column ComputeNumbers(Operation operation, const KernelCall& call) {
  return VisitNumber(call.type.kind, [&](auto identity) {
    return ComputeAs<typename decltype(identity)::type>(operation, call);
  });
}

Column NegateNumbers(const KernelCall& call) { return ChangeSigns<false>(call); }

Column AbsoluteNumbers(const KernelCall& call) { return ChangeSigns<true>(call); }

}  // namespace braid
