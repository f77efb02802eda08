#include "engine/connectors/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string_view>
#include <utility>

#include "braid/column_builder.h"

namespace braid {

namespace {

RowBatch RowRange(const RowBatch& rows, int64_t first, int64_t end) {
  if (first == 0 && end == rows.num_rows()) return rows;
  std::vector<int32_t> indexes(static_cast<size_t>(end - first));
  std::iota(indexes.begin(), indexes.end(), static_cast<int32_t>(first));
  return GatherRows(rows, indexes);
}

// Reads a number that must follow `prefix`, and moves *text behind both.
bool ReadNumber(std::string_view* text, std::string_view prefix, int64_t* number) {
  if (!text->starts_with(prefix)) return false;
  text->remove_prefix(prefix.size());
  const auto [end, failure] = std::from_chars(text->data(), text->data() + text->size(), *number);
  if (failure != std::errc() || *number < 0) return false;
  text->remove_prefix(static_cast<size_t>(end - text->data()));
  return true;
}

}  // namespace

MemorySource::MemorySource(std::string name, std::shared_ptr<MemoryStream> stream,
                           std::vector<int> read_columns)
    : name_(std::move(name)), stream_(std::move(stream)), read_columns_(std::move(read_columns)) {
  Schema schema;
  for (const int column : read_columns_) {
    schema.fields.push_back(stream_->schema().fields[static_cast<size_t>(column)]);
  }
  read_schema_ = std::make_shared<const Schema>(std::move(schema));
}

std::string MemorySource::description() const { return fmt::format("MemorySource[{}]", name_); }

Result<MemorySource::Position> MemorySource::ParsePosition(const std::string& offset) {
  Position position;
  if (offset.empty()) return position;
  std::string_view rest = offset;
  if (!ReadNumber(&rest, "{\"batch\":", &position.batch) ||
      !ReadNumber(&rest, ",\"row\":", &position.row) || rest != "}") {
    return Fail(ErrorCode::kCorruption, fmt::format("'{}' is no offset of a memory table", offset));
  }
  return position;
}

std::string MemorySource::FormatPosition(Position position) {
  return fmt::format("{{\"batch\":{},\"row\":{}}}", position.batch, position.row);
}

Status MemorySource::Open(const std::string& start) {
  Result<Position> position = ParsePosition(start);
  if (!position) return tl::unexpected(std::move(position.error()));
  position_ = *position;
  return {};
}

Status MemorySource::StopAtLatest() {
  stop_at_batch_ = stream_->num_batches();
  return {};
}

SourceSlice MemorySource::Cut(Position* position, std::optional<Position> last,
                              int64_t bytes_max) const {
  const RowBatch pushed = stream_->batch(position->batch);
  std::vector<Column> columns;
  for (const int column : read_columns_) columns.push_back(pushed.column(column));
  const RowBatch rows = pushed.WithColumns(read_schema_, std::move(columns));

  const bool last_is_here = last && last->batch == position->batch;
  int64_t end = last_is_here ? std::min(last->row, rows.num_rows()) : rows.num_rows();
  const int64_t bytes = rows.byte_size();
  if (bytes_max > 0 && bytes > bytes_max) {
    // Rows are taken to be equally long; exactness does not matter for a limit of memory.
    const int64_t rows_max = bytes_max * rows.num_rows() / bytes;
    end = std::min(end, position->row + std::max<int64_t>(1, rows_max));
  }
  SourceSlice slice;
  slice.num_bytes = rows.num_rows() == 0 ? 0 : bytes * (end - position->row) / rows.num_rows();
  slice.rows = RowRange(rows, position->row, end);
  *position =
      end == rows.num_rows() ? Position{position->batch + 1, 0} : Position{position->batch, end};
  slice.end = FormatPosition(*position);
  return slice;
}

Result<SourceNext> MemorySource::Next(const SliceLimits& limits) {
  SourceNext next;
  // Asked before the count: what was pushed before the end is then seen.
  const bool ended = stream_->ended() && stream_->is_finite();
  const int64_t available = stop_at_batch_.value_or(stream_->num_batches());
  if (position_.batch < available) {
    next.kind = SourceNext::Kind::kSlice;
    next.slice = Cut(&position_, std::nullopt, limits.bytes_max);
  } else if (ended || stop_at_batch_) {
    next.kind = SourceNext::Kind::kEnd;
  }
  return next;
}

Status MemorySource::Replay(const std::string& start, const std::string& end,
                            const std::string& /*replay*/,
                            const std::function<Status(SourceSlice)>& consumer) {
  Result<Position> position = ParsePosition(start);
  if (!position) return tl::unexpected(std::move(position.error()));
  const Result<Position> last = ParsePosition(end);
  if (!last) return tl::unexpected(last.error());
  if (last->batch + (last->row > 0 ? 1 : 0) > stream_->num_batches()) {
    return Fail(ErrorCode::kNotFound,
                fmt::format("{}: the rows up to {} were not pushed again", description(), end));
  }
  while (position->batch < last->batch ||
         (position->batch == last->batch && position->row < last->row)) {
    Status status = consumer(Cut(&*position, *last, 0));
    if (!status) return status;
  }
  return {};
}

Status MemorySource::Commit(const std::string& /*end*/) { return {}; }

std::string MemorySource::latest_offset() const {
  return FormatPosition({stream_->num_batches(), 0});
}

Result<std::unique_ptr<Source>> ReadStream(const TableDescription& table,
                                           const std::vector<int>& read_columns,
                                           std::shared_ptr<MemoryStream> stream) {
  if (stream->schema() != table.schema) {
    return Fail(ErrorCode::kInvalidQuery,
                fmt::format("table {}: the columns are ({}), those of the stream in memory ({})",
                            table.name, table.schema.ToString(), stream->schema().ToString()),
                table.place);
  }
  return std::make_unique<MemorySource>(table.name, std::move(stream), read_columns);
}

MemorySink::MemorySink(std::string name, std::shared_ptr<MemoryResult> result)
    : name_(std::move(name)), result_(std::move(result)) {}

std::string MemorySink::description() const { return fmt::format("MemorySink[{}]", name_); }

Status MemorySink::Open(const SinkContext& context) {
  written_.SetPartitions(context.num_partitions);
  return {};
}

Status MemorySink::BeginBatch(int64_t batch_id) {
  written_.Clear();
  const std::lock_guard lock(result_->mutex_);
  result_->batches_.erase(result_->batches_.lower_bound(batch_id), result_->batches_.end());
  return {};
}

Status MemorySink::Write(int partition, const RowBatch& rows) {
  written_.Add(partition, rows);
  return {};
}

Status MemorySink::PublishBatch(int64_t batch_id) {
  std::vector<RowBatch> all = written_.InOrder();
  const std::lock_guard lock(result_->mutex_);
  result_->batches_[batch_id] = std::move(all);
  result_->published_.notify_all();
  return {};
}

void MemoryConnector::AddStream(std::string table, std::shared_ptr<MemoryStream> stream) {
  streams_[std::move(table)] = std::move(stream);
}

void MemoryConnector::AddResult(std::string table, std::shared_ptr<MemoryResult> result) {
  results_[std::move(table)] = std::move(result);
}

Result<std::unique_ptr<Source>> MemoryConnector::NewSource(
    const TableDescription& table, const std::vector<int>& read_columns,
    std::vector<std::string>* /*notes*/) const {
  const auto stream = streams_.find(table.name);
  if (stream == streams_.end()) {
    return Fail(ErrorCode::kNotFound,
                fmt::format("table {}: no stream in memory has this name", table.name),
                table.place);
  }
  return ReadStream(table, read_columns, stream->second);
}

Result<std::unique_ptr<Sink>> MemoryConnector::NewSink(const TableDescription& table,
                                                       std::vector<std::string>* /*notes*/) const {
  const auto result = results_.find(table.name);
  if (result == results_.end()) {
    return Fail(ErrorCode::kNotFound,
                fmt::format("table {}: no result in memory has this name", table.name),
                table.place);
  }
  return std::make_unique<MemorySink>(table.name, result->second);
}

}  // namespace braid
