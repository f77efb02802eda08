// A join that runs record by record: what all operators have in common. An operator is a subclass
// that runs the steps of a block: one after the other (StepJoin), or many at a time where that
// gives the same (BulkIntervalJoin).
//
// A block is worked on like this. All its rows are appended to the two side states at once, as
// columns; each record sees only rows that stand before it in the order. Then its steps are run, a
// group at a time: the ON condition is evaluated over all pairs of a group together, since it
// depends on the pair alone, not on the order. Rows that are not kept are taken out again. Results
// are pairs of row ids, from which columns are gathered at the end of the group, before dead rows
// are released.
//
// Errors: kInvalidInput for a row error under on-row-error = fail, and for a DataStream row without
// row time. After an error the join is over.
// Thread rule: one thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "braid/error.h"
#include "engine/expression/evaluator.h"
#include "engine/microbatch/abandon_flag.h"
#include "engine/microbatch/arrival_stage.h"
#include "engine/perrecord/join_output.h"
#include "engine/perrecord/record_block.h"
#include "engine/plan/stream_plan.h"
#include "state/side_state.h"
#include "state/versioned_store.h"

namespace braid {

struct PerRecordOptions {
  int64_t allowed_lateness_ms = 0;
  int64_t min_cleanup_interval_ms = 0;
  std::optional<int64_t> state_ttl_ms;  // Regular join.
  OnRowError on_error = OnRowError::kFail;
  const TimeZone* zone = nullptr;
  bool durable = false;  // Deltas are taken.
  std::array<uint32_t, 2> lineages = {0, 0};
  // For tests: the operators that work on one step at a time; smaller groups of steps.
  bool step_by_step = false;
  size_t group_steps_max = 1024;
  // Columns of each side that the report of unmatched rows asks for.
  std::array<std::vector<int>, 2> reported_columns = {};
  const AbandonFlag* abandoned = nullptr;  // Looked at once a group of steps; borrowed, or null.
  uint8_t first_side = 0;  // What the store calls the left side; the right one is the next.
  std::shared_ptr<StateBudget> budget = nullptr;  // Null: all of the state stays in memory.
};

// What an operator knows of time besides its rows; kept with a checkpoint.
struct JoinClock {
  std::array<int64_t, 2> input_watermarks = {kUnsetMillis, kUnsetMillis};
  int64_t millis = 0;  // Processing time.

  int64_t watermark() const { return std::min(input_watermarks[0], input_watermarks[1]); }
};

class PerRecordJoin {
 public:
  // `plan` (with per_record) and `output` must outlive the join. `output_columns`: the joined
  // columns that the output needs.
  static Result<std::unique_ptr<PerRecordJoin>> Create(const JoinPlan& plan,
                                                       std::vector<int> output_columns,
                                                       const PerRecordOptions& options,
                                                       JoinOutput* output);
  virtual ~PerRecordJoin() = default;

  // Runs the steps of the block in order; the output takes what they give before it returns.
  Status Process(const RecordBlock& block);

  // What changed since the last call, for the store; and how to go on from a version of it.
  std::array<SideDelta, 2> TakeDeltas();
  Status Restore(VersionedStore* store, int64_t version, const JoinClock& clock);

  const JoinClock& clock() const { return clock_; }
  int64_t num_state_rows(Side side) const { return state(side).num_rows(); }
  virtual std::vector<int64_t> timer_times() const { return {}; }
  // The watermark at which the oldest row of the side leaves; absent without rows, and for joins
  // that let no row go by a watermark. Looks at every row.
  virtual std::optional<int64_t> NeededWatermark(Side /*side*/) const { return std::nullopt; }
  // Stored rows with a time below it have left, and deltas do not name them; absent: none have.
  virtual std::optional<EventTime> Threshold(Side /*side*/) const { return std::nullopt; }
  virtual int64_t memory_bytes() const;
  int64_t index_bytes() const;    // Of these, entries and heads.
  int64_t spilled_bytes() const;  // On disk, beyond the budget.
  int64_t num_null_times() const { return num_null_times_; }
  int64_t num_row_errors() const { return num_row_errors_; }
  int64_t num_arrived() const { return num_arrived_; }  // Rows of both sides.
  int64_t num_padded() const { return num_padded_; }    // Result rows without a partner.

 protected:
  // What became of a pair of rows: kYes if keys are equal and the whole ON condition holds.
  enum class Verdict : uint8_t { kNo, kYes, kError };

  PerRecordJoin(const JoinPlan& plan, const PerRecordOptions& options);

  // Runs the steps of the block, whose rows are stored. Ends groups of steps with EndGroup.
  virtual Status Run(const RecordBlock& block) = 0;

  virtual void TakeOperatorDeltas(std::array<SideDelta, 2>* /*deltas*/) {}
  virtual Status RestoreOperator(VersionedStore* /*store*/, int64_t /*version*/) { return {}; }
  // What a row is kept by: microseconds, or anything that Scan looks for.
  virtual Result<Column> TimesOf(Side side, const RecordBlock& block) = 0;
  // Those of rows from a checkpoint, whose columns may be others than when they were stored.
  virtual Column RestoredTimes(Side /*side*/, const StateRows& run) const { return *run.times; }

  // What the store calls the side.
  uint8_t StoreSide(Side side) const {
    return static_cast<uint8_t>(options_.first_side + Index(side));
  }
  bool is_semi() const { return plan_.type == JoinType::kLeftSemi; }
  bool is_anti() const { return plan_.type == JoinType::kLeftAnti; }
  bool pads(Side side) const { return plan_.side(side).pads; }

  Status spill_status() const;

