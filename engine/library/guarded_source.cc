#include "engine/library/guarded_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "braid/row_batch_builder.h"

namespace braid {

namespace {

// What a batch takes at most of a source that says nothing: without a limit, one that always has
// rows would fill the memory with a batch that never runs.
constexpr int64_t kTriggerBytesMax = int64_t{4} << 20;

}  // namespace

GuardedSource::GuardedSource(const TableDescription& table, const std::vector<int>& read_columns,
                             std::unique_ptr<Source> source)
    : what_("the source of " + table.name), source_(std::move(source)) {
  Schema schema;
  for (const int column : read_columns) {
    const auto index = static_cast<size_t>(column);
    schema.fields.push_back(table.schema.fields[index]);
    not_null_.push_back(index < table.not_null.size() ? table.not_null[index] : uint8_t{0});
  }
  schema_ = std::make_shared<const Schema>(std::move(schema));
}

GuardedSource::~GuardedSource() = default;

TriggerLimits GuardedSource::trigger_limits() const {
  TriggerLimits limits =
      thrown_.Or(what_, TriggerLimits(), [&] { return source_->trigger_limits(); });
  limits.bytes_max = std::max<int64_t>(limits.bytes_max, 0);
  limits.files_max = std::max<int64_t>(limits.files_max, 0);
  if (limits.bytes_max == 0 && limits.files_max == 0) limits.bytes_max = kTriggerBytesMax;
  return limits;
}

std::string GuardedSource::location() const {
  return thrown_.Or(what_, "", [&] { return source_->location(); });
}

std::string GuardedSource::bad_records_location() const {
  return thrown_.Or(what_, "", [&] { return source_->bad_records_location(); });
}

void GuardedSource::KeepIn(const std::string& directory) {
  thrown_.Try(what_, [&] { source_->KeepIn(directory); });
}

std::string GuardedSource::description() const {
  return thrown_.Or(what_, what_, [&] { return source_->description(); });
}

bool GuardedSource::is_finite() const {
  return thrown_.Or(what_, true, [&] { return source_->is_finite(); });
}

bool GuardedSource::gives_changes() const {
  return thrown_.Or(what_, false, [&] { return source_->gives_changes(); });
}

bool GuardedSource::can_replay() const {
  return thrown_.Or(what_, true, [&] { return source_->can_replay(); });
}

Status GuardedSource::Open(const std::string& start) {
  if (Status fine = thrown_.status(); !fine) return fine;
  return CallProgram(what_, [&] { return source_->Open(start); });
}

Status GuardedSource::StopAtLatest() {
  return CallProgram(what_, [&] { return source_->StopAtLatest(); });
}

Result<SourceNext> GuardedSource::Next(const SliceLimits& limits) {
  if (Status fine = thrown_.status(); !fine) return tl::unexpected(fine.error());
  Result<SourceNext> next = CallProgram(what_, [&] { return source_->Next(limits); });
  if (!next || next->kind != SourceNext::Kind::kSlice) return next;
  Result<SourceSlice> slice = Checked(std::move(next->slice));
  if (!slice) return tl::unexpected(std::move(slice.error()));
  next->slice = std::move(*slice);
  return next;
}

Status GuardedSource::CheckColumn(int index, const RowBatch& rows) const {
  const Column& column = rows.column(index);
  const Field& field = schema_->fields[static_cast<size_t>(index)];
  const char* fault = nullptr;
  if (column.length() != rows.num_rows()) {
    fault = "does not have a value for each row";
  } else if (column.length() > 0 && column.raw_values() == nullptr) {
    fault = "has no values";
  } else if (column.type().is_variable_width() && column.length() > 0 &&
             column.offsets() == nullptr) {
    fault = "has no offsets";
  } else if (not_null_[static_cast<size_t>(index)] != 0 && column.null_count() > 0) {
    fault = "holds NULL, but is NOT NULL";
  }
  if (fault == nullptr) return {};
  return Fail(ErrorCode::kProgram,
              fmt::format("{} gave a slice whose column {} {}", what_, field.name, fault));
}

Status GuardedSource::CheckKinds(const RowBatch& rows) const {
  if (!rows.has_change_kinds() || gives_changes()) return {};
  for (int64_t row = 0; row < rows.num_rows(); ++row) {
    if (rows.change_kind(row) == ChangeKind::kInsert) continue;
    return Fail(ErrorCode::kProgram,
                fmt::format("{} gave a slice with a {}, but does not say gives_changes()", what_,
                            ChangeKindText(rows.change_kind(row))));
  }
  return {};
}

Result<SourceSlice> GuardedSource::Checked(SourceSlice slice) const {
  if (slice.end.empty()) {
    return Fail(ErrorCode::kProgram, what_ + " gave a slice without the offset of its end");
  }
  if (slice.rows.num_rows() == 0) {
    slice.rows = RowBatchBuilder(schema_).Finish();
  }
  std::vector<std::string> types;
  bool fits = slice.rows.num_columns() == schema_->num_columns();
  for (int index = 0; index < slice.rows.num_columns(); ++index) {
    const DataType& type = slice.rows.column(index).type();
    types.push_back(type.ToString());
    fits = fits && type == schema_->fields[static_cast<size_t>(index)].type;
  }
  if (!fits) {
    return Fail(ErrorCode::kProgram,
                fmt::format("{} gave a slice of other columns: ({}) was asked "
                            "for, the types given are ({})",
                            what_, schema_->ToString(), fmt::join(types, ", ")));
  }
  for (int index = 0; index < schema_->num_columns(); ++index) {
    if (Status fine = CheckColumn(index, slice.rows); !fine) return tl::unexpected(fine.error());
  }
  if (Status fine = CheckKinds(slice.rows); !fine) return tl::unexpected(fine.error());
  // What is read ahead is bounded by bytes.
  if (slice.num_bytes <= 0) slice.num_bytes = std::max<int64_t>(slice.rows.byte_size(), 1);
  return slice;
}

Status GuardedSource::Replay(const std::string& start, const std::string& end,
                             const std::string& replay,
                             const std::function<Status(SourceSlice)>& consumer) {
  const auto checking = [&](SourceSlice slice) -> Status {
    Result<SourceSlice> checked = Checked(std::move(slice));
    if (!checked) return tl::unexpected(std::move(checked.error()));
    return consumer(std::move(*checked));
  };
  return CallProgram(what_, [&] { return source_->Replay(start, end, replay, checking); });
}

Status GuardedSource::Commit(const std::string& end) {
  return CallProgram(what_, [&] { return source_->Commit(end); });
}

void GuardedSource::Interrupt() {
  thrown_.Try(what_, [&] { source_->Interrupt(); });
}

std::string GuardedSource::latest_offset() const {
  return thrown_.Or(what_, "", [&] { return source_->latest_offset(); });
}

std::optional<int64_t> GuardedSource::backlog_bytes() const {
  return thrown_.Or(what_, std::nullopt, [&] { return source_->backlog_bytes(); });
}

SourceFactory GuardSource(SourceFactory factory) {
  return [factory = std::move(factory)](
             const TableDescription& table,
             const std::vector<int>& read_columns) -> Result<std::unique_ptr<Source>> {
    const std::string what = "the source of " + table.name;
    Result<std::unique_ptr<Source>> source =
        CallProgram(what, [&] { return factory(table, read_columns); });
    if (!source) return source;
    if (*source == nullptr) return Fail(ErrorCode::kProgram, what + " is null", table.place);
    return std::make_unique<GuardedSource>(table, read_columns, std::move(*source));
  };
}

}  // namespace braid
