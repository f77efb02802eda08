#include "engine/connectors/format/changelog_column.h"

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "braid/change_kind.h"
#include "braid/column_builder.h"
#include "engine/connectors/format/column_names.h"
#include "engine/connectors/option_reader.h"

namespace braid {

std::optional<ChangelogColumn> ReadChangelogColumn(const TableDescription& table,
                                                   OptionReader* options) {
  if (!options->Has(kChangelogColumnOption)) return std::nullopt;
  ChangelogColumn column{options->RequiredText(kChangelogColumnOption), std::nullopt};
  std::vector<std::string> names;
  for (const Field& field : table.schema.fields) names.push_back(field.name);
  const NameMatch match = FindName(column.name, names);
  if (match.count > 1) {
    options->Refuse(kChangelogColumnOption,
                    fmt::format("'{}' = '{}' could be more than one column of the table",
                                kChangelogColumnOption, column.name));
  }
  if (match.count != 1) return column;
  const Field& field = table.schema.fields[match.index];
  if (field.type.kind != TypeKind::kString) {
    options->Refuse(
        kChangelogColumnOption,
        fmt::format("'{}' = '{}': the column {} is {}; it holds +I, -U, +U or -D and must be a "
                    "STRING, or not declared",
                    kChangelogColumnOption, column.name, field.name, field.type.ToString()));
  }
  return ChangelogColumn{field.name, match.index};
}

Schema WithChangelogColumn(const Schema& schema, const ChangelogColumn& column) {
  Schema widened = schema;
  if (!column.declared) {
    widened.fields.insert(widened.fields.begin(), {column.name, DataType::String()});
  }
  return widened;
}

RowBatch ShowChangeKinds(const RowBatch& rows, const ChangelogColumn& column) {
  ColumnBuilder kinds(DataType::String());
  kinds.Reserve(rows.num_rows(), 2 * rows.num_rows());
  for (int64_t row = 0; row < rows.num_rows(); ++row) {
    kinds.AppendString(ChangeKindText(rows.change_kind(row)));
  }
  std::vector<Column> columns = rows.columns();
  if (column.declared) {
    columns[*column.declared] = kinds.Finish();
  } else {
    columns.insert(columns.begin(), kinds.Finish());
  }
  return RowBatch(std::make_shared<const Schema>(WithChangelogColumn(rows.schema(), column)),
                  std::move(columns), rows.num_rows());
}

}  // namespace braid
