#include "state/rows/key_word.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <bit>
#include <cmath>

namespace braid {

namespace {

constexpr uint64_t kNullWord = 0x9ae16a3b2f90404fULL;
constexpr uint64_t kCanonicalNan = 0x7ff8000000000000ULL;

uint64_t DoubleWord(double value) {
  if (std::isnan(value)) return kCanonicalNan;
  return std::bit_cast<uint64_t>(value == 0.0 ? 0.0 : value);
}

template <typename T>
void WidenInto(const Column& column, uint64_t* words) {
  const auto values = column.Values<T>();
  for (size_t row = 0; row < values.size(); ++row) {
    words[row] = static_cast<uint64_t>(static_cast<int64_t>(values[row]));
  }
}

template <typename T>
void DoublesInto(const Column& column, uint64_t* words) {
  const auto values = column.Values<T>();
  for (size_t row = 0; row < values.size(); ++row) {
    words[row] = DoubleWord(static_cast<double>(values[row]));
  }
}

// One word a value; equal values give equal words, and for fixed width only those.
void ColumnWords(const Column& column, uint64_t* words) {
  switch (column.type().kind) {
    case TypeKind::kNull:
    case TypeKind::kBoolean:
      return WidenInto<uint8_t>(column, words);
    case TypeKind::kTinyInt:
      return WidenInto<int8_t>(column, words);
    case TypeKind::kSmallInt:
      return WidenInto<int16_t>(column, words);
    case TypeKind::kInt:
    case TypeKind::kDate:
      return WidenInto<int32_t>(column, words);
    case TypeKind::kFloat:
      return DoublesInto<float>(column, words);
    case TypeKind::kDouble:
      return DoublesInto<double>(column, words);
    case TypeKind::kString:
    case TypeKind::kBytes:
      for (int64_t row = 0; row < column.length(); ++row) {
        const std::string_view text = column.String(row);
        words[row] = XXH3_64bits(text.data(), text.size());
      }
      return;
    default:
      return WidenInto<int64_t>(column, words);
  }
}

bool EqualAt(const Column& left, int64_t left_row, const Column& right, int64_t right_row) {
  const size_t l = static_cast<size_t>(left_row);
  const size_t r = static_cast<size_t>(right_row);
  switch (left.type().kind) {
    case TypeKind::kNull:
    case TypeKind::kBoolean:
    case TypeKind::kTinyInt:
      return left.Values<uint8_t>()[l] == right.Values<uint8_t>()[r];
    case TypeKind::kSmallInt:
      return left.Values<int16_t>()[l] == right.Values<int16_t>()[r];
    case TypeKind::kInt:
    case TypeKind::kDate:
      return left.Values<int32_t>()[l] == right.Values<int32_t>()[r];
    case TypeKind::kFloat:
      return DoubleWord(static_cast<double>(left.Values<float>()[l])) ==
             DoubleWord(static_cast<double>(right.Values<float>()[r]));
    case TypeKind::kDouble:
      return DoubleWord(left.Values<double>()[l]) == DoubleWord(right.Values<double>()[r]);
    case TypeKind::kString:
    case TypeKind::kBytes:
      return left.String(left_row) == right.String(right_row);
    default:
      return left.Values<int64_t>()[l] == right.Values<int64_t>()[r];
  }
}

}  // namespace

KeyWordKind KeyWordKindOf(std::span<const DataType> types, std::span<const uint8_t> null_safe) {
  if (types.empty()) return KeyWordKind::kExact;
  const bool exact = types.size() == 1 && !types[0].is_variable_width() && null_safe[0] == 0;
  return exact ? KeyWordKind::kExact : KeyWordKind::kHash;
}

KeyWords ComputeKeyWords(std::span<const Column> keys, std::span<const uint8_t> null_safe,
                         int64_t num_rows) {
  KeyWords result;
  result.words.assign(static_cast<size_t>(num_rows), 0);
  if (keys.empty() || num_rows == 0) return result;

  bool linkable_needed = false;
  for (size_t key = 0; key < keys.size(); ++key) {
    linkable_needed |= null_safe[key] == 0 && keys[key].null_count() > 0;
  }
  if (linkable_needed) result.linkable.assign(static_cast<size_t>(num_rows), 1);

  const bool single = keys.size() == 1 && null_safe[0] == 0;
  std::vector<uint64_t> part;
  if (!single) part.resize(static_cast<size_t>(num_rows));
  for (size_t key = 0; key < keys.size(); ++key) {
    const Column& column = keys[key];
    uint64_t* words = single ? result.words.data() : part.data();
    ColumnWords(column, words);
    if (column.null_count() > 0) {
      for (int64_t row = 0; row < num_rows; ++row) {
        if (!column.IsNull(row)) continue;
        words[row] = kNullWord;
        if (null_safe[key] == 0) result.linkable[static_cast<size_t>(row)] = 0;
      }
    }
    if (single) break;
    for (size_t row = 0; row < result.words.size(); ++row) {
      result.words[row] = MixKeyWord(result.words[row] ^ MixKeyWord(part[row] + key));
    }
  }
  return result;
}

void KeepEqualKeys(std::span<const Column> left, std::span<const Column> right,
                   std::span<const uint8_t> null_safe, std::vector<int32_t>* left_rows,
                   std::vector<int32_t>* right_rows) {
  size_t kept = left_rows->size();
  for (size_t key = 0; key < left.size(); ++key) {
    const size_t candidates = kept;
    kept = 0;
    for (size_t i = 0; i < candidates; ++i) {
      const int32_t l = (*left_rows)[i];
      const int32_t r = (*right_rows)[i];
      const bool left_null = left[key].IsNull(l);
      const bool right_null = right[key].IsNull(r);
      const bool equal = left_null || right_null ? left_null && right_null && null_safe[key] != 0
                                                 : EqualAt(left[key], l, right[key], r);
      if (!equal) continue;
      (*left_rows)[kept] = l;
      (*right_rows)[kept] = r;
      ++kept;
    }
  }
  left_rows->resize(kept);
  right_rows->resize(kept);
}

}  // namespace braid
