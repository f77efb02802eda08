#include "engine/advise/table_reader.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace braid {

namespace {

constexpr int64_t kRowsASample = 8;
constexpr int64_t kSamplesMin = 1'000;
constexpr double kShareLeftOut = 0.005;  // At each end.

}  // namespace

TableReader::TableReader(const JoinPlan& plan, Side side, ArrivalStage stage,
                         const Options& options)
    : side_(side), options_(options), stage_(std::move(stage)), cost_(plan, side) {
  context_.zone = options.zone;
  reading_.lateness = TimeDistribution(options.exact_max);
  const std::optional<WatermarkDefinition>& watermark = plan.side(side).input.watermark;
  if (watermark) watermark_column_ = watermark->column;
}

Result<std::unique_ptr<TableReader>> TableReader::Create(const JoinPlan& plan, Side side,
                                                         std::unique_ptr<Source> source,
                                                         const Options& options) {
  Result<ArrivalStage> stage = ArrivalStage::ForJoin(plan, side);
  if (!stage) return tl::unexpected(stage.error());
  std::unique_ptr<TableReader> reader(new TableReader(plan, side, std::move(*stage), options));
  reader->reader_ = std::make_unique<SliceReader>(std::move(source), &reader->stage_,
                                                  reader->context_, options.belief);
  return reader;
}

Status TableReader::Start() { return reader_->Start("", options_.until_latest); }

Result<SliceReader::Found> TableReader::ReadNext() {
  Result<SliceReader::Found> found = reader_->Peek(/*wait=*/true);
  if (!found || *found != SliceReader::Found::kSlice) return found;
  const ReadSlice slice = reader_->Pop();
  reading_.num_rows += slice.rows.num_rows;
  reading_.num_bytes += slice.num_bytes;
  reading_.num_bad_records += slice.num_bad_records;
  if (watermark_column_ >= 0) {
    MeasureLateness(slice.rows.columns[static_cast<size_t>(watermark_column_)],
                    slice.rows.latest_believed);
  }
  Result<Arrivals> arrivals = stage_.Arrive(slice.rows, std::nullopt, options_.on_error, context_);
  if (!arrivals) return tl::unexpected(arrivals.error());
  reading_.counts.Add(arrivals->counts);
  if (watermark_column_ < 0) MeasureLateness(*arrivals->time, std::nullopt);
  cost_.Sample(*arrivals);
  if (Status taken = TakeRows(*arrivals); !taken) return tl::unexpected(taken.error());
  return found;
}

void TableReader::MeasureLateness(const Column& times, std::optional<EventTime> latest_believed) {
  const auto values = times.Values<int64_t>();
  int64_t num_newer = 0;
  for (int64_t row = 0; row < times.length(); ++row) {
    if (times.IsNull(row)) continue;
    const int64_t time = values[static_cast<size_t>(row)];
    if (!newest_ || time > *newest_) {
      if (!latest_believed || time <= latest_believed->micros) newest_ = time;
      ++num_newer;
      continue;
    }
    reading_.lateness.Add(Interval{*newest_} + (-Interval{time}));
  }
  if (num_newer > 0) reading_.lateness.Add(Interval{-1}, num_newer);
}

Status TableReader::TakeRows(const Arrivals& arrivals) {
  records_.clear();
  if (options_.filter != nullptr) {
    Status kept =
        options_.filter->records(side_).Append(arrivals.columns, arrivals.num_rows, &records_);
    if (!kept) return kept;
  }
  const int64_t* const times = arrivals.time->Values<int64_t>().data();
  const uint64_t* const words = arrivals.keys.words.data();
  int64_t first = std::numeric_limits<int64_t>::max();
  int64_t last = std::numeric_limits<int64_t>::min();
  int64_t num_joined_rows = reading_.num_joined_rows;
  for (int64_t row = 0; row < arrivals.num_rows; ++row) {
    if (!arrivals.keys.IsLinkable(row)) continue;
    const int64_t time = times[row];
    const int64_t record = records_.empty() ? -1 : records_[static_cast<size_t>(row)];
    Status added = options_.sorter->Add({SpreadKey(words[row]), time, record});
    if (!added) return added;
    if (num_joined_rows++ % kRowsASample == 0) {
      if (!origin_) origin_ = time;
      sampled_times_.Add(Interval{time} + (-Interval{*origin_}));
    }
    first = std::min(first, time);
    last = std::max(last, time);
  }
  if (num_joined_rows == reading_.num_joined_rows) return {};
  reading_.num_joined_rows = num_joined_rows;
  reading_.first_time = std::min(reading_.first_time.value_or(EventTime{first}), EventTime{first});
  reading_.last_time = std::max(reading_.last_time.value_or(EventTime{last}), EventTime{last});
  return {};
}

double TableReader::rows_per_second() const {
  if (!reading_.first_time) return 0;
  double micros = static_cast<double>(reading_.last_time->micros) -
                  static_cast<double>(reading_.first_time->micros);
  double share = 1;
  const std::vector<TimeDistribution::Bin> bins = sampled_times_.Bins();
  if (reading_.num_joined_rows >= kSamplesMin * kRowsASample) {
    const Interval first = QuantileOf(bins, kShareLeftOut);
    const Interval last = QuantileOf(bins, 1 - kShareLeftOut);
    micros = static_cast<double>(last.micros) - static_cast<double>(first.micros);
    share = 1 - 2 * kShareLeftOut;
  }
  if (micros <= 0) return 0;
  return share * static_cast<double>(reading_.num_joined_rows) * 1e6 / micros;
}

}  // namespace braid
