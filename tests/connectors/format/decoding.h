// Decodes a text as a table's format says and gives rows as text, for tests of formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "braid/connector.h"
#include "engine/connectors/format/csv_kernels.h"
#include "engine/connectors/format/row_decoder.h"

namespace braid {

using TableOptions = std::vector<std::pair<const char*, const char*>>;

// A table of the columns that `columns` names: "id BIGINT, name STRING NOT NULL, ts TIMESTAMP(3)".
TableDescription TableOf(std::string_view columns, const TableOptions& options);

// Every column of `table`.
std::vector<int> AllColumns(const TableDescription& table);

// What a text gave.
struct Decoded {
  std::vector<std::string> rows;  // "1|abc|NULL"
  std::vector<std::string> bad;   // "3: 2 fields where 3 are expected: a,b"
  int64_t num_bad = 0;
  std::string error;  // "4: bad record: …"; empty if there was none.
  int64_t line = 0;   // After the last byte.
};

// Reads `text` as one file, in calls of about `bytes_a_call` bytes (0: all at once). Rows are taken
// after each call if `take_often`.
struct DecodeSettings {
  size_t bytes_a_call = 0;
  bool take_often = false;
  std::vector<int> read_columns;            // Empty: all.
  const CsvKernels* csv_kernels = nullptr;  // Null: those of the product. The format must be csv.
};
Decoded DecodeText(const TableDescription& table, std::string_view text,
                   const DecodeSettings& settings = {});

// The rows of a text without bad records.
RowBatch DecodeRows(const TableDescription& table, std::string_view text);

// A file of `rows`, header included; or the error's message.
std::string EncodeRows(const TableDescription& table, const RowBatch& rows);

// A decoder that must come about; option errors and unknown options fail the program.
std::unique_ptr<RowDecoder> DecoderOf(const TableDescription& table,
                                      const std::vector<int>& read_columns,
                                      const CsvKernels* csv_kernels = nullptr);

// The error of the options of `table`, empty if there is none.
std::string OptionErrorOf(const TableDescription& table);

// The rows of a batch: values as FormatValue prints them, between '|'; behind their kind if the
// batch has kinds: "-D 1|abc".
std::vector<std::string> RowTexts(const RowBatch& batch);

}  // namespace braid
