#include "engine/microbatch/arrival_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "braid/column_builder.h"
#include "engine/microbatch/key_limit.h"
#include "state/rows/check.h"
#include "state/rows/time_zone.h"
#include "state/rows/vector_clones.h"

namespace braid {

void ArrivalCounts::Add(const ArrivalCounts& other) {
  late += other.late;
  null_time += other.null_time;
  null_key += other.null_key;
  dropped_for_errors += other.dropped_for_errors;
}

namespace {

std::vector<int32_t> AllRows(int64_t num_rows) {
  std::vector<int32_t> rows(static_cast<size_t>(num_rows));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

Result<std::vector<Evaluator>> CreateAll(const std::vector<ExpressionPtr>& expressions) {
  std::vector<Evaluator> evaluators;
  evaluators.reserve(expressions.size());
  for (const ExpressionPtr& expression : expressions) {
    Result<Evaluator> evaluator = Evaluator::Create(expression);
    if (!evaluator) return tl::unexpected(evaluator.error());
    evaluators.push_back(std::move(*evaluator));
  }
  return evaluators;
}

Status CreateOptional(const ExpressionPtr& expression, std::optional<Evaluator>* evaluator) {
  if (expression == nullptr) return {};
  Result<Evaluator> created = Evaluator::Create(expression);
  if (!created) return tl::unexpected(created.error());
  evaluator->emplace(std::move(*created));
  return {};
}

bool IsPlainColumn(const Evaluator& evaluator) {
  return evaluator.expression()->kind == ExpressionKind::kColumn;
}

// The columns at `rows`; empty columns stay empty.
std::vector<Column> GatherNeeded(const std::vector<Column>& columns,
                                 const std::vector<int32_t>& rows) {
  std::vector<Column> gathered;
  gathered.reserve(columns.size());
  for (const Column& column : columns) {
    gathered.push_back(column.raw_values() == nullptr ? Column() : Gather(column, rows));
  }
  return gathered;
}

constexpr int64_t kLatestTime = std::numeric_limits<int64_t>::max();

// What row times say of a slice.
struct TimeSummary {
  int64_t minimum = std::numeric_limits<int64_t>::max();
  int64_t maximum = std::numeric_limits<int64_t>::min();
  int64_t count = 0;
  double sum = 0;
};

// Of all of them. In lanes, so that no addition waits for the one before.
BRAID_VECTOR_CLONES TimeSummary Summarize(std::span<const int64_t> times) {
  constexpr size_t kLanes = 8;
  TimeSummary summary;
  std::array<double, kLanes> sums = {};
  const size_t whole = times.size() / kLanes * kLanes;
  for (size_t row = 0; row < whole; row += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const int64_t time = times[row + lane];
      summary.minimum = std::min(summary.minimum, time);
      summary.maximum = std::max(summary.maximum, time);
      sums[lane] += static_cast<double>(time);
    }
  }
  for (size_t row = whole; row < times.size(); ++row) {
    summary.minimum = std::min(summary.minimum, times[row]);
    summary.maximum = std::max(summary.maximum, times[row]);
    sums[0] += static_cast<double>(times[row]);
  }
  summary.count = static_cast<int64_t>(times.size());
  summary.sum = std::accumulate(sums.begin(), sums.end(), 0.0);
  return summary;
}

// The same where some are NULL or later than `latest`: the latter count for the minimum alone.
TimeSummary SummarizeBelieved(const Column& times, int64_t latest, int64_t* num_ahead) {
  TimeSummary summary;
  const auto values = times.Values<int64_t>();
  for (int64_t row = 0; row < times.length(); ++row) {
    if (times.IsNull(row)) continue;
    const int64_t time = values[static_cast<size_t>(row)];
    summary.minimum = std::min(summary.minimum, time);
    if (time > latest) {
      ++*num_ahead;
      continue;
    }
    summary.maximum = std::max(summary.maximum, time);
    ++summary.count;
    summary.sum += static_cast<double>(time);
  }
  return summary;
}

// The smallest of column + offset over the terms; NULL where any is.
Column MinimumTime(const std::vector<TimeTerm>& terms, const std::vector<Column>& columns) {
  const Column& first = columns[static_cast<size_t>(terms[0].column)];
  if (terms.size() == 1 && terms[0].offset.micros == 0) return first;
  ColumnBuilder builder(first.type());
  const int64_t num_rows = first.length();
  int64_t* times = builder.AppendUninitialized<int64_t>(num_rows);
  for (size_t term = 0; term < terms.size(); ++term) {
    const auto values = columns[static_cast<size_t>(terms[term].column)].Values<int64_t>();
    for (size_t row = 0; row < values.size(); ++row) {
      const int64_t time = SaturatingAdd(values[row], terms[term].offset.micros);
      times[row] = term == 0 ? time : std::min(times[row], time);
    }
  }
  for (const TimeTerm& term : terms) {
    const Column& column = columns[static_cast<size_t>(term.column)];
    if (column.null_count() == 0) continue;
    for (int64_t row = 0; row < num_rows; ++row) {
      if (column.IsNull(row)) builder.SetNull(row);
    }
  }
  return builder.Finish();
}

// The median of a few row times, evenly spread over a slice, of those that are believed.
std::optional<EventTime> TypicalTime(const Column& times, int64_t latest_believed) {
  constexpr int64_t kSamples = 63;
  std::array<int64_t, kSamples> samples;
  size_t num_samples = 0;
  const int64_t num_rows = times.length();
  const int64_t wanted = std::min(num_rows, kSamples);
  for (int64_t i = 0; i < wanted; ++i) {
    const int64_t row = i * num_rows / wanted;
    const int64_t time = times.Values<int64_t>()[static_cast<size_t>(row)];
    if (times.IsValid(row) && time <= latest_believed) samples[num_samples++] = time;
  }
  if (num_samples == 0) return std::nullopt;
  const auto middle = samples.begin() + static_cast<ptrdiff_t>(num_samples / 2);
  std::nth_element(samples.begin(), middle, samples.begin() + static_cast<ptrdiff_t>(num_samples));
  return EventTime{*middle};
}

}  // namespace

Result<ArrivalStage> ArrivalStage::ForInput(const InputPlan& input) {
  ArrivalStage stage;
  stage.alias_ = input.alias;
  stage.reports_late_ = input.reports_late;
  stage.report_only_columns_ = input.report_only_columns;
  if (input.watermark) {
    stage.watermark_column_ = input.watermark->column;
    const size_t column = static_cast<size_t>(input.watermark->column);
    stage.has_local_times_ = input.table->columns[column].type.kind == TypeKind::kTimestamp;
  }
  for (const ExpressionPtr& column : input.table_columns) {
    std::optional<Evaluator>& evaluator = stage.table_columns_.emplace_back();
    if (Status created = CreateOptional(column, &evaluator); !created) {
      return tl::unexpected(created.error());
    }
    if (column != nullptr && UsesProcessingTime(*column)) {
      stage.processing_time_columns_.push_back(static_cast<int>(stage.table_columns_.size()) - 1);
    }
  }
  for (const TransformStep& step : input.steps) {
    Step& compiled = stage.steps_.emplace_back();
    if (Status created = CreateOptional(step.filter, &compiled.filter); !created) {
      return tl::unexpected(created.error());
    }
    if (step.filter != nullptr) continue;
    Result<std::vector<Evaluator>> projection = CreateAll(step.projection);
    if (!projection) return tl::unexpected(projection.error());
    compiled.projection = std::move(*projection);
  }
  return stage;
}

Result<ArrivalStage> ArrivalStage::ForSingle(const InputPlan& input) { return ForInput(input); }

Result<ArrivalStage> ArrivalStage::ForJoin(const JoinPlan& plan, Side side) {
  const JoinSidePlan& side_plan = plan.side(side);
  Result<ArrivalStage> stage = ForInput(side_plan.input);
  if (!stage) return stage;
  Status created = CreateOptional(side_plan.where, &stage->where_);
  if (created) created = CreateOptional(side_plan.pre_join_filter, &stage->pre_join_filter_);
  if (!created) return tl::unexpected(created.error());
  stage->null_time_columns_ = side_plan.null_time_columns;
  stage->null_rejecting_columns_ = side_plan.null_rejecting_columns;
  for (size_t key = 0; key < side_plan.keys.size(); ++key) {
    const Expression& expression = *side_plan.keys[key];
    const std::vector<int>& rejecting = side_plan.null_rejecting_columns;
    if (plan.null_safe_keys[key] == 0 && expression.kind == ExpressionKind::kColumn &&
        std::find(rejecting.begin(), rejecting.end(), expression.column) != rejecting.end()) {
      stage->null_key_columns_.push_back(expression.column);
    }
  }
  stage->pads_ = side_plan.pads;
  stage->keeps_unmatched_ = plan.tracks_matches(side);
  stage->joins_ = true;
  stage->null_safe_keys_ = plan.null_safe_keys;
  stage->time_ = side_plan.time;
  Result<std::vector<Evaluator>> keys = CreateAll(side_plan.keys);
  if (!keys) return tl::unexpected(keys.error());
  Result<std::vector<Evaluator>> payload = CreateAll(side_plan.payload_expressions);
  if (!payload) return tl::unexpected(payload.error());
  stage->keys_ = std::move(*keys);
  stage->payload_ = std::move(*payload);
  std::vector<DataType> types;
  for (const Evaluator& key : stage->keys_) types.push_back(key.type());
  stage->hashed_keys_ = KeyWordKindOf(types, stage->null_safe_keys_) == KeyWordKind::kHash;
  return stage;
}

EventTime ArrivalStage::ClockTime(EventTime now, const EvaluationContext& context) const {
  if (has_local_times_ && context.zone != nullptr) context.zone->ToLocal(&now.micros, 1);
  return now;
}

Column ArrivalStage::MakeTableColumn(size_t index, const RowBatch& rows,
                                     EvaluationContext* context) const {
  const size_t num_errors = context->row_errors.size();
  Column column = table_columns_[index]->Evaluate(rows.columns(), rows.num_rows(), context);
  if (std::binary_search(report_only_columns_.begin(), report_only_columns_.end(),
                         static_cast<int>(index))) {
    context->row_errors.resize(num_errors);
  }
  return column;
}

ReadRows ArrivalStage::Read(const RowBatch& rows, const EvaluationContext& context,
                            std::optional<EventTime> latest_believed) const {
  ReadRows result;
  result.latest_believed = latest_believed;
  // Columns that nobody needs further are given back at once, for the next slice.
  if (!processing_time_columns_.empty() || rows.has_change_kinds()) result.source = rows;
  result.num_rows = rows.num_rows();
  result.columns.resize(table_columns_.size());
  EvaluationContext own = context;
  own.row_errors.clear();
  for (size_t index = 0; index < table_columns_.size(); ++index) {
    const bool made_later = std::binary_search(
        processing_time_columns_.begin(), processing_time_columns_.end(), static_cast<int>(index));
    if (!table_columns_[index] || made_later) continue;
    result.columns[index] = MakeTableColumn(index, rows, &own);
  }
  std::sort(own.row_errors.begin(), own.row_errors.end(),
            [](const RowError& left, const RowError& right) { return left.row < right.row; });
  result.errors = std::move(own.row_errors);
  if (watermark_column_ < 0) return result;

  const Column& times = result.columns[static_cast<size_t>(watermark_column_)];
  const int64_t latest = latest_believed ? latest_believed->micros : kLatestTime;
  result.typical_time = TypicalTime(times, latest);
  TimeSummary summary;
  if (times.null_count() == 0) summary = Summarize(times.Values<int64_t>());
  if (times.null_count() > 0 || summary.maximum > latest) {
    summary = SummarizeBelieved(times, latest, &result.num_ahead);
  }
  if (summary.count + result.num_ahead > 0) result.min_time = EventTime{summary.minimum};
  if (summary.count > 0) result.max_time = EventTime{summary.maximum};
  result.time_count = summary.count;
  result.time_sum_micros = summary.sum;
  return result;
}

// One slice on its way: the columns so far and which of their rows are still wanted.
class ArrivalStage::Pass {
 public:
  Pass(const ArrivalStage& stage, const ReadRows& rows, OnRowError on_error,
       const EvaluationContext& context)
      : stage_(stage),
        on_error_(on_error),
        context_(context),
        columns_(rows.columns),
        rows_(AllRows(rows.num_rows)),
        length_(rows.num_rows) {
    context_.row_errors.clear();
  }

