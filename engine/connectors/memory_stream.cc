#include "braid/memory_stream.h"

#include <fmt/format.h>

#include <utility>

namespace braid {

MemoryStream::MemoryStream(Schema schema, Kind kind, Content content)
    : schema_(std::make_shared<const Schema>(std::move(schema))), kind_(kind), content_(content) {}

Status MemoryStream::Push(RowBatch rows) {
  if (rows.num_columns() != schema_->num_columns()) {
    return Fail(ErrorCode::kInvalidInput, fmt::format("the stream has {} columns, the rows have {}",
                                                      schema_->num_columns(), rows.num_columns()));
  }
  for (int index = 0; index < rows.num_columns(); ++index) {
    const Field& field = schema_->fields[static_cast<size_t>(index)];
    const DataType& type = rows.column(index).type();
    if (type != field.type) {
      return Fail(ErrorCode::kInvalidInput,
                  fmt::format("the column {} is {} in the stream, the rows bring {}", field.name,
                              field.type.ToString(), type.ToString()));
    }
  }
  for (int64_t row = 0; rows.has_change_kinds() && !gives_changes() && row < rows.num_rows();
       ++row) {
    if (rows.change_kind(row) == ChangeKind::kInsert) continue;
    return Fail(ErrorCode::kInvalidInput,
                fmt::format("the stream takes insertions, row {} is a {}; make it with "
                            "MemoryStream::Content::kChangelog",
                            row, ChangeKindText(rows.change_kind(row))));
  }
  const std::lock_guard lock(mutex_);
  if (ended_) return Fail(ErrorCode::kInvalidInput, "the stream has ended: no rows come after End");
  batches_.push_back(std::move(rows));
  return {};
}

void MemoryStream::End() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
}

int64_t MemoryStream::num_batches() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int64_t>(batches_.size());
}

bool MemoryStream::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

RowBatch MemoryStream::batch(int64_t index) const {
  const std::lock_guard lock(mutex_);
  return batches_[static_cast<size_t>(index)];
}

}  // namespace braid
