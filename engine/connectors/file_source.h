// Reads rows from files: the source of 'connector' = 'filesystem'.
//
// The files are listed when the source is opened, and when it is watched
// ('source.monitor-interval') again after that time when all of them are read. They are read in the
// order of the list (file_queue.h), each in slices of whole records; a slice holds about
// SliceLimits::bytes_max of input, at most PartReader::kBlockBytes. Memory: one block, and the rows
// of one slice.
//
// A path that is not there is an error at each start (file_queue.h: CheckPath). While a watched
// table is read a warning says so, and reading goes on when it is back.
//
// A file that is gone when its turn comes is an error, or with `ignore_missing_files` passed over
// with a warning; one that is needed to go on in its middle, or to repeat a planned batch, always
// is an error. After an error a source gives the same error again. Thread rule: as source.h.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "braid/error.h"
#include "braid/source.h"
#include "braid/time.h"
#include "engine/connectors/bad_record_file.h"
#include "engine/connectors/bad_record_log.h"
#include "engine/connectors/file_finder.h"
#include "engine/connectors/file_offset.h"
#include "engine/connectors/file_operations.h"
#include "engine/connectors/file_queue.h"
#include "engine/connectors/format/row_decoder.h"
#include "engine/connectors/part_reader.h"

namespace braid {

class FileSource final : public Source {
 public:
  struct Options {
    std::string table;
    Place place;                               // Of the table, for files that are not there.
    std::string hint;                          // Stands behind errors of the data.
    std::optional<Interval> monitor_interval;  // Set: watched, never ends by itself.
    Interval settle_time;
    TriggerLimits trigger_limits;
    bool ignore_missing_files = false;
    std::string bad_records_folder;  // Empty: bad records are counted only.
    // The time of day, and where warnings go.
    std::function<EventTime()> now;
    std::function<void(const std::string&)> warn;
  };

  FileSource(Options options, FileFinder finder, std::unique_ptr<RowDecoder> decoder,
             std::shared_ptr<FileOperations> operations);

  TriggerLimits trigger_limits() const override { return options_.trigger_limits; }
  std::string location() const override;
  std::string bad_records_location() const override;
  void KeepIn(const std::string& directory) override;
  std::string description() const override;
  bool gives_changes() const override { return decoder_->gives_changes(); }
  bool is_finite() const override { return !options_.monitor_interval; }
  Status Open(const std::string& start) override;
  Status StopAtLatest() override;
  Result<SourceNext> Next(const SliceLimits& limits) override;
  Status Replay(const std::string& start, const std::string& end, const std::string& replay,
                const std::function<Status(SourceSlice)>& consumer) override;
  Status Commit(const std::string& end) override;
  std::string latest_offset() const override;
  std::optional<int64_t> backlog_bytes() const override;

 private:
  // Where reading stands. byte and line count only while `line` > 0 or the reader is open.
  struct Position {
    int64_t done = 0;
    int64_t byte = 0;
    int64_t line = 0;
  };

  // A part that is read only up to `end_byte`, where a planned range ends.
  struct PartEnd {
    int64_t number = -1;
    int64_t byte = 0;
  };

  Status LoadList();
  Status CheckPath() const;
  // Of the table's path, which is not there.
  tl::unexpected<Error> Missing(Error error) const;
  // `start`: where the source begins, when it does; null later.
  Status FindFiles(const FileOffset* start = nullptr);
  Status FindFilesAgain();
  Result<SourceNext> FindNext(const SliceLimits& limits);
  void TellWhatIsKnown();
  // Reads a slice that begins at position_; nothing if the parts before `end_part` (and the bytes
  // before `last`) hold no more records.
  Result<std::optional<SourceSlice>> ReadSlice(const SliceLimits& limits, int64_t end_part,
                                               PartEnd last);
  // Opens the part at position_. False: it was gone and is passed over.
  Result<bool> OpenPart(PartEnd last);
  Status PassOver(const std::string& path, const Error& not_found);
  void FinishPart(SourceSlice* slice);
  // After a decoded block: true if the slice ends here.
  bool EndsSlice(const SliceLimits& limits, int64_t bytes_max, int64_t taken, bool part_is_done,
                 const SourceSlice& slice) const;
  Status ReplayRange(const FileOffset& first, const FileOffset& last,
                     const std::function<Status(SourceSlice)>& consumer);
  Status KeepBadRecords(const DecodeResult& decoded);
  FileOffset OffsetHere() const;
  std::optional<int64_t> LastRead(const FileOffset& offset) const;
  static int64_t ReadUpTo(const FileOffset& offset, const FilePart& part);
  void NoteRead(const FileOffset& offset) const;
  Status CheckRead(const FileOffset& offset);

  Options options_;
  // Commit comes from another thread while Next reads.
  mutable std::mutex mutex_;
  FileQueue queue_;
  std::unique_ptr<RowDecoder> decoder_;
  PartReader reader_;
  BadRecordFile bad_records_;
  BadRecordLog bad_record_log_;
  std::string list_directory_;  // Empty: the list lives in memory.
  bool list_is_loaded_ = false;
  Position position_;
  bool is_replaying_ = false;
  bool stops_at_latest_ = false;
  bool part_has_rows_ = false;  // Rows of the open part were given in an earlier slice.
  EventTime refreshed_at_;
  bool is_missing_ = false;  // The path, and that was warned of.
  std::optional<Error> failure_;

  mutable std::mutex known_mutex_;
  std::string latest_offset_;  // Guarded by known_mutex_, as below.
  std::optional<int64_t> backlog_bytes_;
};

}  // namespace braid
