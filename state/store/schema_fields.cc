#include "state/store/schema_fields.h"

namespace braid {

void SetIntegers(const IntegerArray& array, const IntegerPacking& packing,
                 format::PackedIntegers::Builder field) {
  field.setMinimum(packing.minimum);
  field.setUnit(packing.unit);
  field.setWidth(packing.width);
  if (packing.width == 0 || array.count == 0) return;
  auto data = field.initData(static_cast<unsigned>(array.count) * packing.width);
  PackIntegers(array, packing, data.begin());
}

bool GetIntegers(format::PackedIntegers::Reader field, int value_bytes, int64_t count,
                 void* values) {
  const IntegerPacking packing{field.getMinimum(), field.getUnit(), field.getWidth()};
  return UnpackIntegers(AsSpan(field.getData()), packing, value_bytes, count, values);
}

void SetBits(std::span<const uint8_t> flags, uint8_t* bitmap) {
  for (size_t i = 0; i < flags.size(); ++i) {
    if (flags[i] != 0) bitmap[i / 8] = static_cast<uint8_t>(bitmap[i / 8] | (1U << (i % 8)));
  }
}

bool GetBits(std::span<const uint8_t> bitmap, int64_t count, std::vector<uint8_t>* flags) {
  if (bitmap.empty()) return true;
  if (bitmap.size() != BitmapBytes(count)) return false;
  flags->resize(static_cast<size_t>(count));
  for (size_t i = 0; i < flags->size(); ++i) (*flags)[i] = (bitmap[i / 8] >> (i % 8)) & 1;
  return true;
}

}  // namespace braid
