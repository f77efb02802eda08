#include "engine/advise/advisor.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/advise/advice_figures.h"
#include "engine/advise/pair_filter.h"
#include "engine/advise/pair_finder.h"
#include "engine/advise/row_sorter.h"
#include "engine/advise/table_reader.h"

namespace braid {

namespace {

constexpr Interval kIdlePoll = Milliseconds(2);

// Reads both tables, finds the pairs, and puts the advice together.
class Advisor {
 public:
  Advisor(Job* job, const AdvicePlan& plan, Clock* clock, const AdvisorOptions& options)
      : job_(job),
        plan_(plan),
        join_(*plan.plan.join),
        clock_(clock),
        options_(options),
        sorters_{RowSorter(options.memory_bytes_max / 8 * 3),
                 RowSorter(options.memory_bytes_max / 8 * 3)} {}

  Result<Advice> Run() {
    Status status = OpenTables();
    if (status) status = ReadTables();
    if (status) status = FindPairs();
    if (!status) return tl::unexpected(status.error());
    return MakeAdvice();
  }

 private:
  Status OpenTables();
  Status RefuseUnfit(const Source& source, const InputPlan& input) const;
  Status ReadTables();
  Status FindPairs();
  Advice MakeAdvice() const;
  SideAdvice DescribeSide(Side side) const;
  void AddWritten(Advice* advice) const;
  bool until_latest() const {
    const std::optional<Trigger>& trigger = job_->settings().trigger;
    return trigger && trigger->kind == Trigger::Kind::kAvailableNow;
  }

