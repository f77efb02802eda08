#include "engine/connectors/format/format_name.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "engine/connectors/option_reader.h"

namespace braid {

Result<FormatName> ReadFormatName(const TableDescription& table, OptionReader* options) {
  const std::optional<std::string> name = options->OptionalText("format");
  if (!name) {
    return Fail(
        ErrorCode::kInvalidOption,
        fmt::format(
            "table {}: the option 'format' is missing; it can be csv, json or debezium-json",
            table.name),
        table.place);
  }
  if (*name == "csv") return FormatName::kCsv;
  if (*name == "json") return FormatName::kJson;
  if (*name == "debezium-json") return FormatName::kDebeziumJson;
  return Fail(ErrorCode::kInvalidOption,
              fmt::format("table {}: unknown 'format' = '{}'; it can be csv, json or debezium-json",
                          table.name, *name),
              options->PlaceOf("format"));
}

}  // namespace braid
