// Rows of a case (cases/FORMAT) as values and columns, and back.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "braid/row_batch.h"
#include "braid/value.h"

namespace braid::testing {

// Times are milliseconds in a case.
Value CellOf(const nlohmann::json& cell, const DataType& type);
nlohmann::json CellToJson(const Value& value);

// Rows whose cells are those of the schema, in order.
RowBatch RowsOf(const nlohmann::json& rows, const std::shared_ptr<const Schema>& schema);
nlohmann::json RowToJson(const RowBatch& rows, int64_t row);

// Rows as sorted text, numbers in one spelling (1 and 1.0 are the same number).
std::vector<std::string> SortedRows(const nlohmann::json& rows);

}  // namespace braid::testing
