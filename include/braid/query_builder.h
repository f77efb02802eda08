// A query on its way to be started: its SQL, what its tables are bound to, how it runs. Each call
// gives the builder back, so that calls can be chained; what is wrong is said by Start.
//
// Ownership: a value; a copy is a builder of its own. Streams, results, listeners and functions are
// shared with the queries it starts, which may be several.
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "braid/connector.h"
#include "braid/error.h"
#include "braid/export.h"
#include "braid/memory_result.h"
#include "braid/memory_stream.h"
#include "braid/mode.h"
#include "braid/push_query.h"
#include "braid/query.h"
#include "braid/query_listener.h"
#include "braid/row_batch.h"
#include "braid/row_function.h"
#include "braid/trigger.h"

namespace braid {

struct QueryDescription;  // The builder's own.

// Which batch a ForEachBatch function is called for.
struct BatchInfo {
  int64_t id = 0;          // Rises by one from batch to batch, over restarts too.
  std::string query_name;  // pipeline.name
};

using BatchFunction = std::function<Status(const RowBatch& rows, const BatchInfo& batch)>;

class BRAID_EXPORT QueryBuilder {
 public:
  QueryBuilder(const QueryBuilder& other);
  QueryBuilder(QueryBuilder&& other) noexcept;
  QueryBuilder& operator=(const QueryBuilder& other);
  QueryBuilder& operator=(QueryBuilder&& other) noexcept;
  ~QueryBuilder();

  // ${NAME} in the text.
  QueryBuilder& Define(std::string name, std::string value);
  // Wins over a SET of the text.
  QueryBuilder& Set(std::string key, std::string value);
  QueryBuilder& Name(std::string name);
  // This query's own checkpoint directory.
  QueryBuilder& Checkpoint(std::string directory);
  QueryBuilder& Trigger(braid::Trigger trigger);
  // Micro-batch unless told otherwise. Record by record, a join with time bounds is an interval
  // join, one without is a regular join, whose rows say what they change (RowBatch::change_kind);
  // there are no triggers but Once and AvailableNow, and a batch is what lies between two
  // checkpoints (execution.checkpointing.interval).
  QueryBuilder& Mode(braid::Mode mode);

  // Rows of the table `name`, which the text declares by a CREATE TABLE (it needs no WITH, and a
  // connector there is not used), come from here. The types of the columns must agree.
  QueryBuilder& Source(std::string name, std::shared_ptr<MemoryStream> stream);
  QueryBuilder& Source(std::string name, SourceFactory factory);

  // Where the rows go instead of the INSERT's table, whose columns they keep, or of the terminal.
  // One of these two or ForEachBatch; the last call counts.
  QueryBuilder& Sink(std::shared_ptr<MemoryResult> result);
  QueryBuilder& Sink(SinkFactory factory);
  // Where the rows of the table `name` go instead of its connector: one that late-rows.table or
  // unmatched-rows.table names.
  QueryBuilder& Sink(std::string name, std::shared_ptr<MemoryResult> result);
  QueryBuilder& Sink(std::string name, SinkFactory factory);

  // `function` is called once a batch with all its rows, in the order of the batches, on the
  // query's thread; also for batches without rows. It runs before the batch is committed: after a
  // crash, or an error it returned, the same batch comes again under the same id with the same
  // rows. A function that makes its effect depend on the id (an upsert, a file named after it) so
  // works exactly once. It holds up the query while it runs. An error it returns, or an exception
  // it throws (kProgram), ends the query. It may give void or Status back.
  template <typename Function>
  QueryBuilder& ForEachBatch(Function function) {
    using Returned = std::invoke_result_t<Function&, const RowBatch&, const BatchInfo&>;
    if constexpr (std::is_void_v<Returned>) {
      return CallForEachBatch([function = std::move(function)](
                                  const RowBatch& rows, const BatchInfo& batch) mutable -> Status {
        function(rows, batch);
        return {};
      });
    } else {
      return CallForEachBatch(std::move(function));
    }
  }

  // Any number of them, called in this order.
  QueryBuilder& Listener(std::shared_ptr<QueryListener> listener);

  // Plans the query, opens its tables and its checkpoint, and runs it on a thread of its own.
  // kInvalidQuery, kInvalidOption: the text, an option, a binding; kConflict: the checkpoint
  // belongs to another query or process; kNotFound, kIo, kCorruption: tables and checkpoint.
  Result<Query> Start() const;

  // Plans the query for rows that the program pushes: no table is opened, nothing runs by itself.
  // `function` gets the rows of the result. Per-record mode only: kInvalidOption in the other one.
  // kInvalidQuery, kInvalidOption: as Start.
  Result<PushQuery> Push(RowFunction function, PushOptions options = {}) const;

  // The plan as `braid explain` prints it. Nothing is opened.
  Result<std::string> Explain() const;

  // The SQL text; of a SelectBuilder's query, what it stands for.
  const std::string& Sql() const;

 private:
  friend class Engine;
  friend class SelectBuilder;
  explicit QueryBuilder(std::unique_ptr<QueryDescription> description);
  QueryBuilder& CallForEachBatch(BatchFunction function);

  std::unique_ptr<QueryDescription> description_;
};

}  // namespace braid
