#include "engine/connectors/part_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "state/rows/check.h"

namespace braid {

namespace {

// A header record must lie in this many bytes for a file to be continued in its middle.
constexpr int64_t kBeginningBytesMax = int64_t{1} << 20;

const char* NameOf(Compression compression) {
  switch (compression) {
    case Compression::kGzip:
      return ".gz";
    case Compression::kBzip2:
      return ".bz2";
    case Compression::kZstd:
      return ".zst";
    case Compression::kNone:
      break;
  }
  return "";
}

}  // namespace

Error PartReader::AtThisFile(Error error) const {
  error.place.file = path_;
  return error;
}

Status PartReader::CheckSize(int64_t end) const {
  if (end == FilePart::kToTheEnd || file_->size() >= end) return {};
  return tl::unexpected<Error>(
      AtThisFile({ErrorCode::kInvalidInput,
                  fmt::format("'{}' has changed: it was found with {} bytes and has {} now; files "
                              "that are read must not be cut or rewritten",
                              path_, end, file_->size()),
                  {}}));
}

Status PartReader::Open(const std::string& path, const FilePart& part, int64_t byte, int64_t line) {
  path_ = path;
  limit_ = part.end;
  takes_last_line_ = part.takes_last_line;
  begin_ = end_ = 0;
  byte_ = opened_at_byte_ = byte;
  has_records_ = false;
  is_done_ = false;
  Result<std::unique_ptr<InputFile>> file = InputFile::Open(path);
  if (!file) return tl::unexpected<Error>(AtThisFile(file.error()));
  file_ = std::move(*file);
  at_limit_ = limit_ == byte;
  Status status = CompressionOf(path) == Compression::kNone ? CheckSize(part.end) : Status();
  if (status) status = StartDecoder(byte, line);
  if (status && byte > 0) status = file_->Skip(byte);
  if (!status) Close();
  return status;
}

Status PartReader::StartDecoder(int64_t byte, int64_t line) {
  if (byte == 0) {
    opened_at_line_ = 1;
    decoder_->BeginFile();
    return {};
  }
  std::string beginning;
  if (decoder_->has_header()) {
    Result<std::string> read = ReadBeginning(std::min(byte, kBeginningBytesMax));
    if (!read) return tl::unexpected(std::move(read.error()));
    beginning = std::move(*read);
  }
  if (line == 0) {
    const Result<int64_t> lines = CountLines(byte);
    if (!lines) return tl::unexpected(lines.error());
    line = *lines + 1;
  }
  opened_at_line_ = line;
  const Status resumed = decoder_->ResumeFile(beginning, line);
  if (!resumed) return tl::unexpected<Error>(AtThisFile(resumed.error()));
  return {};
}

Result<std::string> PartReader::ReadBeginning(int64_t size) const {
  Result<std::unique_ptr<InputFile>> file = InputFile::Open(path_);
  if (!file) return tl::unexpected(std::move(file.error()));
  std::string bytes(static_cast<size_t>(size), '\0');
  size_t filled = 0;
  while (filled < bytes.size()) {
    const Result<size_t> count = (*file)->Read(bytes.data() + filled, bytes.size() - filled);
    if (!count) return tl::unexpected(count.error());
    if (*count == 0) break;
    filled += *count;
  }
  bytes.resize(filled);
  return bytes;
}

Result<int64_t> PartReader::CountLines(int64_t size) const {
  Result<std::unique_ptr<InputFile>> file = InputFile::Open(path_);
  if (!file) return tl::unexpected(std::move(file.error()));
  std::vector<char> block(static_cast<size_t>(kBlockBytes));
  int64_t lines = 0;
  while (size > 0) {
    const size_t wanted = static_cast<size_t>(std::min(size, kBlockBytes));
    const Result<size_t> count = (*file)->Read(block.data(), wanted);
    if (!count) return tl::unexpected(count.error());
    if (*count == 0) break;
    lines += std::count(block.data(), block.data() + *count, '\n');
    size -= static_cast<int64_t>(*count);
  }
  return lines;
}

Status PartReader::ReadBlock() {
  const int64_t position = byte_ + static_cast<int64_t>(end_ - begin_);
  size_t room = buffer_.size() - end_;
  if (limit_ != FilePart::kToTheEnd) {
    room = static_cast<size_t>(std::min<int64_t>(static_cast<int64_t>(room), limit_ - position));
  }
  const Result<size_t> count = file_->Read(buffer_.data() + end_, room);
  if (!count) return tl::unexpected<Error>(AtThisFile(count.error()));
  end_ += *count;
  if (*count == 0 && limit_ != FilePart::kToTheEnd) {
    return tl::unexpected<Error>(
        AtThisFile({ErrorCode::kInvalidInput,
                    fmt::format("'{}' became shorter while it was read", path_),
                    {}}));
  }
  at_limit_ = *count == 0 || position + static_cast<int64_t>(*count) == limit_;
  return position == 0 ? CheckContent() : Status();
}

// A compressed file under a plain name would be a long list of bad records.
Status PartReader::CheckContent() const {
  if (CompressionOf(path_) != Compression::kNone) return {};
  const Compression content = CompressionOfBytes(unread());
  if (content == Compression::kNone) return {};
  return tl::unexpected<Error>(AtThisFile(
      {ErrorCode::kInvalidInput,
       fmt::format("'{}' is compressed, but its name does not end in '{}'", path_, NameOf(content)),
       {}}));
}

Status PartReader::Fill(size_t size) {
  if (buffer_.size() - begin_ < size + 1) {
    // The rest of a block is short: moving it costs less than reading around it.
    if (begin_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    const size_t wanted = std::max(size, static_cast<size_t>(kBlockBytes)) + 1;
    if (buffer_.size() < wanted) buffer_.resize(wanted);
  }
  // One byte more than is decoded, to know whether the part ends behind it.
  while (!at_limit_ && end_ - begin_ <= size) {
    if (Status read = ReadBlock(); !read) return read;
  }
  return {};
}

Status PartReader::SkipToLineEnd() {
  for (;;) {
    const size_t line_end = unread().find('\n');
    const size_t dropped = line_end == std::string_view::npos ? unread().size() : line_end;
    begin_ += dropped;
    byte_ += static_cast<int64_t>(dropped);
    if (line_end != std::string_view::npos || at_limit_) return {};
    begin_ = end_ = 0;
    if (Status read = ReadBlock(); !read) return read;
  }
}

Result<int64_t> PartReader::Decode(int64_t bytes_max, bool may_exceed, DecodeResult* result) {
  BRAID_CHECK(bytes_max > 0 && file_ != nullptr && !is_done_, "a part that is open and not done");
  // A decoder that is given more than the longest record there may be always takes something.
  constexpr size_t kSizeMax = kRecordBytesMax + 1;
  const int64_t begin = byte_;
  for (size_t size = static_cast<size_t>(bytes_max);; size = std::min(2 * size, kSizeMax)) {
    if (Status filled = Fill(size); !filled) return tl::unexpected(std::move(filled.error()));
    const std::string_view bytes = unread().substr(0, size);
    const bool is_last = at_limit_ && bytes.size() == unread().size();
    const int64_t records_before = decoder_->num_rows() + result->num_bad_records;
    const Result<size_t> taken = decoder_->Decode(bytes, is_last && takes_last_line_, result);
    if (!taken) return tl::unexpected<Error>(AtThisFile(taken.error()));
    has_records_ |= decoder_->num_rows() + result->num_bad_records > records_before;
    // The rest of a record that is too long must not pass for a record.
    const bool is_cut = *taken == kSizeMax && bytes.back() != '\n';
    begin_ += *taken;
    byte_ += static_cast<int64_t>(*taken);
    if (is_cut) {
      if (Status skipped = SkipToLineEnd(); !skipped) return tl::unexpected(skipped.error());
    }
    is_done_ = at_limit_ && (is_last || begin_ == end_);
    if (*taken > 0 || is_done_ || !may_exceed) return byte_ - begin;
  }
}

}  // namespace braid
