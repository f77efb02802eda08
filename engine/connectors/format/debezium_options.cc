#include "engine/connectors/format/debezium_options.h"

#include "engine/connectors/format/changelog_column.h"
#include "engine/connectors/option_reader.h"

namespace braid {

DebeziumOptions ReadDebeziumOptions(OptionReader* options) {
  DebeziumOptions debezium;
  debezium.schema_include = options->Boolean("debezium-json.schema-include", false);
  debezium.json.bad_records = ReadBadRecordPolicy(options, "debezium-json.ignore-parse-errors");
  debezium.json.timestamp_style =
      ReadTimestampStyle(options, "debezium-json.timestamp-format.standard");
  debezium.json.ignore_null_fields =
      options->Boolean("debezium-json.encode.ignore-null-fields", false);
  // Decimals are always written plainly.
  options->Boolean("debezium-json.encode.decimal-as-plain-number", false);
  CheckEncoding(options);
  options->AcceptWithoutEffect("debezium-json.map-null-key.*");
  if (options->Has(kChangelogColumnOption)) {
    options->Refuse(kChangelogColumnOption,
                    "'changelog.column' is for csv and json; a record of debezium-json says what "
                    "it changes by its \"op\"");
  }
  return debezium;
}

}  // namespace braid
