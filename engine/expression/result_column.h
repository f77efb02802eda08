// A fixed-width column while a kernel fills it: raw values, and a validity bitmap that starts as
// the AND of the arguments' bitmaps.
//
// Ownership: Finish hands the memory to the Column. Thread rule: one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "engine/expression/evaluation_node.h"

namespace braid {

class ResultColumn {
 public:
  // Values are not initialised: the kernel writes all of them. Nothing is NULL.
  // REQUIRES: a type of fixed width.
  ResultColumn(DataType type, int64_t length);

  // … and NULL where an argument is NULL.
  explicit ResultColumn(const KernelCall& call);

  // REQUIRES: T is the physical type.
  template <typename T>
  T* values() {
    return reinterpret_cast<T*>(memory_.get());
  }

  // NULL wherever `operand` is NULL.
  void TakeNulls(const Operand& operand);
  void SetNull(int64_t position);
  void SetAllNull();

  bool IsNull(int64_t position) const {
    return has_nulls_ && ((validity_[position >> 3] >> (position & 7)) & 1) == 0;
  }

  Column Finish();

 private:
  void EnsureValidity();

  DataType type_;
  int64_t length_;
  bool has_nulls_ = false;
  std::shared_ptr<uint64_t[]> memory_;  // The values, and behind them the bitmap.
  uint8_t* validity_;
};

// The same arrays under another type of the same layout, without a copy.
Column Retyped(const Column& column, DataType type);

// A column of NULLs.
Column NullColumn(DataType type, int64_t length);

}  // namespace braid
