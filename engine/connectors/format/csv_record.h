// The exact reading of one csv record, byte by byte: the grammar in code. The separator index
// (csv_separators.h) reads the same language fast and hands over here whatever is unusual.
//
//   record     = field {delimiter field} line_end
//   line_end   = "\n" | "\r\n" | end of the file
//   field      = quote {any byte but quote | quote quote | escape any byte} quote
//              | {any byte but delimiter and line end | escape any byte}
//
// A field is quoted if its first byte is the quote; in other fields a quote is a byte like any
// other. A quoted field may hold line ends. A quoted field followed by something else than a
// delimiter or a line end breaks its record, which ends at the next line end; so does a quoted
// field that is not closed, whose record is the first of its lines alone.
//
// Thread rule: values and free functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/connectors/format/csv_options.h"

namespace braid {

// One field, as offsets of its text in the bytes that were scanned; without its quotes.
struct CsvField {
  size_t begin = 0;
  size_t end = 0;
  bool is_quoted = false;
  bool has_escapes = false;  // The text needs UnescapeCsvField.
};

struct CsvRecord {
  std::vector<CsvField> fields;
  size_t end = 0;               // Where the next record begins.
  size_t text_end = 0;          // Where the line end of this one begins.
  const char* fault = nullptr;  // Why the record is broken; the last field is then unspecified.
  bool is_blank = false;        // An empty line or a comment: no record at all.
};

// Scans the record at the front of `bytes` into `record`. Returns false if its end is not in
// `bytes`, and more may come (not `at_end`) within kRecordBytesMax.
bool ScanCsvRecord(const CsvOptions& options, std::string_view bytes, bool at_end,
                   CsvRecord* record);

// The text of a field with doubled quotes and escapes resolved, in `scratch` if anything changed.
// After the escape n, r and t mean a line end, a carriage return and a tab.
std::string_view CsvFieldText(const CsvOptions& options, std::string_view bytes,
                              const CsvField& field, std::string* scratch);

}  // namespace braid
