// The symmetric hash join of one partition: new rows of a side probe the other side's state and
// enter their own side's.
//
// A batch runs like this (docs/semantics.md, "One batch"): all left rows, then all right rows,
// which see this batch's left rows; SEMI and ANTI the other way round. At its end both sides are
// evicted with the batch's watermark, and evicted rows of a padding side that never matched come
// out padded.
//
// Thread rule: one thread at a time, but for Store beside Probe (stores_apart); partitions share
// nothing but immutable plans.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "braid/error.h"
#include "braid/time.h"
#include "engine/expression/evaluator.h"
#include "engine/microbatch/abandon_flag.h"
#include "engine/microbatch/activity_recorder.h"
#include "engine/microbatch/arrival_stage.h"
#include "engine/microbatch/pair_queue.h"
#include "engine/microbatch/report_output.h"
#include "engine/microbatch/row_output.h"
#include "engine/plan/stream_plan.h"
#include "state/side_state.h"

namespace braid {

struct JoinCounts {
  int64_t updated = 0;     // Rows stored by this batch.
  int64_t removed = 0;     // Rows evicted, and SEMI or ANTI rows removed by a match.
  int64_t padded = 0;      // Rows emitted null-padded.
  int64_t row_errors = 0;  // Candidate pairs dropped for an error in the postJoinFilter.
};

class SymmetricHashJoin {
 public:
  struct Options {
    OnRowError on_error = OnRowError::kFail;
    bool durable = false;  // Deltas are taken after each batch.
    std::array<uint32_t, 2> lineages = {0, 0};
    ActivityRecorder* activity = nullptr;    // Is told of rows that are padded; borrowed.
    const AbandonFlag* abandoned = nullptr;  // Looked at once a block of pairs; borrowed, or null.
    // Where unmatched rows are reported, and the sink's partition; null unless the plan reports
    // them. Borrowed.
    ReportOutput* unmatched_rows = nullptr;
    int partition = 0;
    std::shared_ptr<StateBudget> budget;  // Null: all of the state stays in memory.
  };

  // `plan` must outlive the join.
  static Result<std::unique_ptr<SymmetricHashJoin>> Create(const JoinPlan& plan, RowOutput* output,
                                                           const OutputPlan& output_plan,
                                                           const Options& options);

  // How a side's rows are kept.
  static SideStateOptions StateOptions(const JoinPlan& plan, Side side, const Options& options);

  // Which side's rows come first in a batch.
  static Side FirstSide(JoinType type) {
    return type == JoinType::kLeftSemi || type == JoinType::kLeftAnti ? Side::kRight : Side::kLeft;
  }

  // Starts a batch that runs and evicts with `watermark`.
  void BeginBatch(int64_t batch_id, std::optional<Watermark> watermark,
                  const EvaluationContext& context);

  // New rows of one side, `rows` of `arrivals` belong to this partition: first they find their
  // partners, and the pairs go out, then they enter their side's state.
  Status Probe(Side side, const Arrivals& arrivals, std::span<const int32_t> rows);
  Status Store(Side side, const Arrivals& arrivals, std::span<const int32_t> rows);

  // SEMI and ANTI emit rows of one side, and no pairs.
  bool emits_pairs() const { return !is_semi_or_anti(); }
  // Between the two, what Probe finds may go out on the thread that runs DrainPairs; what it finds
  // last does at the latest in ClosePairs. Pairs go out in the order without it.
  void OpenPairs() { pairs_.Open(); }
  Status ClosePairs() { return pairs_.Close(); }
  void DrainPairs() { pairs_.Drain(); }

  // Whether Store of this side's rows need not wait for their Probe: what is stored does not depend
  // on who matched. Then one thread may probe with rows while another one stores them, for each of
  // the two touches only one side's state.
  bool stores_apart(Side side) const {
    return !plan_.tracks_matches(side) && !(removes_matched() && side == Side::kLeft);
  }

  // Emits the rows of `arrivals` that cannot match, of a side that pads, and reports them.
  Status TakeUnmatched(Side side, const Arrivals& arrivals);

  // Evicts both sides, pads and reports; with `flush` everything leaves.
  Status EndBatch(bool flush);

  const JoinCounts& counts() const { return counts_; }
  SideState& state(Side side) { return states_[Index(side)]; }
  const SideState& state(Side side) const { return states_[Index(side)]; }

