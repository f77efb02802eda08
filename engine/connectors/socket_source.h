// Reads lines over TCP. Offsets count lines; each connection adds to the same count, line by line
// in the order of arrival.
//
// What a crash loses: lines that have arrived and stand in no planned batch yet. With a checkpoint
// (KeepIn) each slice brings its lines along in SourceSlice::replay, so they are logged with the
// plan of their batch and Replay gives the same rows.
//
// It never ends, unless
//   - 'socket.reconnect' = 'false' and the peer has closed the connection, or
//   - StopAtLatest was called: then at the moment when the peer, or all senders, have closed, or
//     nothing has come for 'source.idle-timeout'; all that arrived until then is given.
//
// Thread rule: that of Source; lines are received on a thread of its own.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "braid/error.h"
#include "braid/source.h"
#include "engine/connectors/bad_record_log.h"
#include "engine/connectors/line_decoder.h"
#include "engine/connectors/line_queue.h"
#include "engine/connectors/line_receiver.h"
#include "engine/connectors/socket_options.h"

namespace braid {

class SocketSource final : public Source {
 public:
  // `warn`: from any thread.
  SocketSource(std::string table, SocketOptions options, std::unique_ptr<LineDecoder> decoder,
               std::function<void(std::string)> warn);

  TriggerLimits trigger_limits() const override { return {options_.trigger_bytes_max, 0}; }
  void KeepIn(const std::string& directory) override;
  // "SocketSource[localhost:9000: connected]"
  std::string description() const override;
  bool gives_changes() const override { return decoder_->gives_changes(); }
  bool is_finite() const override { return false; }
  Status Open(const std::string& start) override;
  void SetRowsListener(std::function<void()> listener) override {
    queue_.SetLinesListener(std::move(listener));
  }
  Status StopAtLatest() override;
  Result<SourceNext> Next(const SliceLimits& limits) override;
  Status Replay(const std::string& start, const std::string& end, const std::string& replay,
                const std::function<Status(SourceSlice)>& consumer) override;
  Status Commit(const std::string& end) override;
  std::string latest_offset() const override;
  std::optional<int64_t> backlog_bytes() const override { return queue_.num_bytes(); }

  // Listening: the port, once opened.
  uint16_t port() const { return receiver_ ? receiver_->port() : 0; }

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;

  Result<SourceSlice> Decode(LineBlock lines, int64_t first);
  // True if nothing more is to be given, seen before the queue was found empty.
  Result<bool> HasEnded(const ReceiverStatus& status) const;
  void LogBadRecords(const DecodeResult& result);

  const std::string table_;
  const SocketOptions options_;
  const std::unique_ptr<LineDecoder> decoder_;
  const std::function<void(std::string)> warn_;
  BadRecordLog bad_record_log_;
  bool logs_lines_ = false;
  bool stops_at_latest_ = false;
  bool ended_ = false;
  SteadyTime last_given_;
  int64_t num_given_ = 0;               // Lines up to here were given.
  std::atomic<int64_t> num_start_ = 0;  // Lines before the first of this run.
  LineQueue queue_;
  std::unique_ptr<LineReceiver> receiver_;  // Null before Open. Uses the queue: destroyed first.
};

}  // namespace braid
