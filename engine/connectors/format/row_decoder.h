// Turns the bytes of a file or a stream into rows: the reading half of a format (csv, json).
//
// How a source uses one:
//   - BeginFile() at a file's first byte, or ResumeFile() where an earlier run stopped;
//   - Decode() with the bytes that follow. It decodes the whole records at their front and says how
//     many bytes these took; the source gives the rest again with more bytes behind it, and says
//     `at_end` when no byte of the file (or of the range to be read again) follows;
//   - TakeRows() for the rows since the last TakeRows.
// A byte position that Decode stopped at and line() there are all that is needed to resume.
//
// Ownership: rows own their memory; bytes are only read during a call.
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "braid/connector.h"
#include "braid/error.h"
#include "braid/row_batch.h"
#include "state/rows/limits.h"

namespace braid {

class OptionReader;

// What becomes of a record that cannot be read (option 'bad-records'). It is counted in each case.
enum class BadRecordPolicy : uint8_t {
  kFail,  // Decode fails with kInvalidInput; the place has the line.
  kDrop,  // No row.
  kNull,  // Fields that cannot be read or are missing are NULL. No row if a NOT NULL column would
          // be NULL, or if a line is no JSON object.
};

// A record that broke the format, or a field of a column that is read.
struct BadRecord {
  int64_t line = 0;    // In the file, from 1: where the record begins.
  std::string text;    // As it stands in the file, without the line end; at most
                       // kBadRecordTextMax bytes of it.
  std::string reason;  // "column price: 'abc' is not a DOUBLE"
};

inline constexpr size_t kBadRecordTextMax = size_t{64} << 10;

// What is wrong with a record beyond kRecordBytesMax.
inline constexpr const char* kRecordIsTooLong =
    "the record is too long: a record may have 16 MiB (16,777,216 bytes)";

// Filled by Decode, which adds to what is there.
struct DecodeResult {
  int64_t num_bad_records = 0;
  std::vector<BadRecord> bad_records;  // Empty when the policy is kFail.
};

class RowDecoder {
 public:
  virtual ~RowDecoder() = default;

  // Of the rows: the columns that are read, in the order of the table.
  virtual const std::shared_ptr<const Schema>& schema() const = 0;

  // Whether rows have kinds (RowBatch::change_kind).
  virtual bool gives_changes() const { return false; }

  // The next byte is the first of a file: a byte order mark is skipped, line() is 1, and with
  // has_header() the first record names the columns.
  virtual void BeginFile() = 0;

  // True if each file begins with a header record.
  virtual bool has_header() const = 0;

  // The next byte is in the middle of a file, at a position that Decode stopped at when line() was
  // `line`. `beginning` holds the first bytes of the file, from byte 0: with has_header() the
  // header record is found in it, else it is not looked at and may be empty. Fails with
  // kInvalidInput if `beginning` does not hold the whole header or the header does not fit.
  virtual Status ResumeFile(std::string_view beginning, int64_t line) = 0;

  // Number of the line at which the next byte stands.
  virtual int64_t line() const = 0;

  // Decodes the whole records at the front of `bytes` and returns how many bytes they took, the
  // header and blank lines included. 0 says that the first record is longer than `bytes`. With
  // `at_end`, a last record without a line end counts too, and all bytes are taken.
  //
  // Fails with kInvalidInput when a header lacks a column of the table and, under kFail, at a bad
  // record; place.line is set, the source adds the file. After an error only BeginFile and
  // ResumeFile may follow; rows that were decoded before are lost.
  // REQUIRES: at most kDecodeBytesMax bytes between two calls of TakeRows.
  virtual Result<size_t> Decode(std::string_view bytes, bool at_end, DecodeResult* result) = 0;

  // Rows decoded since the last TakeRows. With kDrop and kNull some of them may still be dropped:
  // an upper bound.
  virtual int64_t num_rows() const = 0;

  virtual RowBatch TakeRows() = 0;
};

// Makes the decoder that the table's 'format' asks for. `read_columns` are the physical columns
// that rows shall have, rising.
//
// Reads the format's options from `options`, the reader that the connector made of table.options:
// option errors are kept there for its Finish (the decoder given back is then not to be used).
// Fails with kInvalidOption if 'format' is missing or unknown.
Result<std::unique_ptr<RowDecoder>> NewRowDecoder(const TableDescription& table,
                                                  const std::vector<int>& read_columns,
                                                  OptionReader* options);

}  // namespace braid
