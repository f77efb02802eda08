#include "engine/perrecord/per_record_join.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "braid/column_builder.h"
#include "engine/perrecord/bulk_interval_join.h"
#include "engine/perrecord/datastream_join.h"
#include "engine/perrecord/interval_join.h"
#include "engine/perrecord/regular_join.h"
#include "state/rows/check.h"

namespace braid {

namespace {

// Result rows that are gathered at once.
constexpr size_t kOutputRowsMax = 16'384;

SideStateOptions StateOptions(const JoinPlan& plan, Side side, const PerRecordOptions& options) {
  const JoinSidePlan& side_plan = plan.side(side);
  std::vector<DataType> key_types;
  for (const ExpressionPtr& key : side_plan.keys) key_types.push_back(key->type);
  SideStateOptions state;
  state.key_kind = KeyWordKindOf(key_types, plan.null_safe_keys);
  state.has_time = true;
  state.time_precision = 3;
  if (!side_plan.time.empty()) {
    const size_t column = static_cast<size_t>(side_plan.time[0].column);
    state.time_precision = side_plan.input.schema.fields[column].type.precision;
  }
  if (plan.per_record->chosen == PerRecordOperator::kRegular) {
    state.time_precision = options.state_ttl_ms ? 3 : 6;
  }
  state.track_matches = plan.tracks_matches(side) || plan.type == JoinType::kLeftSemi;
  for (const ExpressionPtr& payload : side_plan.payload_expressions) {
    state.payload.push_back(payload->type);
  }
  state.lineage = options.lineages[Index(side)];
  state.collect_delta = options.durable;
  state.budget = options.budget;
  return state;
}

// The word that rows with a NULL key get where the key itself is the word.
uint64_t WordOfNull() {
  ColumnBuilder builder(DataType::BigInt());
  builder.AppendNull();
  const Column key = builder.Finish();
  const uint8_t null_safe = 0;
  return ComputeKeyWords({&key, 1}, {&null_safe, 1}, 1).words[0];
}

}  // namespace

PerRecordJoin::PerRecordJoin(const JoinPlan& plan, const PerRecordOptions& options)
    : plan_(plan),
      options_(options),
      null_word_(WordOfNull()),
      states_{SideState(StateOptions(plan, Side::kLeft, options)),
              SideState(StateOptions(plan, Side::kRight, options))} {
  hashed_keys_ = StateOptions(plan, Side::kLeft, options).key_kind == KeyWordKind::kHash;
  context_.zone = options.zone;
}

Result<std::unique_ptr<PerRecordJoin>> PerRecordJoin::Create(const JoinPlan& plan,
                                                             std::vector<int> output_columns,
                                                             const PerRecordOptions& options,
                                                             JoinOutput* output) {
  std::unique_ptr<PerRecordJoin> join;
  switch (plan.per_record->chosen) {
    case PerRecordOperator::kRowTimeInterval:
    case PerRecordOperator::kProcessingTimeInterval:
      if (BulkIntervalJoin::Takes(plan, options)) {
        join = std::make_unique<BulkIntervalJoin>(plan, options);
      } else {
        join = std::make_unique<IntervalJoin>(plan, options);
      }
      break;
    case PerRecordOperator::kDataStreamInterval:
      if (plan.type != JoinType::kInner) {
        return Fail(ErrorCode::kInvalidQuery,
                    "per-record.interval-join = datastream takes inner joins only");
      }
      join = std::make_unique<DataStreamJoin>(plan, options);
      break;
    case PerRecordOperator::kRegular:
      join = std::make_unique<RegularJoin>(plan, options);
      break;
  }
  if (Status made = join->Init(std::move(output_columns), output); !made) {
    return tl::unexpected(made.error());
  }
  return join;
}

Status PerRecordJoin::Init(std::vector<int> output_columns, JoinOutput* output) {
  output_columns_ = std::move(output_columns);
  output_ = output;
  if (plan_.post_join_filter == nullptr) return {};
  Result<Evaluator> condition = Evaluator::Create(plan_.post_join_filter);
  if (!condition) return tl::unexpected(condition.error());
  condition_ = std::move(*condition);
  condition_columns_ = ReferencedColumns(*plan_.post_join_filter);
  return {};
}

Status PerRecordJoin::Process(const RecordBlock& block) {
  block_ = &block;
  if (Status stored = Store(block); !stored) return stored;
  if (Status run = Run(block); !run) return run;
  Status flushed = Flush();
  for (SideState& side : states_) side.ReleaseEvicted();
  unseen_ = {kRowIdEnd, kRowIdEnd};
  block_ = nullptr;
  return flushed ? spill_status() : flushed;
}

Status PerRecordJoin::spill_status() const {
  for (const SideState& side : states_) {
    if (Status kept = side.spill_status(); !kept) return kept;
  }
  return {};
}

Status PerRecordJoin::EndGroup() {
  if (is_abandoned()) return options_.abandoned->Check();
  const size_t num_waiting = left_.size() + unmatched_[0].size() + unmatched_[1].size();
  return num_waiting < kOutputRowsMax ? Status() : Flush();
}

// Appends all rows of the block; none of them is seen yet.
Status PerRecordJoin::Store(const RecordBlock& block) {
  for (const Side side : kBothSides) {
    const RecordSide& records = block.sides[Index(side)];
    std::vector<RowId>& ids = rows_[Index(side)];
    ids.clear();
    unseen_[Index(side)] = kRowIdEnd;
    if (records.num_rows == 0) continue;
    num_arrived_ += records.num_rows;
    const Result<Column> times = TimesOf(side, block);
    if (!times) return tl::unexpected(times.error());
    std::vector<int32_t> rows(static_cast<size_t>(records.num_rows));
    std::iota(rows.begin(), rows.end(), static_cast<int32_t>(records.first));
    ArrivingRows arriving;
    arriving.keys = &records.rows->keys;
    // Rows with a NULL key are found by their word like others: they are cleaned up by key.
    arriving.links_all = true;
    arriving.times = &*times;
    arriving.payload = records.rows->payload;
    arriving.rows = rows;
    state(side).AppendAndName(arriving, &ids);
    unseen_[Index(side)] = ids[0];
  }
  return {};
}

void PerRecordJoin::MarkSeen(const RecordStep& step) {
  const std::vector<RowId>& ids = rows_[Index(step.side)];
  const size_t next = PlaceOf(step) + 1;
  unseen_[Index(step.side)] = next < ids.size() ? ids[next] : kRowIdEnd;
}

void PerRecordJoin::CompareKeys(std::span<const RowId> left, std::span<const RowId> right,
                                std::vector<int32_t>* kept) const {
  std::array<std::vector<Column>, 2> keys;
  for (const Side side : kBothSides) {
    const std::span<const RowId> rows = side == Side::kLeft ? left : right;
    for (const int payload : plan_.side(side).key_payload) {
      keys[Index(side)].push_back(state(side).GatherPayload(payload, rows));
    }
  }
  std::vector<int32_t> same = *kept;
  KeepEqualKeys(keys[0], keys[1], plan_.null_safe_keys, &same, kept);
}

// Some rows of one side of a list of results: those that are there, and where they go.
struct PerRecordJoin::PresentRows {
  explicit PresentRows(std::span<const RowId> rows) : all(rows) {
    const auto missing = static_cast<size_t>(std::count(rows.begin(), rows.end(), kNoRow));
    if (missing == 0) return;
    some.reserve(rows.size() - missing);
    positions.reserve(rows.size());
    for (const RowId row : rows) {
      positions.push_back(row == kNoRow ? -1 : static_cast<int32_t>(some.size()));
      if (row != kNoRow) some.push_back(row);
    }
  }

