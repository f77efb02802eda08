#include "state/store/chunk_codec.h"

#include <capnp/message.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <memory>
#include <string>

#include "state/rows/limits.h"
#include "state/store/decimal_doubles.h"
#include "state/store/schema_fields.h"

namespace braid {

namespace {

constexpr int64_t kChunkRows = 16'384;
constexpr int64_t kChunkStringBytes = 4 << 20;
// Times looked at for the early and the middle time of a chunk.
constexpr int64_t kSampledTimes = 127;
// Bytes of a record beside the packed columns: the chunk itself, and each column.
constexpr size_t kChunkOverhead = 256;
constexpr size_t kColumnOverhead = 96;

tl::unexpected<Error> Damaged(std::string what) {
  return Fail(ErrorCode::kCorruption, std::move(what));
}

bool IsTimeKind(TypeKind kind) {
  return kind == TypeKind::kTimestamp || kind == TypeKind::kTimestampLtz ||
         kind == TypeKind::kIntervalDay;
}

// A column on its way into a chunk: how it will be packed, worked out before room is made for it.
struct PackedColumn {
  const Column* column = nullptr;
  RowRange range;
  bool has_nulls = false;
  IntegerPacking packing;
  std::vector<int32_t> lengths;  // Strings only.
  int64_t string_bytes = 0;
  std::vector<int64_t> integers;  // Doubles that are decimals only.
  std::optional<int> decimal_digits;

  IntegerArray Array() const {
    if (decimal_digits) return {integers.data(), 8, nullptr, 0, range.count};
    if (column->type().is_variable_width()) return {lengths.data(), 4, nullptr, 0, range.count};
    return {column->raw_values(), column->type().byte_width(),
            has_nulls ? column->validity() : nullptr, range.begin, range.count};
  }

