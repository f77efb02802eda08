// Reads rows from standard input: 'connector' = 'filesystem' with 'path' = '-'. It ends when the
// other end of the pipe is closed, and gives rows as they come. What was read cannot be read again,
// so that a query with a checkpoint refuses it.
//
// Memory: the longest record (kRecordBytesMax at most), and the rows of one slice.
// Thread rule: as source.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "braid/error.h"
#include "braid/source.h"
#include "engine/connectors/bad_record_log.h"
#include "engine/connectors/format/row_decoder.h"
#include "engine/connectors/standard_input.h"

namespace braid {

class StandardInputSource final : public Source {
 public:
  struct Options {
    TriggerLimits trigger_limits;
    std::string hint;                              // Stands behind errors of the data.
    std::function<void(const std::string&)> warn;  // Where bad records are reported.
  };

  // REQUIRES: `input` was claimed for this source.
  StandardInputSource(Options options, std::shared_ptr<StandardInput> input,
                      std::unique_ptr<RowDecoder> decoder);

  TriggerLimits trigger_limits() const override { return options_.trigger_limits; }
  std::string description() const override { return "StandardInputSource"; }
  bool gives_changes() const override { return decoder_->gives_changes(); }
  bool is_finite() const override { return true; }
  bool can_replay() const override { return false; }
  Status Open(const std::string& start) override;
  Status StopAtLatest() override { return {}; }
  Result<SourceNext> Next(const SliceLimits& limits) override;
  Status Replay(const std::string& start, const std::string& end, const std::string& replay,
                const std::function<Status(SourceSlice)>& consumer) override;
  Status Commit(const std::string& /*end*/) override { return {}; }

 private:
  // Bytes that are not decoded yet.
  size_t unread() const { return buffer_.size() - begin_; }

  // Reads once, if something comes soon. Returns whether there is anything new to decode.
  Result<bool> Fill(size_t bytes_max);
  Status CheckContent();
  // Decodes whole records at the front; returns how many bytes they took.
  Result<size_t> DecodeSome(size_t bytes_max, SourceSlice* slice);
  void Drop(size_t bytes);
  Error WithPlace(Error error) const;
  void LogBadRecords(const DecodeResult& decoded);

  Options options_;
  std::shared_ptr<StandardInput> input_;
  std::unique_ptr<RowDecoder> decoder_;
  BadRecordLog bad_record_log_;
  std::vector<char> buffer_;
  size_t begin_ = 0;
  bool at_end_ = false;
  bool skips_line_ = false;  // The rest of a record that was too long.
  int64_t num_bytes_ = 0;    // Decoded.
  std::optional<Error> failure_;
};

}  // namespace braid
