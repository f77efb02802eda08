// The joins of a query, from the tables up to the output. A block of records runs through the joins
// below a join before it runs through that one; what they give is put in order again by the
// positions of the records that caused it, so that the result is the same as if one record after
// the other had gone all the way.
//
// Ownership: the plan and the output are borrowed and must outlive the tree.
// Thread rule: one thread at a time; stages are immutable.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "braid/error.h"
#include "braid/sink.h"
#include "engine/microbatch/arrival_stage.h"
#include "engine/perrecord/input_block.h"
#include "engine/perrecord/join_output.h"
#include "engine/perrecord/per_record_join.h"
#include "engine/plan/stream_plan.h"
#include "state/versioned_store.h"

namespace braid {

// Takes what the uppermost join gives, piece by piece. `positions`: of the steps that the block's
// rows name.
class TreeOutput {
 public:
  virtual ~TreeOutput() = default;
  virtual Status Take(const OutputBlock& block, std::span<const int32_t> positions) = 0;
};

// Where late and unmatched rows go, if the plan reports them. Borrowed.
struct ReportSinks {
  Sink* late_rows = nullptr;
  Sink* unmatched_rows = nullptr;
  // Called before rows are written, if it is set: they may come from the clock or an idle table
  // alone.
  std::function<Status()> before_rows = {};
};

// What the joins did since it was asked last.
struct TreeCounts {
  int64_t late = 0;          // DataStream join.
  int64_t null_time = 0;     // Rows that cannot match for a NULL time.
  int64_t row_errors = 0;    // Under on-row-error = drop.
  int64_t arrived = 0;       // Rows that came to a join.
  int64_t padded = 0;        // Result rows without a partner.
  int64_t late_written = 0;  // To late-rows.table.
  int64_t unmatched_written = 0;

  friend TreeCounts operator-(const TreeCounts& left, const TreeCounts& right);
};

class JoinTree {
 public:
  // `output_columns`: the joined columns that the output needs. Without a join, the one table's
  // rows go to the output.
  static Result<std::unique_ptr<JoinTree>> Create(const StreamPlan& plan,
                                                  std::vector<int> output_columns,
                                                  const PerRecordOptions& options,
                                                  const ReportSinks& reports, TreeOutput* output);
  ~JoinTree();

  // Fresh joins. `store` gives lineages if the query is durable, and, with a version, the rows to
  // go on from; `clocks` has one entry a join then.
  Status Restore(VersionedStore* store, std::optional<int64_t> version,
                 std::span<const JoinClock> clocks);

  // The stage of a table, in the order of TableInputs(plan).
  const ArrivalStage& stage(size_t table) const { return *stages_[table]; }

  // `batch_id`: the epoch's, for reported rows.
  Status Process(const InputBlock& block, int64_t batch_id);

  // For the store: the delta of side s of join j is of side 2 * j + s.
  std::vector<SideDelta> TakeDeltas();
  TreeCounts TakeCounts();
  // Late rows of a table so far, in the order of TableInputs(plan).
  int64_t num_late_rows(size_t table) const;

  // In the order of Joins(plan): children first, the uppermost one last.
  size_t num_joins() const { return joins_.size(); }
  const PerRecordJoin& join(size_t index) const;
  PerRecordOperator chosen(size_t index) const;
  std::vector<JoinClock> clocks() const;
  int64_t num_state_rows() const;
  int64_t memory_bytes() const;
  int64_t index_bytes() const;    // Of these, entries and heads.
  int64_t spilled_bytes() const;  // On disk, beyond the budget.
  // Whether any join keeps its rows by the clock.
  bool uses_clock() const { return uses_clock_; }
  // Whether time lets rows of the join go.
  bool lets_rows_go(size_t index) const;
  // Whether a watermark lets rows of any join go.
  bool uses_watermarks() const;

 private:
  class Node;
  // Where the rows of one input of a join come from: a table, or a join below.
  struct Input {
    int table = -1;
    Node* node = nullptr;
  };

  JoinTree(const PerRecordOptions& options, const ReportSinks& reports);

  Result<Input> AddInput(const JoinPlan& join, Side side);
  Result<Node*> AddJoin(const StreamPlan& plan, std::vector<int> output_columns,
                        TreeOutput* output);
  Status ProcessTable(const TableRows& table);

  const PerRecordOptions options_;
  const ReportSinks reports_;
  TreeOutput* output_ = nullptr;
  bool uses_clock_ = false;
  std::vector<std::unique_ptr<ArrivalStage>> stages_;  // Of the tables.
  std::vector<std::unique_ptr<Node>> joins_;           // Children first.
  TreeCounts told_;                                    // By TakeCounts so far.
};

}  // namespace braid
