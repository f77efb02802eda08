// A per-record query that reads nothing by itself: its caller pushes rows, watermarks and the
// clock, and what comes of each call is in the sink before it returns. No source, no store, no
// thread, no clock. The rows take the same way as those of a PerRecordQuery: ArrivalStage,
// JoinTree, RowOutput.
//
// A table's watermark follows its rows by its definition, or is moved by the caller alone. Idle
// time-outs have no meaning here: whoever pushes knows what is idle.
//
// Ownership: the plan, the zone and the sinks are borrowed and must outlive it.
// Errors: kInvalidInput for rows that do not fit the table, with nothing changed; any other error
// is final: later calls give it again.
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "braid/error.h"
#include "braid/row_batch.h"
#include "braid/sink.h"
#include "braid/time.h"
#include "engine/microbatch/row_output.h"
#include "engine/microbatch/watermark_options.h"
#include "engine/perrecord/input_watermark.h"
#include "engine/perrecord/join_tree.h"
#include "engine/plan/stream_plan.h"

namespace braid {

struct PushedQueryOptions {
  PerRecordOptions join;                 // Not durable.
  std::vector<WatermarkOptions> tables;  // One a table; ignored without a watermark.
  bool watermarks_by_hand = false;       // Rows move no watermark.
};

class PushedQuery final : private TreeOutput {
 public:
  // `result` gets the rows by Write alone, in order; so do the sinks of reports.
  static Result<std::unique_ptr<PushedQuery>> Create(const StreamPlan& plan, Sink* result,
                                                     const ReportSinks& reports,
                                                     const PushedQueryOptions& options);

  // The physical columns of a table, in the order of TableInputs(plan).
  const std::shared_ptr<const Schema>& schema(size_t table) const { return tables_[table].schema; }
  size_t num_tables() const { return tables_.size(); }

  // `rows` has the columns of schema(table). Of several tables (one that is read more than once)
  // each record goes to all of them, in their order, before the next one. REQUIRES: equal schemas.
  Status Push(std::span<const size_t> tables, const RowBatch& rows);

  // One that does not go forward is no news. Infinity says that the inputs have ended: rows of
  // theirs are refused from then on. A table without a watermark has one from here on.
  Status AdvanceWatermark(std::span<const size_t> tables, Watermark watermark);
  // What PROCTIME() shows and what processing-time joins and times to live go by; begins at 1970.
  Status AdvanceClock(EventTime now);
  // All inputs have ended, and the clock with them.
  Status EndOfInput();

  const JoinTree& tree() const { return *tree_; }
  // Of the result: held back as the uppermost join holds it; of a single table its own. Absent
  // before the first.
  std::optional<Watermark> watermark() const;
  EventTime now() const { return now_; }

 private:
  struct Table {
    const InputPlan* plan = nullptr;
    const ArrivalStage* stage = nullptr;
    std::shared_ptr<const Schema> schema;
    std::vector<int> read_columns;       // Of the schema.
    std::optional<Error> takes_changes;  // Why it does not; absent: it does.
    WatermarkOptions options;
    InputWatermark watermark;
    bool ended = false;
  };

  PushedQuery(const StreamPlan& plan, const PushedQueryOptions& options)
      : plan_(plan), options_(options) {}

  void AddTables();
  Status CheckRows(const Table& table, const RowBatch& rows) const;
  Result<std::shared_ptr<const ArrivedSlice>> Arrive(const Table& table,
                                                     const RowBatch& rows) const;
  // Rows of the i-th of `num_tables` tables that get the same ones.
  TableRows PlaceRows(std::shared_ptr<const ArrivedSlice> slice, size_t index, size_t num_tables,
                      Table* table) const;
  Status Process(const InputBlock& block);
  Status Take(const OutputBlock& block, std::span<const int32_t> positions) override;
  // Runs `call` unless an earlier one failed; its failure is final.
  template <typename Call>
  Status Run(const Call& call);

  const StreamPlan& plan_;
  const PushedQueryOptions options_;
  std::unique_ptr<OutputPlan> output_plan_;
  std::unique_ptr<RowOutput> output_;
  std::unique_ptr<JoinTree> tree_;
  std::vector<Table> tables_;
  EventTime now_;
  bool clock_is_set_ = false;
  std::optional<Watermark> watermark_;
  std::optional<Error> error_;
};

}  // namespace braid
