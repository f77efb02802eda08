// What a query does to its rows, taken apart the way both modes need it: one table, or a tree of
// joins of two inputs each. Of a join: the equi-join keys, preJoinFilter left and right,
// postJoinFilter, time bounds, and for each side the state watermark predicate that evicts its
// rows. The rules are SEMANTICS: docs/semantics.md.
//
// Thread rule: immutable after MakeStreamPlan; shared by all partitions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "braid/error.h"
#include "braid/mode.h"
#include "braid/schema.h"
#include "braid/time.h"
#include "engine/expression/expression.h"
#include "engine/plan/row_report.h"
#include "engine/sql/logical_plan.h"

namespace braid {

enum class Side : uint8_t { kLeft = 0, kRight = 1 };
constexpr Side Other(Side side) { return side == Side::kLeft ? Side::kRight : Side::kLeft; }
inline constexpr std::array<Side, 2> kBothSides = {Side::kLeft, Side::kRight};
constexpr size_t Index(Side side) { return static_cast<size_t>(side); }

// A step between a table and the join: a filter, or else a projection. A row passes a filter only
// if it is TRUE.
struct TransformStep {
  ExpressionPtr filter;                   // Over the columns so far; null for a projection.
  std::vector<ExpressionPtr> projection;  // Over the columns so far; they replace them.
};

struct StreamPlan;

// One table's rows on their way to the join: read, computed columns, watermark and late filter,
// then the steps of views and subqueries.
//
// In a tree of joins (per-record mode) an input is the result of another join: `query` gives its
// rows, `table` is null, there are no steps and no watermark, and the columns are those of the
// query's output, of which only needed ones are there (maybe none).
struct InputPlan {
  TablePtr table;
  std::shared_ptr<const StreamPlan> query;  // Instead of a table; has a join.
  // What messages call it: the query's own name for it; "l JOIN r" for a join without one.
  std::string alias;
  // Physical columns that are read, as indexes into table->columns, rising. Others are not parsed.
  std::vector<int> read_columns;
  // The same as a connector counts them: among the physical columns of the table.
  std::vector<int> ReadPositions() const;
  // Table columns in the order of table->columns; null where a column is not needed (the
  // watermarked one always is). A physical one is MakeColumn over read_columns' order, a computed
  // one an expression over read_columns.
  std::vector<ExpressionPtr> table_columns;
  // Index into table->columns and delay; absent when the table has no watermark.
  std::optional<WatermarkDefinition> watermark;
  // At most one filter, then at most one projection, which holds needed columns only: views and
  // subqueries are substituted. Without a projection the side's columns are the table's.
  std::vector<TransformStep> steps;
  Schema schema;  // After the steps: what the expressions below call the side's columns.
  // What messages call the same columns, as SQL: "l.ts". Of a join without a name these are the
  // names of its inputs' columns, so that they are distinct where the schema's are not.
  std::vector<std::string> column_names;
  // late-rows.table: rows that are dropped for being late are kept, with all columns it asks for.
  bool reports_late = false;
  // Table columns that nothing but late-rows.table and unmatched-rows.table read, rising: one that
  // cannot be computed for a row is NULL there, and no error of the query.
  std::vector<int> report_only_columns;
  // Those of them that only late-rows.table reads: nothing that is stored depends on them.
  std::vector<int> late_only_columns;
};

// column + offset, the smallest over a list of them, is the time a stored row is kept by.
struct TimeTerm {
  int column = -1;
  Interval offset;
};

// Where a column of a stored row comes from.
struct StoredColumn {
  enum class From : uint8_t {
    kPayload,  // Stored as it is.
    // The only key is this column, an integer, a time or a BOOLEAN: its word is the value. A NULL
    // is told from it by not being linkable.
    kKeyWord,
    kTime,  // The row's time (exactly one term with offset 0) is this column.
  };
  From from = From::kPayload;
  int payload = -1;  // Index into the payload, for kPayload.
  DataType type;
};

struct JoinSidePlan {
  InputPlan input;

  // WHERE over a preserved side alone: a row for which it is not TRUE is forgotten.
  ExpressionPtr where;
  // D7: a row with a NULL in one of these columns, times of a time bound, cannot match; padded at
  // once or dropped.
  std::vector<int> null_time_columns;
  // ON predicates over this side alone and constant ones; null for none.
  ExpressionPtr pre_join_filter;
  // A NULL here keeps an ON predicate over both sides from being TRUE; on a side that does not pad
  // such a row is forgotten. May repeat null_time_columns, which are looked at first.
  std::vector<int> null_rejecting_columns;

  // Equi-join keys over this side's columns, cast to the types both sides share.
  std::vector<ExpressionPtr> keys;

  // This side's rows are emitted null-padded (LEFT: left, ANTI: left …) when they cannot match.
  bool pads = false;

  // The row's time: the minimum of the terms; empty when nothing needs a time. Their columns are in
  // null_time_columns, or there is one term and a NULL time stays NULL (a NULL-safe key).
  std::vector<TimeTerm> time;
  // State watermark predicate: a row is removed when time < watermark + *eviction_offset (exact to
  // the microsecond). Absent: this side is never evicted.
  std::optional<Interval> eviction_offset;
  // The predicate in words: "l.ts < watermark - INTERVAL '10' SECOND"; or, without one, why there
  // is none and which line to add.
  std::string eviction_text;