  Result<Arrivals> Run(const ReadRows& read, std::optional<Watermark> late);

 private:
  void DropLate(const ReadRows& read, Watermark late);
  Status DropErrors(const std::vector<RowError>& errors);
  Status TakeErrors();
  Status Filter(const Evaluator& filter, std::vector<int32_t>* passed);
  Status MakeProcessingTimeColumns(const ReadRows& read);
  void KeepLate();
  Status ApplySteps();
  void SplitNullTimes();
  Status ApplyPreJoinFilter();
  void DropRejectingNulls();
  int64_t CountNullKeys(const std::vector<Column>& keys) const;
  Status Densify();
  Status MakeKeysAndPayload();
  // The wanted rows become all rows.
  void Compact();
  bool all_rows_wanted() const { return static_cast<int64_t>(rows_.size()) == length_; }

  const ArrivalStage& stage_;
  OnRowError on_error_;
  EvaluationContext context_;
  std::vector<Column> columns_;
  std::vector<int32_t> rows_;
  int64_t length_;
  std::vector<int32_t> read_rows_;  // Arrivals::rows, of columns_.
  std::vector<int32_t> late_;       // If they are reported.
  std::vector<int32_t> unmatched_;  // If they are given on.
  Arrivals result_;
};

void ArrivalStage::Pass::DropLate(const ReadRows& read, Watermark late) {
  if (stage_.watermark_column_ < 0 || !read.min_time || *read.min_time > AtMicros(late)) return;
  const Column& times = columns_[static_cast<size_t>(stage_.watermark_column_)];
  const auto values = times.Values<int64_t>();
  const int64_t limit = AtMicros(late).micros;
  const size_t before = rows_.size();
  std::erase_if(rows_, [&](int32_t row) {
    const bool is_late = times.IsValid(row) && values[static_cast<size_t>(row)] <= limit;
    if (is_late && stage_.reports_late_) late_.push_back(row);
    return is_late;
  });
  result_.counts.late = static_cast<int64_t>(before - rows_.size());
}

// Drops the wanted rows for which an expression has failed. An error of a row that is late or was
// filtered away before is none: nobody asked for its value.
Status ArrivalStage::Pass::DropErrors(const std::vector<RowError>& errors) {
  if (errors.empty()) return {};
  std::vector<int32_t> failed;
  for (const RowError& error : errors) {
    const int32_t row = static_cast<int32_t>(error.row);
    if (!std::binary_search(rows_.begin(), rows_.end(), row)) continue;
    if (on_error_ == OnRowError::kFail) {
      return Fail(ErrorCode::kInvalidInput,
                  fmt::format("{} (row {} of a slice of table {})", error.message, error.row + 1,
                              stage_.alias_),
                  error.place);
    }
    failed.push_back(row);
  }
  std::sort(failed.begin(), failed.end());
  result_.counts.dropped_for_errors += std::erase_if(rows_, [&failed](int32_t row) {
    return std::binary_search(failed.begin(), failed.end(), row);
  });
  return {};
}

Status ArrivalStage::Pass::TakeErrors() {
  if (context_.row_errors.empty()) return {};
  const std::vector<RowError> errors = std::exchange(context_.row_errors, {});
  return DropErrors(errors);
}

// `passed`: the wanted rows for which the filter is TRUE. Rows for which it fails are wanted no
// longer. They need not be among those that it rejects: `x / 0 = 1 OR TRUE` fails and is TRUE.
Status ArrivalStage::Pass::Filter(const Evaluator& filter, std::vector<int32_t>* passed) {
  *passed = rows_;
  filter.Filter(columns_, &context_, passed);
  if (context_.row_errors.empty()) return {};
  if (Status status = TakeErrors(); !status) return status;
  std::erase_if(*passed, [this](int32_t row) {
    return !std::binary_search(rows_.begin(), rows_.end(), row);
  });
  return {};
}

void ArrivalStage::Pass::Compact() {
  columns_ = GatherNeeded(columns_, rows_);
  length_ = static_cast<int64_t>(rows_.size());
  if (!read_rows_.empty()) {
    for (int32_t& row : rows_) row = read_rows_[static_cast<size_t>(row)];
  }
  read_rows_ = std::move(rows_);
  rows_ = AllRows(length_);
}

Status ArrivalStage::Pass::MakeProcessingTimeColumns(const ReadRows& read) {
  for (const int index : stage_.processing_time_columns_) {
    columns_[static_cast<size_t>(index)] =
        stage_.MakeTableColumn(static_cast<size_t>(index), read.source, &context_);
  }
  return TakeErrors();
}

// While the columns are still the table's.
void ArrivalStage::Pass::KeepLate() {
  if (late_.empty()) return;
  result_.late_columns = GatherNeeded(columns_, late_);
  result_.num_late = static_cast<int64_t>(late_.size());
}

Status ArrivalStage::Pass::ApplySteps() {
  for (const Step& step : stage_.steps_) {
    if (step.filter) {
      std::vector<int32_t> passed;
      if (Status status = Filter(*step.filter, &passed); !status) return status;
      rows_ = std::move(passed);
      continue;
    }
    const bool plain = std::all_of(step.projection.begin(), step.projection.end(), IsPlainColumn);
    if (!plain && !all_rows_wanted()) Compact();
    std::vector<Column> projected;
    projected.reserve(step.projection.size());
    for (const Evaluator& expression : step.projection) {
      if (IsPlainColumn(expression)) {
        projected.push_back(columns_[static_cast<size_t>(expression.expression()->column)]);
      } else {
        projected.push_back(expression.Evaluate(columns_, length_, &context_));
      }
    }
    columns_ = std::move(projected);
    if (Status status = TakeErrors(); !status) return status;
  }
  return {};
}

void ArrivalStage::Pass::SplitNullTimes() {
  for (const int column_index : stage_.null_time_columns_) {
    const Column& column = columns_[static_cast<size_t>(column_index)];
    if (column.null_count() == 0) continue;
    std::erase_if(rows_, [&](int32_t row) {
      if (column.IsValid(row)) return false;
      ++result_.counts.null_time;
      if (stage_.keeps_unmatched_) unmatched_.push_back(row);
      return true;
    });
  }
}

Status ArrivalStage::Pass::ApplyPreJoinFilter() {
  if (!stage_.pre_join_filter_) return {};
  std::vector<int32_t> passed;
  if (Status status = Filter(*stage_.pre_join_filter_, &passed); !status) return status;
  if (stage_.keeps_unmatched_ && passed.size() != rows_.size()) {
    std::vector<int32_t> failed;
    std::set_difference(rows_.begin(), rows_.end(), passed.begin(), passed.end(),
                        std::back_inserter(failed));
    unmatched_.insert(unmatched_.end(), failed.begin(), failed.end());
  }
  rows_ = std::move(passed);
  return {};
}

void ArrivalStage::Pass::DropRejectingNulls() {
  if (stage_.pads_) return;
  const auto drop = [this](int column_index) -> size_t {
    const Column& column = columns_[static_cast<size_t>(column_index)];
    if (column.null_count() == 0) return 0;
    return std::erase_if(rows_, [&](int32_t row) {
      if (column.IsNull(row) && stage_.keeps_unmatched_) unmatched_.push_back(row);
      return column.IsNull(row);
    });
  };
  for (const int key : stage_.null_key_columns_) {
    result_.counts.null_key += static_cast<int64_t>(drop(key));
  }
  for (const int column : stage_.null_rejecting_columns_) drop(column);
}

// Rows of which a key is NULL that matches no NULL.
int64_t ArrivalStage::Pass::CountNullKeys(const std::vector<Column>& keys) const {
  std::vector<const Column*> with_nulls;
  for (size_t key = 0; key < keys.size(); ++key) {
    if (stage_.null_safe_keys_[key] == 0 && keys[key].null_count() > 0) {
      with_nulls.push_back(&keys[key]);
    }
  }
  if (with_nulls.empty()) return 0;
  int64_t count = 0;
  for (int64_t row = 0; row < length_; ++row) {
    if (std::any_of(with_nulls.begin(), with_nulls.end(),
                    [row](const Column* key) { return key->IsNull(row); })) {
      ++count;
    }
  }
  return count;
}

Status ArrivalStage::Pass::Densify() {
  if (!unmatched_.empty()) {
    result_.unmatched_columns = GatherNeeded(columns_, unmatched_);
    result_.num_unmatched = static_cast<int64_t>(unmatched_.size());
  }
  if (!all_rows_wanted()) Compact();
  return {};
}

Status ArrivalStage::Pass::MakeKeysAndPayload() {
  // A key or payload expression may fail for a row, or a key be too long; then everything is made
  // again without it.
  while (true) {
    std::vector<Column> keys;
    for (const Evaluator& key : stage_.keys_) {
      keys.push_back(key.Evaluate(columns_, length_, &context_));
    }
    if (stage_.hashed_keys_) NoteLongKeys(stage_.keys_, keys, length_, &context_.row_errors);
    std::vector<Column> payload;
    for (const Evaluator& expression : stage_.payload_) {
      payload.push_back(expression.Evaluate(columns_, length_, &context_));
    }
    if (!context_.row_errors.empty()) {
      if (Status status = TakeErrors(); !status) return status;
      if (!all_rows_wanted()) {
        Compact();
        continue;
      }
    }
    result_.counts.null_key += CountNullKeys(keys);
    result_.keys = ComputeKeyWords(keys, stage_.null_safe_keys_, length_);
    if (stage_.hashed_keys_) result_.key_columns = std::move(keys);
    result_.payload = std::move(payload);
    if (!stage_.time_.empty()) result_.time = MinimumTime(stage_.time_, columns_);
    return {};
  }
}

Result<Arrivals> ArrivalStage::Pass::Run(const ReadRows& read, std::optional<Watermark> late) {
  if (late) DropLate(read, *late);
  Status status = DropErrors(read.errors);
  if (status) status = MakeProcessingTimeColumns(read);
  if (status) KeepLate();
  if (status) status = ApplySteps();
  if (status && stage_.where_) {
    std::vector<int32_t> passed;
    status = Filter(*stage_.where_, &passed);
    rows_ = std::move(passed);
  }
  if (status && stage_.joins_) {
    SplitNullTimes();
    status = ApplyPreJoinFilter();
    if (status) DropRejectingNulls();
  }
  if (status) status = Densify();
  if (status && stage_.joins_) status = MakeKeysAndPayload();
  if (!status) return tl::unexpected(status.error());
  result_.columns = std::move(columns_);
  result_.num_rows = length_;
  result_.rows = std::move(read_rows_);
  return std::move(result_);
}

Result<Arrivals> ArrivalStage::Arrive(const ReadRows& rows, std::optional<Watermark> late,
                                      OnRowError on_error, const EvaluationContext& context) const {
  return Pass(*this, rows, on_error, context).Run(rows, late);
}

}  // namespace braid
