#include "engine/expression/result_column.h"

#include <bit>
#include <cstring>

#include "braid/column_builder.h"
#include "state/rows/check.h"

namespace braid {

namespace {

size_t Words(int64_t bytes) { return static_cast<size_t>((bytes + 7) / 8); }

// The bits of the last word that lie within `length`.
uint64_t TailMask(int64_t length) {
  const int used = static_cast<int>(length % 64);
  return used == 0 ? ~uint64_t{0} : (uint64_t{1} << used) - 1;
}

}  // namespace

ResultColumn::ResultColumn(DataType type, int64_t length) : type_(type), length_(length) {
  BRAID_CHECK(!type.is_variable_width(), "a result of fixed width");
  const size_t value_words = Words(length * type.byte_width());
  const size_t bitmap_words = Words((length + 7) / 8);
  memory_ = std::make_shared_for_overwrite<uint64_t[]>(value_words + bitmap_words + 1);
  validity_ = reinterpret_cast<uint8_t*>(memory_.get() + value_words);
}

ResultColumn::ResultColumn(const KernelCall& call) : ResultColumn(call.type, call.count) {
  for (const Operand& operand : call.arguments) TakeNulls(operand);
}

void ResultColumn::EnsureValidity() {
  if (has_nulls_) return;
  has_nulls_ = true;
  std::memset(validity_, 0xff, Words((length_ + 7) / 8) * 8);
}

void ResultColumn::TakeNulls(const Operand& operand) {
  if (operand.values.null_count() == 0) return;
  if (operand.constant) return SetAllNull();
  const size_t bytes = static_cast<size_t>((length_ + 7) / 8);
  const uint8_t* from = operand.values.validity();
  if (!has_nulls_) {
    EnsureValidity();
    std::memcpy(validity_, from, bytes);
    return;
  }
  for (size_t byte = 0; byte < bytes; ++byte) {
    validity_[byte] = static_cast<uint8_t>(validity_[byte] & from[byte]);
  }
}

void ResultColumn::SetNull(int64_t position) {
  EnsureValidity();
  validity_[position >> 3] =
      static_cast<uint8_t>(validity_[position >> 3] & ~(1U << (position & 7)));
}

void ResultColumn::SetAllNull() {
  EnsureValidity();
  std::memset(validity_, 0, Words((length_ + 7) / 8) * 8);
}

Column ResultColumn::Finish() {
  int64_t valid = length_;
  if (has_nulls_) {
    valid = 0;
    const size_t words = Words((length_ + 7) / 8);
    for (size_t word = 0; word < words; ++word) {
      uint64_t bits = 0;
      std::memcpy(&bits, validity_ + word * 8, sizeof(bits));
      if (word + 1 == words) bits &= TailMask(length_);
      valid += std::popcount(bits);
    }
  }
  return Column(type_, length_, length_ - valid, validity_, memory_.get(), nullptr, memory_);
}

Column Retyped(const Column& column, DataType type) {
  return Column(type, column.length(), column.null_count(), column.validity(), column.raw_values(),
                column.offsets(), std::make_shared<const Column>(column));
}

Column NullColumn(DataType type, int64_t length) {
  ColumnBuilder builder(type);
  builder.AppendNulls(length);
  return builder.Finish();
}

}  // namespace braid
