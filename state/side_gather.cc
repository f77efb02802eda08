// Reading stored rows: one column at a time, addresses computed ahead so that memory is on its way.

#include <algorithm>
#include <type_traits>

#include "braid/column_builder.h"
#include "state/rows/check.h"
#include "state/side_state_implementation.h"

namespace braid {

namespace {

// How many rows ahead memory is asked for.
constexpr size_t kPrefetchDistance = 16;

// Copies values of fixed width; `address` maps a row to where its value is.
template <typename T, typename Address>
void GatherValues(std::span<const RowId> rows, const Address& address, T* to) {
  const size_t count = rows.size();
  const size_t ahead = count > kPrefetchDistance ? count - kPrefetchDistance : 0;
  size_t i = 0;
  for (; i < ahead; ++i) {
    __builtin_prefetch(address(rows[i + kPrefetchDistance]));
    to[i] = *static_cast<const T*>(address(rows[i]));
  }
  for (; i < count; ++i) to[i] = *static_cast<const T*>(address(rows[i]));
}

// Appends `count` values of `width` bytes that `write(to)` writes.
template <typename Write>
void AppendOfWidth(int width, size_t count, ColumnBuilder* builder, const Write& write) {
  const int64_t length = static_cast<int64_t>(count);
  switch (width) {
    case 1:
      return write(builder->AppendUninitialized<uint8_t>(length));
    case 2:
      return write(builder->AppendUninitialized<uint16_t>(length));
    case 4:
      return write(builder->AppendUninitialized<uint32_t>(length));
    default:
      return write(builder->AppendUninitialized<uint64_t>(length));
  }
}

// Whether rows rise and lie close together, as evicted ones do: then they are read chunk by chunk,
// and memory comes by itself.
bool AreDense(std::span<const RowId> rows, int chunk_bits) {
  if (rows.size() < 64) return false;
  const size_t chunks = (rows.back() >> chunk_bits) - (rows.front() >> chunk_bits) + size_t{1};
  return chunks <= rows.size() / 32 && std::is_sorted(rows.begin(), rows.end());
}

// Calls visit(chunk number, begin, end) for the parts of rising `rows` that lie in one chunk.
template <typename Visit>
void VisitChunks(std::span<const RowId> rows, int chunk_bits, const Visit& visit) {
  for (size_t begin = 0; begin < rows.size();) {
    const uint32_t chunk = rows[begin] >> chunk_bits;
    const RowId last = (chunk << chunk_bits) | ((RowId{1} << chunk_bits) - 1);
    const size_t end = static_cast<size_t>(
        std::upper_bound(rows.begin() + static_cast<std::ptrdiff_t>(begin), rows.end(), last) -
        rows.begin());
    visit(chunk, begin, end);
    begin = end;
  }
}

}  // namespace

Column SideState::Implementation::GatherPayload(int column, std::span<const RowId> rows) const {
  if (spill_ != nullptr && AnySpilled(rows)) return GatherSpilled(column, rows);
  return GatherResident(column, rows);
}

Column SideState::Implementation::GatherResident(int column, std::span<const RowId> rows) const {
  const size_t position = static_cast<size_t>(column);
  const DataType type = options_.payload[position];
  ColumnBuilder builder(type);
  const auto payload_of = [&](RowId row) -> const PayloadColumn& {
    BRAID_DCHECK(ring_.Holds(row), "the row was released");
    return ring_.chunk(ring_.IndexOf(row)).payload(position);
  };
  // For many rows it pays to look at every chunk once, beforehand.
  const bool are_many = rows.size() > ring_.num_chunks();
  if (type.is_variable_width()) {
    int64_t bytes = 0;
    for (const RowId row : rows) {
      bytes += static_cast<int64_t>(payload_of(row).String(ring_.SlotOf(row)).size());
    }
    builder.Reserve(static_cast<int64_t>(rows.size()), bytes);
    for (const RowId row : rows) {
      builder.AppendString(payload_of(row).String(ring_.SlotOf(row)));
    }
  } else {
    std::vector<const uint8_t*> bases(are_many ? ring_.num_chunks() : 0);
    for (size_t index = 0; index < bases.size(); ++index) {
      bases[index] = ring_.chunk(index).payload(position).values();
    }
    AppendOfWidth(type.byte_width(), rows.size(), &builder, [&](auto* to) {
      using T = std::remove_pointer_t<decltype(to)>;
      if (are_many && AreDense(rows, ring_.chunk_bits())) {
        VisitChunks(rows, ring_.chunk_bits(), [&](size_t chunk, size_t begin, size_t end) {
          const T* values = reinterpret_cast<const T*>(bases[chunk - ring_.first_chunk()]);
          const RowId slots = ring_.layout().rows_max - 1;
          for (size_t i = begin; i < end; ++i) to[i] = values[rows[i] & slots];
        });
      } else if (are_many) {
        GatherValues(
            rows,
            [&](RowId row) -> const void* {
              return bases[ring_.IndexOf(row)] + ring_.SlotOf(row) * sizeof(T);
            },
            to);
      } else {
        GatherValues(
            rows,
            [&](RowId row) -> const void* {
              return payload_of(row).values() + ring_.SlotOf(row) * sizeof(T);
            },
            to);
      }
    });
  }
  bool any_nulls = !are_many;
  for (size_t index = 0; are_many && index < ring_.num_chunks(); ++index) {
    any_nulls |= ring_.chunk(index).payload(position).has_nulls();
  }
  for (size_t i = 0; any_nulls && i < rows.size(); ++i) {
    if (payload_of(rows[i]).IsNull(ring_.SlotOf(rows[i]))) {
      builder.SetNull(static_cast<int64_t>(i));
    }
  }
  return builder.Finish();
}

Column SideState::Implementation::GatherKeyWord(DataType type, std::span<const RowId> rows) const {
  BRAID_CHECK(options_.key_kind == KeyWordKind::kExact, "a hash is not the key");
  BRAID_CHECK(!type.is_floating() && !type.is_variable_width(), "the word is an integer");
  ColumnBuilder builder(type);
  const ChunkView* views = ring_.views();
  const auto entry_of = [&](RowId row) -> const Entry& {
    BRAID_DCHECK(ring_.Holds(row), "the row was released");
    return views[ring_.IndexOf(row)].entries[ring_.SlotOf(row)];
  };
  bool any_nulls = false;
  AppendOfWidth(type.byte_width(), rows.size(), &builder, [&](auto* to) {
    using T = std::remove_pointer_t<decltype(to)>;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (i + kPrefetchDistance < rows.size()) {
        __builtin_prefetch(&entry_of(rows[i + kPrefetchDistance]));
      }
      const Entry& entry = entry_of(rows[i]);
      to[i] = static_cast<T>(entry.word);
      any_nulls |= entry.next == kNullKeyRow;
    }
  });
  for (size_t i = 0; any_nulls && i < rows.size(); ++i) {
    if (entry_of(rows[i]).next == kNullKeyRow) builder.SetNull(static_cast<int64_t>(i));
  }
  return builder.Finish();
}

