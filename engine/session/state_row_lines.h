// Rows of state as lines, of JSON or of text for people:
//   {"side":"flights","time":"…","matched":true,"row":{"carrier":"UA",…}}
//   flights      matched    carrier=UA  …
// Values are written as the json format writes them (docs/formats.md).
//
// Thread rule: immutable.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "braid/error.h"
#include "braid/row_batch.h"
#include "state/versioned_store.h"

namespace braid {

using LineConsumer = std::function<Status(const std::string&)>;

// Rows with a partner, of sides that count them (regular join).
using MatchedIds = std::set<PersistentId>;

enum class StateRowStyle : uint8_t { kJson, kText };

class StateRowLines {
 public:
  // `layout` and `matched` must outlive it.
  StateRowLines(const SideLayout& layout, const MatchedIds& matched, StateRowStyle style)
      : layout_(layout), matched_(matched), style_(style) {}

  // Gives the first `num_rows` rows of `run` to `consumer`, a line each.
  Status Write(const StateRows& run, int64_t num_rows, const LineConsumer& consumer) const;

 private:
  // What has no name is no row time: rows of a regular join are kept by another number.
  bool has_time(const StateRows& run) const {
    return run.times.has_value() && !layout_.time.name.empty();
  }
  // The columns of rows [first, first + count) that people know: key, time and payload.
  RowBatch Cells(const StateRows& run, int64_t first, int64_t count) const;
  bool IsMatched(const StateRows& run, int64_t row) const;
  Status WriteJson(const StateRows& run, int64_t first, const RowBatch& cells,
                   const LineConsumer& consumer) const;
  Status WriteText(const StateRows& run, int64_t first, const RowBatch& cells,
                   const LineConsumer& consumer) const;

  const SideLayout& layout_;
  const MatchedIds& matched_;
  StateRowStyle style_;
};

}  // namespace braid
