// Payload beyond the budget: which chunks go to disk, and how their rows are read back.

#include <algorithm>
#include <type_traits>
#include <utility>

#include "braid/column_builder.h"
#include "state/side_state_implementation.h"

namespace braid {

namespace {

// Appends the values of a chunk in memory at `slots`.
void AppendResident(const PayloadColumn& column, std::span<const uint32_t> slots,
                    ColumnBuilder* builder) {
  const int64_t first = builder->length();
  const auto copy = [&](auto* to) {
    using T = std::remove_pointer_t<decltype(to)>;
    const T* values = reinterpret_cast<const T*>(column.values());
    for (const uint32_t slot : slots) *to++ = values[slot];
  };
  if (column.type().is_variable_width()) {
    for (const uint32_t slot : slots) builder->AppendString(column.String(slot));
  } else {
    const int64_t count = std::ssize(slots);
    switch (column.type().byte_width()) {
      case 1:
        copy(builder->AppendUninitialized<uint8_t>(count));
        break;
      case 2:
        copy(builder->AppendUninitialized<uint16_t>(count));
        break;
      case 4:
        copy(builder->AppendUninitialized<uint32_t>(count));
        break;
      default:
        copy(builder->AppendUninitialized<uint64_t>(count));
    }
  }
  for (size_t i = 0; column.has_nulls() && i < slots.size(); ++i) {
    if (column.IsNull(slots[i])) builder->SetNull(first + static_cast<int64_t>(i));
  }
}

}  // namespace

void SideState::Implementation::KeepBudget() {
  const StateBudget& budget = spill_->budget();
  if (ring_.num_chunks() == 0) return;
  const Chunk& newest = ring_.chunk(ring_.num_chunks() - 1);
  if (!newest.closed()) newest.NoteUse(spill_->Tick());
  while (budget.is_exceeded() && spill_->status()) {
    Chunk* coldest = nullptr;
    for (size_t index = 0; index < ring_.num_chunks(); ++index) {
      Chunk& chunk = ring_.chunk(index);
      if (!chunk.closed() || chunk.spilled() != nullptr) continue;
      if (coldest == nullptr || chunk.last_use() < coldest->last_use()) coldest = &chunk;
    }
    if (coldest == nullptr) {
      Chunk& open = ring_.chunk(ring_.num_chunks() - 1);
      // Nothing else is left. A chunk with few rows stays open: chunks have numbers.
      const bool closes = !open.closed() && open.count() >= ring_.layout().rows_max / 64 &&
                          spill_->IsLargeOpen(open.budgeted_bytes());
      if (!closes) return;
      open.Close();
      ring_.RefreshView(ring_.num_chunks() - 1);
      continue;
    }
    const Status spilled = coldest->Spill(&spill_->file());
    if (!spilled) spill_->NoteFailure(spilled.error());
  }
}

bool SideState::Implementation::AnySpilled(std::span<const RowId> rows) const {
  const uint64_t now = spill_->Tick();
  bool any = false;
  size_t last = ring_.num_chunks();
  for (const RowId row : rows) {
    const size_t index = ring_.IndexOf(row);
    if (index == last) continue;
    last = index;
    ring_.chunk(index).NoteUse(now);
    any |= ring_.chunk(index).spilled() != nullptr;
  }
  return any;
}

Column SideState::Implementation::GatherSpilled(int column, std::span<const RowId> rows) const {
  const size_t position = static_cast<size_t>(column);
  std::vector<int32_t> places;
  if (!spill_->FindRead(rows, &places)) {
    std::vector<RowId> wanted(rows.begin(), rows.end());
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    std::vector<ColumnBuilder> builders;
    for (const DataType& type : options_.payload) builders.emplace_back(type);
    const Status read = ReadRows(wanted, builders);
    if (!read) {
      spill_->NoteFailure(read.error());
      ColumnBuilder nulls(options_.payload[position]);
      nulls.AppendNulls(std::ssize(rows));
      return nulls.Finish();
    }
    std::vector<Column> columns;
    for (ColumnBuilder& builder : builders) columns.push_back(builder.Finish());
    spill_->KeepRead(std::move(wanted), std::move(columns));
    spill_->FindRead(rows, &places);
  }
  return Gather(spill_->read_column(position), places);
}

// Appends all payload columns of `rows`, which rise: chunk by chunk, so that each block is read
// once.
Status SideState::Implementation::ReadRows(std::span<const RowId> rows,
                                           std::span<ColumnBuilder> builders) const {
  std::vector<uint32_t> slots;
  for (size_t i = 0; i < rows.size();) {
    const size_t index = ring_.IndexOf(rows[i]);
    slots.clear();
    for (; i < rows.size() && ring_.IndexOf(rows[i]) == index; ++i) {
      slots.push_back(ring_.SlotOf(rows[i]));
    }
    const Chunk& chunk = ring_.chunk(index);
    if (chunk.spilled() != nullptr) {
      if (Status read = chunk.spilled()->Read(slots, builders); !read) return read;
      continue;
    }
    for (size_t column = 0; column < builders.size(); ++column) {
      AppendResident(chunk.payload(column), slots, &builders[column]);
    }
  }
  return {};
}

}  // namespace braid
