#include "engine/connectors/file_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "state/rows/checked_line.h"

namespace braid {

namespace {

constexpr std::string_view kFileName = "files";
constexpr std::string_view kFirstLine = "braid files 1\n";

std::string EscapeName(std::string_view name) {
  std::string escaped;
  for (const char letter : name) {
    if (letter == '\\') {
      escaped += "\\\\";
    } else if (letter == '\n') {
      escaped += "\\n";
    } else {
      escaped += letter;
    }
  }
  return escaped;
}

std::string UnescapeName(std::string_view escaped) {
  std::string name;
  for (size_t index = 0; index < escaped.size(); ++index) {
    if (escaped[index] != '\\' || index + 1 == escaped.size()) {
      name += escaped[index];
      continue;
    }
    ++index;
    name += escaped[index] == 'n' ? '\n' : escaped[index];
  }
  return name;
}

std::string PartLine(std::string_view word, int64_t number, const FilePart& part) {
  return fmt::format("{} {} {} {} {} {} {} {}", word, number, part.begin, part.end, part.line,
                     part.takes_last_line ? 1 : 0, part.inode, EscapeName(part.name));
}

bool TakeWord(std::string_view* text, std::string_view word) {
  if (!text->starts_with(word)) return false;
  text->remove_prefix(word.size());
  return true;
}

std::optional<FilePart> ParsePart(std::string_view text, int64_t expected_number) {
  FilePart part;
  int64_t number = 0;
  int takes_last_line = 0;
  const bool whole = TakeNumber(&text, &number) && TakeNumber(&text, &part.begin) &&
                     TakeNumber(&text, &part.end) && TakeNumber(&text, &part.line) &&
                     TakeNumber(&text, &takes_last_line) && TakeNumber(&text, &part.inode);
  if (!whole || number != expected_number || text.empty() || part.begin < 0) return std::nullopt;
  if (part.end != FilePart::kToTheEnd && part.end < part.begin) return std::nullopt;
  part.takes_last_line = takes_last_line != 0;
  part.name = UnescapeName(text);
  return part;
}

std::optional<int64_t> LengthOf(const FilePart& part) {
  if (part.end == FilePart::kToTheEnd) return std::nullopt;
  return part.end - part.begin;
}

}  // namespace

FileList::FileList(std::shared_ptr<FileOperations> operations)
    : operations_(std::move(operations)) {}

Status FileList::Load(const std::string& directory) {
  path_ = fmt::format("{}/{}", directory, kFileName);
  const Result<std::string> text = operations_->ReadAll(path_);
  if (!text && text.error().code != ErrorCode::kNotFound) return tl::unexpected(text.error());
  size_t whole_bytes = 0;
  if (text) {
    if (Status read = ReadLines(*text, &whole_bytes); !read) return read;
  }
  // A list with a first line has a name that is safe: the line comes last.
  const bool is_new = whole_bytes == 0;
  if (is_new) {
    Status created = operations_->CreateDirectories(directory, /*durable=*/true);
    if (!created) return created;
  }
  Result<std::unique_ptr<OutputFile>> file =
      operations_->OpenToAppend(path_, static_cast<int64_t>(whole_bytes));
  if (!file) return tl::unexpected(std::move(file.error()));
  file_ = std::move(*file);
  // What it holds may come from an attempt that was killed before it was synced.
  if (!is_new) return file_->Sync();
  Status synced = operations_->SyncDirectory(directory);
  return synced ? WriteDurably(kFirstLine) : synced;
}

Status FileList::LoadToRead(const std::string& directory) {
  path_ = fmt::format("{}/{}", directory, kFileName);
  const Result<std::string> text = operations_->ReadAll(path_);
  if (!text) return tl::unexpected(text.error());
  size_t whole_bytes = 0;
  return ReadLines(*text, &whole_bytes);
}

tl::unexpected<Error> FileList::DamagedAt(size_t byte) const {
  return Fail(ErrorCode::kCorruption,
              fmt::format("the list of input files {} is damaged: what begins at byte {} does not "
                          "fit its checksum",
                          path_, byte));
}

Status FileList::ReadLines(std::string_view text, size_t* whole_bytes) {
  if (text.size() < kFirstLine.size() && kFirstLine.starts_with(text)) return {};
  if (!text.starts_with(kFirstLine)) {
    return Fail(ErrorCode::kCorruption,
                fmt::format("'{}' is not a list of input files of a version that is known", path_));
  }
  *whole_bytes = kFirstLine.size();
  for (size_t begin = *whole_bytes;; begin = *whole_bytes) {
    const size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) {
      // A crash tears a line off its end. One that is whole but for the line end that should follow
      // was not torn.
      const std::string_view rest = text.substr(begin);
      const bool is_whole =
          !rest.empty() && TextOfCheckedLine(rest.substr(0, rest.size() - 1)).has_value();
      return is_whole ? Status(DamagedAt(begin)) : Status();
    }
    const std::optional<std::string_view> line = TextOfCheckedLine(text.substr(begin, end - begin));
    if (!line || !ReadLine(*line)) return DamagedAt(begin);
    *whole_bytes = end + 1;
  }
}

