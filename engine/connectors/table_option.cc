#include "engine/connectors/table_option.h"

#include <algorithm>
#include <iterator>

namespace braid {

namespace {

// No setting begins so.
constexpr std::string_view kPrefixes[] = {
    "changelog.", "csv.", "debezium-json.", "fields.", "json.", "raw.", "scan.", "sink.", "socket.",
};

constexpr std::string_view kNames[] = {
    "allow-comments",
    "bad-records",
    "bad-records-path",
    "badRecordsPath",
    "charset",
    "comment",
    "connector",
    "delimiter",
    "disable-quote-character",
    "encode.decimal-as-plain-number",
    "encode.ignore-null-fields",
    "encoding",
    "escape",
    "escape-character",
    "fail-on-missing-field",
    "field-delimiter",
    "format",
    "header",
    "host",
    "hostname",
    "ignore-parse-errors",
    "ignoreMissingFiles",
    "maxBytesPerTrigger",
    "maxFilesPerTrigger",
    "null-literal",
    "nullValue",
    "nullvalue",
    "number-of-rows",
    "path",
    "port",
    "print-identifier",
    "quote",
    "quote-character",
    "rows-per-second",
    "seed",
    "sep",
    "source.idle-timeout",
    "source.ignore-missing-files",
    "source.max-bytes-per-trigger",
    "source.max-files-per-trigger",
    "source.max-line-bytes",
    "source.monitor-interval",
    "source.path.regex-pattern",
    "source.queue-bytes",
    "source.settle-time",
    "standard-error",
    "timestamp-format",
    "timestamp-format.standard",
};

}  // namespace

bool IsTableOption(std::string_view name) {
  return std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [name](std::string_view prefix) { return name.starts_with(prefix); }) ||
         std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

}  // namespace braid
