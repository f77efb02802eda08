#include "engine/connectors/datagen_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>
#include <utility>

#include "braid/time.h"

namespace braid {

namespace {

// A slice at most, whatever the limit of bytes says.
constexpr int64_t kSliceRowsMax = 65'536;

std::string FormatOffset(int64_t rows) { return fmt::format("{{\"rows\":{}}}", rows); }

Result<int64_t> ParseOffset(const std::string& offset) {
  if (offset.empty()) return 0;
  constexpr std::string_view kPrefix = "{\"rows\":";
  if (offset.starts_with(kPrefix)) {
    int64_t rows = -1;
    const char* last = offset.data() + offset.size();
    const auto [end, failure] = std::from_chars(offset.data() + kPrefix.size(), last, rows);
    if (failure == std::errc() && std::string_view(end, last) == "}" && rows >= 0) return rows;
  }
  return Fail(ErrorCode::kCorruption, fmt::format("'{}' is no offset of datagen", offset));
}

}  // namespace

DatagenSource::DatagenSource(Options options, std::shared_ptr<const Schema> schema,
                             std::vector<GeneratedField> fields)
    : options_(std::move(options)), schema_(std::move(schema)), fields_(std::move(fields)) {
  for (const GeneratedField& field : fields_) row_bytes_ += field.byte_width();
}

std::string DatagenSource::description() const {
  return fmt::format("DatagenSource[{}]", options_.table);
}

Status DatagenSource::Open(const std::string& start) {
  const Result<int64_t> rows = ParseOffset(start);
  if (!rows) return tl::unexpected(rows.error());
  num_start_ = *rows;
  num_given_ = *rows;
  opened_ = options_.now();
  return {};
}

Status DatagenSource::StopAtLatest() {
  if (is_finite()) return {};
  return Fail(ErrorCode::kInvalidOption,
              fmt::format("table {}: the trigger available-now needs a table that ends: give "
                          "'number-of-rows'",
                          options_.table));
}

int64_t DatagenSource::NumDue() const {
  constexpr int64_t kNanosOfSecond = 1'000'000'000;
  const int64_t nanos = (options_.now() - opened_).count();
  const int64_t of_seconds = SaturatingMultiply(nanos / kNanosOfSecond, options_.rows_per_second);
  const int64_t of_rest = nanos % kNanosOfSecond * options_.rows_per_second / kNanosOfSecond;
  const int64_t due = SaturatingAdd(num_start_, SaturatingAdd(of_seconds, of_rest));
  return std::min(due, options_.num_rows.value_or(std::numeric_limits<int64_t>::max()));
}

SourceSlice DatagenSource::Generate(int64_t first, int64_t count) const {
  std::vector<Column> columns;
  for (const GeneratedField& field : fields_) {
    columns.push_back(GenerateColumn(field, first, count));
  }
  SourceSlice slice;
  slice.rows = RowBatch(schema_, std::move(columns), count);
  slice.end = FormatOffset(first + count);
  slice.num_bytes = count * row_bytes_;
  return slice;
}

Result<SourceNext> DatagenSource::Next(const SliceLimits& limits) {
  SourceNext next;
  const int64_t given = num_given_;
  if (options_.num_rows && given >= *options_.num_rows) {
    next.kind = SourceNext::Kind::kEnd;
    return next;
  }
  int64_t most = kSliceRowsMax;
  if (limits.bytes_max > 0) {
    most = std::clamp<int64_t>(limits.bytes_max / row_bytes_, 1, kSliceRowsMax);
  }
  const int64_t count = std::min(NumDue() - given, most);
  if (count <= 0) return next;
  next.kind = SourceNext::Kind::kSlice;
  next.slice = Generate(given, count);
  num_given_ = given + count;
  return next;
}

Status DatagenSource::Replay(const std::string& start, const std::string& end,
                             const std::string& /*replay*/,
                             const std::function<Status(SourceSlice)>& consumer) {
  const Result<int64_t> first = ParseOffset(start);
  if (!first) return tl::unexpected(first.error());
  const Result<int64_t> last = ParseOffset(end);
  if (!last) return tl::unexpected(last.error());
  for (int64_t row = *first; row < *last; row += kSliceRowsMax) {
    Status given = consumer(Generate(row, std::min(kSliceRowsMax, *last - row)));
    if (!given) return given;
  }
  return {};
}

Status DatagenSource::Commit(const std::string& /*end*/) { return {}; }

std::string DatagenSource::latest_offset() const { return FormatOffset(num_given_); }

}  // namespace braid