bool FileList::ReadLine(std::string_view line) {
  if (TakeWord(&line, "part ")) {
    std::optional<FilePart> part = ParsePart(line, size());
    if (!part) return false;
    Add(std::move(*part));
    return true;
  }
  if (TakeWord(&line, "anew ")) {
    std::string_view rest = line;
    int64_t number = -1;
    if (!TakeNumber(&rest, &number) || number < 0 || number >= size()) return false;
    std::optional<FilePart> part = ParsePart(line, number);
    if (!part) return false;
    RemoveFrom(number);
    Add(std::move(*part));
    return true;
  }
  const bool is_cut = TakeWord(&line, "cut ");
  const bool is_gone = !is_cut && TakeWord(&line, "gone ");
  if (!is_cut && !is_gone && !TakeWord(&line, "grown ")) return false;
  int64_t number = -1;
  if (!TakeNumber(&line, &number) || number < 0 || number >= size()) return false;
  if (is_cut) {
    RemoveFrom(number);
  } else if (is_gone) {
    Find(number)->is_gone = true;
  } else {
    Find(number)->takes_last_line = false;
  }
  return true;
}

Status FileList::WriteDurably(std::string_view text) {
  Status status = file_->Append(text);
  return status ? file_->Sync() : status;
}

Status FileList::Append(std::span<const FilePart> parts) {
  if (parts.empty()) return {};
  if (file_ != nullptr) {
    std::string text;
    int64_t number = size();
    for (const FilePart& part : parts) text += CheckedLine(PartLine("part", number++, part));
    if (Status written = WriteDurably(text); !written) return written;
  }
  for (const FilePart& part : parts) Add(part);
  return {};
}

void FileList::Add(FilePart part) {
  const std::optional<int64_t> length = LengthOf(part);
  num_bytes_ += length.value_or(0);
  if (!length) ++num_unknown_lengths_;
  parts_.push_back(std::move(part));
}

std::optional<int64_t> FileList::BytesFrom(int64_t number) const {
  int64_t bytes = num_bytes_;
  int64_t unknown = num_unknown_lengths_;
  for (int64_t before = first(); before < number; ++before) {
    const std::optional<int64_t> length = LengthOf(part(before));
    bytes -= length.value_or(0);
    if (!length) --unknown;
  }
  if (unknown > 0) return std::nullopt;
  return bytes;
}

Status FileList::AppendMark(std::string_view word, int64_t number) {
  if (file_ == nullptr) return {};
  return WriteDurably(CheckedLine(fmt::format("{} {}", word, number)));
}

Status FileList::MarkGone(int64_t number) {
  Status marked = AppendMark("gone", number);
  if (marked) Find(number)->is_gone = true;
  return marked;
}

Status FileList::MarkGrown(int64_t number) {
  Status marked = AppendMark("grown", number);
  if (marked) Find(number)->takes_last_line = false;
  return marked;
}

void FileList::RemoveFrom(int64_t number) {
  while (size() > number) {
    const std::optional<int64_t> length = LengthOf(parts_.back());
    num_bytes_ -= length.value_or(0);
    if (!length) --num_unknown_lengths_;
    parts_.pop_back();
  }
}

Status FileList::Cut(int64_t number) {
  if (number == size()) return {};
  Status marked = AppendMark("cut", number);
  if (marked) RemoveFrom(number);
  return marked;
}

Status FileList::Renew(int64_t number, const FilePart& part) {
  if (file_ != nullptr) {
    const std::string text = CheckedLine(PartLine("anew", number, part));
    if (Status written = WriteDurably(text); !written) return written;
  }
  RemoveFrom(number);
  Add(part);
  return {};
}

void FileList::Forget(int64_t number) {
  while (forgotten_ < number && !parts_.empty()) {
    const std::optional<int64_t> length = LengthOf(parts_.front());
    num_bytes_ -= length.value_or(0);
    if (!length) --num_unknown_lengths_;
    parts_.pop_front();
    ++forgotten_;
  }
}

}  // namespace braid
