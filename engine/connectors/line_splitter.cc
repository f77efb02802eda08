#include "engine/connectors/line_splitter.h"

#include <algorithm>

namespace braid {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

void LineSplitter::AddLine(std::string_view line, LineBlock* block) {
  if (is_first_ && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  is_first_ = false;
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.size() > line_bytes_max_) {
    block->AppendLongLine(static_cast<int64_t>(line.size()), line.substr(0, kLongLineFrontBytes));
  } else {
    block->AppendLine(line);
  }
}

void LineSplitter::KeepPartial(std::string_view bytes) {
  if (skipped_bytes_ > 0) {
    skipped_bytes_ += static_cast<int64_t>(bytes.size());
    return;
  }
  partial_ += bytes;
  // A carriage return or a mark may still go.
  if (partial_.size() <= line_bytes_max_ + 1 + kByteOrderMark.size()) return;
  const size_t kept = std::min(partial_.size(), kLongLineFrontBytes);
  skipped_bytes_ = static_cast<int64_t>(partial_.size() - kept);
  partial_.resize(kept);
  if (skipped_bytes_ > 0) partial_.shrink_to_fit();
}

void LineSplitter::EndPartial(LineBlock* block) {
  if (skipped_bytes_ > 0) {
    const int64_t num_bytes = static_cast<int64_t>(partial_.size()) + skipped_bytes_;
    block->AppendLongLine(num_bytes, partial_);
    is_first_ = false;
  } else {
    AddLine(partial_, block);
  }
  partial_.clear();
  skipped_bytes_ = 0;
}

void LineSplitter::Append(std::string_view bytes, LineBlock* block) {
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    if (end == std::string_view::npos) return KeepPartial(bytes);
    if (has_partial_line()) {
      KeepPartial(bytes.substr(0, end));
      EndPartial(block);
    } else {
      AddLine(bytes.substr(0, end), block);
    }
    bytes.remove_prefix(end + 1);
  }
}

void LineSplitter::Finish(LineBlock* block) {
  if (has_partial_line()) EndPartial(block);
}

}  // namespace braid
