#include "state/payload_column.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "state/rows/check.h"

namespace braid {

namespace {

// Rows that follow each other are copied at once.
template <typename T>
void CopyFixed(const Column& column, std::span<const int32_t> rows, T* to) {
  const T* from = static_cast<const T*>(column.raw_values());
  for (size_t i = 0; i < rows.size(); ++i) to[i] = from[rows[i]];
}

bool AreConsecutive(std::span<const int32_t> rows) {
  const int32_t first = rows.front();
  if (rows.back() - first != static_cast<int32_t>(rows.size()) - 1) return false;
  bool consecutive = true;
  for (size_t i = 0; i < rows.size(); ++i) {
    consecutive &= rows[i] == first + static_cast<int32_t>(i);
  }
  return consecutive;
}

}  // namespace

PayloadColumn::PayloadColumn(DataType type, Arena* arena)
    : type_(type), arena_(arena), width_(static_cast<size_t>(type.byte_width())) {}

PayloadColumn::~PayloadColumn() {
  if (values_ != nullptr) arena_->Free(values_, ArrayBytes(capacity_));
  std::free(heap_);
}

PayloadColumn::PayloadColumn(PayloadColumn&& other) noexcept
    : type_(other.type_),
      arena_(other.arena_),
      width_(other.width_),
      values_(std::exchange(other.values_, nullptr)),
      capacity_(std::exchange(other.capacity_, 0)),
      heap_(std::exchange(other.heap_, nullptr)),
      heap_used_(std::exchange(other.heap_used_, 0)),
      heap_capacity_(std::exchange(other.heap_capacity_, 0)),
      nulls_(std::move(other.nulls_)) {}

size_t PayloadColumn::ArrayBytes(uint32_t capacity) const {
  return capacity * (width_ == 0 ? sizeof(uint32_t) : width_);
}

void PayloadColumn::Resize(uint32_t count, uint32_t capacity) {
  void* grown = arena_->Allocate(ArrayBytes(capacity));
  if (values_ != nullptr) {
    std::memcpy(grown, values_, ArrayBytes(count));
    arena_->Free(values_, ArrayBytes(capacity_));
  }
  values_ = grown;
  capacity_ = capacity;
  if (has_nulls()) nulls_.Reserve(capacity);
}

size_t PayloadColumn::CountFitting(const Column& column, std::span<const int32_t> rows,
                                   uint64_t heap_bytes_max) const {
  if (width_ != 0 || column.length() == 0) return rows.size();
  const int64_t all = int64_t{column.offsets()[column.length()]} - column.offsets()[0];
  if (heap_used_ + static_cast<uint64_t>(all) <= heap_bytes_max) return rows.size();
  uint64_t used = heap_used_;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (column.IsNull(rows[i])) continue;
    used += column.String(rows[i]).size();
    if (used > heap_bytes_max) return i == 0 && heap_used_ == 0 ? 1 : i;
  }
  return rows.size();
}

void PayloadColumn::Append(const Column& column, std::span<const int32_t> rows, uint32_t count) {
  if (rows.empty()) return;
  if (width_ == 0) {
    AppendStrings(column, rows, count);
  } else {
    uint8_t* to = static_cast<uint8_t*>(values_) + count * width_;
    if (AreConsecutive(rows)) {
      const char* from = static_cast<const char*>(column.raw_values());
      std::memcpy(to, from + static_cast<size_t>(rows.front()) * width_, rows.size() * width_);
    } else if (width_ == 8) {
      CopyFixed(column, rows, reinterpret_cast<uint64_t*>(to));
    } else if (width_ == 4) {
      CopyFixed(column, rows, reinterpret_cast<uint32_t*>(to));
    } else if (width_ == 2) {
      CopyFixed(column, rows, reinterpret_cast<uint16_t*>(to));
    } else {
      CopyFixed(column, rows, to);
    }
  }
  if (column.null_count() == 0) return;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (column.IsValid(rows[i])) continue;
    nulls_.Reserve(capacity_);
    nulls_.Set(count + static_cast<uint32_t>(i));
  }
}

void PayloadColumn::AppendStrings(const Column& column, std::span<const int32_t> rows,
                                  uint32_t count) {
  uint64_t bytes = 0;
  for (const int32_t row : rows) {
    if (column.IsValid(row)) bytes += column.String(row).size();
  }
  if (heap_used_ + bytes > heap_capacity_) {
    ReallocateHeap(std::max(heap_used_ + bytes, heap_capacity_ + heap_capacity_ / 2));
  }
  uint32_t* ends = static_cast<uint32_t*>(values_);
  for (const int32_t row : rows) {
    if (column.IsValid(row)) {
      const std::string_view text = column.String(row);
      if (!text.empty()) std::memcpy(heap_ + heap_used_, text.data(), text.size());
      heap_used_ += text.size();
    }
    ends[count++] = static_cast<uint32_t>(heap_used_);
  }
}

void PayloadColumn::Release() {
  arena_->Free(std::exchange(values_, nullptr), ArrayBytes(capacity_));
  capacity_ = 0;
  std::free(std::exchange(heap_, nullptr));
  heap_used_ = 0;
  heap_capacity_ = 0;
  nulls_.Clear();
}

void PayloadColumn::ShrinkHeap() {
  if (heap_used_ < heap_capacity_) ReallocateHeap(heap_used_);
}

void PayloadColumn::ReallocateHeap(uint64_t capacity) {
  if (capacity == 0) {
    std::free(std::exchange(heap_, nullptr));
  } else {
    void* grown = std::realloc(heap_, capacity);
    BRAID_CHECK(grown != nullptr, "out of memory");
    heap_ = static_cast<char*>(grown);
  }
  heap_capacity_ = capacity;
}

}  // namespace braid
