#include "engine/perrecord/table_input.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "state/rows/check.h"

namespace braid {

namespace {

EvaluationContext ContextOf(const TimeZone* zone) {
  EvaluationContext context;
  context.zone = zone;
  return context;
}

}  // namespace

ReadyRows ReadyOf(const InputPlan& input, const ReadRows& read, int32_t first, int32_t end) {
  ReadyRows ready;
  ready.num_rows = end - first;
  ready.has_row = ready.num_rows > 0;
  if (!input.watermark) return ready;
  const Column& times = read.columns[static_cast<size_t>(input.watermark->column)];
  ready.times = times.Values<int64_t>().data() + first;
  ready.valid = times.validity();
  ready.valid_first = first;
  return ready;
}

TableInput::TableInput(const InputPlan& input, const ArrivalStage* stage,
                       std::unique_ptr<Source> source, const Options& options)
    : input_(input),
      stage_(stage),
      options_(options),
      reader_(std::move(source), stage, ContextOf(options.zone), options.belief) {}

Status TableInput::Open(const InputPosition& position, bool until_latest) {
  offset_ = position.offset;
  skip_rows_ = position.rows;
  return reader_.Start(position.offset, until_latest);
}

Status TableInput::BeginReplay(const InputPosition& position, const std::string& end,
                               const std::string& replay, int64_t rows, EventTime arrived) {
  offset_ = position.offset;
  skip_rows_ = position.rows;
  replays_ = true;
  replay_rows_left_ = rows;
  if (rows == 0) return {};
  std::vector<ReadSlice> slices;
  if (Status read = reader_.Replay(position.offset, end, replay, arrived, &slices); !read) {
    return read;
  }
  for (ReadSlice& slice : slices) replayed_.push_back(std::move(slice));
  return {};
}

void TableInput::EndReplay() {
  replays_ = false;
  replayed_.clear();
  slice_.reset();
  slice_replay_.clear();
  next_row_ = end_row_ = 0;
}

Result<SliceReader::Found> TableInput::Peek(bool wait, EventTime now) {
  while (true) {
    if (next_row_ < end_row_) return SliceReader::Found::kSlice;
    if (replays_) {
      if (replay_rows_left_ == 0 || replayed_.empty()) return SliceReader::Found::kEnd;
      ReadSlice slice = std::move(replayed_.front());
      replayed_.pop_front();
      if (Status begun = BeginSlice(std::move(slice), now); !begun) {
        return tl::unexpected(begun.error());
      }
      continue;
    }
    Result<SliceReader::Found> found = reader_.Peek(wait);
    if (!found) return found;
    if (*found == SliceReader::Found::kEnd) ended_ = true;
    if (*found != SliceReader::Found::kSlice) return found;
    if (Status begun = BeginSlice(reader_.Pop(), now); !begun) {
      return tl::unexpected(begun.error());
    }
  }
}

Status TableInput::BeginSlice(ReadSlice slice, EventTime now) {
  if (slice_ != nullptr) {  // It is used up.
    offset_ = slice_end_;
    slice_.reset();
  }
  slice_end_ = std::move(slice.end);
  slice_replay_ = std::move(slice.replay);
  replay_ += slice_replay_;
  counts_.bad_records += slice.num_bad_records;
  EvaluationContext context = ContextOf(options_.zone);
  context.processing_time = now;
  Result<Arrivals> arrivals =
      stage_->Arrive(slice.rows, /*late=*/std::nullopt, options_.on_error, context);
  if (!arrivals) {
    Error error = arrivals.error();
    error.place.source_offset = slice_end_;
    return tl::unexpected(std::move(error));
  }
  counts_.arrivals.Add(arrivals->counts);
  auto arrived = std::make_shared<ArrivedSlice>();
  arrived->read = std::move(slice.rows);
  arrived->arrivals = std::move(*arrivals);
  const int64_t num_rows = arrived->read.num_rows;
  slice_ = std::move(arrived);
  const int64_t skipped = std::min(skip_rows_, num_rows);
  skip_rows_ -= skipped;
  next_row_ = static_cast<int32_t>(skipped);
  end_row_ = static_cast<int32_t>(num_rows);
  if (replays_) {
    const int64_t taken = std::min<int64_t>(end_row_ - next_row_, replay_rows_left_);
    end_row_ = next_row_ + static_cast<int32_t>(taken);
  }
  return {};
}

ReadyRows TableInput::ready() const {
  return slice_ == nullptr ? ReadyRows() : ReadyOf(input_, slice_->read, next_row_, end_row_);
}

int64_t TableInput::latest_believed() const {
  const int64_t all = std::numeric_limits<int64_t>::max();
  if (slice_ == nullptr) return all;
  const std::optional<EventTime>& latest = slice_->read.latest_believed;
  return latest ? latest->micros : all;
}

void TableInput::CountTimes(int32_t count) {
  const ReadyRows rows = ready();
  if (rows.times == nullptr) return;
  const int64_t latest_believed_time = latest_believed();
  int64_t earliest = std::numeric_limits<int64_t>::max();
  int64_t latest = kNoRowTime;
  int64_t num_times = 0;
  int64_t num_future = 0;
  double sum = 0;
  for (int32_t row = 0; row < count; ++row) {
    const int64_t micros = rows.TimeAt(row);
    if (micros == kNoRowTime) continue;
    earliest = std::min(earliest, micros);
    latest = std::max(latest, micros);
    num_future += micros > latest_believed_time ? 1 : 0;
    sum += static_cast<double>(micros);
    ++num_times;
  }
  if (num_times == 0) return;
  counts_.min_time = std::min(counts_.min_time.value_or(EventTime{earliest}), EventTime{earliest});
  counts_.max_time = std::max(counts_.max_time.value_or(EventTime{latest}), EventTime{latest});
  counts_.future_rows += num_future;
  counts_.time_count += num_times;
  counts_.time_sum_micros += sum;
}

void TableInput::Take(int32_t count) {
  BRAID_CHECK(count <= end_row_ - next_row_, "rows that are not ready");
  CountTimes(count);
  next_row_ += count;
  counts_.rows += count;
  if (replays_) replay_rows_left_ -= count;
}

InputPosition TableInput::position() const {
  if (slice_ == nullptr) return {offset_, skip_rows_};
  if (next_row_ == slice_->read.num_rows && skip_rows_ == 0) return {slice_end_, 0};
  return {offset_, next_row_ + skip_rows_};
}

std::string TableInput::read_end() const { return slice_ == nullptr ? offset_ : slice_end_; }

std::string TableInput::TakeReplay() { return std::exchange(replay_, {}); }

InputCounts TableInput::TakeCounts() { return std::exchange(counts_, {}); }

}  // namespace braid
