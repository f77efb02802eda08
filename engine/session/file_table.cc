#include "engine/session/file_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/connectors/table_guess.h"
#include "engine/sql/table_text.h"

namespace braid {

Result<TableDefinition> MakeFileTable(const std::string& path,
                                      const ConnectorRegistry& connectors) {
  Result<TableGuess> guess = GuessTable(path, connectors.standard_input());
  if (!guess) {
    Error error = std::move(guess.error());
    if (error.code == ErrorCode::kNotFound) error.code = ErrorCode::kInvalidQuery;
    return tl::unexpected<Error>(std::move(error));
  }
  TableDefinition table;
  table.name = std::move(guess->name);
  table.is_guessed = true;
  table.options = std::move(guess->schema.options);
  table.guessed_from =
      guess->schema.saw_all
          ? fmt::format("{} ({} records)", guess->seen_in, guess->schema.num_records)
          : fmt::format("the first {} records of {}", guess->schema.num_records, guess->seen_in);
  for (Field& field : guess->schema.schema.fields) {
    ColumnDefinition& column = table.columns.emplace_back();
    column.name = std::move(field.name);
    column.type = field.type;
  }
  return table;
}

std::string GuessedTableText(const TableDefinition& table) {
  std::string text = fmt::format("-- guessed from {}\n", table.guessed_from);
  const auto time = std::find_if(table.columns.begin(), table.columns.end(),
                                 [](const auto& column) { return column.type.is_timestamp(); });
  if (time != table.columns.end()) {
    const std::string name = SqlName(time->name);
    text += fmt::format(
        "-- no watermark: a join keeps its rows until the input ends; to let them go earlier, add "
        "WATERMARK FOR {} AS {} - INTERVAL '5' SECOND\n",
        name, name);
  }
  return text + CreateTableText(table);
}

}  // namespace braid
