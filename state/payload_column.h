// The values of one payload column in one chunk: an array for fixed widths; for strings the 32-bit
// offset of each end in a heap of bytes that belongs to the chunk. A validity bitmap exists only
// once a NULL came.
//
// Ownership: arrays come from the arena, which must outlive the column; the byte heap is its own.
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "braid/data_type.h"
#include "braid/row_batch.h"
#include "state/arena.h"
#include "state/row_bits.h"

namespace braid {

class PayloadColumn {
 public:
  PayloadColumn(DataType type, Arena* arena);
  ~PayloadColumn();
  PayloadColumn(PayloadColumn&& other) noexcept;
  PayloadColumn& operator=(PayloadColumn&&) = delete;

  const DataType& type() const { return type_; }

  // Moves the first `count` values into arrays for `capacity` rows.
  void Resize(uint32_t count, uint32_t capacity);

  // How many of the leading `rows` fit when the heap may hold `heap_bytes_max` bytes; all of them
  // for fixed widths, and at least one into an empty heap. REQUIRES: no row twice.
  size_t CountFitting(const Column& column, std::span<const int32_t> rows,
                      uint64_t heap_bytes_max) const;

  // Appends the values of `column` at `rows` behind the first `count`.
  // REQUIRES: capacity for them, and CountFitting says that they fit.
  void Append(const Column& column, std::span<const int32_t> rows, uint32_t count);

  // Gives everything back, where the values are kept elsewhere from now on.
  void Release();

  // Gives back the part of the byte heap that is not used.
  void ShrinkHeap();

  // Fixed width.
  const uint8_t* values() const { return static_cast<const uint8_t*>(values_); }
  // kString, kBytes.
  std::string_view String(uint32_t slot) const {
    const uint32_t* ends = static_cast<const uint32_t*>(values_);
    const uint32_t start = slot == 0 ? 0 : ends[slot - 1];
    return {heap_ + start, ends[slot] - start};
  }
  bool IsNull(uint32_t slot) const { return nulls_.Get(slot); }
  bool has_nulls() const { return !nulls_.empty(); }

  int64_t memory_bytes() const {
    return heap_bytes() + static_cast<int64_t>(ArrayBytes(capacity_));
  }
  // What is not in the arena.
  int64_t heap_bytes() const {
    return static_cast<int64_t>(heap_capacity_) + nulls_.memory_bytes();
  }
  int64_t unused_heap_bytes() const { return static_cast<int64_t>(heap_capacity_ - heap_used_); }

 private:
  size_t ArrayBytes(uint32_t capacity) const;
  void AppendStrings(const Column& column, std::span<const int32_t> rows, uint32_t count);
  void ReallocateHeap(uint64_t capacity);

  DataType type_;
  Arena* arena_;
  size_t width_;  // 0 for strings.
  void* values_ = nullptr;
  uint32_t capacity_ = 0;
  char* heap_ = nullptr;
  uint64_t heap_used_ = 0;
  uint64_t heap_capacity_ = 0;
  RowBits nulls_;  // Bit set = NULL.
};

}  // namespace braid