  size_t bytes() const {
    return kColumnOverhead + static_cast<size_t>(range.count) * packing.width +
           static_cast<size_t>(string_bytes) + (has_nulls ? BitmapBytes(range.count) : 0);
  }
};

bool HasNulls(const Column& column, RowRange range) {
  if (column.validity() == nullptr) return false;
  for (int64_t row = range.begin; row < range.begin + range.count; ++row) {
    if (column.IsNull(row)) return true;
  }
  return false;
}

// `times`: of microseconds, whatever the type of the column.
PackedColumn Plan(const Column& column, RowRange range, bool times) {
  PackedColumn plan;
  plan.column = &column;
  plan.range = range;
  plan.has_nulls = HasNulls(column, range);
  if (column.type().is_variable_width()) {
    plan.lengths.resize(static_cast<size_t>(range.count));
    const int32_t* offsets = column.offsets() + range.begin;
    for (int64_t i = 0; i < range.count; ++i) {
      const bool is_null = plan.has_nulls && column.IsNull(range.begin + i);
      const int32_t length = is_null ? 0 : offsets[i + 1] - offsets[i];
      plan.lengths[static_cast<size_t>(i)] = length;
      plan.string_bytes += length;
    }
  }
  if (column.type().kind == TypeKind::kDouble) {
    plan.decimal_digits =
        ToDecimals(column.Values<double>().subspan(static_cast<size_t>(range.begin),
                                                   static_cast<size_t>(range.count)),
                   plan.has_nulls ? column.validity() : nullptr, range.begin, &plan.integers);
  }
  plan.packing = ChoosePacking(plan.Array(), times);
  return plan;
}

void SetValidity(const Column& column, RowRange range, uint8_t* bitmap) {
  for (int64_t i = 0; i < range.count; ++i) {
    if (column.IsNull(range.begin + i)) continue;
    bitmap[i / 8] = static_cast<uint8_t>(bitmap[i / 8] | (1U << (i % 8)));
  }
}

void SetStrings(const PackedColumn& plan, uint8_t* bytes) {
  const Column& column = *plan.column;
  const char* from = static_cast<const char*>(column.raw_values());
  const int32_t* offsets = column.offsets() + plan.range.begin;
  if (!plan.has_nulls) {
    std::memcpy(bytes, from + offsets[0], static_cast<size_t>(plan.string_bytes));
    return;
  }
  for (size_t i = 0; i < plan.lengths.size(); ++i) {
    const size_t length = static_cast<size_t>(plan.lengths[i]);
    if (length > 0) std::memcpy(bytes, from + offsets[i], length);
    bytes += length;
  }
}

void Fill(const PackedColumn& plan, format::PackedColumn::Builder field) {
  field.setKind(static_cast<uint8_t>(plan.column->type().kind));
  if (plan.has_nulls) {
    auto bitmap = field.initValidity(static_cast<unsigned>(BitmapBytes(plan.range.count)));
    SetValidity(*plan.column, plan.range, bitmap.begin());
  }
  SetIntegers(plan.Array(), plan.packing, field.initValues());
  if (plan.decimal_digits) field.setDecimals(static_cast<uint8_t>(*plan.decimal_digits + 1));
  if (plan.string_bytes > 0) {
    SetStrings(plan, field.initBytes(static_cast<unsigned>(plan.string_bytes)).begin());
  }
}

// The flags of a range, if any of them is `notable`; else none.
std::span<const uint8_t> NotableFlags(const std::vector<uint8_t>& flags, RowRange range,
                                      uint8_t notable) {
  if (flags.empty()) return {};
  const std::span<const uint8_t> part =
      std::span(flags).subspan(static_cast<size_t>(range.begin), static_cast<size_t>(range.count));
  const bool found = std::any_of(part.begin(), part.end(),
                                 [notable](uint8_t flag) { return (flag != 0) == (notable != 0); });
  return found ? part : std::span<const uint8_t>();
}

// The arrays of a column that was read.
struct ColumnArrays {
  std::vector<uint8_t> validity;
  std::unique_ptr<uint8_t[]> values;
  std::vector<int32_t> offsets;
};

// Turns lengths, which are where the offsets will be, into offsets; false if they are not those of
// `num_bytes` bytes.
bool LengthsToOffsets(size_t num_bytes, std::vector<int32_t>* offsets) {
  int64_t end = 0;
  for (int32_t& offset : *offsets) {
    const int32_t length = offset;
    if (length < 0) return false;
    offset = static_cast<int32_t>(end);
    end += length;
    if (end > std::numeric_limits<int32_t>::max()) return false;
  }
  if (end != static_cast<int64_t>(num_bytes)) return false;
  offsets->push_back(static_cast<int32_t>(end));
  return true;
}

Result<int64_t> ReadValidity(capnp::Data::Reader bitmap, int64_t rows,
                             std::vector<uint8_t>* validity) {
  if (bitmap.size() == 0) return 0;
  if (bitmap.size() != BitmapBytes(rows)) return Damaged("a validity bitmap has a wrong size");
  validity->assign(bitmap.begin(), bitmap.end());
  if (rows % 8 != 0) {
    validity->back() = static_cast<uint8_t>(validity->back() & ((1U << (rows % 8)) - 1));
  }
  int64_t valid = 0;
  for (const uint8_t byte : *validity) valid += std::popcount(byte);
  return rows - valid;
}

bool AreBooleans(const uint8_t* values, int64_t rows) {
  return std::all_of(values, values + rows, [](uint8_t value) { return value <= 1; });
}

// Turns integers, which stand where the doubles will be, into doubles.
bool DecimalsToDoubles(int decimals, int64_t rows, uint8_t* values) {
  if (decimals > kDecimalDigitsMax + 1) return false;
  std::vector<int64_t> integers(static_cast<size_t>(rows));
  if (rows > 0) std::memcpy(integers.data(), values, integers.size() * sizeof(int64_t));
  FromDecimals(integers, decimals - 1, reinterpret_cast<double*>(values));
  return true;
}

Result<Column> ReadColumn(format::PackedColumn::Reader field, DataType type, int64_t rows) {
  if (field.getKind() != static_cast<uint8_t>(type.kind)) {
    return Damaged(fmt::format("a column is of kind {}, not {}", field.getKind(),
                               static_cast<int>(type.kind)));
  }
  const auto arrays = std::make_shared<ColumnArrays>();
  Result<int64_t> nulls = ReadValidity(field.getValidity(), rows, &arrays->validity);
  if (!nulls) return tl::unexpected(nulls.error());
  const size_t count = static_cast<size_t>(rows);
  if (type.is_variable_width()) {
    const auto bytes = field.getBytes();
    arrays->offsets.reserve(count + 1);
    arrays->offsets.resize(count);
    if (!GetIntegers(field.getValues(), 4, rows, arrays->offsets.data()) ||
        !LengthsToOffsets(bytes.size(), &arrays->offsets)) {
      return Damaged("the lengths of a column of strings cannot be read");
    }
    arrays->values = std::make_unique_for_overwrite<uint8_t[]>(bytes.size() + 1);
    if (bytes.size() > 0) std::memcpy(arrays->values.get(), bytes.begin(), bytes.size());
  } else {
    const size_t width = static_cast<size_t>(type.byte_width());
    arrays->values = std::make_unique_for_overwrite<uint8_t[]>(count * width + 1);
    if (!GetIntegers(field.getValues(), type.byte_width(), rows, arrays->values.get())) {
      return Damaged("the values of a column cannot be read");
    }
    const int decimals = field.getDecimals();
    if (decimals > 0 && (type.kind != TypeKind::kDouble ||
                         !DecimalsToDoubles(decimals, rows, arrays->values.get()))) {
      return Damaged("the decimals of a column cannot be read");
    }
    if (type.kind == TypeKind::kBoolean && !AreBooleans(arrays->values.get(), rows)) {
      return Damaged("a boolean is neither true nor false");
    }
  }
  const ColumnArrays& a = *arrays;
  return Column(type, rows, *nulls, a.validity.empty() ? nullptr : a.validity.data(),
                a.values.get(), a.offsets.empty() ? nullptr : a.offsets.data(), arrays);
}

Status ReadRows(format::Chunk::Reader chunk, const SideLayout& layout, StateRows* rows) {
  const int64_t count = rows->num_rows;
  if (chunk.getRows() != count) {
    return Damaged(fmt::format("it has {} rows, its head says {}", chunk.getRows(), count));
  }
  rows->words.resize(static_cast<size_t>(count));
  if (!GetIntegers(chunk.getWords(), 8, count, rows->words.data())) {
    return Damaged("its key words cannot be read");
  }
  if (!GetBits(AsSpan(chunk.getLinkable()), count, &rows->linkable) ||
      !GetBits(AsSpan(chunk.getMatched()), count, &rows->matched)) {
    return Damaged("its flags cannot be read");
  }
  if (chunk.hasTimes() != layout.has_time) {
    return Damaged(layout.has_time ? "it has no times" : "it has times");
  }
  if (layout.has_time) {
    Result<Column> times = ReadColumn(chunk.getTimes(), DataType::Timestamp(6), count);
    if (!times) return tl::unexpected(times.error());
    rows->times = std::move(*times);
  }
  const auto payload = chunk.getPayload();
  if (payload.size() != layout.payload.fields.size()) {
    return Damaged(fmt::format("it has {} columns, its side {}", payload.size(),
                               layout.payload.fields.size()));
  }
  for (unsigned i = 0; i < payload.size(); ++i) {
    Result<Column> column = ReadColumn(payload[i], layout.payload.fields[i].type, count);
    if (!column) return tl::unexpected(column.error());
    rows->payload.push_back(std::move(*column));
  }
  return {};
}

bool IdsRise(const StateRows& rows) {
  for (size_t i = 1; i < rows.ids.size(); ++i) {
    if (rows.ids[i] <= rows.ids[i - 1]) return false;
  }
  return true;
}

// Times at an eighth and at the middle of a sample; NULL counts as late.
void SampleTimes(const Column& times, RowRange range, ChunkTimes* result) {
  std::array<int64_t, kSampledTimes> sample;
  const int64_t size = std::min(range.count, kSampledTimes);
  const auto values = times.Values<int64_t>();
  for (int64_t i = 0; i < size; ++i) {
    const int64_t row = range.begin + i * range.count / size;
    sample[static_cast<size_t>(i)] =
        times.IsNull(row) ? std::numeric_limits<int64_t>::max() : values[static_cast<size_t>(row)];
  }
  std::sort(sample.begin(), sample.begin() + size);
  result->early = sample[static_cast<size_t>(size / 8)];
  result->middle = sample[static_cast<size_t>(size / 2)];
}

}  // namespace

Status CheckStateRows(const SideLayout& layout, const StateRows& rows) {
  const auto fault = [&](const char* what) {
    return Fail(ErrorCode::kInternal, fmt::format("rows of side {}: {}", layout.name, what));
  };
  const size_t count = static_cast<size_t>(rows.num_rows);
  if (rows.num_rows < 0 || rows.words.size() != count) return fault("there is not one word a row");
  if (!rows.ids.empty() && rows.ids.size() != count) return fault("there is not one id a row");
  if (!IdsRise(rows)) return fault("the ids do not rise");
  if (!rows.linkable.empty() && rows.linkable.size() != count) return fault("too few flags");
  if (!rows.matched.empty() && rows.matched.size() != count) return fault("too few flags");
  if (rows.times.has_value() != layout.has_time) return fault("the layout differs in its time");
  if (rows.times && (rows.times->length() != rows.num_rows ||
                     rows.times->type().byte_width() != sizeof(int64_t))) {
    return fault("the times have another length or type");
  }
  if (rows.payload.size() != layout.payload.fields.size()) return fault("other columns");
  for (size_t i = 0; i < rows.payload.size(); ++i) {
    if (!(rows.payload[i].type() == layout.payload.fields[i].type) ||
        rows.payload[i].length() != rows.num_rows) {
      return fault("a column has another length or type");
    }
  }
  return {};
}

std::vector<RowRange> CutIntoChunks(const StateRows& rows) {
  std::vector<RowRange> ranges;
  const auto bytes_before = [&](int64_t row) {
    int64_t bytes = 0;
    for (const Column& column : rows.payload) {
      if (column.type().is_variable_width()) bytes += column.offsets()[row] - column.offsets()[0];
    }
    return bytes;
  };
  for (int64_t begin = 0; begin < rows.num_rows;) {
    int64_t end = std::min(begin + kChunkRows, rows.num_rows);
    const int64_t bytes_max = bytes_before(begin) + kChunkStringBytes;
    while (end > begin + 1 && bytes_before(end) > bytes_max) end = begin + (end - begin) / 2;
    ranges.push_back({begin, end - begin});
    begin = end;
  }
  return ranges;
}

ChunkHead DescribeChunk(const StateRows& rows, RowRange range) {
  ChunkHead head;
  if (rows.ids.empty()) {
    head.ids = IdRuns::Consecutive(rows.IdAt(range.begin), static_cast<uint64_t>(range.count));
  } else {
    for (int64_t i = 0; i < range.count; ++i) head.ids.Append(rows.IdAt(range.begin + i));
  }
  if (!rows.times) {
    head.null_times = range.count;
    return head;
  }
  const Column& column = *rows.times;
  if (column.null_count() > 0) {
    for (int64_t i = 0; i < range.count; ++i) head.null_times += column.IsNull(range.begin + i);
  }
  if (head.null_times == range.count) return head;
  const IntegerRange ends =
      RangeOf({column.raw_values(), sizeof(int64_t), column.validity(), range.begin, range.count});
  ChunkTimes times{ends.minimum, ends.maximum};
  SampleTimes(*rows.times, range, &times);
  head.times = times;
  return head;
}

Status WriteChunk(RecordWriter* writer, const ChunkKey& key, const StateRows& rows, RowRange range,
                  const RecordSink& sink) {
  const std::string record_key = ChunkRecordKey(key);
  const IntegerArray words{rows.words.data(), 8, nullptr, range.begin, range.count};
  const IntegerPacking words_packing = ChoosePacking(words, /*times=*/false);
  const std::span<const uint8_t> linkable = NotableFlags(rows.linkable, range, 0);
  const std::span<const uint8_t> matched = NotableFlags(rows.matched, range, 1);
  std::optional<PackedColumn> times;
  size_t bytes = kChunkOverhead + static_cast<size_t>(range.count) * words_packing.width +
                 2 * BitmapBytes(range.count);
  if (rows.times) {
    times = Plan(*rows.times, range, /*times=*/true);
    bytes += times->bytes();
  }
  std::vector<PackedColumn> payload;
  for (const Column& column : rows.payload) {
    bytes += payload.emplace_back(Plan(column, range, IsTimeKind(column.type().kind))).bytes();
  }
  // CutIntoChunks leaves only a single row as long.
  if (bytes > kStoredRowBytesMax) {
    return Fail(
        ErrorCode::kInvalidInput,
        fmt::format("a row of {} bytes is too large for a checkpoint: a row may have {} MiB", bytes,
                    kStoredRowBytesMax >> 20));
  }
  const auto fill = [&](capnp::MessageBuilder& message) {
    auto chunk = message.initRoot<format::Chunk>();
    chunk.setRows(static_cast<uint32_t>(range.count));
    SetIntegers(words, words_packing, chunk.initWords());
    const unsigned bitmap = static_cast<unsigned>(BitmapBytes(range.count));
    if (!linkable.empty()) SetBits(linkable, chunk.initLinkable(bitmap).begin());
    if (!matched.empty()) SetBits(matched, chunk.initMatched(bitmap).begin());
    if (times) {
      Fill(*times, chunk.initTimes());
      chunk.getTimes().setKind(static_cast<uint8_t>(TypeKind::kTimestamp));
    }
    auto columns = chunk.initPayload(static_cast<unsigned>(payload.size()));
    for (unsigned i = 0; i < columns.size(); ++i) Fill(payload[i], columns[i]);
  };
  return writer->Write(record_key, bytes, fill,
                       [&](std::string_view record) { sink(record_key, record); });
}

Result<StateRows> ReadChunk(const ChunkHead& head, const SideLayout& layout,
                            std::string_view record) {
  if (record.size() != head.chunk_bytes) {
    return Damaged(
        fmt::format("it has {} bytes, its head says {}", record.size(), head.chunk_bytes));
  }
  StateRows rows;
  rows.num_rows = head.num_rows();
  rows.first_id = head.ids.first();
  if (head.ids.runs().size() > 1) {
    rows.ids.reserve(static_cast<size_t>(rows.num_rows));
    for (const IdRuns::Run& run : head.ids.runs()) {
      for (uint64_t i = 0; i < run.count; ++i) rows.ids.push_back(run.first + i);
    }
  }
  const auto read = [&](capnp::MessageReader& message) {
    return ReadRows(message.getRoot<format::Chunk>(), layout, &rows);
  };
  if (Status status = ReadRecord(ChunkRecordKey(head.key), record, read); !status) {
    return tl::unexpected(status.error());
  }
  if (RecordChecksum(record) != head.chunk_checksum)
    return Damaged("it is not the one of its head");
  return rows;
}

}  // namespace braid
