#include "engine/advise/record_file.h"

#include <cstring>
#include <string_view>
#include <utility>

#include "engine/expression/physical_type.h"

namespace braid {

namespace {

constexpr size_t kWriteBytes = 1 << 18;

// A value in a record: a byte that says whether there is one, then the value, or a length in four
// bytes and the text.
void AppendRaw(const void* bytes, size_t size, std::vector<char>* to) {
  const char* from = static_cast<const char*>(bytes);
  to->insert(to->end(), from, from + size);
}

void AppendValueAt(const Column& column, int64_t row, std::vector<char>* to) {
  to->push_back(column.IsValid(row) ? 1 : 0);
  if (column.IsNull(row)) return;
  if (column.type().is_variable_width()) {
    const std::string_view text = column.String(row);
    const auto length = static_cast<uint32_t>(text.size());
    AppendRaw(&length, sizeof(length), to);
    AppendRaw(text.data(), text.size(), to);
    return;
  }
  const auto width = static_cast<size_t>(column.type().byte_width());
  AppendRaw(static_cast<const char*>(column.raw_values()) + static_cast<size_t>(row) * width, width,
            to);
}

const char* ReadValue(const char* from, ColumnBuilder* builder) {
  if (*from++ == 0) {
    builder->AppendNull();
    return from;
  }
  if (builder->type().is_variable_width()) {
    uint32_t length = 0;
    std::memcpy(&length, from, sizeof(length));
    from += sizeof(length);
    builder->AppendString({from, length});
    return from + length;
  }
  return VisitFixedWidth(builder->type().kind, [&]<typename T>(std::type_identity<T>) {
    T value;
    std::memcpy(&value, from, sizeof(value));
    builder->Append<T>(value);
    return from + sizeof(value);
  });
}

}  // namespace

RecordFile::RecordFile(std::vector<int> columns, SpillFile file)
    : columns_(std::move(columns)), file_(std::move(file)) {}

Result<RecordFile> RecordFile::Create(std::vector<int> columns) {
  Result<SpillFile> file = SpillFile::Create();
  if (!file) return tl::unexpected(file.error());
  return RecordFile(std::move(columns), std::move(*file));
}

Status RecordFile::Append(std::span<const Column> side_columns, int64_t num_rows,
                          std::vector<int64_t>* records) {
  for (int64_t row = 0; row < num_rows; ++row) {
    records->push_back(file_.size() + static_cast<int64_t>(pending_.size()));
    for (const int column : columns_) {
      AppendValueAt(side_columns[static_cast<size_t>(column)], row, &pending_);
    }
    if (pending_.size() < kWriteBytes) continue;
    if (Status flushed = Flush(); !flushed) return flushed;
  }
  return {};
}

Status RecordFile::Flush() {
  Status written = file_.Append(pending_.data(), pending_.size());
  pending_.clear();
  return written;
}

Status RecordFile::Finish() {
  if (Status flushed = Flush(); !flushed) return flushed;
  Result<std::shared_ptr<const char>> bytes = file_.Map();
  if (!bytes) return tl::unexpected(bytes.error());
  bytes_ = std::move(*bytes);
  pending_ = {};
  return {};
}

void RecordFile::Read(int64_t record, std::span<ColumnBuilder> builders) const {
  const char* from = bytes_.get() + record;
  for (ColumnBuilder& builder : builders) from = ReadValue(from, &builder);
}

}  // namespace braid
