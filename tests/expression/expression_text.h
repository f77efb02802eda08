// A small SQL expression reader for tests, so that cases can be written as text: literals, column
// names, operators, CASE, CAST and functions. The engine's own grammar lives in engine/sql, which
// tests of this folder do not link.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "braid/error.h"
#include "braid/row_batch.h"
#include "engine/expression/evaluator.h"
#include "engine/expression/expression.h"

namespace braid {

struct TestColumn {
  std::string name;
  DataType type;
  std::vector<std::string> values;  // As CAST reads them; "NULL" is NULL.
};

// Columns of values with names.
class TestTable {
 public:
  explicit TestTable(const std::vector<TestColumn>& columns);

  const std::vector<Column>& columns() const { return columns_; }
  int64_t num_rows() const { return num_rows_; }

  Result<ExpressionPtr> Parse(std::string_view text) const;

  // The values of the expression, as FormatValue prints them, "!…" for a row error; one entry "#…"
  // if the expression cannot be made.
  std::vector<std::string> Evaluate(std::string_view text, EvaluationContext context = {}) const;

  // The rows that pass.
  std::vector<int32_t> Filter(std::string_view text) const;

  // As SQL.
  std::string Format(std::string_view text) const;

  std::string name(int column) const { return schema_.fields[static_cast<size_t>(column)].name; }

 private:
  Schema schema_;
  std::vector<Column> columns_;
  int64_t num_rows_ = 0;
};

struct ExpressionCase {
  const char* expression;
  std::vector<std::string> values;
};

// Expects of each expression the values that TestTable::Evaluate gives.
void ExpectValues(const TestTable& table, const std::vector<ExpressionCase>& cases);

// A type by its SQL name: "DECIMAL(10, 2)", "VARCHAR(3)". Ends the program for an unknown one.
DataType TypeFromText(std::string_view text);

// A column of these values.
Column ColumnFromText(DataType type, const std::vector<std::string>& values);

// The values of a column, as FormatValue prints them.
std::vector<std::string> FormatColumn(const Column& column);

}  // namespace braid
