#include "engine/connectors/standard_input_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "engine/connectors/input_file.h"

namespace braid {

namespace {

constexpr int64_t kSliceBytes = int64_t{256} << 10;

// So soon a stop is seen, and the batch of what has come runs.
constexpr std::chrono::milliseconds kWaitMax{100};

}  // namespace

StandardInputSource::StandardInputSource(Options options, std::shared_ptr<StandardInput> input,
                                         std::unique_ptr<RowDecoder> decoder)
    : options_(std::move(options)),
      input_(std::move(input)),
      decoder_(std::move(decoder)),
      bad_record_log_(options_.warn, " (more of them are counted, but not shown)") {}

Status StandardInputSource::Open(const std::string& start) {
  if (!start.empty()) {
    return Fail(ErrorCode::kInvalidOption,
                "standard input cannot be read on from where an earlier run stopped");
  }
  decoder_->BeginFile();
  return {};
}

Error StandardInputSource::WithPlace(Error error) const {
  error.place.file = "standard input";
  if (error.code == ErrorCode::kInvalidInput && error.place.line > 0)
    error.message += options_.hint;
  return error;
}

void StandardInputSource::LogBadRecords(const DecodeResult& decoded) {
  for (const BadRecord& record : decoded.bad_records) {
    if (!bad_record_log_.takes_more()) return;
    bad_record_log_.Log(
        fmt::format("standard input:{}: bad record: {}", record.line, record.reason));
  }
}

Status StandardInputSource::CheckContent() {
  const std::string_view bytes(buffer_.data() + begin_, unread());
  if (CompressionOfBytes(bytes) == Compression::kNone) return {};
  return Fail(ErrorCode::kInvalidInput,
              "the bytes are compressed; put zcat, bzcat or zstdcat in front");
}

Result<bool> StandardInputSource::Fill(size_t bytes_max) {
  const bool is_first = num_bytes_ == 0 && unread() == 0;
  if (begin_ > 0) {
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(begin_));
    begin_ = 0;
  }
  const size_t filled = buffer_.size();
  buffer_.resize(filled + bytes_max);
  const Result<StandardInput::Taken> taken =
      input_->Read(buffer_.data() + filled, bytes_max, kWaitMax);
  buffer_.resize(filled + (taken ? taken->count : 0));
  if (!taken) return tl::unexpected(taken.error());
  at_end_ = taken->at_end;
  if (is_first) {
    if (Status checked = CheckContent(); !checked) return tl::unexpected(checked.error());
  }
  return taken->count > 0 || at_end_;
}

void StandardInputSource::Drop(size_t bytes) {
  begin_ += bytes;
  num_bytes_ += static_cast<int64_t>(bytes);
}

Result<size_t> StandardInputSource::DecodeSome(size_t bytes_max, SourceSlice* slice) {
  const std::string_view bytes(buffer_.data() + begin_, unread());
  if (skips_line_) {
    const size_t line_end = std::min(bytes.find('\n'), bytes.size());
    skips_line_ = line_end == bytes.size() && !at_end_;
    return line_end;
  }
  // A decoder that is given more than the longest record there may be always takes something.
  for (size_t size = bytes_max;; size *= 2) {
    const std::string_view some = bytes.substr(0, std::min(size, kRecordBytesMax + 1));
    const bool is_last = at_end_ && some.size() == bytes.size();
    DecodeResult decoded;
    Result<size_t> taken = decoder_->Decode(some, is_last, &decoded);
    if (!taken) return taken;
    LogBadRecords(decoded);
    slice->num_bad_records += decoded.num_bad_records;
    skips_line_ = *taken == kRecordBytesMax + 1 && some.back() != '\n';
    if (*taken > 0 || some.size() < size || size > kRecordBytesMax) return taken;
  }
}

Result<SourceNext> StandardInputSource::Next(const SliceLimits& limits) {
  if (failure_) return tl::unexpected<Error>(*failure_);
  const auto fail = [this](Error error) {
    failure_ = WithPlace(std::move(error));
    return tl::unexpected<Error>(*failure_);
  };
  const int64_t limit =
      limits.bytes_max > 0 ? std::min(limits.bytes_max, kSliceBytes) : kSliceBytes;
  const auto bytes_max = static_cast<size_t>(limit);
  SourceNext next;
  SourceSlice& slice = next.slice;
  bool is_quiet = false;
  while (decoder_->num_rows() == 0 && slice.num_bad_records == 0) {
    const Result<size_t> taken = unread() > 0 ? DecodeSome(bytes_max, &slice) : 0;
    if (!taken) return fail(taken.error());
    Drop(*taken);
    slice.num_bytes += static_cast<int64_t>(*taken);
    if (*taken > 0) continue;
    if (at_end_) {
      next.kind = SourceNext::Kind::kEnd;
      return next;
    }
    if (is_quiet) return next;
    const Result<bool> filled = Fill(bytes_max);
    if (!filled) return fail(filled.error());
    is_quiet = !*filled;
  }
  next.kind = SourceNext::Kind::kSlice;
  slice.rows = decoder_->TakeRows();
  slice.end = fmt::format("{{\"bytes\":{}}}", num_bytes_);
  return next;
}

Status StandardInputSource::Replay(const std::string& /*start*/, const std::string& /*end*/,
                                   const std::string& /*replay*/,
                                   const std::function<Status(SourceSlice)>& /*consumer*/) {
  return Fail(ErrorCode::kInvalidOption, "standard input cannot be read again");
}

}  // namespace braid
