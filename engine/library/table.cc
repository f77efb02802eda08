#include "braid/table.h"

#include <fmt/format.h>

#include <utility>

#include "engine/connectors/memory.h"
#include "engine/library/sql_text.h"

namespace braid {

namespace {

// As options take it.
std::string DurationText(Interval interval) { return fmt::format("{} us", interval.micros); }

}  // namespace

Table& Table::Column(std::string_view name, DataType type) {
  definitions_.push_back(fmt::format("{} {}", QuoteName(name), type.ToString()));
  return *this;
}

Table& Table::NotNullColumn(std::string_view name, DataType type) {
  Column(name, type);
  definitions_.back() += " NOT NULL";
  return *this;
}

Table& Table::ComputedColumn(std::string_view name, const Expr& value) {
  definitions_.push_back(fmt::format("{} AS {}", QuoteName(name), value.ToSql()));
  return *this;
}

Table& Table::Columns(const Schema& schema) {
  for (const Field& field : schema.fields) Column(field.name, field.type);
  return *this;
}

Table& Table::Watermark(std::string_view column, Interval delay) {
  const std::string name = QuoteName(column);
  watermark_column_ = column;
  const std::string subtracted = delay.micros == 0 ? "" : fmt::format(" - {}", IntervalSql(delay));
  definitions_.push_back(fmt::format("WATERMARK FOR {} AS {}{}", name, name, subtracted));
  return *this;
}

Table& Table::PeriodicWatermarks(int64_t rows) {
  With("scan.watermark.emit.strategy", "on-periodic");
  return With("scan.watermark.emit.periodic-records", fmt::format("{}", rows));
}

Table& Table::IdleTimeout(Interval timeout) {
  return With("scan.watermark.idle-timeout", DurationText(timeout));
}

Table& Table::MaxAhead(Interval ahead) {
  return With("scan.watermark.max-ahead", DurationText(ahead));
}

Table& Table::PrimaryKey(const std::vector<std::string>& columns) {
  std::vector<std::string> names;
  for (const std::string& column : columns) names.push_back(QuoteName(column));
  definitions_.push_back(fmt::format("PRIMARY KEY ({}) NOT ENFORCED", fmt::join(names, ", ")));
  return *this;
}

Table& Table::With(std::string_view option, std::string_view value) {
  options_.push_back(fmt::format("{} = {}", QuoteText(option), QuoteText(value)));
  return *this;
}

Table& Table::From(std::shared_ptr<MemoryStream> stream) {
  stream_ = std::move(stream);
  source_ = nullptr;
  return *this;
}

Table& Table::From(SourceFactory factory) {
  source_ = std::move(factory);
  stream_ = nullptr;
  return *this;
}

Table& Table::Into(std::shared_ptr<MemoryResult> result) {
  result_ = std::move(result);
  sink_ = nullptr;
  return *this;
}

Table& Table::Into(SinkFactory factory) {
  sink_ = std::move(factory);
  result_ = nullptr;
  return *this;
}

std::string Table::ToSql() const {
  std::string sql =
      fmt::format("CREATE TABLE {} (\n  {}\n)", QuoteName(name_), fmt::join(definitions_, ",\n  "));
  if (!options_.empty()) sql += fmt::format(" WITH (\n  {}\n)", fmt::join(options_, ",\n  "));
  return sql;
}

}  // namespace braid
