#include "engine/sql/table_binder.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/sql/catalog.h"
#include "engine/sql/expression_binder.h"
#include "engine/sql/name_match.h"
#include "engine/sql/scope.h"
#include "engine/sql/type_name.h"
#include "engine/sql/watermark_binder.h"
#include "state/rows/limits.h"

namespace braid {

namespace {

class TableBinder {
 public:
  TableBinder(const CreateTableSyntax* syntax, const SourceText* source)
      : syntax_(syntax), source_(source) {}

  Result<TablePtr> Bind(SourceRange range);

 private:
  tl::unexpected<Error> Refuse(std::string message, SourceRange range) const {
    return Fail(ErrorCode::kInvalidQuery, std::move(message), source_->PlaceAt(range.begin));
  }
  Status BindColumns();
  Status BindPhysicalColumn(const ColumnSyntax& column);
  Status BindComputedColumns();
  Status BindComputedColumn(const ColumnSyntax& column, size_t index);
  Status BindWatermarks();
  Status BindPrimaryKey(const std::vector<NameSyntax>& names, SourceRange range);
  Status BindPrimaryKeys();
  Status BindOptions();
  Result<int> ColumnIndex(const NameSyntax& name) const;

  // The columns of the statement, in order.
  std::vector<const ColumnSyntax*> Columns() const;

