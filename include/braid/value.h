// One value on its own: a literal of a query, a default, a cell in a test. Never on the row path.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "braid/data_type.h"
#include "braid/export.h"
#include "braid/row_batch.h"

namespace braid {

struct Value {
  DataType type;
  // monostate = NULL; int64_t holds every kind whose physical type is an integer (kBoolean: 0, 1);
  // double holds kFloat and kDouble; string holds kString and kBytes.
  std::variant<std::monostate, int64_t, double, std::string> data;

  bool is_null() const { return std::holds_alternative<std::monostate>(data); }
  int64_t integer() const { return std::get<int64_t>(data); }
  double floating() const { return std::get<double>(data); }
  const std::string& text() const { return std::get<std::string>(data); }

  friend bool operator==(const Value&, const Value&) = default;

  static Value Null(DataType type = {}) { return {type, {}}; }
  static Value Boolean(bool value) { return {DataType::Boolean(), int64_t{value}}; }
  static Value BigInt(int64_t value) { return {DataType::BigInt(), value}; }
  static Value String(std::string value) { return {DataType::String(), std::move(value)}; }
};

// The cell of `column` at `row`.
BRAID_EXPORT Value ValueAt(const Column& column, int64_t row);

// As the csv format prints it: 2024-01-01 00:00:01.500, true, 12.50; NULL as "NULL". The digits of
// a fraction of a second follow the type's precision.
BRAID_EXPORT std::string FormatValue(const Value& value);

}  // namespace braid