Column SideState::Implementation::GatherTime(DataType type, std::span<const RowId> rows) const {
  BRAID_CHECK(options_.has_time, "the side has no time");
  ColumnBuilder builder(type);
  int64_t* times = builder.AppendUninitialized<int64_t>(static_cast<int64_t>(rows.size()));
  const int64_t unit = ring_.layout().time_unit;
  bool any_nulls = false;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i + kPrefetchDistance < rows.size()) {
      const RowId ahead = rows[i + kPrefetchDistance];
      __builtin_prefetch(&ring_.views()[ring_.IndexOf(ahead)].entries[ring_.SlotOf(ahead)]);
    }
    BRAID_DCHECK(ring_.Holds(rows[i]), "the row was released");
    const ChunkView& view = ring_.views()[ring_.IndexOf(rows[i])];
    const uint32_t slot = ring_.SlotOf(rows[i]);
    const bool is_null = view.entries[slot].time == kNullTimeOffset;
    any_nulls |= is_null;
    times[i] = is_null ? 0 : view.TimeAt(slot, unit);
  }
  for (size_t i = 0; any_nulls && i < rows.size(); ++i) {
    const ChunkView& view = ring_.views()[ring_.IndexOf(rows[i])];
    if (view.entries[ring_.SlotOf(rows[i])].time != kNullTimeOffset) continue;
    builder.SetNull(static_cast<int64_t>(i));
  }
  return builder.Finish();
}

std::vector<RowId> SideState::Implementation::LiveRows() const {
  std::vector<RowId> rows;
  rows.reserve(static_cast<size_t>(num_rows_));
  for (size_t index = 0; index < ring_.num_chunks(); ++index) {
    const RowId first = ring_.first_row(index);
    const Chunk& chunk = ring_.chunk(index);
    for (size_t word = 0; word < chunk.num_words(); ++word) {
      VisitBits(word, chunk.LiveWord(word), [&](uint32_t slot) { rows.push_back(first + slot); });
    }
  }
  return rows;
}

}  // namespace braid