  // What of a row is stored. payload_expressions are over the side's columns (a plain column, or a
  // key expression that must be compared); stored[i] says how column i of the side is got back
  // (nullopt: not needed by anyone).
  std::vector<ExpressionPtr> payload_expressions;
  std::vector<std::optional<StoredColumn>> stored;
  // For hashed keys: payload index of each key part.
  std::vector<int> key_payload;
  // Columns of the side that are stored for unmatched-rows.table alone, rising.
  std::vector<int> report_only_columns;
};

// right.time - left.time of a pair must lie in [lower, upper], microseconds, both inclusive;
// nothing matches when lower > upper. Only what the stored times can decide, and then both sides
// have one time term with offset 0; anything else is in the postJoinFilter. A bound that the range
// decides is not in the postJoinFilter again.
struct TimeRange {
  std::optional<Interval> lower;
  std::optional<Interval> upper;
};

// Which per-record operator a join becomes (SEMANTICS: "What becomes what").
enum class PerRecordOperator : uint8_t {
  kRowTimeInterval,
  kProcessingTimeInterval,
  kDataStreamInterval,
  kRegular,
};
const char* PerRecordOperatorName(PerRecordOperator chosen);  // "row-time interval join" …

struct PerRecordPlan {
  PerRecordOperator chosen = PerRecordOperator::kRegular;
  std::string reason;        // Why, in words.
  std::string missing_line;  // Regular join: the line that would bound its state; may be empty.
  // left.time - right.time of a pair lies in [lower, upper]; both inclusive. A strict bound is
  // moved by 1 ms, or by 1 us where a row time has more than three digits.
  Interval lower;
  Interval upper;
  bool declared_empty = false;  // lower > upper even without what strictness takes away.
  // Regular join, per side: payload indexes of the primary key; empty without one.
  std::array<std::vector<int>, 2> primary_key;

  bool is_interval() const { return chosen != PerRecordOperator::kRegular; }
  bool is_empty_window() const { return is_interval() && lower > upper; }
};

struct JoinPlan {
  JoinType type = JoinType::kInner;          // After WHERE took paddings away.
  JoinType written_type = JoinType::kInner;  // As the query says.
  std::array<JoinSidePlan, 2> sides;
  std::vector<uint8_t> null_safe_keys;  // One byte a key: IS NOT DISTINCT FROM.
  TimeRange time_range;
  // Over left columns, then right columns; null for none.
  ExpressionPtr post_join_filter;

  // Per-record mode only. Then there is no preJoinFilter, no time_range and no eviction_offset:
  // every ON condition that is no key and no bound of the window is in post_join_filter.
  std::optional<PerRecordPlan> per_record;

  // unmatched-rows.table: rows of both sides that leave without ever having matched are reported.
  bool reports_unmatched = false;

  const JoinSidePlan& side(Side which) const { return sides[Index(which)]; }
  // Whether stored rows of a side must know if they have matched.
  bool tracks_matches(Side which) const { return side(which).pads || reports_unmatched; }
};

// A whole query, or one that is an input of a join (then there is a join, and neither text, sink,
// limit nor warnings: the warnings of all joins are the whole query's). Without a join, `single`
// holds the one input and `join` is empty.
struct StreamPlan {
  Mode mode = Mode::kMicroBatch;
  std::string text;  // The statement as written.
  std::optional<JoinPlan> join;
  std::optional<InputPlan> single;
  ExpressionPtr where;                     // Over the joined (or single) columns; null for none.
  std::vector<ExpressionPtr> projections;  // Over the same columns.
  Schema output;
  TablePtr sink;  // Null: print.
  // What is written beside the result; absent unless the job names a table for it.
  std::optional<RowReport> late_rows;
  std::optional<RowReport> unmatched_rows;
  std::optional<int64_t> limit;
  std::vector<std::string> warnings;  // Legal but unwise, each with the line to write instead.

  // For each output column whether it is row time: passed through unchanged, and not through a
  // regular join, behind which there is no row time.
  std::vector<uint8_t> output_is_row_time;
};

// What becomes of a join whose bounds are between row times, in per-record mode
// (per-record.interval-join).
enum class RowTimeJoin : uint8_t {
  kSql,
  // Refuses, with kInvalidQuery, outer joins and a lower bound above the upper one.
  kDataStream,
};

// Takes the query apart. Fails with kInvalidQuery and the reason where it would give wrong or no
// results in `mode`: micro-batch mode takes one join, per-record mode any tree of up to kJoinsMax.
// And where a table of `reports` asks for what is not known of a row; each join reports its own.
Result<StreamPlan> MakeStreamPlan(const BoundQuery& query, Mode mode,
                                  RowTimeJoin row_time_join = RowTimeJoin::kSql,
                                  const ReportTables& reports = {});

// All tables of the tree, left to right. They live as long as `plan`.
std::vector<const InputPlan*> TableInputs(const StreamPlan& plan);

// All joins in the order in which they are executed: those of the left input, those of the right
// one, then the join of both; so the last one is plan.join. They live as long as `plan`.
std::vector<const JoinPlan*> Joins(const StreamPlan& plan);

// The plan in words that a user understands, several lines.
std::string ExplainPlan(const StreamPlan& plan, Mode mode);

}  // namespace braid
