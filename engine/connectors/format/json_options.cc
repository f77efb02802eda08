#include "engine/connectors/format/json_options.h"

#include "engine/connectors/option_reader.h"

namespace braid {

JsonOptions ReadJsonOptions(OptionReader* options) {
  options->Alias("fail-on-missing-field", "json.fail-on-missing-field");
  options->Alias("ignore-parse-errors", "json.ignore-parse-errors");
  options->Alias("timestamp-format.standard", "json.timestamp-format.standard");
  options->Alias("encode.ignore-null-fields", "json.encode.ignore-null-fields");
  options->Alias("encode.decimal-as-plain-number", "json.encode.decimal-as-plain-number");
  JsonOptions json;
  json.bad_records = ReadBadRecordPolicy(options, "json.ignore-parse-errors");
  json.timestamp_style = ReadTimestampStyle(options, "json.timestamp-format.standard");
  json.fail_on_missing_field = options->Boolean("json.fail-on-missing-field", false);
  json.ignore_null_fields = options->Boolean("json.encode.ignore-null-fields", false);
  // Decimals are always written plainly.
  options->Boolean("json.encode.decimal-as-plain-number", false);
  CheckEncoding(options);
  options->AcceptWithoutEffect("json.map-null-key.*");
  options->AcceptWithoutEffect("decode.json-parser.enabled");
  options->AcceptWithoutEffect("json.decode.json-parser.enabled");
  return json;
}

}  // namespace braid
