// A query without SQL text: tables, joins, conditions, and what comes out.
//
//   engine.From(impressions, "i")
//       .LeftJoin(clicks, "c")
//       .On(Col("i.ad_id") == Col("c.ad_id") &&
//           Col("c.ts").Between(Col("i.ts"), Col("i.ts") + Seconds(60)))
//       .Select({Col("i.ad_id"), Col("c.ts").As("clicked")})
//       .ForEachBatch(Use)
//       .Start();
//
// It means what the same SELECT means in SQL: it is planned by the same rules, and
// QueryBuilder::Sql shows it.
// Ownership: a value.
// Thread rule: one thread at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "braid/error.h"
#include "braid/export.h"
#include "braid/expr.h"
#include "braid/query_builder.h"
#include "braid/table.h"
#include "braid/time.h"

namespace braid {

struct SelectDescription;  // The builder's own.

class BRAID_EXPORT SelectBuilder {
 public:
  SelectBuilder(const SelectBuilder& other);
  SelectBuilder(SelectBuilder&& other) noexcept;
  SelectBuilder& operator=(const SelectBuilder& other);
  SelectBuilder& operator=(SelectBuilder&& other) noexcept;
  ~SelectBuilder();

  // Without an alias the table's name is used.
  SelectBuilder& Join(Table table, std::string alias = {});
  SelectBuilder& LeftJoin(Table table, std::string alias = {});
  SelectBuilder& RightJoin(Table table, std::string alias = {});
  SelectBuilder& FullJoin(Table table, std::string alias = {});
  SelectBuilder& LeftSemiJoin(Table table, std::string alias = {});
  SelectBuilder& LeftAntiJoin(Table table, std::string alias = {});

  // The condition of the join before it. Several calls are joined by AND.
  SelectBuilder& On(const Expr& condition);

  // The join before it is one of Flink's DataStream API, intervalJoin().between(lower, upper): the
  // watermarked time of its table lies in [time + lower, time + upper], where `time` is that of the
  // first table. The keys come by On, as ever. In per-record mode it refuses rows that are late
  // (late-rows.table keeps them), and sets per-record.interval-join = datastream, which holds for
  // all joins of the query that have time bounds. INNER joins only. Start says kInvalidQuery if
  // there is no join before it, or a table has no Watermark.
  SelectBuilder& DataStreamInterval(Interval lower, Interval upper);
  // After DataStreamInterval: the bound itself is outside.
  SelectBuilder& LowerBoundExclusive();
  SelectBuilder& UpperBoundExclusive();

  // What a row of the result must fulfil. Several calls are joined by AND.
  SelectBuilder& Where(const Expr& condition);

  // The columns that come out, printed unless the builder is told otherwise.
  QueryBuilder Select(const std::vector<Expr>& columns) const;
  // All columns of all tables.
  QueryBuilder SelectAll() const;
  // The same into a table, whose columns they are cast to.
  QueryBuilder InsertInto(Table table, const std::vector<Expr>& columns) const;

 private:
  friend class Engine;
  explicit SelectBuilder(std::unique_ptr<SelectDescription> description);
  SelectBuilder& AddJoin(const char* kind, Table table, std::string alias);
  SelectBuilder& Refuse(const char* message);
  static Status AddIntervals(SelectDescription* select);
  QueryBuilder Build(const std::vector<Expr>& columns, const Table* sink) const;

  std::unique_ptr<SelectDescription> description_;
};

}  // namespace braid
