#include "tests/cases/case_values.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "braid/column_builder.h"

namespace braid::testing {

using nlohmann::json;

Value CellOf(const json& cell, const DataType& type) {
  if (cell.is_null()) return Value::Null(type);
  if (type.is_timestamp()) return {type, cell.get<int64_t>() * 1000};
  if (type.kind == TypeKind::kBoolean) return {type, int64_t{cell.get<bool>()}};
  if (type.is_floating()) {
    return {type, cell.is_string() ? std::nan("") : cell.get<double>()};
  }
  if (type.is_variable_width()) return {type, cell.get<std::string>()};
  return {type, cell.get<int64_t>()};
}

json CellToJson(const Value& value) {
  if (value.is_null()) return nullptr;
  if (value.type.is_timestamp()) return value.integer() / 1000;
  if (value.type.kind == TypeKind::kBoolean) return value.integer() != 0;
  if (value.type.is_floating()) {
    return std::isnan(value.floating()) ? json("NaN") : json(value.floating());
  }
  if (value.type.is_variable_width()) return value.text();
  if (value.type.kind == TypeKind::kDecimal) {
    return static_cast<double>(value.integer()) / std::pow(10, value.type.scale);
  }
  return value.integer();
}

RowBatch RowsOf(const json& rows, const std::shared_ptr<const Schema>& schema) {
  std::vector<Column> columns;
  for (size_t column = 0; column < schema->fields.size(); ++column) {
    ColumnBuilder builder(schema->fields[column].type);
    for (const json& row : rows) builder.AppendValue(CellOf(row.at(column), builder.type()));
    columns.push_back(builder.Finish());
  }
  return RowBatch(schema, std::move(columns), static_cast<int64_t>(rows.size()));
}

json RowToJson(const RowBatch& rows, int64_t row) {
  json cells = json::array();
  for (const Column& column : rows.columns()) cells.push_back(CellToJson(ValueAt(column, row)));
  return cells;
}

std::vector<std::string> SortedRows(const json& rows) {
  std::vector<std::string> texts;
  for (json row : rows) {
    for (json& cell : row) {
      if (cell.is_number_integer()) continue;
      if (cell.is_number() && std::floor(cell.get<double>()) == cell.get<double>() &&
          std::abs(cell.get<double>()) < 1e15) {
        cell = static_cast<int64_t>(cell.get<double>());
      }
    }
    texts.push_back(row.dump());
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

}  // namespace braid::testing
