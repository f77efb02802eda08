// Fields that several records of checkpoint.capnp have: packed integers and bits. It pulls in Cap'n
// Proto, so only .cc files of this folder include it.
//
// Exceptions of Cap'n Proto pass through; callers run inside RecordWriter::Write or ReadRecord.
// Thread rule: free functions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "checkpoint.capnp.h"
#include "state/store/packed_integers.h"

namespace braid {

inline std::span<const uint8_t> AsSpan(capnp::Data::Reader data) {
  return {data.begin(), data.size()};
}

void SetIntegers(const IntegerArray& array, const IntegerPacking& packing,
                 format::PackedIntegers::Builder field);

// False if the field does not hold exactly `count` values.
bool GetIntegers(format::PackedIntegers::Reader field, int value_bytes, int64_t count,
                 void* values);

// Bytes of a bitmap.
constexpr size_t BitmapBytes(int64_t bits) { return static_cast<size_t>((bits + 7) / 8); }

// Bit i = flags[i] != 0, least significant first. REQUIRES: `bitmap` is zero.
void SetBits(std::span<const uint8_t> flags, uint8_t* bitmap);

// False if `bitmap` is neither empty (then *flags stays empty) nor of `count` bits.
bool GetBits(std::span<const uint8_t> bitmap, int64_t count, std::vector<uint8_t>* flags);

}  // namespace braid
