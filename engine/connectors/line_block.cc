#include "engine/connectors/line_block.h"

#include <algorithm>
#include <charconv>

namespace braid {

namespace {

constexpr std::string_view kEscaped("\0=", 2);
constexpr std::string_view kLong("\0>", 2);

}  // namespace

void LineBlock::AppendLine(std::string_view line) {
  if (!line.empty() && line.front() == '\0') text += kEscaped;
  text += line;
  text += '\n';
  ++num_lines;
}

void LineBlock::AppendLongLine(int64_t num_bytes, std::string_view front) {
  text += kLong;
  text += std::to_string(num_bytes);
  text += ':';
  text += front;
  text += '\n';
  ++num_lines;
}

void LineBlock::Append(const LineBlock& block) {
  text += block.text;
  num_lines += block.num_lines;
}

KeptLine TakeLine(std::string_view* text) {
  KeptLine kept;
  const size_t end = text->find('\n');
  kept.line = text->substr(0, end);
  text->remove_prefix(end == std::string_view::npos ? text->size() : end + 1);
  if (kept.line.starts_with(kEscaped)) {
    kept.line.remove_prefix(kEscaped.size());
  } else if (kept.line.starts_with(kLong)) {
    kept.line.remove_prefix(kLong.size());
    const char* last = kept.line.data() + kept.line.size();
    const auto [colon, failure] = std::from_chars(kept.line.data(), last, kept.long_bytes);
    if (failure != std::errc() || colon == last || *colon != ':') return kept;
    kept.line.remove_prefix(static_cast<size_t>(colon - kept.line.data()) + 1);
  }
  return kept;
}

int64_t CountLines(std::string_view text) { return std::count(text.begin(), text.end(), '\n'); }

}  // namespace braid
