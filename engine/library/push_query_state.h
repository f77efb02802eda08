// All that a PushQuery has: the planned job, the query that rows are pushed into, and the program's
// functions.
//
// Ownership: owns the job, whose plan and zone the query borrows; shares the engine's state.
// Thread rule: one thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "braid/error.h"
#include "braid/push_query.h"
#include "braid/row_batch.h"
#include "braid/row_function.h"
#include "braid/sink.h"
#include "engine/library/query_description.h"
#include "engine/perrecord/pushed_query.h"
#include "engine/session/job.h"

namespace braid {

// Gathers the rows of a call, and gives them to a function.
class PushedRowsSink final : public Sink {
 public:
  // `what` names the function in messages.
  PushedRowsSink(RowFunction function, std::string what)
      : function_(std::move(function)), what_(std::move(what)) {}

  std::string description() const override { return what_; }
  bool takes_changes() const override { return true; }
  Status Open(const SinkContext& /*context*/) override { return {}; }
  Status BeginBatch(int64_t /*batch_id*/) override { return {}; }
  Status Write(int partition, const RowBatch& rows) override;
  Status PublishBatch(int64_t batch_id) override;

 private:
  const RowFunction function_;  // May be none: the rows are dropped.
  const std::string what_;
  std::vector<RowBatch> written_;
};

struct PushQueryState {
  static Result<std::unique_ptr<PushQueryState>> Create(const QueryDescription& description,
                                                        RowFunction function, PushOptions options);

  // The inputs that a table's name or alias stands for.
  Result<std::vector<size_t>> Find(std::string_view table) const;
  // The input of one side, of a query that joins two tables; `call` is named in the error.
  Result<std::vector<size_t>> FindSide(Side side, const char* call) const;

  // Calls of the program; the functions have got what came of them.
  Status Push(const Result<std::vector<size_t>>& tables, const RowBatch& rows);
  Status AdvanceWatermark(const Result<std::vector<size_t>>& tables, Watermark watermark);
  Status AdvanceClock(EventTime now);
  Status EndOfInput();

  std::vector<size_t> AllTables() const;
  Result<std::shared_ptr<const Schema>> SchemaOf(const Result<std::vector<size_t>>& tables) const;
  // Null without a join.
  const PerRecordJoin* uppermost() const;

  // Whether a call may run now.
  Status CheckCall() const;
  // Gives the functions what came of a call that went well.
  Status Give(const Status& ran);

  std::shared_ptr<EngineState> engine;
  std::unique_ptr<Job> job;
  std::unique_ptr<PushedRowsSink> result;
  std::unique_ptr<PushedRowsSink> late_rows;
  std::unique_ptr<PushedRowsSink> unmatched_rows;
  std::unique_ptr<PushedQuery> query;
  std::optional<Error> error;  // Of a function: final.
  bool calls_function = false;
};

}  // namespace braid