  SideState& state(Side side) { return states_[Index(side)]; }
  const SideState& state(Side side) const { return states_[Index(side)]; }
  // Of the step's row among the rows of its side that the block holds.
  size_t PlaceOf(const RecordStep& step) const {
    return static_cast<size_t>(step.row - block_->sides[Index(step.side)].first);
  }
  RowId RowOf(const RecordStep& step) const { return rows_[Index(step.side)][PlaceOf(step)]; }
  uint64_t WordOf(const RecordStep& step) const {
    return block_->sides[Index(step.side)].rows->keys.words[static_cast<size_t>(step.row)];
  }
  // Rows of the side from here on have not been processed yet.
  RowId Unseen(Side side) const { return unseen_[Index(side)]; }
  // The row of the step is processed from now on.
  void MarkSeen(const RecordStep& step);
  // What MarkSeen moves, to go back to.
  std::array<RowId, 2> unseen() const { return unseen_; }
  void SetUnseen(const std::array<RowId, 2>& unseen) { unseen_ = unseen; }
  // Whether equal words need not mean equal keys: then every pair is evaluated.
  bool has_hashed_keys() const { return hashed_keys_; }
  bool has_condition() const { return condition_.has_value(); }
  // Whether rows with a NULL key may have the word of this row, too.
  bool SharesWordOfNull(Side side, uint64_t word) const {
    return !hashed_keys_ && word == null_word_ && !plan_.side(side).keys.empty();
  }
  // Verdicts of the pairs (left[i], right[i]); for those that are kError, errors_ gets one each.
  void Evaluate(std::span<const RowId> left, std::span<const RowId> right,
                std::span<Verdict> verdicts);
  // A pair that is an error is met: it fails the job, or is counted.
  Status MeetRowError();
  // The smallest time of the side's rows. Looks at every row.
  std::optional<int64_t> OldestTime(Side side) const;
  // Gives the output what was emitted, if it is much. kCancelled if nobody wants it.
  Status EndGroup();
  bool is_abandoned() const {
    return options_.abandoned != nullptr && options_.abandoned->is_raised();
  }

  // A row leaves, or is not kept, without ever having had a partner.
  void ReportUnmatched(Side side, RowId row, int64_t watermark) {
    if (!plan_.reports_unmatched) return;
    unmatched_[Index(side)].push_back(row);
    pending_.unmatched[Index(side)].watermarks.push_back(watermark);
  }
  void Remove(Side side, RowId row) { state(side).Remove({&row, 1}); }
  void Emit(int32_t step, RowId left, RowId right, ChangeKind kind) {
    left_.push_back(left);
    right_.push_back(right);
    pending_.kinds.push_back(kind);
    pending_.steps.push_back(step);
  }
  // The pair in the order left, right.
  void EmitPair(int32_t step, Side side, RowId own, RowId other, ChangeKind kind) {
    side == Side::kLeft ? Emit(step, own, other, kind) : Emit(step, other, own, kind);
  }
  // Pairs of one row with each of `others`.
  void EmitPairsOf(int32_t step, Side side, RowId own, const std::vector<RowId>& others) {
    std::vector<RowId>& own_rows = side == Side::kLeft ? left_ : right_;
    std::vector<RowId>& other_rows = side == Side::kLeft ? right_ : left_;
    own_rows.insert(own_rows.end(), others.size(), own);
    other_rows.insert(other_rows.end(), others.begin(), others.end());
    pending_.kinds.insert(pending_.kinds.end(), others.size(), ChangeKind::kInsert);
    pending_.steps.insert(pending_.steps.end(), others.size(), step);
  }
  void EmitPadded(int32_t step, Side side, RowId own, ChangeKind kind) {
    if (!is_semi() && IsAccumulation(kind)) ++num_padded_;
    EmitPair(step, side, own, kNoRow, kind);
  }
  void EmitWatermark(int32_t step, int64_t millis) {
    pending_.watermarks.push_back({step, static_cast<int64_t>(left_.size()), millis});
  }
  // Notes a watermark of an input; true if the minimum moved.
  bool NoteWatermark(Side side, int64_t millis);

  const JoinPlan& plan_;
  const PerRecordOptions options_;
  JoinClock clock_;
  const RecordBlock* block_ = nullptr;
  OutputBlock pending_;
  int64_t num_null_times_ = 0;
  std::array<std::vector<RowId>, 2> rows_;  // Of the block.
  std::vector<Error> errors_;               // By Evaluate since it was cleared.

 private:
  struct PresentRows;

  Status Init(std::vector<int> output_columns, JoinOutput* output);
  Status Store(const RecordBlock& block);
  void CompareKeys(std::span<const RowId> left, std::span<const RowId> right,
                   std::vector<int32_t>* kept) const;
  Status Flush();
  void GatherUnmatched();
  Column GatherStored(Side side, int column, std::span<const RowId> rows) const;
  Column GatherJoined(int column, const std::array<PresentRows, 2>& rows) const;

  JoinOutput* output_ = nullptr;
  std::vector<int> output_columns_;
  std::optional<Evaluator> condition_;
  std::vector<int> condition_columns_;
  EvaluationContext context_;
  bool hashed_keys_ = false;
  uint64_t null_word_ = 0;  // The word of a NULL key that is not hashed.
  std::array<SideState, 2> states_;
  std::array<RowId, 2> unseen_ = {kRowIdEnd, kRowIdEnd};
  std::vector<RowId> left_;
  std::vector<RowId> right_;
  std::array<std::vector<RowId>, 2> unmatched_;
  int64_t num_row_errors_ = 0;
  int64_t num_arrived_ = 0;
  int64_t num_padded_ = 0;
};

}  // namespace braid
