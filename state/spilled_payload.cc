#include "state/spilled_payload.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>

#include "state/rows/check.h"

namespace braid {

namespace {

// Read at once, unless one block is larger.
constexpr uint64_t kReadBytesMax = 256 << 10;

template <typename T>
void AppendBytes(T value, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <typename T>
T Load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// A column of a block: a byte that says whether there are NULLs, one bit a row if so, then the
// values; of strings the ends of all, then their bytes.
void EncodeColumn(const PayloadColumn& column, uint32_t begin, uint32_t end, std::string* bytes) {
  const uint32_t count = end - begin;
  bool any_null = false;
  for (uint32_t slot = begin; column.has_nulls() && slot < end; ++slot) {
    any_null |= column.IsNull(slot);
  }
  bytes->push_back(any_null ? 1 : 0);
  for (uint32_t first = begin; any_null && first < end; first += 8) {
    unsigned bits = 0;
    for (uint32_t slot = first; slot < std::min(end, first + 8); ++slot) {
      if (column.IsNull(slot)) bits |= 1U << (slot - first);
    }
    bytes->push_back(static_cast<char>(bits));
  }
  if (!column.type().is_variable_width()) {
    const size_t width = static_cast<size_t>(column.type().byte_width());
    bytes->append(reinterpret_cast<const char*>(column.values()) + begin * width, count * width);
    return;
  }
  uint32_t string_end = 0;
  for (uint32_t slot = begin; slot < end; ++slot) {
    string_end += static_cast<uint32_t>(column.String(slot).size());
    AppendBytes(string_end, bytes);
  }
  // The strings of a column lie behind each other.
  bytes->append(column.String(begin).data(), string_end);
}

// Appends the values at `rows` of a block of `count` rows; returns what is behind the column.
const char* DecodeColumn(const char* from, uint32_t count, std::span<const uint32_t> rows,
                         ColumnBuilder* builder) {
  const bool any_null = *from++ != 0;
  const uint8_t* nulls = reinterpret_cast<const uint8_t*>(from);
  if (any_null) from += (count + 7) / 8;
  const int64_t first = builder->length();
  const int64_t num_rows = std::ssize(rows);
  const auto copy = [&](auto* to) {
    using T = std::remove_pointer_t<decltype(to)>;
    for (const uint32_t row : rows) *to++ = Load<T>(from + row * sizeof(T));
    from += count * sizeof(T);
  };
  if (builder->type().is_variable_width()) {
    const char* ends = from;
    const char* heap = from + count * sizeof(uint32_t);
    for (const uint32_t row : rows) {
      const uint32_t begin = row == 0 ? 0 : Load<uint32_t>(ends + (row - 1) * sizeof(uint32_t));
      const uint32_t end = Load<uint32_t>(ends + row * sizeof(uint32_t));
      builder->AppendString({heap + begin, end - begin});
    }
    from = heap + Load<uint32_t>(ends + (count - 1) * sizeof(uint32_t));
  } else {
    switch (builder->type().byte_width()) {
      case 1:
        copy(builder->AppendUninitialized<uint8_t>(num_rows));
        break;
      case 2:
        copy(builder->AppendUninitialized<uint16_t>(num_rows));
        break;
      case 4:
        copy(builder->AppendUninitialized<uint32_t>(num_rows));
        break;
      default:
        copy(builder->AppendUninitialized<uint64_t>(num_rows));
    }
  }
  for (size_t i = 0; any_null && i < rows.size(); ++i) {
    if (((nulls[rows[i] / 8] >> (rows[i] % 8)) & 1) == 0) continue;
    builder->SetNull(first + static_cast<int64_t>(i));
  }
  return from;
}

}  // namespace

Result<std::unique_ptr<SpilledPayload>> SpilledPayload::Write(
    std::span<const PayloadColumn> columns, uint32_t count, PayloadFile* file) {
  std::unique_ptr<SpilledPayload> spilled(new SpilledPayload(file, count));
  std::string bytes;
  spilled->blocks_.reserve((count + kBlockRows - 1) / kBlockRows);
  for (uint32_t begin = 0; begin < count; begin += kBlockRows) {
    const size_t block_begin = bytes.size();
    for (const PayloadColumn& column : columns) {
      EncodeColumn(column, begin, std::min(count, begin + kBlockRows), &bytes);
    }
    spilled->blocks_.push_back(
        {bytes.size(), XXH3_64bits(bytes.data() + block_begin, bytes.size() - block_begin)});
  }
  const Result<int64_t> offset = file->Write(bytes);
  if (!offset) {
    spilled->blocks_.clear();
    return tl::unexpected(offset.error());
  }
  spilled->offset_ = *offset;
  return spilled;
}

SpilledPayload::~SpilledPayload() {
  if (!blocks_.empty()) file_->Free(offset_, static_cast<int64_t>(blocks_.back().end));
}

Status SpilledPayload::Read(std::span<const uint32_t> slots,
                            std::span<ColumnBuilder> builders) const {
  std::vector<char> bytes;
  std::vector<uint32_t> rows;
  size_t read_from = 0;  // Blocks [read_from, read_to) are in `bytes`.
  size_t read_to = 0;
  for (size_t i = 0; i < slots.size();) {
    const size_t block = slots[i] / kBlockRows;
    const uint32_t first = static_cast<uint32_t>(block) * kBlockRows;
    rows.clear();
    for (; i < slots.size() && slots[i] / kBlockRows == block; ++i)
      rows.push_back(slots[i] - first);
    if (block >= read_to) {
      read_from = block;
      read_to = block + 1;
      // The blocks behind it that are wanted too.
      for (size_t next = i; next < slots.size() && slots[next] / kBlockRows <= read_to;) {
        if (slots[next] / kBlockRows == read_to) {
          if (blocks_[read_to].end - BeginOf(read_from) > kReadBytesMax) break;
          ++read_to;
        }
        ++next;
      }
      bytes.resize(blocks_[read_to - 1].end - BeginOf(read_from));
      Status read = file_->Read(PlaceOf(read_from), bytes);
      if (!read) return read;
    }
    const char* from = bytes.data() + (BeginOf(block) - BeginOf(read_from));
    const size_t length = blocks_[block].end - BeginOf(block);
    if (XXH3_64bits(from, length) != blocks_[block].checksum) {
      return file_->Damaged(PlaceOf(block));
    }
    const uint32_t count = std::min(kBlockRows, count_ - first);
    for (ColumnBuilder& builder : builders) from = DecodeColumn(from, count, rows, &builder);
  }
  return {};
}

int64_t SpilledPayload::memory_bytes() const {
  return static_cast<int64_t>(sizeof(SpilledPayload) + blocks_.capacity() * sizeof(Block));
}

}  // namespace braid
