#include "state/store/packed_integers.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "state/rows/check.h"
#include "state/rows/exact_quotient.h"
#include "state/rows/vector_clones.h"

namespace braid {

namespace {

static_assert(std::endian::native == std::endian::little, "packed bytes are little-endian");

// Values go through a block of differences on the stack, so that there is one loop a value width
// and one a packed width, not one for each pair.
constexpr int64_t kBlock = 1024;
using Block = std::array<uint64_t, kBlock>;

constexpr uint64_t kMillisecond = 1'000;
constexpr uint64_t kSecond = 1'000'000;

bool IsValid(const uint8_t* validity, int64_t row) {
  return ((validity[row >> 3] >> (row & 7)) & 1) != 0;
}

template <typename T>
inline IntegerRange LeastAndGreatest(const T* values, int64_t count) {
  T minimum = std::numeric_limits<T>::max();
  T maximum = std::numeric_limits<T>::min();
  for (int64_t i = 0; i < count; ++i) {
    minimum = std::min(minimum, values[i]);
    maximum = std::max(maximum, values[i]);
  }
  return count > 0 ? IntegerRange{minimum, maximum} : IntegerRange{};
}

BRAID_VECTOR_CLONES IntegerRange RangeOfValues(const int8_t* values, int64_t count) {
  return LeastAndGreatest(values, count);
}
BRAID_VECTOR_CLONES IntegerRange RangeOfValues(const int16_t* values, int64_t count) {
  return LeastAndGreatest(values, count);
}
BRAID_VECTOR_CLONES IntegerRange RangeOfValues(const int32_t* values, int64_t count) {
  return LeastAndGreatest(values, count);
}
BRAID_VECTOR_CLONES IntegerRange RangeOfValues(const int64_t* values, int64_t count) {
  return LeastAndGreatest(values, count);
}

template <typename T>
IntegerRange RangeOfType(const IntegerArray& array) {
  const T* values = static_cast<const T*>(array.values) + array.begin;
  if (array.validity == nullptr) return RangeOfValues(values, array.count);
  IntegerRange range;
  for (int64_t i = 0; i < array.count; ++i) {
    if (!IsValid(array.validity, array.begin + i)) continue;
    range.minimum = std::min<int64_t>(range.minimum, values[i]);
    range.maximum = std::max<int64_t>(range.maximum, values[i]);
  }
  return range;
}

uint8_t WidthOf(uint64_t largest) {
  return static_cast<uint8_t>((std::bit_width(largest) + 7) / 8);
}

template <typename T>
void Differences(const IntegerArray& array, int64_t first, int64_t count, int64_t minimum,
                 uint64_t* block) {
  const T* values = static_cast<const T*>(array.values) + array.begin + first;
  for (int64_t i = 0; i < count; ++i) {
    block[i] =
        static_cast<uint64_t>(static_cast<int64_t>(values[i])) - static_cast<uint64_t>(minimum);
  }
  if (array.validity == nullptr) return;
  for (int64_t i = 0; i < count; ++i) {
    if (!IsValid(array.validity, array.begin + first + i)) block[i] = 0;
  }
}

void Differences(const IntegerArray& array, int64_t first, int64_t count, int64_t minimum,
                 uint64_t* block) {
  switch (array.value_bytes) {
    case 1:
      return Differences<int8_t>(array, first, count, minimum, block);
    case 2:
      return Differences<int16_t>(array, first, count, minimum, block);
    case 4:
      return Differences<int32_t>(array, first, count, minimum, block);
    default:
      return Differences<int64_t>(array, first, count, minimum, block);
  }
}

template <uint64_t kUnit>
inline uint64_t LargestQuotient(const uint64_t* block, int64_t count) {
  uint64_t largest = 0;
  for (int64_t i = 0; i < count; ++i) largest = std::max(largest, ExactQuotient<kUnit>(block[i]));
  return largest;
}

BRAID_VECTOR_CLONES bool AreMilliseconds(const uint64_t* block, int64_t count) {
  return LargestQuotient<kMillisecond>(block, count) <= kQuotientMax<kMillisecond>;
}

BRAID_VECTOR_CLONES bool AreSeconds(const uint64_t* block, int64_t count) {
  return LargestQuotient<kSecond>(block, count) <= kQuotientMax<kSecond>;
}

// Whether `are_multiples` is true of all differences. Stops soon if not.
bool AllDifferences(const IntegerArray& array, int64_t minimum,
                    bool (*are_multiples)(const uint64_t*, int64_t)) {
  Block block;
  for (int64_t first = 0; first < array.count; first += kBlock) {
    const int64_t count = std::min(array.count - first, kBlock);
    Differences(array, first, count, minimum, block.data());
    if (!are_multiples(block.data(), count)) return false;
  }
  return true;
}

// REQUIRES: all are multiples of `unit`.
BRAID_VECTOR_CLONES void Divide(uint64_t* block, int64_t count, uint32_t unit) {
  if (unit == kMillisecond) {
    for (int64_t i = 0; i < count; ++i) block[i] = ExactQuotient<kMillisecond>(block[i]);
  } else if (unit == kSecond) {
    for (int64_t i = 0; i < count; ++i) block[i] = ExactQuotient<kSecond>(block[i]);
  }
}

// The width is a constant, so that the copy of one value is one or two moves.
template <size_t width>
void StoreWidth(const uint64_t* block, int64_t count, uint8_t* out) {
  if constexpr (width > 0) {  // Of no bytes there may be a null pointer.
    for (int64_t i = 0; i < count; ++i) {
      std::memcpy(out + static_cast<size_t>(i) * width, &block[i], width);
    }
  }
}

template <size_t width>
void LoadWidth(const uint8_t* bytes, int64_t count, uint64_t* block) {
  for (int64_t i = 0; i < count; ++i) {
    uint64_t value = 0;
    if constexpr (width > 0) std::memcpy(&value, bytes + static_cast<size_t>(i) * width, width);
    block[i] = value;
  }
}

using StoreFunction = void (*)(const uint64_t*, int64_t, uint8_t*);
constexpr StoreFunction kStore[9] = {StoreWidth<0>, StoreWidth<1>, StoreWidth<2>,
                                     StoreWidth<3>, StoreWidth<4>, StoreWidth<5>,
                                     StoreWidth<6>, StoreWidth<7>, StoreWidth<8>};
using LoadFunction = void (*)(const uint8_t*, int64_t, uint64_t*);
constexpr LoadFunction kLoad[9] = {LoadWidth<0>, LoadWidth<1>, LoadWidth<2>,
                                   LoadWidth<3>, LoadWidth<4>, LoadWidth<5>,
                                   LoadWidth<6>, LoadWidth<7>, LoadWidth<8>};

template <typename T>
void WriteValues(const uint64_t* block, int64_t count, const IntegerPacking& packing, T* values) {
  const uint64_t minimum = static_cast<uint64_t>(packing.minimum);
  const uint64_t unit = packing.unit;
  if (unit == 1) {
    for (int64_t i = 0; i < count; ++i) values[i] = static_cast<T>(block[i] + minimum);
  } else {
    for (int64_t i = 0; i < count; ++i) values[i] = static_cast<T>(block[i] * unit + minimum);
  }
}

}  // namespace

IntegerRange RangeOf(const IntegerArray& array) {
  switch (array.value_bytes) {
    case 1:
      return RangeOfType<int8_t>(array);
    case 2:
      return RangeOfType<int16_t>(array);
    case 4:
      return RangeOfType<int32_t>(array);
    default:
      return RangeOfType<int64_t>(array);
  }
}

IntegerPacking ChoosePacking(const IntegerArray& array, bool times) {
  IntegerPacking packing;
  const IntegerRange range = RangeOf(array);
  if (range.minimum > range.maximum) return packing;  // No value at all.
  packing.minimum = range.minimum;
  const uint64_t largest =
      static_cast<uint64_t>(range.maximum) - static_cast<uint64_t>(range.minimum);
  if (times && array.value_bytes == 8 && largest > 0) {
    if (largest % kMillisecond == 0 && AllDifferences(array, range.minimum, AreMilliseconds)) {
      packing.unit = kMillisecond;
      if (largest % kSecond == 0 && AllDifferences(array, range.minimum, AreSeconds)) {
        packing.unit = kSecond;
      }
    }
  }
  packing.width = WidthOf(largest / packing.unit);
  return packing;
}

void PackIntegers(const IntegerArray& array, const IntegerPacking& packing, uint8_t* out) {
  if (packing.width == 0) return;
  Block block;
  for (int64_t first = 0; first < array.count; first += kBlock) {
    const int64_t count = std::min(array.count - first, kBlock);
    Differences(array, first, count, packing.minimum, block.data());
    Divide(block.data(), count, packing.unit);
    kStore[packing.width](block.data(), count, out);
    out += count * packing.width;
  }
}

bool UnpackIntegers(std::span<const uint8_t> bytes, const IntegerPacking& packing, int value_bytes,
                    int64_t count, void* values) {
  const bool known_unit =
      packing.unit == 1 || packing.unit == kMillisecond || packing.unit == kSecond;
  if (packing.width > 8 || !known_unit || count < 0) return false;
  if (packing.width == 0 ? !bytes.empty()
                         : bytes.size() % packing.width != 0 ||
                               bytes.size() / packing.width != static_cast<uint64_t>(count)) {
    return false;
  }
  Block block;
  const uint8_t* from = bytes.data();
  for (int64_t first = 0; first < count; first += kBlock) {
    const int64_t size = std::min(count - first, kBlock);
    kLoad[packing.width](from, size, block.data());
    from += size * packing.width;
    switch (value_bytes) {
      case 1:
        WriteValues(block.data(), size, packing, static_cast<uint8_t*>(values) + first);
        break;
      case 2:
        WriteValues(block.data(), size, packing, static_cast<uint16_t*>(values) + first);
        break;
      case 4:
        WriteValues(block.data(), size, packing, static_cast<uint32_t*>(values) + first);
        break;
      default:
        WriteValues(block.data(), size, packing, static_cast<uint64_t*>(values) + first);
        break;
    }
  }
  return true;
}

}  // namespace braid
