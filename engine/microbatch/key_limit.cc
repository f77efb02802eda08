#include "engine/microbatch/key_limit.h"

#include <fmt/format.h>

#include "state/rows/limits.h"

namespace braid {

void NoteLongKeys(std::span<const Evaluator> keys, std::span<const Column> columns,
                  int64_t num_rows, std::vector<RowError>* errors) {
  if (num_rows == 0) return;
  std::vector<const Column*> texts;
  int64_t all_bytes = 0;
  for (const Column& column : columns) {
    if (!column.type().is_variable_width()) continue;
    texts.push_back(&column);
    all_bytes += column.offsets()[num_rows] - column.offsets()[0];
  }
  if (all_bytes <= kKeyBytesMax) return;
  for (int64_t row = 0; row < num_rows; ++row) {
    int64_t bytes = 0;
    for (const Column* text : texts) {
      if (text->IsValid(row)) bytes += static_cast<int64_t>(text->String(row).size());
    }
    if (bytes <= kKeyBytesMax) continue;
    errors->push_back(
        {row, fmt::format("the join key is too long: a key may have {} MiB", kKeyBytesMax >> 20),
         keys[0].expression()->place});
  }
}

}  // namespace braid
