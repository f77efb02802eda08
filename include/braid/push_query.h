// A per-record query that the program feeds by hand, for a join inside a program and for unit tests
// of a job: rows, watermarks and the clock come by calls, and what comes of a call has been given
// to the program's function when the call returns. It has no thread, no source and no clock of its
// own, and keeps its state in memory.
//
//   std::vector<std::string> seen;
//   Result<PushQuery> join = engine.Sql(job_text).Mode(Mode::kPerRecord).Push(
//       [&](const RowBatch& rows) { … rows.change_kind(row), rows.Int64(0, row) … });
//   join->PushLeftRow(7, EventTime{1'000'000});
//   join->AdvanceWatermark(Watermark{90'000});
//
// It is the whole job: computed columns, filters, views, all joins, the SELECT list, the casts to
// the columns of the INSERT's table. What the text says of connectors, and what the builder was
// told of sources, sinks, listeners, triggers and checkpoints, is not used.
//
// The function is called at most once a call, with all rows of it in the order in which they came;
// not for calls that give none. An error that it returns, or an exception that it throws
// (kProgram), comes back from the call. Errors: rows that do not fit their table (kInvalidInput), a
// table that is not read (kNotFound) and calls that the query has no use for (kInvalidQuery) change
// nothing. Any other error is final: the function gets nothing of that call, and every later one
// gives the same error. Thread rule: one thread at a time; the function must not call the query
// (kInvalidQuery).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "braid/change_kind.h"
#include "braid/error.h"
#include "braid/export.h"
#include "braid/row_batch.h"
#include "braid/row_batch_builder.h"
#include "braid/row_function.h"
#include "braid/schema.h"
#include "braid/time.h"

namespace braid {

struct PushQueryState;  // The query's own.

struct PushOptions {
  // Rows move no watermark; AdvanceWatermark alone does, as in a test of a Flink operator.
  // Otherwise a table's WATERMARK follows its rows as in a run, and AdvanceWatermark may be ahead
  // of it.
  bool watermarks_by_hand = false;
  // Get the rows of late-rows.table and of unmatched-rows.table. kInvalidOption if the job names no
  // such table.
  RowFunction late_rows = {};
  RowFunction unmatched_rows = {};
};

class BRAID_EXPORT PushQuery {
 public:
  PushQuery(PushQuery&& other) noexcept;
  PushQuery& operator=(PushQuery&& other) noexcept;
  ~PushQuery();

  // Rows of the left or the right table of a query that joins two. They are taken one after the
  // other, each with the watermark that follows it. Their columns are those that CREATE TABLE
  // declares, without computed ones. Kinds other than +I are refused if they would come to a join
  // with a time bound, which takes none.
  Status PushLeft(const RowBatch& rows);
  Status PushRight(const RowBatch& rows);
  // The same of any query, by the table's name, or by its alias in the query. A table that is read
  // twice gets each row in both places, the left one first; an alias names one of them.
  Status Push(std::string_view table, const RowBatch& rows);

  // One row, as RowBatchBuilder::Append and AppendChange take it: REQUIRES a value a column.
  template <typename... Values>
  Status PushLeftRow(const Values&... values) {
    return RowOf(left_schema(), ChangeKind::kInsert, values...)
        .and_then([this](const RowBatch& row) { return PushLeft(row); });
  }
  template <typename... Values>
  Status PushRightRow(const Values&... values) {
    return RowOf(right_schema(), ChangeKind::kInsert, values...)
        .and_then([this](const RowBatch& row) { return PushRight(row); });
  }
  template <typename... Values>
  Status PushRow(std::string_view table, const Values&... values) {
    return RowOf(schema(table), ChangeKind::kInsert, values...).and_then([&](const RowBatch& row) {
      return Push(table, row);
    });
  }
  template <typename... Values>
  Status PushLeftChange(ChangeKind kind, const Values&... values) {
    return RowOf(left_schema(), kind, values...).and_then([this](const RowBatch& row) {
      return PushLeft(row);
    });
  }
  template <typename... Values>
  Status PushRightChange(ChangeKind kind, const Values&... values) {
    return RowOf(right_schema(), kind, values...).and_then([this](const RowBatch& row) {
      return PushRight(row);
    });
  }
  template <typename... Values>
  Status PushChange(std::string_view table, ChangeKind kind, const Values&... values) {
    return RowOf(schema(table), kind, values...).and_then([&](const RowBatch& row) {
      return Push(table, row);
    });
  }

  // The watermark of all tables, left to right, or of one. What does not go forward is no news.
  // Watermark::Infinity() ends the input: it takes no more rows. (A moment in microseconds becomes
  // a watermark by WatermarkAfter(time, {}).)
  Status AdvanceWatermark(Watermark watermark);
  Status AdvanceLeftWatermark(Watermark watermark);
  Status AdvanceRightWatermark(Watermark watermark);
  Status AdvanceWatermark(std::string_view table, Watermark watermark);

  // The clock: what PROCTIME() shows, and what joins over it, table.exec.state.ttl, periodic
  // watermarks and scan.watermark.max-ahead go by (the last only once it was set). Begins at
  // 1970-01-01 00:00 UTC and does not go back.
  Status AdvanceClock(EventTime now);

  // The end of all inputs, as at the end of a run: what waits comes out.
  Status EndOfInput();

  // The columns that rows to push have, and those of the rows that come out.
  Result<std::shared_ptr<const Schema>> left_schema() const;
  Result<std::shared_ptr<const Schema>> right_schema() const;
  Result<std::shared_ptr<const Schema>> schema(std::string_view table) const;
  const Schema& output_schema() const;

  // What waits in the uppermost join; 0 without a join.
  int64_t num_left_rows() const;
  int64_t num_right_rows() const;
  // In all joins.
  int64_t num_state_rows() const;
  // When the uppermost join cleans up: watermarks, or times of the clock, in milliseconds, rising.
  std::vector<int64_t> timer_millis() const;
  // The last watermark that the result passed on, held back as its join holds it. Absent before.
  std::optional<Watermark> watermark() const;

 private:
  friend class QueryBuilder;
  explicit PushQuery(std::unique_ptr<PushQueryState> state);

  template <typename... Values>
  static Result<RowBatch> RowOf(const Result<std::shared_ptr<const Schema>>& schema,
                                ChangeKind kind, const Values&... values) {
    if (!schema) return tl::unexpected(schema.error());
    RowBatchBuilder builder(*schema);
    builder.AppendChange(kind, values...);
    return builder.Finish();
  }

  std::unique_ptr<PushQueryState> state_;
};

}  // namespace braid
