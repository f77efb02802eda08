// A row as advise keeps it, and how rows are ordered: by a spread key word, then by time. Spreading
// makes the upper bits of any keys even, so that rows can be sorted by buckets of these bits.
//
// Thread rule: values.
#pragma once

#include <cstdint>

namespace braid {

struct KeyedRow {
  uint64_t key = 0;     // SpreadKey of the row's key word: rows of one key have one.
  int64_t time = 0;     // Microseconds.
  int64_t record = -1;  // Where the columns that conditions need stand (RecordFile); -1: nowhere.

  bool IsBefore(const KeyedRow& other) const {
    return key != other.key ? key < other.key : time < other.time;
  }
};

// One to one: different words stay different. The finalizer of MurmurHash3 (Austin Appleby).
constexpr uint64_t SpreadKey(uint64_t word) {
  word ^= word >> 33;
  word *= 0xff51afd7ed558ccdULL;
  word ^= word >> 33;
  word *= 0xc4ceb9fe1a85ec53ULL;
  word ^= word >> 33;
  return word;
}

}  // namespace braid
