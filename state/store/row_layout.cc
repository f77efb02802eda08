#include "state/store/row_layout.h"

#include <utility>

#include "braid/column_builder.h"
#include "state/rows/widened_column.h"

namespace braid {

namespace {

// Null if there is no such column.
const DataType* TypeOf(const SideLayout& layout, uint16_t column) {
  if (column != kKeyWordColumn) {
    const auto& fields = layout.payload.fields;
    return column < fields.size() ? &fields[column].type : nullptr;
  }
  const DataType& type = layout.key.type;
  const bool is_value = type.is_integer() || type.is_timestamp();
  return layout.hashed_key || !is_value ? nullptr : &type;
}

template <typename T>
Column WordsAs(const StateRows& rows, const DataType& type) {
  ColumnBuilder builder(type);
  T* values = builder.AppendUninitialized<T>(rows.num_rows);
  for (const uint64_t word : rows.words) *values++ = static_cast<T>(static_cast<int64_t>(word));
  for (size_t row = 0; row < rows.linkable.size(); ++row) {
    if (rows.linkable[row] == 0) builder.SetNull(static_cast<int64_t>(row));
  }
  return builder.Finish();
}

Column KeyWordColumn(const StateRows& rows, const DataType& type) {
  switch (type.kind) {
    case TypeKind::kTinyInt:
      return WordsAs<int8_t>(rows, type);
    case TypeKind::kSmallInt:
      return WordsAs<int16_t>(rows, type);
    case TypeKind::kInt:
      return WordsAs<int32_t>(rows, type);
    default:
      return WordsAs<int64_t>(rows, type);
  }
}

}  // namespace

bool LeadsTo(const EarlierLayout& earlier, const std::vector<SideLayout>& next) {
  if (earlier.sides.size() != next.size() || earlier.kept.size() != next.size()) return false;
  for (size_t side = 0; side < next.size(); ++side) {
    const SideLayout& from = earlier.sides[side];
    const SideLayout& to = next[side];
    if (from.hashed_key != to.hashed_key || from.has_time != to.has_time) return false;
    const std::vector<uint16_t>& kept = earlier.kept[side];
    if (kept.size() != to.payload.fields.size()) return false;
    for (size_t i = 0; i < kept.size(); ++i) {
      const DataType* type = TypeOf(from, kept[i]);
      if (type == nullptr) return false;
      const DataType& next_type = to.payload.fields[i].type;
      if (!IsWidening(*type, next_type) && !IsNarrowing(*type, next_type)) return false;
    }
  }
  return true;
}

bool IsStoredAlike(const EarlierLayout& earlier, const std::vector<SideLayout>& next) {
  for (size_t side = 0; side < next.size(); ++side) {
    const auto& fields = earlier.sides[side].payload.fields;
    const std::vector<uint16_t>& kept = earlier.kept[side];
    if (fields.size() != kept.size()) return false;
    for (size_t i = 0; i < kept.size(); ++i) {
      if (kept[i] != i || !(fields[i].type == next[side].payload.fields[i].type)) return false;
    }
  }
  return true;
}

const SideLayout* FindLayout(const StoreIdentity& identity, size_t side, uint32_t layout) {
  if (side >= identity.sides.size() || layout > identity.earlier.size()) return nullptr;
  if (layout == identity.earlier.size()) return &identity.sides[side];
  return &identity.earlier[layout].sides[side];
}

StateRows ToCurrentLayout(StateRows rows, const StoreIdentity& identity, size_t side,
                          uint32_t layout) {
  if (layout == identity.earlier.size()) return rows;
  // Where each column comes from, over all changes.
  std::vector<uint16_t> from = identity.earlier.back().kept[side];
  for (size_t change = identity.earlier.size() - 1; change-- > layout;) {
    for (uint16_t& column : from) {
      if (column != kKeyWordColumn) column = identity.earlier[change].kept[side][column];
    }
  }
  const auto& fields = identity.sides[side].payload.fields;
  std::vector<Column> payload;
  for (size_t i = 0; i < from.size(); ++i) {
    const DataType& type = fields[i].type;
    payload.push_back(from[i] == kKeyWordColumn ? KeyWordColumn(rows, type)
                                                : ChangeWidth(rows.payload[from[i]], type));
  }
  rows.payload = std::move(payload);
  return rows;
}

}  // namespace braid
