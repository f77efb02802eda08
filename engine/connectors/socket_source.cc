#include "engine/connectors/socket_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

namespace braid {

namespace {

std::string FormatOffset(int64_t lines) { return fmt::format("{{\"lines\":{}}}", lines); }

Result<int64_t> ParseOffset(const std::string& offset) {
  if (offset.empty()) return 0;
  constexpr std::string_view kPrefix = "{\"lines\":";
  int64_t lines = -1;
  std::string_view rest = offset;
  if (rest.starts_with(kPrefix)) {
    rest.remove_prefix(kPrefix.size());
    const char* last = rest.data() + rest.size();
    const auto [end, failure] = std::from_chars(rest.data(), last, lines);
    if (failure == std::errc() && std::string_view(end, last) == "}" && lines >= 0) return lines;
  }
  return Fail(ErrorCode::kCorruption, fmt::format("'{}' is no offset of a socket", offset));
}

}  // namespace

SocketSource::SocketSource(std::string table, SocketOptions options,
                           std::unique_ptr<LineDecoder> decoder,
                           std::function<void(std::string)> warn)
    : table_(std::move(table)),
      options_(std::move(options)),
      decoder_(std::move(decoder)),
      warn_(std::move(warn)),
      bad_record_log_(warn_, "; further ones are only counted (numBadRecords)"),
      // The receiver is there whenever lines are.
      queue_(options_.queue_bytes_max, [this] { receiver_->Resume(); }) {}

void SocketSource::KeepIn(const std::string& /*directory*/) { logs_lines_ = true; }

std::string SocketSource::description() const {
  const bool listens = options_.mode == SocketOptions::Mode::kListen;
  SocketOptions shown = options_;
  if (listens && receiver_) shown.port = receiver_->port();
  return fmt::format("SocketSource[{}{}{}]", listens ? "listen " : "", shown.Address(),
                     receiver_ ? ": " + receiver_->status().text : "");
}

Status SocketSource::Open(const std::string& start) {
  const Result<int64_t> lines = ParseOffset(start);
  if (!lines) return tl::unexpected(lines.error());
  num_given_ = *lines;
  num_start_ = *lines;
  Result<std::unique_ptr<LineReceiver>> receiver =
      NewLineReceiver(options_, &queue_, [this](const std::string& message) {
        warn_(fmt::format("table {}, socket {}: {}", table_, options_.Address(), message));
      });
  if (!receiver) return tl::unexpected(receiver.error());
  receiver_ = std::move(*receiver);
  last_given_ = std::chrono::steady_clock::now();
  Status started = receiver_->Start();
  if (!started)
    started.error().message = fmt::format("table {}: {}", table_, started.error().message);
  return started;
}

Status SocketSource::StopAtLatest() {
  stops_at_latest_ = true;
  receiver_->StopReconnecting();
  return {};
}

void SocketSource::LogBadRecords(const DecodeResult& result) {
  for (const BadRecord& record : result.bad_records) {
    if (!bad_record_log_.takes_more()) return;
    bad_record_log_.Log(fmt::format("table {}, socket {}: bad line {}: {}", table_,
                                    options_.Address(), record.line, record.reason));
  }
}

Result<SourceSlice> SocketSource::Decode(LineBlock lines, int64_t first) {
  DecodeResult decoded;
  Result<RowBatch> rows = decoder_->Decode(lines.text, first + 1, &decoded);
  if (!rows) {
    Error error = std::move(rows.error());
    error.place.file = "socket " + options_.Address();
    error.message = fmt::format("table {}: {}", table_, error.message);
    return tl::unexpected(std::move(error));
  }
  LogBadRecords(decoded);
  SourceSlice slice;
  slice.rows = std::move(*rows);
  slice.end = FormatOffset(first + lines.num_lines);
  slice.num_bytes = static_cast<int64_t>(lines.text.size());
  slice.num_bad_records = decoded.num_bad_records;
  if (logs_lines_) slice.replay = std::move(lines.text);
  return slice;
}

Result<bool> SocketSource::HasEnded(const ReceiverStatus& status) const {
  const bool listens = options_.mode == SocketOptions::Mode::kListen;
  if (!listens && !options_.reconnect && status.is_closed()) return true;
  if (!stops_at_latest_) return false;
  if (status.is_closed()) return true;
  const SteadyTime quiet_since = std::max(status.last_activity, last_given_);
  const auto quiet = std::chrono::steady_clock::now() - quiet_since;
  if (quiet < std::chrono::microseconds(options_.idle_timeout.micros)) return false;
  if (!listens && status.num_accepted == 0) {
    return Fail(ErrorCode::kIo, fmt::format("table {}: nothing to read from the socket {}: {}",
                                            table_, options_.Address(),
                                            status.problem.empty() ? status.text : status.problem));
  }
  return true;
}

Result<SourceNext> SocketSource::Next(const SliceLimits& limits) {
  SourceNext next;
  // Asked before the queue: what came before an end is then seen.
  const ReceiverStatus status = receiver_->status();
  LineBlock lines;
  if (!ended_) lines = queue_.Take(limits.bytes_max);
  if (lines.empty()) {
    const Result<bool> ended = ended_ ? true : HasEnded(status);
    if (!ended) return tl::unexpected(ended.error());
    ended_ = *ended;
    if (ended_) next.kind = SourceNext::Kind::kEnd;
    return next;
  }
  const int64_t num_lines = lines.num_lines;
  Result<SourceSlice> slice = Decode(std::move(lines), num_given_);
  if (!slice) return tl::unexpected(std::move(slice.error()));
  num_given_ += num_lines;
  last_given_ = std::chrono::steady_clock::now();
  next.kind = SourceNext::Kind::kSlice;
  next.slice = std::move(*slice);
  return next;
}

Status SocketSource::Replay(const std::string& start, const std::string& end,
                            const std::string& replay,
                            const std::function<Status(SourceSlice)>& consumer) {
  const Result<int64_t> first = ParseOffset(start);
  if (!first) return tl::unexpected(first.error());
  const Result<int64_t> last = ParseOffset(end);
  if (!last) return tl::unexpected(last.error());
  LineBlock lines{replay, CountLines(replay)};
  if (lines.num_lines != *last - *first || (!replay.empty() && replay.back() != '\n')) {
    return Fail(ErrorCode::kCorruption,
                fmt::format("table {}: the planned batch has lines {} to {} of the socket, but {} "
                            "are logged with it",
                            table_, *first + 1, *last, lines.num_lines));
  }
  if (lines.empty()) return {};
  Result<SourceSlice> slice = Decode(std::move(lines), *first);
  if (!slice) return tl::unexpected(std::move(slice.error()));
  return consumer(std::move(*slice));
}

Status SocketSource::Commit(const std::string& /*end*/) { return {}; }

std::string SocketSource::latest_offset() const {
  return FormatOffset(num_start_ + queue_.num_lines_put());
}

}  // namespace braid
