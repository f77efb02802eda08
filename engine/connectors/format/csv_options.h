// The options of the csv format (docs/formats.md lists them with their other spellings).
//
// Thread rule: values.
#pragma once

#include <optional>
#include <string>

#include "engine/connectors/format/format_options.h"

namespace braid {

struct CsvOptions {
  bool header = false;
  bool header_names_columns = true;  // Reading: else fields go by their order, the header is left.
  char delimiter = ',';
  char quote = '"';     // 0: fields cannot be quoted.
  char escape = '\0';   // 0: none.
  char comment = '\0';  // 0: none. Lines that begin with it are skipped.
  std::optional<std::string> null_literal;
  BadRecordPolicy bad_records = BadRecordPolicy::kFail;
  TimestampStyle timestamp_style = TimestampStyle::kAny;
};

// Errors are kept in `options`.
CsvOptions ReadCsvOptions(OptionReader* options);

}  // namespace braid
