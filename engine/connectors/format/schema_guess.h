// Guesses what a file holds from its beginning: format, columns and their types. For files that are
// read without a CREATE TABLE.
//
// Errors: kInvalidInput if the sample holds no record to guess from, or (json) a line that is no
// object; place.line is set where one line is to blame.
// Thread rule: free functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "braid/error.h"
#include "braid/option.h"
#include "braid/schema.h"
#include "engine/connectors/format/format_name.h"

namespace braid {

// How much of a file is looked at.
inline constexpr size_t kSampleBytesMax = size_t{1} << 20;
inline constexpr int64_t kSampleRecordsMax = 1'000;

// The first bytes of a file.
struct Sample {
  std::string_view bytes;  // Decompressed.
  bool is_whole = false;   // They are all there are; else the last record may be cut.
};

struct SchemaGuess {
  Schema schema;
  // Those that the guess needs: 'format', and of csv 'csv.header' …
  Options options;
  int64_t num_records = 0;  // Looked at, the header not counted.
  bool saw_all = false;     // There are no more of them.
};

// The format of bytes whose name does not say it: json if they begin like an object or an array.
FormatName GuessFormat(std::string_view bytes);

// `delimiter`: what the file's name says it is; absent: the one of , ; tab | that fits best.
Result<SchemaGuess> GuessCsv(const Sample& sample, std::optional<char> delimiter);

// Columns are the fields of the objects, in the order in which they appear first.
Result<SchemaGuess> GuessJson(const Sample& sample);

}  // namespace braid
