#include "engine/connectors/print_sink.h"

#include <utility>

#include "braid/change_kind.h"
#include "braid/value.h"

namespace braid {

namespace {

// Lines are gathered up to this many bytes before they are handed to the stream.
constexpr size_t kBlockBytes = size_t{64} << 10;

void AppendRow(ChangeKind kind, const RowBatch& rows, int64_t row, std::string* text) {
  *text += ChangeKindText(kind);
  *text += '[';
  for (int index = 0; index < rows.num_columns(); ++index) {
    if (index > 0) *text += ", ";
    *text += FormatValue(ValueAt(rows.column(index), row));
  }
  *text += "]\n";
}

}  // namespace

PrintSink::PrintSink(std::string identifier, std::FILE* stream,
                     const std::optional<ChangelogColumn>& changelog)
    : prefix_(identifier.empty() ? "" : std::move(identifier) + "> "),
      changelog_(changelog && changelog->declared ? changelog : std::nullopt),
      stream_(stream) {}

std::string PrintSink::description() const { return "PrintSink"; }

Status PrintSink::Open(const SinkContext& /*context*/) { return {}; }

Status PrintSink::BeginBatch(int64_t /*batch_id*/) { return {}; }

Status PrintSink::Write(int /*partition*/, const RowBatch& rows) {
  const RowBatch shown = changelog_ ? ShowChangeKinds(rows, *changelog_) : rows;
  std::string text;
  for (int64_t row = 0; row < rows.num_rows(); ++row) {
    text += prefix_;
    AppendRow(rows.change_kind(row), shown, row, &text);
    if (text.size() < kBlockBytes && row + 1 < rows.num_rows()) continue;
    if (Status written = stream_.Write(text); !written) return written;
    text.clear();
  }
  return {};
}

Status PrintSink::PublishBatch(int64_t /*batch_id*/) { return stream_.Flush(); }

}  // namespace braid
