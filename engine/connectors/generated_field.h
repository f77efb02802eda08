// The values of one column of 'datagen': a pure function of seed and row number, so any row can be
// made again.
//
// Thread rule: immutable; free functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "braid/data_type.h"
#include "braid/row_batch.h"
#include "braid/schema.h"
#include "engine/connectors/option_reader.h"

namespace braid {

struct GeneratedField {
  DataType type;
  bool is_sequence = false;
  uint64_t seed = 0;  // Of this column.
  double null_rate = 0;

  // Whole numbers: integers, unscaled decimals, days, microseconds. Of a sequence from `min` in
  // steps; at random within both.
  int64_t min = 0;
  int64_t max = 0;
  int64_t step = 1;
  int64_t max_disorder = 0;  // Times of a sequence lie back by up to so many microseconds.

  double min_floating = 0;  // At random, FLOAT and DOUBLE.
  double max_floating = 1;

  int64_t length = 0;  // STRING and BYTES at random: so many hexadecimal digits.

  // Rows that a sequence with an end has; it begins again where there are more.
  std::optional<int64_t> num_rows;

  // About how many bytes a value takes.
  int64_t byte_width() const;
};

// Reads the options fields.<name>.…; errors are kept in `reader`. `row_interval`: between two rows,
// the step of times unless given.
GeneratedField ReadGeneratedField(OptionReader* reader, const Field& field, bool not_null,
                                  uint64_t seed, Interval row_interval);

// The values of rows first…first + count - 1.
Column GenerateColumn(const GeneratedField& field, int64_t first, int64_t count);

}  // namespace braid
