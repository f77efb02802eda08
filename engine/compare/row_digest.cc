#include "engine/compare/row_digest.h"

#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

#include <cstring>
#include <string>
#include <string_view>

namespace braid {

namespace {

// Writes the values of one row behind each other, each with a byte that says whether it is NULL.
class RowBytes {
 public:
  RowBytes(const RowBatch& rows, std::span<const int> columns) {
    for (const int column : columns) columns_.push_back(&rows.column(column));
  }

  RowDigest Digest(int64_t row, uint64_t seed) {
    bytes_.clear();
    for (const Column* column : columns_) Append(*column, row);
    const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes_.data(), bytes_.size(), seed);
    return {hash.high64, hash.low64};
  }

 private:
  void Append(const Column& column, int64_t row) {
    const bool is_null = column.IsNull(row);
    bytes_.push_back(is_null ? '\0' : '\1');
    if (is_null) return;
    if (column.type().is_variable_width()) {
      const std::string_view text = column.String(row);
      const auto size = static_cast<uint32_t>(text.size());
      bytes_.append(reinterpret_cast<const char*>(&size), sizeof(size));
      bytes_.append(text);
      return;
    }
    const auto width = static_cast<size_t>(column.type().byte_width());
    bytes_.append(static_cast<const char*>(column.raw_values()) + static_cast<size_t>(row) * width,
                  width);
  }

  std::vector<const Column*> columns_;
  std::string bytes_;
};

}  // namespace

void AppendDigests(const RowBatch& rows, std::span<const int> columns, uint64_t seed,
                   std::vector<RowDigest>* digests) {
  RowBytes bytes(rows, columns);
  for (int64_t row = 0; row < rows.num_rows(); ++row) digests->push_back(bytes.Digest(row, seed));
}

RowDigest DigestOf(const RowBatch& rows, int64_t row, std::span<const int> columns, uint64_t seed) {
  return RowBytes(rows, columns).Digest(row, seed);
}

}  // namespace braid