  std::span<const RowId> all;
  std::vector<RowId> some;
  std::vector<int32_t> positions;  // In `some`, or -1; empty: all are there.
};

void PerRecordJoin::Evaluate(std::span<const RowId> left, std::span<const RowId> right,
                             std::span<Verdict> verdicts) {
  std::vector<int32_t> kept(verdicts.size());
  std::iota(kept.begin(), kept.end(), 0);
  CompareKeys(left, right, &kept);
  if (condition_ && !kept.empty()) {
    const int num_columns =
        plan_.sides[0].input.schema.num_columns() + plan_.sides[1].input.schema.num_columns();
    std::vector<Column> columns(static_cast<size_t>(num_columns));
    const std::array<PresentRows, 2> rows = {PresentRows(left), PresentRows(right)};
    for (const int column : condition_columns_) {
      columns[static_cast<size_t>(column)] = GatherJoined(column, rows);
    }
    context_.processing_time = {SaturatingMultiply(clock_.millis, 1'000)};
    condition_->Filter(columns, &context_, &kept);
  }
  std::fill(verdicts.begin(), verdicts.end(), Verdict::kNo);
  for (const int32_t pair : kept) verdicts[static_cast<size_t>(pair)] = Verdict::kYes;
  for (const RowError& error : context_.row_errors) {
    verdicts[static_cast<size_t>(error.row)] = Verdict::kError;
    errors_.push_back(
        {ErrorCode::kInvalidInput, error.message + " (in a pair of rows)", error.place});
  }
  context_.row_errors.clear();
}

Status PerRecordJoin::MeetRowError() {
  if (options_.on_error == OnRowError::kFail) return tl::unexpected(errors_[0]);
  ++num_row_errors_;
  return {};
}

std::optional<int64_t> PerRecordJoin::OldestTime(Side side) const {
  std::optional<int64_t> oldest;
  for (const RowId row : state(side).LiveRows()) {
    const int64_t time = state(side).TimeOf(row);
    oldest = std::min(oldest.value_or(time), time);
  }
  return oldest;
}

bool PerRecordJoin::NoteWatermark(Side side, int64_t millis) {
  int64_t& input = clock_.input_watermarks[Index(side)];
  if (millis <= input) return false;
  const int64_t before = clock_.watermark();
  input = millis;
  return clock_.watermark() > before;
}

Column PerRecordJoin::GatherStored(Side side, int column, std::span<const RowId> rows) const {
  const StoredColumn& stored = *plan_.side(side).stored[static_cast<size_t>(column)];
  if (stored.from == StoredColumn::From::kTime) return state(side).GatherTime(stored.type, rows);
  BRAID_CHECK(stored.from == StoredColumn::From::kPayload, "keys are kept as columns");
  return state(side).GatherPayload(stored.payload, rows);
}

Column PerRecordJoin::GatherJoined(int column, const std::array<PresentRows, 2>& rows) const {
  const int num_left = plan_.side(Side::kLeft).input.schema.num_columns();
  const Side side = column < num_left ? Side::kLeft : Side::kRight;
  const int own = side == Side::kLeft ? column : column - num_left;
  const PresentRows& present = rows[Index(side)];
  if (present.positions.empty()) return GatherStored(side, own, present.all);
  return Gather(GatherStored(side, own, present.some), present.positions);
}

void PerRecordJoin::GatherUnmatched() {
  for (const Side side : kBothSides) {
    std::vector<RowId>& rows = unmatched_[Index(side)];
    UnmatchedRows& unmatched = pending_.unmatched[Index(side)];
    unmatched.num_rows = std::ssize(rows);
    unmatched.columns.resize(static_cast<size_t>(plan_.side(side).input.schema.num_columns()));
    for (const int column : options_.reported_columns[Index(side)]) {
      unmatched.columns[static_cast<size_t>(column)] = GatherStored(side, column, rows);
    }
    rows.clear();
  }
}

// Gathers the columns of what was emitted and gives it to the output.
Status PerRecordJoin::Flush() {
  const bool any_unmatched = !unmatched_[0].empty() || !unmatched_[1].empty();
  if (left_.empty() && pending_.watermarks.empty() && pending_.late.empty() && !any_unmatched) {
    return {};
  }
  const bool left_only = is_semi() || is_anti();
  const int num_left = plan_.side(Side::kLeft).input.schema.num_columns();
  const int num_right = plan_.side(Side::kRight).input.schema.num_columns();
  pending_.num_rows = static_cast<int64_t>(left_.size());
  pending_.columns.assign(static_cast<size_t>(left_only ? num_left : num_left + num_right),
                          Column());
  const std::array<PresentRows, 2> rows = {PresentRows(left_), PresentRows(right_)};
  for (const int column : output_columns_) {
    pending_.columns[static_cast<size_t>(column)] = GatherJoined(column, rows);
  }
  if (any_unmatched) GatherUnmatched();
  // What was not read is NULL here, and was when conditions were evaluated.
  if (Status read = spill_status(); !read) return read;
  Status taken = output_->Take(pending_);
  left_.clear();
  right_.clear();
  pending_ = {};
  return taken;
}

std::array<SideDelta, 2> PerRecordJoin::TakeDeltas() {
  std::array<SideDelta, 2> deltas;
  for (const Side side : kBothSides) {
    deltas[Index(side)] = state(side).TakeDelta();
    deltas[Index(side)].side = StoreSide(side);
  }
  TakeOperatorDeltas(&deltas);
  return deltas;
}

Status PerRecordJoin::Restore(VersionedStore* store, int64_t version, const JoinClock& clock) {
  clock_ = clock;
  for (const Side side : kBothSides) {
    Status read = store->ReadSide(version, StoreSide(side), [this, side](StateRows run) -> Status {
      run.times = RestoredTimes(side, run);
      std::vector<int32_t> rows(static_cast<size_t>(run.num_rows));
      std::iota(rows.begin(), rows.end(), 0);
      state(side).Restore(run, rows);
      return state(side).spill_status();
    });
    if (!read) return read;
  }
  return RestoreOperator(store, version);
}

int64_t PerRecordJoin::index_bytes() const {
  return states_[0].index_bytes() + states_[1].index_bytes();
}

int64_t PerRecordJoin::spilled_bytes() const {
  return states_[0].spilled_bytes() + states_[1].spilled_bytes();
}

int64_t PerRecordJoin::memory_bytes() const {
  return states_[0].memory_bytes() + states_[1].memory_bytes();
}

}  // namespace braid
