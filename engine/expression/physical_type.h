// From a type's kind to the C++ type of its values.
//
// Thread rule: free functions.
#pragma once

#include <cstdint>
#include <type_traits>

#include "braid/data_type.h"
#include "state/rows/check.h"

namespace braid {

// Calls visit(std::type_identity<T>()) with T the physical type of `kind`.
// REQUIRES: a kind of fixed width.
template <typename Visit>
decltype(auto) VisitFixedWidth(TypeKind kind, Visit visit) {
  switch (kind) {
    case TypeKind::kNull:
    case TypeKind::kBoolean:
      return visit(std::type_identity<uint8_t>());
    case TypeKind::kTinyInt:
      return visit(std::type_identity<int8_t>());
    case TypeKind::kSmallInt:
      return visit(std::type_identity<int16_t>());
    case TypeKind::kInt:
    case TypeKind::kDate:
      return visit(std::type_identity<int32_t>());
    case TypeKind::kFloat:
      return visit(std::type_identity<float>());
    case TypeKind::kDouble:
      return visit(std::type_identity<double>());
    case TypeKind::kString:
    case TypeKind::kBytes:
      BRAID_CHECK(false, "a type of fixed width");
      [[fallthrough]];
    default:
      return visit(std::type_identity<int64_t>());
  }
}

// As above for numbers that are no DECIMAL. REQUIRES: TINYINT … BIGINT, FLOAT, DOUBLE.
template <typename Visit>
decltype(auto) VisitNumber(TypeKind kind, Visit visit) {
  switch (kind) {
    case TypeKind::kTinyInt:
      return visit(std::type_identity<int8_t>());
    case TypeKind::kSmallInt:
      return visit(std::type_identity<int16_t>());
    case TypeKind::kInt:
      return visit(std::type_identity<int32_t>());
    case TypeKind::kFloat:
      return visit(std::type_identity<float>());
    case TypeKind::kDouble:
      return visit(std::type_identity<double>());
    default:
      BRAID_CHECK(kind == TypeKind::kBigInt, "a number");
      return visit(std::type_identity<int64_t>());
  }
}

}  // namespace braid
