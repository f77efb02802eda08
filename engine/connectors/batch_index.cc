#include "engine/connectors/batch_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include "state/rows/checked_line.h"

namespace braid {

namespace {

constexpr std::string_view kFirstWords = "braid batches 1 since ";
constexpr std::string_view kWayOut =
    "put it back as it was, or begin again with a new checkpoint and another 'path'";

// The front of *text up to a space, which is removed too.
std::string_view TakeWord(std::string_view* text) {
  const size_t end = std::min(text->find(' '), text->size());
  const std::string_view word = text->substr(0, end);
  text->remove_prefix(std::min(end + 1, text->size()));
  return word;
}

std::optional<int64_t> TakeCount(std::string_view* text) {
  int64_t count = 0;
  if (!TakeNumber(text, &count) || count < 0) return std::nullopt;
  return count;
}

std::string EncodeFirstLine(const BatchLines& lines) {
  return CheckedLine(fmt::format("{}{} from {} layout {:016x} since {}", kFirstWords, lines.since,
                                 lines.known_from, lines.layout, lines.layout_since));
}

// All of a BatchLines but its lines.
std::optional<BatchLines> ParseFirstLine(std::string_view text) {
  if (!text.starts_with(kFirstWords)) return std::nullopt;
  text.remove_prefix(kFirstWords.size());
  BatchLines lines;
  const std::optional<int64_t> since = TakeCount(&text);
  if (!since || TakeWord(&text) != "from") return std::nullopt;
  const std::optional<int64_t> known_from = TakeCount(&text);
  if (!known_from || TakeWord(&text) != "layout") return std::nullopt;
  const std::string_view layout = TakeWord(&text);
  const auto [end, failure] =
      std::from_chars(layout.data(), layout.data() + layout.size(), lines.layout, 16);
  if (failure != std::errc() || end != layout.data() + layout.size()) return std::nullopt;
  if (TakeWord(&text) != "since") return std::nullopt;
  const std::optional<int64_t> layout_since = TakeCount(&text);
  if (!layout_since || !text.empty()) return std::nullopt;
  lines.since = *since;
  lines.known_from = *known_from;
  lines.layout_since = *layout_since;
  return lines;
}

std::optional<BatchLine> ParseLine(std::string_view text) {
  const std::optional<int64_t> batch = TakeCount(&text);
  if (!batch || text.empty()) return std::nullopt;
  BatchLine line;
  line.batch = *batch;
  while (!text.empty()) {
    const std::string_view name = TakeWord(&text);
    const std::optional<int64_t> begin = TakeCount(&text);
    const std::optional<int64_t> end = TakeCount(&text);
    // Names have no folder, so that no line can lead out of this one.
    const bool is_whole =
        begin && end && *begin <= *end && !name.empty() && name.find('/') == std::string_view::npos;
    if (!is_whole) return std::nullopt;
    line.pieces.push_back({std::string(name), *begin, *end});
  }
  return line;
}

// "part-00000012-003.csv" -> "003.csv": files of one partition, of which one grows.
std::string_view PartitionOf(std::string_view name) { return name.substr(name.rfind('-') + 1); }

}  // namespace

std::string EncodeBatchLine(const BatchLine& line) {
  std::string text = fmt::format("{}", line.batch);
  for (const BatchPiece& piece : line.pieces) {
    text += fmt::format(" {} {} {}", piece.name, piece.begin, piece.end);
  }
  return CheckedLine(text);
}

std::string EncodeBatchLines(const BatchLines& lines) {
  std::string text = EncodeFirstLine(lines);
  for (const BatchLine& line : lines.lines) text += EncodeBatchLine(line);
  return text;
}

Result<BatchLines> DecodeBatchLines(std::string_view text) {
  const auto damaged = [](int64_t number) {
    return Fail(ErrorCode::kCorruption, fmt::format("line {} is damaged", number));
  };
  BatchLines content;
  for (int64_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    // A crash leaves a last line without an end, or blocks that were never written: zeros.
    const std::string_view raw = text.substr(0, end);
    if (number > 1 && (end == std::string_view::npos || raw.find('\0') != std::string_view::npos)) {
      content.is_torn = true;
      return content;
    }
    if (end == std::string_view::npos) return damaged(number);
    const std::optional<std::string_view> checked = TextOfCheckedLine(raw);
    if (!checked) return damaged(number);
    text.remove_prefix(end + 1);
    if (number == 1) {
      std::optional<BatchLines> first = ParseFirstLine(*checked);
      if (!first) return damaged(number);
      content = std::move(*first);
      continue;
    }
    std::optional<BatchLine> line = ParseLine(*checked);
    const bool is_next =
        line && (content.lines.empty() || content.lines.back().batch < line->batch);
    if (!is_next) return damaged(number);
    content.lines.push_back(std::move(*line));
  }
  return content;
}

BatchIndex::BatchIndex(Options options, std::shared_ptr<FileOperations> operations)
    : options_(std::move(options)), operations_(std::move(operations)) {}

std::string BatchIndex::PathOf(std::string_view name) const {
  return fmt::format("{}/{}", options_.folder, name);
}

Result<bool> BatchIndex::Load() {
  const std::string path = PathOf(kBatchIndexName);
  const Result<std::string> text = operations_->ReadAll(path);
  if (!text) {
    if (text.error().code == ErrorCode::kNotFound) return false;
    return tl::unexpected(text.error());
  }
  Result<BatchLines> content = DecodeBatchLines(*text);
  if (!content || text->empty()) {
    return Fail(ErrorCode::kCorruption,
                fmt::format("'{}', which says where batches begin in the files beside it: {}", path,
                            content ? "the file is empty" : content.error().message));
  }
  content_ = std::move(*content);
  is_kept_ = true;
  return true;
}

Status BatchIndex::Begin() {
  content_ = {};
  content_.since = options_.first_batch;
  content_.known_from = options_.first_batch;
  is_kept_ = true;
  return Rewrite();
}

Status BatchIndex::SetLayout(uint64_t layout) {
  if (content_.layout == layout) return {};
  content_.layout = layout;
  content_.layout_since = options_.first_batch;
  return Rewrite();
}

const BatchPiece* BatchIndex::LastPieceOf(std::string_view name) const {
  for (auto line = content_.lines.rbegin(); line != content_.lines.rend(); ++line) {
    for (const BatchPiece& piece : line->pieces) {
      if (piece.name == name) return &piece;
    }
  }
  return nullptr;
}

std::optional<int64_t> BatchIndex::EndOfGrowing(std::string_view name) const {
  const BatchPiece* piece = LastPieceOf(name);
  if (piece == nullptr || piece->end >= options_.full_size) return std::nullopt;
  return piece->end;
}

Status BatchIndex::CutFile(const std::string& name, int64_t end) {
  const std::string path = PathOf(name);
  const Result<int64_t> size = operations_->SizeOf(path);
  if (!size) {
    return size.error().code == ErrorCode::kNotFound ? Status() : tl::unexpected(size.error());
  }
  if (*size < end) return {};  // CheckSizes says so.
  // Synced also where it ends there: an attempt that was killed may have cut it and not synced.
  Result<std::unique_ptr<OutputFile>> file = operations_->OpenToAppend(path, end);
  if (!file) return tl::unexpected(std::move(file.error()));
  Status status = options_.durable ? (*file)->Sync() : Status();
  if (status) status = (*file)->Close();
  return status;
}

Status BatchIndex::CheckSizes() {
  std::map<std::string_view, int64_t> ends;
  for (const BatchLine& line : content_.lines) {
    for (const BatchPiece& piece : line.pieces) ends[piece.name] = piece.end;
  }
  for (const auto& [name, end] : ends) {
    const std::string path = PathOf(name);
    const Result<int64_t> size = operations_->SizeOf(path);
    if (!size && size.error().code == ErrorCode::kNotFound) continue;
    if (!size) return tl::unexpected(size.error());
    if (*size == end) continue;
    return Fail(
        ErrorCode::kCorruption,
        fmt::format("the output file '{}' has {} bytes, but this query left {} by {} "
                    "beside it: one of the two was changed or damaged; {}{}",
                    path, *size, end, kBatchIndexName,
                    *size > end ? "cut it back to that if somebody else appended to it, or " : "",
                    kWayOut));
  }
  return {};
}

Status BatchIndex::CheckKnown(std::string_view name, int64_t batch) const {
  const bool is_expected = is_kept_ && batch >= std::max(content_.since, content_.known_from);
  if (!is_expected || LastPieceOf(name) != nullptr) return {};
  return Fail(ErrorCode::kCorruption,
              fmt::format("the output file '{}' is not in {} beside it, which has lost lines; {}",
                          PathOf(name), kBatchIndexName, kWayOut));
}

Status BatchIndex::CutFrom(int64_t batch) {
  const auto first =
      std::lower_bound(content_.lines.begin(), content_.lines.end(), batch,
                       [](const BatchLine& line, int64_t wanted) { return line.batch < wanted; });
  if (content_.since < batch && batch < content_.known_from) {
    return Fail(ErrorCode::kConflict,
                fmt::format("batch {} cannot be taken out of the files of the folder '{}': where "
                            "batches begin in them is known from batch {} on",
                            batch, options_.folder, content_.known_from));
  }
  std::map<std::string, int64_t> cuts;
  for (auto line = first; line != content_.lines.end(); ++line) {
    for (const BatchPiece& piece : line->pieces) cuts.emplace(piece.name, piece.begin);
  }
  for (const auto& [name, end] : cuts) {
    if (Status cut = CutFile(name, end); !cut) return cut;
  }
  const bool is_changed = first != content_.lines.end() || content_.is_torn ||
                          batch < content_.known_from || batch < content_.layout_since;
  content_.lines.erase(first, content_.lines.end());
  // All files of `batch` and later ones are written anew.
  content_.since = std::min(content_.since, batch);
  content_.known_from = std::min(content_.known_from, batch);
  content_.layout_since = std::min(content_.layout_since, batch);
  if (Status checked = CheckSizes(); !checked) return checked;
  return is_changed ? Rewrite() : Status();
}

void BatchIndex::Forget(int64_t known_from) {
  content_.known_from = std::max(content_.known_from, known_from);
  std::set<std::string, std::less<>> seen;
  for (auto line = content_.lines.rbegin(); line != content_.lines.rend(); ++line) {
    std::erase_if(line->pieces, [&](const BatchPiece& piece) {
      const bool is_newest = seen.emplace(PartitionOf(piece.name)).second;
      return line->batch < known_from && !(is_newest && piece.end < options_.full_size);
    });
  }
  std::erase_if(content_.lines, [](const BatchLine& line) { return line.pieces.empty(); });
}

Status BatchIndex::Add(BatchLine line) {
  const int64_t batch = line.batch;
  std::string text = EncodeBatchLine(line);
  content_.lines.push_back(std::move(line));
  // Rewritten once in so many batches, the file costs each one little.
  constexpr int64_t kForgottenAtOnce = 1000;
  // The store gives up earlier versions when first_batch is committed, and that is so if a later
  // one is written.
  const bool is_long =
      batch > options_.first_batch &&
      std::ssize(content_.lines) > options_.retained_batches + kForgottenAtOnce + 1;
  if (is_long) Forget(batch - options_.retained_batches);
  if (!options_.durable) return {};
  if (is_long || file_ == nullptr) return Rewrite();
  Status status = file_->Append(text);
  if (status) status = file_->Sync();
  if (!status) file_.reset();
  return status;
}

Status BatchIndex::Rewrite() {
  content_.is_torn = false;
  file_.reset();
  if (!options_.durable) return {};
  const std::string temporary = PathOf(kBatchIndexTemporaryName);
  const std::string text = EncodeBatchLines(content_);
  Result<std::unique_ptr<OutputFile>> file =
      operations_->NewFile(temporary, FileOperations::Create::kTruncate);
  if (!file) return tl::unexpected(std::move(file.error()));
  Status status = (*file)->Append(text);
  if (status) status = (*file)->Sync();
  if (status) status = operations_->Rename(temporary, PathOf(kBatchIndexName));
  if (status) status = operations_->SyncDirectory(options_.folder);
  if (status) file_ = std::move(*file);
  return status;
}

}  // namespace braid
