// Rows for tests of the side state. All payload columns follow from one serial number, so that a
// stored row can be recognised and checked by it alone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "state/side_state.h"

namespace braid {

struct SideRow {
  std::optional<uint64_t> word;  // Absent: the key is NULL.
  std::optional<int64_t> time;   // Microseconds.
  int64_t serial = 0;

  friend bool operator==(const SideRow&, const SideRow&) = default;
};

// BIGINT serial, STRING, INT, BOOLEAN, SMALLINT; all but the serial with NULLs.
std::vector<DataType> SidePayloadTypes();

std::optional<std::string> TextOf(int64_t serial);
std::optional<int32_t> IntOf(int64_t serial);
std::optional<bool> FlagOf(int64_t serial);
std::optional<int16_t> SmallOf(int64_t serial);

// The arrays of a batch.
class SideRows {
 public:
  explicit SideRows(std::vector<SideRow> rows);
  SideRows(const SideRows&) = delete;
  SideRows& operator=(const SideRows&) = delete;

  const SideRow& row(int32_t index) const { return rows_[static_cast<size_t>(index)]; }
  // All rows in order. Views into this object.
  ArrivingRows All() const { return Some(all_); }
  ArrivingRows Some(std::span<const int32_t> rows) const;

 private:
  std::vector<SideRow> rows_;
  KeyWords keys_;
  Column times_;
  std::vector<Column> payload_;
  std::vector<int32_t> all_;
};

void AppendTo(SideState* state, std::vector<SideRow> rows);

// Serial numbers of stored rows, and a check that their other payload columns fit them.
std::vector<int64_t> SerialsOf(const SideState& state, std::span<const RowId> rows);

// One row of a delta, read back.
struct StoredRow {
  SideRow row;
  bool matched = false;

  friend bool operator==(const StoredRow&, const StoredRow&) = default;
};
StoredRow StoredRowAt(const StateRows& run, int64_t index);

// Serial numbers of the stored partners of one arriving row.
std::vector<int64_t> Partners(SideState* state, const SideRow& arriving,
                              std::optional<int64_t> lower = std::nullopt,
                              std::optional<int64_t> upper = std::nullopt);

// Everything that a probe finds, as (arriving row, serial) in rising order.
std::vector<std::pair<int32_t, int64_t>> ProbeAll(SideState* state, const ArrivingRows& arriving,
                                                  std::optional<int64_t> lower,
                                                  std::optional<int64_t> upper);

// The stored row with this serial number, or kNoRow.
RowId FindSerial(const SideState& state, int64_t serial);

}  // namespace braid
