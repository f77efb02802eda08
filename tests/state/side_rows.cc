#include "tests/state/side_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "braid/column_builder.h"

namespace braid {

namespace {

template <typename T>
void AppendOptional(const std::optional<T>& value, ColumnBuilder* builder) {
  if (value.has_value()) {
    builder->Append(*value);
  } else {
    builder->AppendNull();
  }
}

template <typename T>
std::optional<T> OptionalAt(const Column& column, int64_t row) {
  if (column.IsNull(row)) return std::nullopt;
  return column.Values<T>()[static_cast<size_t>(row)];
}

void ExpectPayload(const Column& texts, const Column& ints, const Column& flags,
                   const Column& smalls, int64_t row, int64_t serial) {
  std::optional<std::string> text;
  if (texts.IsValid(row)) text = std::string(texts.String(row));
  EXPECT_EQ(text, TextOf(serial));
  EXPECT_EQ(OptionalAt<int32_t>(ints, row), IntOf(serial));
  EXPECT_EQ(OptionalAt<int16_t>(smalls, row), SmallOf(serial));
  const std::optional<uint8_t> flag = OptionalAt<uint8_t>(flags, row);
  EXPECT_EQ(flag.has_value() ? std::optional<bool>(*flag != 0) : std::nullopt, FlagOf(serial));
}

std::optional<Interval> IntervalOf(std::optional<int64_t> micros) {
  if (!micros.has_value()) return std::nullopt;
  return Interval{*micros};
}

}  // namespace

std::vector<DataType> SidePayloadTypes() {
  return {DataType::BigInt(), DataType::String(), DataType::Int(), DataType::Boolean(),
          DataType::SmallInt()};
}

std::optional<std::string> TextOf(int64_t serial) {
  if (serial % 5 == 3) return std::nullopt;
  return std::string(static_cast<size_t>(serial % 37), 'x') + (serial % 3 == 0 ? "" : "end");
}
std::optional<int32_t> IntOf(int64_t serial) {
  if (serial % 64 == 63) return std::nullopt;
  return static_cast<int32_t>(serial * 3);
}
std::optional<bool> FlagOf(int64_t serial) {
  if (serial % 9 == 8) return std::nullopt;
  return serial % 2 == 1;
}
std::optional<int16_t> SmallOf(int64_t serial) {
  if (serial % 1000 == 999) return std::nullopt;
  return static_cast<int16_t>(serial % 1000);
}

SideRows::SideRows(std::vector<SideRow> rows) : rows_(std::move(rows)) {
  ColumnBuilder times(DataType::Timestamp(6));
  ColumnBuilder serials(DataType::BigInt());
  ColumnBuilder texts(DataType::String());
  ColumnBuilder ints(DataType::Int());
  ColumnBuilder flags(DataType::Boolean());
  ColumnBuilder smalls(DataType::SmallInt());
  const bool linkable_needed =
      std::any_of(rows_.begin(), rows_.end(), [](const SideRow& row) { return !row.word; });
  for (const SideRow& row : rows_) {
    keys_.words.push_back(row.word.value_or(0x1234567890));
    if (linkable_needed) keys_.linkable.push_back(row.word.has_value() ? 1 : 0);
    AppendOptional(row.time, &times);
    serials.Append(row.serial);
    const std::optional<std::string> text = TextOf(row.serial);
    if (text.has_value()) {
      texts.AppendString(*text);
    } else {
      texts.AppendNull();
    }
    AppendOptional(IntOf(row.serial), &ints);
    const std::optional<bool> flag = FlagOf(row.serial);
    AppendOptional(flag.has_value() ? std::optional<uint8_t>(*flag ? 1 : 0) : std::nullopt, &flags);
    AppendOptional(SmallOf(row.serial), &smalls);
  }
  times_ = times.Finish();
  for (ColumnBuilder* builder : {&serials, &texts, &ints, &flags, &smalls}) {
    payload_.push_back(builder->Finish());
  }
  all_.resize(rows_.size());
  std::iota(all_.begin(), all_.end(), 0);
}

ArrivingRows SideRows::Some(std::span<const int32_t> rows) const {
  ArrivingRows arriving;
  arriving.keys = &keys_;
  arriving.times = &times_;
  arriving.payload = payload_;
  arriving.rows = rows;
  return arriving;
}

void AppendTo(SideState* state, std::vector<SideRow> rows) {
  const SideRows batch(std::move(rows));
  state->Append(batch.All(), {});
}

std::vector<int64_t> SerialsOf(const SideState& state, std::span<const RowId> rows) {
  const Column serials = state.GatherPayload(0, rows);
  const Column texts = state.GatherPayload(1, rows);
  const Column ints = state.GatherPayload(2, rows);
  const Column flags = state.GatherPayload(3, rows);
  const Column smalls = state.GatherPayload(4, rows);
  std::vector<int64_t> result;
  for (int64_t row = 0; row < serials.length(); ++row) {
    result.push_back(serials.Values<int64_t>()[static_cast<size_t>(row)]);
    ExpectPayload(texts, ints, flags, smalls, row, result.back());
  }
  return result;
}

StoredRow StoredRowAt(const StateRows& run, int64_t index) {
  const size_t at = static_cast<size_t>(index);
  StoredRow stored;
  stored.row.serial = run.payload[0].Values<int64_t>()[at];
  ExpectPayload(run.payload[1], run.payload[2], run.payload[3], run.payload[4], index,
                stored.row.serial);
  if (run.linkable.empty() || run.linkable[at] != 0) stored.row.word = run.words[at];
  if (run.times.has_value()) stored.row.time = OptionalAt<int64_t>(*run.times, index);
  stored.matched = !run.matched.empty() && run.matched[at] != 0;
  return stored;
}

std::vector<std::pair<int32_t, int64_t>> ProbeAll(SideState* state, const ArrivingRows& arriving,
                                                  std::optional<int64_t> lower,
                                                  std::optional<int64_t> upper) {
  Matches matches;
  ProbeCursor cursor;
  while (!state->Probe(arriving, IntervalOf(lower), IntervalOf(upper), &cursor, &matches)) {
  }
  const std::vector<int64_t> serials = SerialsOf(*state, matches.stored);
  std::vector<std::pair<int32_t, int64_t>> pairs;
  for (size_t i = 0; i < serials.size(); ++i) pairs.emplace_back(matches.arriving[i], serials[i]);
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

std::vector<int64_t> Partners(SideState* state, const SideRow& arriving,
                              std::optional<int64_t> lower, std::optional<int64_t> upper) {
  const SideRows batch({arriving});
  std::vector<int64_t> serials;
  for (const auto& [row, serial] : ProbeAll(state, batch.All(), lower, upper)) {
    serials.push_back(serial);
  }
  return serials;
}

RowId FindSerial(const SideState& state, int64_t serial) {
  const std::vector<RowId> rows = state.LiveRows();
  const std::vector<int64_t> serials = SerialsOf(state, rows);
  const auto found = std::find(serials.begin(), serials.end(), serial);
  return found == serials.end() ? kNoRow : rows[static_cast<size_t>(found - serials.begin())];
}

}  // namespace braid
