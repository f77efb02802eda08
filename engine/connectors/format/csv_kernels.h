// The fast reading of csv: tight loops over a block of bytes, in a variant for each kind of
// processor. What they do not read they leave to csv_record.h and text_value.h; what they read is
// the same.
//
// A block is read in two steps. First the positions of all delimiters and line ends outside quotes
// are written down, 64 bytes a step. Then each column that is wanted is read in a loop of its own:
// its field in row r lies between two of the positions, a fixed number of positions after that of
// row r - 1.
//
// Cost (bench/csv_bench.cc): 18 to 25 ns for a row of four numbers.
// Thread rule: free functions over memory of the caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace braid {

// What index_separators found.
struct SeparatorIndex {
  size_t num_separators = 0;  // Positions written.
  size_t num_line_ends = 0;   // Of them.
  size_t num_lines = 0;       // '\n' in the bytes that were read, quoted ones included.
  // Bytes that were read: all, or those before the 64 bytes with a quote that csv_record.h must
  // look at (in the middle of an unquoted field, or closing a field with text behind it).
  size_t num_bytes = 0;
};

// Index_separators may write this many positions more than there are separators.
inline constexpr size_t kSeparatorSlack = 64;

// Where the fields of one column stand: that of row r begins behind bytes[separators[r * stride]]
// and ends before bytes[separators[r * stride + 1]]. A position may be -1 as an unsigned number.
struct CsvFields {
  const char* bytes = nullptr;
  const uint32_t* separators = nullptr;
  size_t stride = 0;
  size_t num_rows = 0;

  const char* begin(size_t row) const { return bytes + (separators[row * stride] + uint32_t{1}); }
  const char* end(size_t row) const { return bytes + separators[row * stride + 1]; }
};

// A loop may read this many bytes before the end of each field; they must be there.
inline constexpr size_t kBytesBeforeEnd = 16;

// Which timestamps are read.
struct CsvTimestampShape {
  char separator = ' ';        // Between date and time, this
  char other_separator = 'T';  // or that.
  bool accepts_local = true;   // Without a zone.
  int precision = 3;
};

// Each reading loop fills `values`, writes the rows that it could not read to `unread` (room for
// all rows), whose values are unspecified, and returns how many these are.
struct CsvKernels {
  const char* name;

  // Writes the positions of `delimiter` and '\n' outside quotes. `bytes` begins a record. `quote`
  // is 0 if there is none. REQUIRES: `separators` has room for all bytes and kSeparatorSlack.
  SeparatorIndex (*index_separators)(const char* bytes, size_t num_bytes, char delimiter,
                                     char quote, uint32_t* separators);

  // How many '\n' there are.
  size_t (*count_lines)(const char* bytes, size_t num_bytes);

  size_t (*read_bigint)(const CsvFields& fields, int64_t* values, uint32_t* unread);
  size_t (*read_float)(const CsvFields& fields, float* values, uint32_t* unread);
  size_t (*read_double)(const CsvFields& fields, double* values, uint32_t* unread);
  // `limit`: ten to the power of the precision.
  size_t (*read_decimal)(const CsvFields& fields, int scale, int64_t limit, int64_t* values,
                         uint32_t* unread);
  size_t (*read_timestamp)(const CsvFields& fields, const CsvTimestampShape& shape, int64_t* values,
                           uint32_t* unread);
};

// The variants that this processor can run, the best last. The first is plain C++.
std::span<const CsvKernels* const> SupportedCsvKernels();

inline const CsvKernels& BestCsvKernels() { return *SupportedCsvKernels().back(); }

}  // namespace braid
