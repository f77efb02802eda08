// The options of the json format (docs/formats.md lists them with their other spellings).
//
// Thread rule: values.
#pragma once

#include "engine/connectors/format/format_options.h"

namespace braid {

struct JsonOptions {
  BadRecordPolicy bad_records = BadRecordPolicy::kFail;
  TimestampStyle timestamp_style = TimestampStyle::kAny;
  bool fail_on_missing_field = false;
  bool ignore_null_fields = false;  // Writing only.
};

// Errors are kept in `options`.
JsonOptions ReadJsonOptions(OptionReader* options);

}  // namespace braid
