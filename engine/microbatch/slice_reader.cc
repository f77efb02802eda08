#include "engine/microbatch/slice_reader.h"

#include <algorithm>
#include <utility>

#include "state/rows/check.h"

namespace braid {

SliceReader::SliceReader(std::unique_ptr<Source> source, const ArrivalStage* stage,
                         const EvaluationContext& context, const Belief& belief)
    : source_(std::move(source)), stage_(stage), context_(context), belief_(belief) {
  BRAID_CHECK(!belief_.max_ahead || belief_.clock != nullptr, "what is ahead is ahead of a clock");
}

SliceReader::~SliceReader() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  source_->Interrupt();
  thread_.join();
}

Status SliceReader::Start(const std::string& start, bool until_latest) {
  if (Status opened = source_->Open(start); !opened) return opened;
  if (until_latest) {
    if (Status stopped = source_->StopAtLatest(); !stopped) return stopped;
  }
  const TriggerLimits trigger = source_->trigger_limits();
  limits_.bytes_max = kSliceBytesMax;
  if (trigger.bytes_max > 0) {
    limits_.bytes_max = std::min(limits_.bytes_max, trigger.bytes_max);
    queue_bytes_max_ = std::min(queue_bytes_max_, trigger.bytes_max);
  }
  limits_.one_file = trigger.files_max > 0;
  reads_ahead_ = source_->is_finite();
  if (reads_ahead_) thread_ = std::thread([this] { ReadAhead(); });
  return {};
}

ReadSlice SliceReader::ReadThrough(SourceSlice slice, std::optional<EventTime> arrived) const {
  std::optional<EventTime> latest_believed;
  if (belief_.max_ahead) {
    const EventTime now = arrived ? *arrived : belief_.clock->Now();
    latest_believed = stage_->ClockTime(now, context_) + *belief_.max_ahead;
  }
  ReadSlice read;
  read.rows = stage_->Read(slice.rows, context_, latest_believed);
  read.end = std::move(slice.end);
  read.replay = std::move(slice.replay);
  read.num_bytes = slice.num_bytes;
  read.num_files = slice.num_files;
  read.num_bad_records = slice.num_bad_records;
  return read;
}

void SliceReader::ReadAhead() {
  while (true) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(
          lock, [this] { return stopping_ || queue_.empty() || queued_bytes_ < queue_bytes_max_; });
      if (stopping_) return;
    }
    Result<SourceNext> next = source_->Next(limits_);
    std::optional<Result<ReadSlice>> read;
    if (!next) {
      read = tl::unexpected(next.error());
    } else if (next->kind == SourceNext::Kind::kSlice) {
      read = ReadThrough(std::move(next->slice), std::nullopt);
    }
    const std::lock_guard lock(mutex_);
    if (read) {
      if (read->has_value()) queued_bytes_ += (*read)->num_bytes;
      queue_.push_back(std::move(*read));
    }
    source_ended_ = !next || next->kind == SourceNext::Kind::kEnd;
    has_nothing_now_ = next && next->kind == SourceNext::Kind::kNothing;
    changed_.notify_all();
    if (source_ended_ || has_nothing_now_) return;
  }
}

Result<SliceReader::Found> SliceReader::AskSource() {
  Result<SourceNext> next = source_->Next(limits_);
  if (!next) return tl::unexpected(next.error());
  switch (next->kind) {
    case SourceNext::Kind::kNothing:
      return Found::kNothing;
    case SourceNext::Kind::kEnd:
      ended_ = true;
      return Found::kEnd;
    case SourceNext::Kind::kSlice:
      break;
  }
  front_ = ReadThrough(std::move(next->slice), std::nullopt);
  return Found::kSlice;
}

Result<SliceReader::Found> SliceReader::Peek(bool wait) {
  if (front_) return Found::kSlice;
  if (ended_) return Found::kEnd;
  if (!reads_ahead_) return AskSource();
  std::unique_lock lock(mutex_);
  if (wait) {
    changed_.wait(lock, [this] { return !queue_.empty() || source_ended_ || has_nothing_now_; });
  }
  if (queue_.empty()) {
    if (source_ended_) {
      ended_ = true;
      return Found::kEnd;
    }
    if (!has_nothing_now_) return Found::kNotYet;
    // The thread has returned: from here on this one asks.
    reads_ahead_ = false;
    lock.unlock();
    return AskSource();
  }
  Result<ReadSlice> next = std::move(queue_.front());
  queue_.pop_front();
  if (!next) return tl::unexpected(next.error());
  queued_bytes_ -= next->num_bytes;
  front_ = std::move(*next);
  changed_.notify_all();
  return Found::kSlice;
}

std::optional<int64_t> SliceReader::backlog_bytes() {
  const std::optional<int64_t> unread = source_->backlog_bytes();
  if (!unread) return std::nullopt;
  const std::lock_guard lock(mutex_);
  return *unread + queued_bytes_ + (front_ ? front_->num_bytes : 0);
}

ReadSlice SliceReader::Pop() {
  BRAID_CHECK(front_.has_value(), "no slice was found before Pop");
  ReadSlice slice = std::move(*front_);
  front_.reset();
  return slice;
}

Status SliceReader::Replay(const std::string& start, const std::string& end,
                           const std::string& replay, std::optional<EventTime> arrived,
                           std::vector<ReadSlice>* slices) {
  return source_->Replay(start, end, replay, [&](SourceSlice slice) -> Status {
    slices->push_back(ReadThrough(std::move(slice), arrived));
    return {};
  });
}

}  // namespace braid