  // The threshold that `side` is cleaned with at `watermark`; absent if it is never evicted.
  static std::optional<EventTime> Threshold(const JoinPlan& plan, Side side,
                                            std::optional<Watermark> watermark);

 private:
  // How many rows of one state column list go out at once.
  static constexpr size_t kRowsAtOnce = SideState::kMatchesMax;

  SymmetricHashJoin(const JoinPlan& plan, RowOutput* output, const OutputPlan& output_plan,
                    const Options& options);

  // Whether a left row of SEMI or ANTI is done with once it has matched. Where unmatched rows are
  // reported it waits on, for the right rows that match it later.
  bool removes_matched() const { return is_semi_or_anti() && !plan_.reports_unmatched; }
  bool is_abandoned() const { return abandoned_ != nullptr && abandoned_->is_raised(); }
  bool is_semi_or_anti() const {
    return plan_.type == JoinType::kLeftSemi || plan_.type == JoinType::kLeftAnti;
  }
  int NumColumns(Side side) const { return plan_.side(side).input.schema.num_columns(); }
  // Index of the side's first column among the joined ones.
  int FirstColumn(Side side) const { return side == Side::kLeft ? 0 : NumColumns(Side::kLeft); }

  Status FilterPairs(Side side, const Arrivals& arrivals);
  Status TakeMatches(Side side, const Arrivals& arrivals);
  Status TakeSemiMatches(Side side, const Arrivals& arrivals);
  Status EmitPairs(const PairBlock& pairs);
  Status EmitOneSide(Side side, int64_t num_rows, const std::function<Column(int)>& own_column);
  Status EmitStored(Side side, std::span<const RowId> rows);
  // Whether Store keeps every row.
  bool StoresAll(Side side, const Arrivals& arrivals, std::span<const int32_t> rows,
                 std::optional<EventTime> threshold) const;
  void Append(Side side, const Arrivals& arrivals, std::span<const int32_t> rows);

  // Unmatched rows to their table: `column(i)` gives column i of the side.
  Status Report(Side side, int64_t num_rows, const std::function<Column(int)>& own_column) const;
  Status ReportExpired(Side side, const Arrivals& arrivals, std::span<const int32_t> rows) const;
  Status TakeEvicted(Side side, std::span<const RowId> rows);

  // Joined columns `wanted` of pairs: the arriving side's from its batch, the other's from state.
  void GatherPairs(Side side, const Arrivals& arrivals, std::span<const int32_t> arriving,
                   std::span<const RowId> stored, const std::vector<int>& wanted,
                   std::vector<Column>* columns) const;
  Result<std::vector<Column>> GatherColumns(Side side, const std::vector<int>& wanted,
                                            std::span<const RowId> rows) const;
  Column GatherStored(Side side, int column, std::span<const RowId> rows) const;
  // A column of NULLs of the type of joined column `column`. The longest one so far is kept, and
  // shared by those given out.
  Column NullColumn(int column, int64_t length);

  const JoinPlan& plan_;
  RowOutput* output_;
  OnRowError on_error_;
  ActivityRecorder* activity_;
  const AbandonFlag* abandoned_;
  std::vector<int> output_columns_;
  std::optional<Evaluator> post_join_filter_;
  std::vector<int> filter_columns_;
  bool hashed_keys_ = false;
  ReportOutput* unmatched_rows_;
  int partition_;

  std::array<SideState, 2> states_;
  int64_t batch_id_ = 0;
  std::optional<Watermark> watermark_;
  EvaluationContext context_;
  JoinCounts counts_;

  // Scratch, reused from call to call.
  Matches matches_;
  std::vector<uint8_t> arriving_matched_;  // One byte a row of the arriving batch.
  std::vector<int32_t> stored_rows_;       // Of the arriving batch. Store's own, as the next one.
  std::vector<uint8_t> stored_matched_;    // One byte a row that is stored.
  std::vector<int32_t> kept_;
  std::vector<Column> columns_;
  std::vector<Column> pair_columns_;                         // EmitPairs' own.
  std::vector<std::shared_ptr<const Column>> null_columns_;  // By joined column; null: none yet.

  PairQueue pairs_;
};

}  // namespace braid