  Job* job_;
  const AdvicePlan& plan_;
  const JoinPlan& join_;
  Clock* clock_;
  AdvisorOptions options_;
  std::array<RowSorter, 2> sorters_;
  std::optional<PairFilter> filter_;
  std::vector<std::unique_ptr<TableReader>> tables_;
  std::optional<PairFinder> finder_;
};

Status Advisor::RefuseUnfit(const Source& source, const InputPlan& input) const {
  const std::string& name = input.table->name;
  if (source.gives_changes()) {
    return Fail(
        ErrorCode::kInvalidOption,
        fmt::format("table {} gives a changelog: advise takes tables whose rows stay", name),
        input.table->place);
  }
  if (source.is_finite() || until_latest()) return {};
  return Fail(
      ErrorCode::kInvalidOption,
      fmt::format("table {} does not end: advise reads input that does. Write some of it to "
                  "a file first, or give --set execution.trigger=available-now to read what "
                  "there is now",
                  name),
      input.table->place);
}

Status Advisor::OpenTables() {
  Result<std::vector<std::unique_ptr<Source>>> sources = job_->MakeSources();
  if (!sources) return tl::unexpected(sources.error());
  Result<std::optional<PairFilter>> filter =
      PairFilter::Create(join_, job_->zone(), job_->settings().on_row_error);
  if (!filter) return tl::unexpected(filter.error());
  filter_ = std::move(*filter);
  for (const Side side : kBothSides) {
    std::unique_ptr<Source>& source = (*sources)[Index(side)];
    if (Status fine = RefuseUnfit(*source, join_.side(side).input); !fine) return fine;
    TableReader::Options options;
    options.zone = job_->zone();
    options.on_error = job_->settings().on_row_error;
    options.exact_max = options_.exact_max;
    options.belief = {clock_, job_->watermark_options()[Index(side)].max_ahead};
    options.until_latest = until_latest();
    options.sorter = &sorters_[Index(side)];
    options.filter = filter_ ? &*filter_ : nullptr;
    Result<std::unique_ptr<TableReader>> table =
        TableReader::Create(join_, side, std::move(source), options);
    if (!table) return tl::unexpected(table.error());
    tables_.push_back(std::move(*table));
  }
  for (const std::unique_ptr<TableReader>& table : tables_) {
    if (Status started = table->Start(); !started) return started;
  }
  return {};
}

// A slice of each in turn: both are read ahead by a thread of their own.
Status Advisor::ReadTables() {
  std::vector<TableReader*> unread;
  for (const std::unique_ptr<TableReader>& table : tables_) unread.push_back(table.get());
  while (!unread.empty()) {
    bool found_any = false;
    for (auto table = unread.begin(); table != unread.end();) {
      const Result<SliceReader::Found> found = (*table)->ReadNext();
      if (!found) return tl::unexpected(found.error());
      found_any = found_any || *found != SliceReader::Found::kNothing;
      table = *found == SliceReader::Found::kEnd ? unread.erase(table) : std::next(table);
    }
    if (!found_any) clock_->WaitUntil(clock_->Now() + kIdlePoll, [] { return false; });
  }
  return {};
}

Status Advisor::FindPairs() {
  for (const Side side : kBothSides) {
    if (Status finished = sorters_[Index(side)].Finish(); !finished) return finished;
    if (!filter_) continue;
    if (Status finished = filter_->records(side).Finish(); !finished) return finished;
  }
  PairFinder::Options options;
  options.max = plan_.max;
  options.window_bytes_max = options_.memory_bytes_max / 4;
  options.exact_max = options_.exact_max;
  options.filter = filter_ ? &*filter_ : nullptr;
  finder_.emplace(options);
  return finder_->Find(&sorters_[0], &sorters_[1]);
}

SideAdvice Advisor::DescribeSide(Side side) const {
  const InputPlan& input = join_.side(side).input;
  const TableReading& reading = tables_[Index(side)]->reading();
  SideAdvice advice;
  advice.table = input.table->name;
  advice.alias = input.alias;
  advice.time_name = plan_.time_names[Index(side)];
  const int column = input.watermark ? input.watermark->column : plan_.table_columns[Index(side)];
  if (column >= 0) advice.time_column = input.table->columns[static_cast<size_t>(column)].name;
  if (input.watermark) advice.written_delay = input.watermark->delay;
  advice.num_rows = reading.num_rows;
  advice.num_joined_rows = reading.num_joined_rows;
  advice.num_null_time_rows = reading.counts.null_time;
  advice.num_null_key_rows = reading.counts.null_key;
  advice.num_row_errors = reading.counts.dropped_for_errors;
  advice.num_bad_records = reading.num_bad_records;
  advice.first_time = reading.first_time;
  advice.last_time = reading.last_time;
  advice.rows_per_second = tables_[Index(side)]->rows_per_second();
  advice.bytes_per_row = tables_[Index(side)]->bytes_per_row();
  AdviseDelays(reading.lateness, &advice);
  return advice;
}

void Advisor::AddWritten(Advice* advice) const {
  advice->written = plan_.written;
  if (!plan_.written.lower && !plan_.written.upper) return;
  if (advice->pairs.count > 0) {
    advice->written_share =
        CountWithin(advice->pairs.bins, plan_.written.lower, plan_.written.upper) /
        static_cast<double>(advice->pairs.count);
  }
  if (plan_.written.lower && plan_.written.upper) {
    advice->written_state = CostOf(*advice, *plan_.written.lower, *plan_.written.upper);
  }
}

Advice Advisor::MakeAdvice() const {
  Advice advice;
  advice.max = plan_.max;
  advice.notes = plan_.notes;
  for (const Side side : kBothSides) {
    SideAdvice& described = advice.sides[Index(side)];
    described = DescribeSide(side);
    const DelayAdvice* advised = described.no_late_rows();
    const Interval delay =
        described.written_delay.value_or(advised != nullptr ? advised->delay : Interval{0});
    advice.watermark_lag = std::max(advice.watermark_lag, delay);
    advice.buffer_bytes_peak += sorters_[Index(side)].memory_bytes_peak();
    advice.spilled_bytes += sorters_[Index(side)].spilled_bytes();
    if (filter_) advice.spilled_bytes += filter_->records(side).file_bytes();
  }
  advice.buffer_bytes_peak += finder_->window_bytes_peak();
  if (filter_) advice.num_pair_errors = filter_->num_row_errors();
  AdviseBounds(finder_->all(), advice, &advice.pairs);
  AdviseBounds(finder_->nearest(), advice, &advice.nearest);
  AddWritten(&advice);
  return advice;
}

}  // namespace

Result<Advice> Advise(Job* job, const AdvicePlan& plan, Clock* clock,
                      const AdvisorOptions& options) {
  return Advisor(job, plan, clock, options).Run();
}

}  // namespace braid
