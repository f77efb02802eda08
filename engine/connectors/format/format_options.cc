#include "engine/connectors/format/format_options.h"

#include <optional>
#include <string>

#include "engine/connectors/option_reader.h"

namespace braid {

BadRecordPolicy ReadBadRecordPolicy(OptionReader* options, std::string_view ignore_errors) {
  BadRecordPolicy policy = options->Choice("bad-records", BadRecordPolicy::kFail,
                                           {{"fail", BadRecordPolicy::kFail},
                                            {"drop", BadRecordPolicy::kDrop},
                                            {"null", BadRecordPolicy::kNull}});
  const BadRecordPolicy of_mode = options->Choice("mode", policy,
                                                  {{"FAILFAST", BadRecordPolicy::kFail},
                                                   {"DROPMALFORMED", BadRecordPolicy::kDrop},
                                                   {"PERMISSIVE", BadRecordPolicy::kNull}});
  const bool ignore = options->Boolean(ignore_errors, false);
  if (options->Has("mode")) {
    if (options->Has("bad-records")) {
      options->Refuse("mode", "'mode' and 'bad-records' say the same thing; give one of them");
    }
    policy = of_mode;
  }
  if (options->Has(ignore_errors)) {
    if (options->Has("bad-records") || options->Has("mode")) {
      options->Refuse(ignore_errors, "'" + std::string(ignore_errors) + "' and '" +
                                         (options->Has("mode") ? "mode" : "bad-records") +
                                         "' say the same thing; give one of them");
    }
    policy = ignore ? BadRecordPolicy::kNull : BadRecordPolicy::kFail;
  }
  return policy;
}

TimestampStyle ReadTimestampStyle(OptionReader* options, std::string_view name) {
  return options->Choice(name, TimestampStyle::kAny,
                         {{"SQL", TimestampStyle::kSql},
                          {"ISO-8601", TimestampStyle::kIso8601},
                          {"ISO-8601-WITH-OFFSET", TimestampStyle::kIso8601}});
}

void CheckEncoding(OptionReader* options) {
  options->Alias("charset", "encoding");
  const std::optional<std::string> encoding = options->OptionalText("encoding");
  if (encoding && *encoding != "UTF-8" && *encoding != "utf-8" && *encoding != "UTF8" &&
      *encoding != "utf8") {
    options->Refuse("encoding", "'encoding' can only be UTF-8, found '" + *encoding + "'");
  }
}

}  // namespace braid
