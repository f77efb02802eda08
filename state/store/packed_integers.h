// Integers as bytes: each value minus the smallest, divided by a common unit, in as few bytes as
// the largest difference needs (0 to 8). The bytes are little-endian, one value after the other.
// What is written is part of the checkpoint format (docs/format/checkpoint.md).
//
// Values are given as arrays of 1, 2, 4 or 8 bytes a value, which count as signed integers; arrays
// of other things (doubles, hashes) go through their bits. A NULL takes the place of the smallest.
// All arithmetic is modulo 2^64: every int64 can be packed, and no input is undefined.
//
// Thread rule: free functions over the caller's arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace braid {

struct IntegerPacking {
  int64_t minimum = 0;
  uint32_t unit = 1;
  uint8_t width = 0;  // Bytes a value.

  friend bool operator==(const IntegerPacking&, const IntegerPacking&) = default;
};

// Values to pack: `count` of them from row `begin` of an array.
struct IntegerArray {
  const void* values = nullptr;
  int value_bytes = 8;                // 1, 2, 4 or 8.
  const uint8_t* validity = nullptr;  // Bitmap of the whole array; null: nothing is NULL.
  int64_t begin = 0;
  int64_t count = 0;
};

struct IntegerRange {
  int64_t minimum = std::numeric_limits<int64_t>::max();
  int64_t maximum = std::numeric_limits<int64_t>::min();
};

// Of the values that are not NULL; minimum > maximum if there is none.
IntegerRange RangeOf(const IntegerArray& array);

// The narrowest packing. `times`: microseconds, which are often whole milliseconds or seconds.
// Reads the values once or twice.
IntegerPacking ChoosePacking(const IntegerArray& array, bool times);

// Writes exactly `array.count * packing.width` bytes to `out`.
// REQUIRES: `packing` is ChoosePacking's for this array, or one of the same values and wider.
void PackIntegers(const IntegerArray& array, const IntegerPacking& packing, uint8_t* out);

// Writes `count` values of `value_bytes` bytes to `values`. Returns false and writes nothing if
// `packing` makes no sense or `bytes` is not exactly as long as it says.
bool UnpackIntegers(std::span<const uint8_t> bytes, const IntegerPacking& packing, int value_bytes,
                    int64_t count, void* values);

}  // namespace braid
