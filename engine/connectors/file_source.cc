#include "engine/connectors/file_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/connectors/file_location.h"
#include "engine/connectors/read_mark.h"

namespace braid {

FileSource::FileSource(Options options, FileFinder finder, std::unique_ptr<RowDecoder> decoder,
                       std::shared_ptr<FileOperations> operations)
    : options_(std::move(options)),
      queue_(std::move(finder),
             {options_.monitor_interval.has_value(), options_.settle_time, options_.warn,
              options_.ignore_missing_files},
             std::move(operations)),
      decoder_(std::move(decoder)),
      reader_(decoder_.get()),
      bad_records_(options_.bad_records_folder, options_.table),
      bad_record_log_(options_.warn, " (more of them are counted, but not shown)") {}

std::string FileSource::location() const { return Location(queue_.finder().path()); }

std::string FileSource::bad_records_location() const {
  return bad_records_.path().empty() ? "" : Location(bad_records_.path());
}

void FileSource::KeepIn(const std::string& directory) { list_directory_ = directory; }

std::string FileSource::description() const {
  return fmt::format("FileSource[{}]", queue_.finder().path());
}

Status FileSource::LoadList() {
  if (list_is_loaded_ || list_directory_.empty()) return {};
  list_is_loaded_ = true;
  return queue_.Load(list_directory_);
}

// At each start: a folder that is misspelt has no new rows either.
Status FileSource::CheckPath() const {
  const Status there = queue_.CheckPath();
  return there ? there : Status(Missing(there.error()));
}

tl::unexpected<Error> FileSource::Missing(Error error) const {
  error.message = fmt::format("table {}: {}", options_.table, error.message);
  if (!queue_.finder().path().starts_with('/')) {
    error.message += fmt::format("; looked for as '{}'", Location(queue_.finder().path()));
  }
  if (!error.place.known()) error.place = options_.place;
  return tl::unexpected<Error>(std::move(error));
}

Status FileSource::FindFiles(const FileOffset* start) {
  refreshed_at_ = options_.now();
  Status found = start != nullptr ? queue_.RefreshAtStart(*start, refreshed_at_)
                                  : queue_.Refresh(position_.done, refreshed_at_);
  TellWhatIsKnown();
  if (found) is_missing_ = false;
  if (found || found.error().code != ErrorCode::kNotFound) return found;
  // A pattern may have no match yet, and what was read may be cleared away.
  const bool may_be_empty =
      queue_.size() > 0 || (options_.monitor_interval && IsPattern(queue_.finder().path()));
  if (may_be_empty && queue_.CheckPath()) return {};
  return Missing(found.error());
}

// A folder that is replaced is gone for a moment: a run that watches it goes on.
Status FileSource::FindFilesAgain() {
  Status found = FindFiles();
  if (found || found.error().code != ErrorCode::kNotFound) return found;
  if (!std::exchange(is_missing_, true)) {
    options_.warn(fmt::format("{}; its rows are waited for", found.error().message));
  }
  return {};
}

Status FileSource::Open(const std::string& start) {
  const std::lock_guard lock(mutex_);
  Result<FileOffset> offset = FileOffset::Parse(start);
  if (!offset) return tl::unexpected(std::move(offset.error()));
  if (Status loaded = LoadList(); !loaded) return loaded;
  if (Status there = CheckPath(); !there) return there;
  if (Status restored = queue_.Restore(*offset); !restored) return restored;
  if (Status same = CheckRead(*offset); !same) return same;
  position_ = {offset->done, offset->byte, offset->line};
  if (Status rewound = bad_records_.Rewind(offset->done, std::max<int64_t>(1, offset->line));
      !rewound) {
    return rewound;
  }
  return FindFiles(&*offset);
}

Status FileSource::StopAtLatest() {
  const std::lock_guard lock(mutex_);
  stops_at_latest_ = true;
  return is_finite() ? Status() : FindFiles();
}

FileOffset FileSource::OffsetHere() const {
  FileOffset offset;
  offset.done = position_.done;
  offset.tails = queue_.Tails();
  const bool in_part =
      reader_.is_open() ? reader_.byte() > queue_.part(position_.done).begin : position_.line > 0;
  if (in_part) {
    offset.name = queue_.part(position_.done).name;
    offset.byte = reader_.is_open() ? reader_.byte() : position_.byte;
    offset.line = reader_.is_open() ? reader_.line() : position_.line;
  } else if (position_.done > queue_.first()) {
    offset.name = queue_.part(position_.done - 1).name;
  }
  return offset;
}

Result<bool> FileSource::OpenPart(PartEnd last) {
  FilePart part = queue_.part(position_.done);
  if (part.is_gone) {
    position_ = {position_.done + 1, 0, 0};
    return false;
  }
  const bool is_limited = last.number == position_.done;
  if (is_limited) {
    part.end = last.byte;
    part.takes_last_line = true;
  }
  const bool continues = position_.line > 0;
  const std::string path = queue_.PathOf(part);
  const Status opened = reader_.Open(path, part, continues ? position_.byte : part.begin,
                                     continues ? position_.line : part.line);
  if (!opened && opened.error().code == ErrorCode::kNotFound) {
    if (Status passed = PassOver(path, opened.error()); !passed) {
      return tl::unexpected(std::move(passed.error()));
    }
    return false;
  }
  if (!opened) return tl::unexpected(opened.error());
  if (!is_replaying_ && part.takes_last_line && reader_.has_grown()) {
    if (Status marked = queue_.MarkGrown(position_.done); !marked) {
      return tl::unexpected(std::move(marked.error()));
    }
    reader_.LeaveLastLine();
  }
  part_has_rows_ = continues;
  return true;
}

Status FileSource::PassOver(const std::string& path, const Error& not_found) {
  Error error = not_found;
  if (is_replaying_) {
    error.message = fmt::format("'{}' is gone, but a planned batch has to read it again", path);
    return tl::unexpected<Error>(std::move(error));
  }
  if (position_.line > 0) {
    error.message = fmt::format("'{}' is gone, but only a part of it was read", path);
    return tl::unexpected<Error>(std::move(error));
  }
  if (!options_.ignore_missing_files) {
    error.message = fmt::format(
        "'{}' was found, but is gone before it could be read; put it back, or set "
        "'source.ignore-missing-files' = 'true' to leave such files out",
        path);
    return tl::unexpected<Error>(std::move(error));
  }
  options_.warn(fmt::format("'{}' is gone before it could be read; it is left out", path));
  if (Status marked = queue_.MarkGone(position_.done); !marked) return marked;
  position_ = {position_.done + 1, 0, 0};
  return {};
}

void FileSource::FinishPart(SourceSlice* slice) {
  if (!is_replaying_) {
    queue_.Finish(position_.done, reader_.byte(), reader_.line());
    if (reader_.has_tail() && !options_.monitor_interval) {
      options_.warn(
          fmt::format("'{}' grew while it was read; its last line was not whole and is "
                      "left for the next run",
                      queue_.PathOf(queue_.part(position_.done))));
    }
  }
  reader_.Close();
  position_ = {position_.done + 1, 0, 0};
  ++slice->num_files;
}

Status FileSource::KeepBadRecords(const DecodeResult& decoded) {
  const std::string path = queue_.PathOf(queue_.part(position_.done));
  for (const BadRecord& record : decoded.bad_records) {
    if (Status kept = bad_records_.Add(position_.done, path, record); !kept) return kept;
    if (!bad_record_log_.takes_more()) continue;
    bad_record_log_.Log(fmt::format("{}:{}: bad record: {}", path, record.line, record.reason));
  }
  return {};
}

bool FileSource::EndsSlice(const SliceLimits& limits, int64_t bytes_max, int64_t taken,
                           bool part_is_done, const SourceSlice& slice) const {
  const bool gives_rows = decoder_->num_rows() > 0 || slice.num_bad_records > 0;
  if (part_is_done && limits.one_file) return gives_rows || part_has_rows_;
  if (!gives_rows) return false;
  if (!part_is_done && taken == 0) return true;
  // What is left of the limit is not worth another call.
  return bytes_max - slice.num_bytes <= bytes_max / 8;
}

Result<std::optional<SourceSlice>> FileSource::ReadSlice(const SliceLimits& limits,
                                                         int64_t end_part, PartEnd last) {
  const int64_t bytes_max = limits.bytes_max > 0
                                ? std::min(limits.bytes_max, PartReader::kBlockBytes)
                                : PartReader::kBlockBytes;
  SourceSlice slice;
  while (position_.done < end_part || position_.done == last.number) {
    if (!reader_.is_open()) {
      const Result<bool> opened = OpenPart(last);
      if (!opened) return tl::unexpected(opened.error());
      if (!*opened) continue;
    }
    const bool had_records = decoder_->num_rows() > 0 || slice.num_bad_records > 0;
    DecodeResult decoded;
    const Result<int64_t> taken =
        reader_.Decode(bytes_max - slice.num_bytes, !had_records, &decoded);
    if (!taken) return tl::unexpected(taken.error());
    slice.num_bytes += *taken;
    slice.num_bad_records += decoded.num_bad_records;
    if (Status kept = KeepBadRecords(decoded); !kept) return tl::unexpected(kept.error());
    const bool part_is_done = reader_.is_done();
    if (part_is_done && position_.done == last.number) {
      position_ = {position_.done, reader_.byte(), reader_.line()};
      reader_.Close();
      break;
    }
    if (part_is_done) FinishPart(&slice);
    if (EndsSlice(limits, bytes_max, *taken, part_is_done, slice)) break;
    // Headers and blank lines alone do not fill a slice.
    if (decoder_->num_rows() == 0 && slice.num_bad_records == 0) slice.num_bytes = 0;
  }
  // They are safe before the batch can be committed: after that nobody would find them again.
  Status kept = list_directory_.empty() ? bad_records_.Flush() : bad_records_.Sync();
  if (!kept) return tl::unexpected(kept.error());
  const bool ends_file_only = limits.one_file && slice.num_files > 0 && part_has_rows_;
  if (decoder_->num_rows() == 0 && slice.num_bad_records == 0 && !ends_file_only) {
    return std::nullopt;
  }
  part_has_rows_ = true;
  slice.rows = decoder_->TakeRows();
  slice.end = OffsetHere().ToText();
  return slice;
}

Result<SourceNext> FileSource::Next(const SliceLimits& limits) {
  const std::lock_guard lock(mutex_);
  Result<SourceNext> next = FindNext(limits);
  TellWhatIsKnown();
  return next;
}

Result<SourceNext> FileSource::FindNext(const SliceLimits& limits) {
  if (failure_) return tl::unexpected<Error>(*failure_);
  const auto fail = [this](const Error& error) {
    failure_ = error;
    if (error.code == ErrorCode::kInvalidInput && error.place.line > 0)
      failure_->message += options_.hint;
    return tl::unexpected<Error>(*failure_);
  };
  SourceNext next;
  if (position_.done == queue_.size() && options_.monitor_interval) {
    const EventTime now = options_.now();
    // A clock that was set back must not stop the watch.
    const bool is_due = now >= refreshed_at_ + *options_.monitor_interval || now < refreshed_at_;
    if (is_due && !stops_at_latest_) {
      if (Status found = FindFilesAgain(); !found) return fail(found.error());
    }
  }
  Result<std::optional<SourceSlice>> slice = ReadSlice(limits, queue_.size(), {});
  if (!slice) return fail(slice.error());
  if (*slice) {
    next.kind = SourceNext::Kind::kSlice;
    next.slice = std::move(**slice);
  } else if (is_finite() || stops_at_latest_) {
    next.kind = SourceNext::Kind::kEnd;
  }
  return next;
}

Status FileSource::Replay(const std::string& start, const std::string& end,
                          const std::string& /*replay*/,
                          const std::function<Status(SourceSlice)>& consumer) {
  const std::lock_guard lock(mutex_);
  const Result<FileOffset> first = FileOffset::Parse(start);
  if (!first) return tl::unexpected(first.error());
  const Result<FileOffset> last = FileOffset::Parse(end);
  if (!last) return tl::unexpected(last.error());
  if (Status loaded = LoadList(); !loaded) return loaded;
  if (Status there = CheckPath(); !there) return there;
  for (const FileOffset* offset : {&*first, &*last}) {
    if (Status restored = queue_.Restore(*offset); !restored) return restored;
  }
  if (Status same = CheckRead(*first); !same) return same;
  Status rewound = bad_records_.Rewind(first->done, std::max<int64_t>(1, first->line));
  if (!rewound) return rewound;
  const Position here = std::exchange(position_, {first->done, first->byte, first->line});
  reader_.Close();
  is_replaying_ = true;
  Status replayed = ReplayRange(*first, *last, consumer);
  is_replaying_ = false;
  reader_.Close();
  position_ = here;
  return replayed;
}

Status FileSource::ReplayRange(const FileOffset& first, const FileOffset& last,
                               const std::function<Status(SourceSlice)>& consumer) {
  const bool is_empty = first.done == last.done && first.byte == last.byte;
  PartEnd part_end;
  if (last.line > 0) part_end = {last.done, last.byte};
  for (bool at_end = is_empty; !at_end;) {
    Result<std::optional<SourceSlice>> slice = ReadSlice({}, last.done, part_end);
    if (!slice) return tl::unexpected(std::move(slice.error()));
    // Behind the last row may be parts without one.
    if (!*slice) break;
    if (Status consumed = consumer(std::move(**slice)); !consumed) return consumed;
    at_end = position_.done == last.done && position_.byte == last.byte;
  }
  return {};
}

Status FileSource::Commit(const std::string& end) {
  const Result<FileOffset> offset = FileOffset::Parse(end);
  if (!offset) return tl::unexpected(offset.error());
  const std::lock_guard lock(mutex_);
  NoteRead(*offset);
  // The last part done is kept: offsets name it.
  queue_.Forget(offset->done - 1);
  return {};
}

// The number of the part that an offset has read of last; nothing at the beginning.
std::optional<int64_t> FileSource::LastRead(const FileOffset& offset) const {
  const int64_t number = offset.line > 0 ? offset.done : offset.done - 1;
  const bool is_known = number >= queue_.first() && number < queue_.size();
  if (!is_known || list_directory_.empty() || queue_.part(number).is_gone) return std::nullopt;
  return number;
}

// Up to where in the file as it lies there.
int64_t FileSource::ReadUpTo(const FileOffset& offset, const FilePart& part) {
  if (part.end == FilePart::kToTheEnd) return ReadMark::kWholeFile;
  if (offset.line > 0) return offset.byte;
  for (const FileOffset::Tail& tail : offset.tails) {
    if (tail.part == offset.done - 1) return tail.byte;
  }
  return part.end;
}

void FileSource::NoteRead(const FileOffset& offset) const {
  const std::optional<int64_t> number = LastRead(offset);
  if (!number) return;
  const FilePart& part = queue_.part(*number);
  const int64_t byte = ReadUpTo(offset, part);
  const std::optional<uint64_t> digest = DigestBefore(queue_.PathOf(part), byte);
  if (digest) WriteReadMark(list_directory_, {*number, byte, *digest});
}

// What was read is committed: the rest of a file that was rewritten would begin anywhere.
Status FileSource::CheckRead(const FileOffset& offset) {
  const std::optional<int64_t> number = LastRead(offset);
  if (!number) return {};
  const FilePart& part = queue_.part(*number);
  const int64_t byte = ReadUpTo(offset, part);
  const std::optional<ReadMark> mark = ReadReadMark(list_directory_);
  if (!mark || mark->part != *number || mark->byte != byte) return {};
  const std::string path = queue_.PathOf(part);
  const std::optional<uint64_t> digest = DigestBefore(path, byte);
  // One that is shorter or gone is found out by whoever reads on in it.
  if (!digest || *digest == mark->digest) return {};
  const bool goes_on = offset.line > 0 || IsFileGrown(path, part.end, part.inode);
  if (!goes_on) {
    queue_.WarnOnce(part.name, "was rewritten");
    return {};
  }
  Error error;
  error.code = ErrorCode::kInvalidInput;
  error.message = fmt::format(
      "'{}' was rewritten: {} was read, and holds something else now. What was read must stay as "
      "it was: put it back, and give the rows that are new in a file of their own; or begin with a "
      "new checkpoint and a new output folder",
      path, byte == ReadMark::kWholeFile ? "it" : fmt::format("what stands before byte {}", byte));
  error.place.file = path;
  return tl::unexpected<Error>(std::move(error));
}

// Those who ask must not wait for a slice that is being read.
void FileSource::TellWhatIsKnown() {
  FileOffset latest;
  latest.done = queue_.size();
  if (latest.done > queue_.first()) latest.name = queue_.part(latest.done - 1).name;
  std::optional<int64_t> backlog = queue_.BytesFrom(position_.done);
  if (backlog && position_.done < queue_.size()) {
    const int64_t begin = queue_.part(position_.done).begin;
    if (reader_.is_open()) {
      *backlog -= reader_.byte() - begin;
    } else if (position_.line > 0) {
      *backlog -= position_.byte - begin;
    }
  }
  const std::lock_guard lock(known_mutex_);
  latest_offset_ = latest.ToText();
  backlog_bytes_ = backlog;
}

std::string FileSource::latest_offset() const {
  const std::lock_guard lock(known_mutex_);
  return latest_offset_;
}

// Of the files as they lie there: how long a compressed one is inside, nobody knows.
std::optional<int64_t> FileSource::backlog_bytes() const {
  const std::lock_guard lock(known_mutex_);
  return backlog_bytes_;
}

}  // namespace braid
