// Options that all formats have: what a bad record does, and how times are written.
//
// Thread rule: free functions.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/connectors/format/row_decoder.h"

namespace braid {

class OptionReader;

// How a moment is written.
enum class TimestampStyle : uint8_t {
  kAny,      // Reading only: both of the others are understood.
  kSql,      // 2024-01-31 12:00:00.500
  kIso8601,  // 2024-01-31T12:00:00.500
};

// Reads 'bad-records' (fail | drop | null), Spark's 'mode' and Flink's `ignore_errors` option
// ("csv.ignore-parse-errors": true = null). More than one of them is an error, kept in `options`.
BadRecordPolicy ReadBadRecordPolicy(OptionReader* options, std::string_view ignore_errors);

// Reads the option `name`: SQL or ISO-8601; kAny if it is not given.
TimestampStyle ReadTimestampStyle(OptionReader* options, std::string_view name);

// Refuses an 'encoding' (or 'charset') other than UTF-8.
void CheckEncoding(OptionReader* options);

}  // namespace braid
