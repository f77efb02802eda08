#include "engine/sql/source_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "state/rows/limits.h"

namespace braid {

namespace {

constexpr uint32_t kCharacterBlock = 256;

bool StartsCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

bool IsNameStart(char byte) {
  return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') || byte == '_';
}

bool IsNamePart(char byte) { return IsNameStart(byte) || (byte >= '0' && byte <= '9'); }

// Follows comments and quotes well enough to know whether a `${` stands in a comment.
class CommentTracker {
 public:
  bool in_comment() const { return state_ == State::kLine || state_ == State::kBlock; }

  void Take(char byte) {
    const char before = std::exchange(before_, byte);
    switch (state_) {
      case State::kCode:
        TakeCode(before, byte);
        return;
      case State::kLine:
        if (byte == '\n') state_ = State::kCode;
        return;
      case State::kBlock:
        if (before == '*' && byte == '/') Enter(State::kCode);
        return;
      case State::kString:
        if (byte == '\'') Enter(State::kCode);
        return;
      case State::kName:
        if (byte == '`') Enter(State::kCode);
        return;
    }
  }

 private:
  enum class State : uint8_t { kCode, kLine, kBlock, kString, kName };

  void TakeCode(char before, char byte) {
    if (byte == '\'') Enter(State::kString);
    if (byte == '`') Enter(State::kName);
    if (before == '-' && byte == '-') Enter(State::kLine);
    if (before == '/' && byte == '*') Enter(State::kBlock);
  }

  void Enter(State state) {
    state_ = state;
    before_ = 0;
  }

  State state_ = State::kCode;
  char before_ = 0;
};

// The NAME of a `${NAME}` that stands at `offset`.
std::optional<std::string> ReferenceAt(std::string_view text, size_t offset) {
  if (!text.substr(offset).starts_with("${")) return std::nullopt;
  size_t end = offset + 2;
  if (end >= text.size() || !IsNameStart(text[end])) return std::nullopt;
  while (end < text.size() && IsNamePart(text[end])) ++end;
  if (end >= text.size() || text[end] != '}') return std::nullopt;
  return std::string(text.substr(offset + 2, end - offset - 2));
}

}  // namespace

Result<SourceText> SourceText::Create(std::string_view written, std::string file_name,
                                      const std::map<std::string, std::string>& defines) {
  return Load(written, std::move(file_name), &defines);
}

Result<SourceText> SourceText::CreateVerbatim(std::string_view written, std::string file_name) {
  return Load(written, std::move(file_name), nullptr);
}

Result<SourceText> SourceText::Load(std::string_view written, std::string file_name,
                                    const std::map<std::string, std::string>* defines) {
  SourceText source;
  source.file_name_ = std::move(file_name);
  if (written.size() > kMaxScriptBytes) {
    return Fail(
        ErrorCode::kInvalidQuery,
        fmt::format("the text has {} bytes; SQL text may have {}", written.size(), kMaxScriptBytes),
        Place{source.file_name_, 0, 0, std::nullopt, ""});
  }
  source.written_ = written;
  source.IndexLines();
  if (Status status = source.Substitute(defines); !status) {
    return tl::unexpected(std::move(status.error()));
  }
  return source;
}

Status SourceText::Substitute(const std::map<std::string, std::string>* defines) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  CommentTracker tracker;
  size_t offset = written_.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  const auto position = [](size_t value) { return static_cast<uint32_t>(value); };
  segments_.push_back({0, position(offset), 0, false});
  while (offset < written_.size()) {
    std::optional<std::string> name =
        defines == nullptr || tracker.in_comment() ? std::nullopt : ReferenceAt(written_, offset);
    if (!name) {
      tracker.Take(written_[offset]);
      text_ += written_[offset++];
      continue;
    }
    const auto define = defines->find(*name);
    if (define == defines->end()) {
      return Fail(ErrorCode::kInvalidQuery,
                  fmt::format("${{{0}}} has no value; give it with --define {0}=…", *name),
                  PlaceOfWritten(position(offset)));
    }
    const size_t end = offset + name->size() + 3;
    segments_.push_back({position(text_.size()), position(offset), position(end), true});
    for (const char byte : define->second) tracker.Take(byte);
    text_ += define->second;
    if (text_.size() > kMaxScriptBytes) {
      return Fail(
          ErrorCode::kInvalidQuery,
          fmt::format("the text has more than {} bytes after substitution", kMaxScriptBytes),
          PlaceOfWritten(position(offset)));
    }
    offset = end;
    segments_.push_back({position(text_.size()), position(offset), 0, false});
  }
  return {};
}

void SourceText::IndexLines() {
  line_begins_.push_back(0);
  uint32_t characters = 0;
  for (uint32_t offset = 0; offset < written_.size(); ++offset) {
    if (offset % kCharacterBlock == 0) character_counts_.push_back(characters);
    if (StartsCharacter(written_[offset])) ++characters;
    if (written_[offset] == '\n') line_begins_.push_back(offset + 1);
  }
  character_counts_.push_back(characters);
}

std::string_view SourceText::Slice(SourceRange range) const {
  const size_t begin = std::min<size_t>(range.begin, text_.size());
  const size_t end = std::clamp<size_t>(range.end, begin, text_.size());
  return std::string_view(text_).substr(begin, end - begin);
}

const SourceText::Segment& SourceText::SegmentAt(uint32_t offset) const {
  // An empty value shares its begin with the text behind it; the last one of them is meant.
  auto after = std::upper_bound(
      segments_.begin(), segments_.end(), offset,
      [](uint32_t wanted, const Segment& segment) { return wanted < segment.begin; });
  return *std::prev(after);
}

uint32_t SourceText::CharactersBefore(uint32_t written_offset) const {
  const uint32_t block = written_offset / kCharacterBlock;
  uint32_t characters = character_counts_[block];
  for (uint32_t offset = block * kCharacterBlock; offset < written_offset; ++offset) {
    if (StartsCharacter(written_[offset])) ++characters;
  }
  return characters;
}

Place SourceText::PlaceOfWritten(uint32_t written_offset) const {
  const auto after = std::upper_bound(line_begins_.begin(), line_begins_.end(), written_offset);
  const uint32_t line_begin = *std::prev(after);
  Place place;
  place.file = file_name_;
  place.line = after - line_begins_.begin();
  place.column = CharactersBefore(written_offset) - CharactersBefore(line_begin) + 1;
  return place;
}

Place SourceText::PlaceAt(uint32_t offset) const {
  const Segment& segment = SegmentAt(offset);
  const uint32_t written =
      segment.substituted ? segment.written_begin : segment.written_begin + offset - segment.begin;
  return PlaceOfWritten(std::min(written, static_cast<uint32_t>(written_.size())));
}

std::string SourceText::Written(SourceRange range) const {
  if (range.begin >= range.end) return "";
  const Segment& first = SegmentAt(range.begin);
  const Segment& last = SegmentAt(range.end - 1);
  const uint32_t begin =
      first.substituted ? first.written_begin : first.written_begin + range.begin - first.begin;
  const uint32_t end =
      last.substituted ? last.written_end : last.written_begin + range.end - last.begin;
  return written_.substr(begin, end - begin);
}

}  // namespace braid
