// Reads one column of csv: many fields at once by the fast loops (csv_kernels.h), the unusual ones
// one by one (text_value.h). Both ways give the same.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "braid/column_builder.h"
#include "engine/connectors/format/csv_kernels.h"
#include "engine/connectors/format/csv_options.h"
#include "engine/connectors/format/csv_record.h"
#include "engine/connectors/format/text_value.h"

namespace braid {

class CsvColumnReader {
 public:
  // `kernels` and `options` must outlive the reader.
  CsvColumnReader(const CsvOptions& options, const CsvKernels& kernels, TextReader reader,
                  bool is_not_null);

  // Whether all bytes that Read will be given are UTF-8; true until it is said.
  void set_is_utf8(bool is_utf8) { is_utf8_ = is_utf8; }

  // Appends one value a row to `builder`. A field that cannot be read, or is NULL in a NOT NULL
  // column, becomes NULL, and its row is added to `bad_rows`, not in order.
  // `readable` is the first byte of the memory that fields.bytes points into.
  void Read(const CsvFields& fields, const char* readable, ColumnBuilder* builder,
            std::vector<uint32_t>* bad_rows);

  // Appends the value of one field. False if it cannot be read, or is NULL in a NOT NULL column;
  // then NULL is appended.
  bool Append(std::string_view bytes, const CsvField& field, ColumnBuilder* builder);

  // The text of a field, quotes and escapes resolved; in `scratch` if that changes anything.
  std::string_view FieldText(std::string_view raw, std::string* scratch) const;

  // True if the field stands for NULL.
  bool IsNull(std::string_view raw) const;

 private:
  // Where the fields of one call go.
  struct Target {
    const CsvFields& fields;
    ColumnBuilder* builder;
    int64_t first_row;  // Of the builder.
    std::vector<uint32_t>* bad_rows;
  };

  template <typename T, typename ReadLoop>
  void ReadFixed(const CsvFields& fields, const char* readable, ColumnBuilder* builder,
                 std::vector<uint32_t>* bad_rows, const ReadLoop& loop);
  template <typename T>
  void ReadNarrow(const CsvFields& fields, const char* readable, ColumnBuilder* builder,
                  std::vector<uint32_t>* bad_rows);
  void ReadStrings(const CsvFields& fields, ColumnBuilder* builder,
                   std::vector<uint32_t>* bad_rows);
  // Reads one field, of a row that has a value already, into `value`.
  void ReadOne(const Target& target, size_t row, void* value);

  const CsvOptions& options_;
  const CsvKernels& kernels_;
  TextReader reader_;
  bool is_not_null_;
  bool is_utf8_ = true;
  bool literal_is_value_;  // The null literal reads as a value: the loops would not notice it.
  CsvTimestampShape shape_;
  int64_t decimal_limit_ = 1;
  std::vector<uint32_t> unread_;
  std::vector<int64_t> wide_values_;
  std::string scratch_;
};

}  // namespace braid
