// A table of a query that is built without SQL text: what CREATE TABLE says.
//
//   Table clicks("clicks");
//   clicks.Column("ad_id", DataType::BigInt())
//       .Column("ts", DataType::Timestamp(3))
//       .Watermark("ts", Seconds(5))
//       .From(stream);
//
// Ownership: a value; it shares the stream, the result or the factory.
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "braid/connector.h"
#include "braid/data_type.h"
#include "braid/export.h"
#include "braid/expr.h"
#include "braid/memory_result.h"
#include "braid/memory_stream.h"
#include "braid/schema.h"
#include "braid/time.h"

namespace braid {

class BRAID_EXPORT Table {
 public:
  explicit Table(std::string name) : name_(std::move(name)) {}

  Table& Column(std::string_view name, DataType type);
  Table& NotNullColumn(std::string_view name, DataType type);
  // A column made of the others.
  Table& ComputedColumn(std::string_view name, const Expr& value);
  // Every column of `schema`.
  Table& Columns(const Schema& schema);
  // WATERMARK FOR column AS column - delay.
  Table& Watermark(std::string_view column, Interval delay = {});
  // How the watermark moves; after a Watermark. In per-record mode, periodically instead of after
  // each row: after so many rows of finite input, every pipeline.auto-watermark-interval of live
  // input. (Micro-batch mode has one a batch.)
  Table& PeriodicWatermarks(int64_t rows = 1'000);
  // A table that gave no row for so long no longer holds the watermark of the query back. Zero:
  // never, whatever table.exec.source.idle-timeout says.
  Table& IdleTimeout(Interval timeout);
  // Rows whose time is further ahead of the clock move no watermark.
  Table& MaxAhead(Interval ahead);
  Table& PrimaryKey(const std::vector<std::string>& columns);
  // WITH ('option' = 'value').
  Table& With(std::string_view option, std::string_view value);

  // Where the rows come from, instead of a connector.
  Table& From(std::shared_ptr<MemoryStream> stream);
  Table& From(SourceFactory factory);
  // Where the rows go, instead of a connector.
  Table& Into(std::shared_ptr<MemoryResult> result);
  Table& Into(SinkFactory factory);

  const std::string& name() const { return name_; }
  // CREATE TABLE …
  std::string ToSql() const;

 private:
  friend class SelectBuilder;

  std::string name_;
  std::vector<std::string> definitions_;  // What stands between the parentheses.
  std::vector<std::string> options_;
  std::string watermark_column_;  // Empty: none.
  std::shared_ptr<MemoryStream> stream_;
  SourceFactory source_;
  std::shared_ptr<MemoryResult> result_;
  SinkFactory sink_;
};

}  // namespace braid