  const CreateTableSyntax* syntax_;
  const SourceText* source_;
  TableDefinition table_;
};

Result<TablePtr> TableBinder::Bind(SourceRange range) {
  Result<const NameSyntax*> name = TableName(syntax_->name.parts, *source_);
  if (!name) return tl::unexpected(std::move(name.error()));
  table_.name = (*name)->text;
  table_.place = source_->PlaceAt(range.begin);
  using Step = Status (TableBinder::*)();
  for (const Step step :
       {&TableBinder::BindColumns, &TableBinder::BindComputedColumns, &TableBinder::BindWatermarks,
        &TableBinder::BindPrimaryKeys, &TableBinder::BindOptions}) {
    if (Status status = (this->*step)(); !status) {
      return tl::unexpected(std::move(status.error()));
    }
  }
  return std::make_shared<const TableDefinition>(std::move(table_));
}

std::vector<const ColumnSyntax*> TableBinder::Columns() const {
  std::vector<const ColumnSyntax*> columns;
  for (const TableElementSyntax& element : syntax_->elements) {
    if (const auto* column = std::get_if<ColumnSyntax>(&element)) columns.push_back(column);
  }
  return columns;
}

Status TableBinder::BindColumns() {
  const std::vector<const ColumnSyntax*> columns = Columns();
  if (columns.size() > kMaxColumns) {
    return Refuse(fmt::format("{} columns; there may be {}", columns.size(), kMaxColumns),
                  columns.back()->name.range);
  }
  bool has_physical = false;
  for (const ColumnSyntax* column : columns) {
    for (const ColumnDefinition& known : table_.columns) {
      if (known.name != column->name.text) continue;
      return Refuse(fmt::format("the table has two columns {}", known.name), column->name.range);
    }
    has_physical = has_physical || column->type.has_value();
    if (Status status = BindPhysicalColumn(*column); !status) return status;
  }
  if (!has_physical) {
    return Refuse(fmt::format("the table {} has no column that is read or written", table_.name),
                  syntax_->name.parts[0].range);
  }
  return {};
}

// A computed column gets its place here and its type later, when all others are known.
Status TableBinder::BindPhysicalColumn(const ColumnSyntax& column) {
  ColumnDefinition definition;
  definition.name = column.name.text;
  definition.not_null = column.not_null || column.primary_key.has_value();
  if (column.type) {
    Result<DataType> type = ResolveType(*column.type, *source_);
    if (!type) return tl::unexpected(std::move(type.error()));
    definition.type = *type;
  }
  table_.columns.push_back(std::move(definition));
  return {};
}

Status TableBinder::BindComputedColumns() {
  const std::vector<const ColumnSyntax*> columns = Columns();
  for (size_t index = 0; index < columns.size(); ++index) {
    if (columns[index]->type) continue;
    if (Status status = BindComputedColumn(*columns[index], index); !status) return status;
  }
  return {};
}

Status TableBinder::BindComputedColumn(const ColumnSyntax& column, size_t index) {
  // It sees the physical columns, and the computed ones before it.
  const std::vector<const ColumnSyntax*> columns = Columns();
  Scope scope;
  scope.AddTable(table_.name);
  for (size_t other = 0; other < columns.size(); ++other) {
    const ColumnDefinition& definition = table_.columns[other];
    if (!columns[other]->type && other >= index) continue;
    scope.AddColumn({table_.name, definition.name,
                     MakeColumn(static_cast<int>(other), definition.type), /*hidden=*/false});
  }
  Result<ExpressionPtr> expression = ExpressionBinder(&scope, source_).Bind(*column.computed);
  if (!expression) return tl::unexpected(std::move(expression.error()));
  const DataType type = (*expression)->type;
  const bool storable = type.kind != TypeKind::kNull && type.kind != TypeKind::kIntervalDay &&
                        type.kind != TypeKind::kIntervalMonth;
  if (!storable) {
    return Refuse(fmt::format("the column {} would have the type {}, which no column has",
                              column.name.text, type.ToString()),
                  column.computed->range);
  }
  table_.columns[index].type = type;
  table_.columns[index].computed = std::move(*expression);
  return {};
}

Status TableBinder::BindWatermarks() {
  for (const TableElementSyntax& element : syntax_->elements) {
    const auto* watermark = std::get_if<WatermarkSyntax>(&element);
    if (watermark == nullptr) continue;
    if (table_.watermark) {
      return Refuse("a table has at most one WATERMARK", watermark->range);
    }
    Result<WatermarkDefinition> bound = BindWatermark(*watermark, table_, *source_);
    if (!bound) return tl::unexpected(std::move(bound.error()));
    table_.watermark = std::move(*bound);
  }
  return {};
}

Result<int> TableBinder::ColumnIndex(const NameSyntax& name) const {
  std::vector<std::string> names;
  for (const ColumnDefinition& column : table_.columns) names.push_back(column.name);
  const std::vector<size_t> found = MatchName(name.text, names);
  if (found.size() == 1) return static_cast<int>(found[0]);
  return Refuse(found.empty() ? fmt::format("there is no column {} in {}{}", name.text, table_.name,
                                            SuggestName(name.text, names))
                              : fmt::format("{} is ambiguous: it could be {} or {}", name.text,
                                            names[found[0]], names[found[1]]),
                name.range);
}

Status TableBinder::BindPrimaryKey(const std::vector<NameSyntax>& names, SourceRange range) {
  if (!table_.primary_key.empty()) return Refuse("a table has at most one PRIMARY KEY", range);
  for (const NameSyntax& name : names) {
    Result<int> index = ColumnIndex(name);
    if (!index) return tl::unexpected(std::move(index.error()));
    std::vector<int>& key = table_.primary_key;
    ColumnDefinition& column = table_.columns[static_cast<size_t>(*index)];
    if (column.computed != nullptr) {
      return Refuse(
          fmt::format("the computed column {} cannot be part of a PRIMARY KEY", column.name),
          name.range);
    }
    if (std::find(key.begin(), key.end(), *index) != key.end()) {
      return Refuse(fmt::format("PRIMARY KEY has {} twice", column.name), name.range);
    }
    key.push_back(*index);
    column.not_null = true;
  }
  return {};
}

Status TableBinder::BindPrimaryKeys() {
  for (const TableElementSyntax& element : syntax_->elements) {
    Status status;
    if (const auto* key = std::get_if<PrimaryKeySyntax>(&element)) {
      status = BindPrimaryKey(key->columns, key->range);
    } else if (const auto* column = std::get_if<ColumnSyntax>(&element);
               column != nullptr && column->primary_key) {
      status = BindPrimaryKey({column->name}, *column->primary_key);
    }
    if (!status) return status;
  }
  return {};
}

Status TableBinder::BindOptions() {
  for (const OptionSyntax& option : syntax_->options) {
    const Option value{option.value.text, source_->PlaceAt(option.key.range.begin)};
    if (!table_.options.emplace(option.key.text, value).second) {
      return Refuse(fmt::format("the option '{}' is given twice", option.key.text),
                    option.key.range);
    }
  }
  return {};
}

}  // namespace

Result<TablePtr> BindTable(const CreateTableSyntax& syntax, SourceRange range,
                           const SourceText& source) {
  return TableBinder(&syntax, &source).Bind(range);
}

}  // namespace braid
