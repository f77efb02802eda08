// From one value of a fixed-width type to its text, as FormatValue (state/rows/value.h) prints it:
// shortest numbers that read back the same, TIMESTAMP with the digits of its precision,
// TIMESTAMP_LTZ in UTC with a Z.
//
// Thread rule: one thread at a time; it remembers the last date.
#pragma once

#include <cstddef>
#include <cstdint>

#include "braid/row_batch.h"
#include "engine/connectors/format/format_options.h"

namespace braid {

class ValueWriter {
 public:
  // Enough for any value.
  static constexpr size_t kBytesMax = 64;

  // `column` must outlive the writer.
  ValueWriter(const Column& column, TimestampStyle style);

  // Writes the value at `row` and returns the end. REQUIRES: it is not NULL and neither of kString
  // nor of kBytes; room for kBytesMax, which may all be written.
  char* Write(int64_t row, char* to);

 private:
  char* WriteMoment(int64_t micros, char* to);

  const Column& column_;
  char separator_;
  int64_t date_days_;      // Whose text `date_text_` is.
  char date_text_[16];     // yyyy-MM-dd
  size_t date_bytes_ = 0;  // Longer for years beyond 9999; then nothing is remembered.
};

}  // namespace braid
