#include "braid/select_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/library/query_description.h"
#include "engine/library/select_description.h"
#include "engine/library/sql_text.h"

namespace braid {

namespace {

std::string AllOf(const std::vector<Expr>& conditions) {
  std::vector<std::string> texts;
  for (const Expr& condition : conditions) texts.push_back(condition.ToSql());
  return fmt::format("{}", fmt::join(texts, " AND "));
}

std::string FromSql(const SelectDescription& select) {
  std::string sql;
  for (const SelectDescription::Input& input : select.inputs) {
    sql += fmt::format("\n{} {}", input.join.empty() ? "FROM" : input.join,
                       QuoteName(input.table.name()));
    if (!input.alias.empty()) sql += " AS " + QuoteName(input.alias);
    if (!input.conditions.empty()) sql += "\n  ON " + AllOf(input.conditions);
  }
  if (!select.where.empty()) sql += "\nWHERE " + AllOf(select.where);
  return sql;
}

}  // namespace

SelectBuilder::SelectBuilder(std::unique_ptr<SelectDescription> description)
    : description_(std::move(description)) {}
SelectBuilder::SelectBuilder(const SelectBuilder& other)
    : description_(std::make_unique<SelectDescription>(*other.description_)) {}
SelectBuilder::SelectBuilder(SelectBuilder&& other) noexcept = default;
SelectBuilder& SelectBuilder::operator=(const SelectBuilder& other) {
  if (this != &other) description_ = std::make_unique<SelectDescription>(*other.description_);
  return *this;
}
SelectBuilder& SelectBuilder::operator=(SelectBuilder&& other) noexcept = default;
SelectBuilder::~SelectBuilder() = default;

SelectBuilder& SelectBuilder::AddJoin(const char* kind, Table table, std::string alias) {
  description_->inputs.push_back({kind, std::move(table), std::move(alias), {}, {}});
  return *this;
}

SelectBuilder& SelectBuilder::Join(Table table, std::string alias) {
  return AddJoin("JOIN", std::move(table), std::move(alias));
}
SelectBuilder& SelectBuilder::LeftJoin(Table table, std::string alias) {
  return AddJoin("LEFT JOIN", std::move(table), std::move(alias));
}
SelectBuilder& SelectBuilder::RightJoin(Table table, std::string alias) {
  return AddJoin("RIGHT JOIN", std::move(table), std::move(alias));
}
SelectBuilder& SelectBuilder::FullJoin(Table table, std::string alias) {
  return AddJoin("FULL JOIN", std::move(table), std::move(alias));
}
SelectBuilder& SelectBuilder::LeftSemiJoin(Table table, std::string alias) {
  return AddJoin("LEFT SEMI JOIN", std::move(table), std::move(alias));
}
SelectBuilder& SelectBuilder::LeftAntiJoin(Table table, std::string alias) {
  return AddJoin("LEFT ANTI JOIN", std::move(table), std::move(alias));
}

SelectBuilder& SelectBuilder::On(const Expr& condition) {
  description_->inputs.back().conditions.push_back(condition);
  return *this;
}

SelectBuilder& SelectBuilder::DataStreamInterval(Interval lower, Interval upper) {
  if (description_->inputs.size() < 2) return Refuse("DataStreamInterval belongs behind a Join");
  description_->inputs.back().interval = DataStreamBounds{lower, upper};
  return *this;
}

SelectBuilder& SelectBuilder::LowerBoundExclusive() {
  std::optional<DataStreamBounds>& interval = description_->inputs.back().interval;
  if (!interval) return Refuse("LowerBoundExclusive belongs behind a DataStreamInterval");
  interval->lower_exclusive = true;
  return *this;
}

SelectBuilder& SelectBuilder::UpperBoundExclusive() {
  std::optional<DataStreamBounds>& interval = description_->inputs.back().interval;
  if (!interval) return Refuse("UpperBoundExclusive belongs behind a DataStreamInterval");
  interval->upper_exclusive = true;
  return *this;
}

SelectBuilder& SelectBuilder::Refuse(const char* message) {
  if (!description_->error) description_->error = Error{ErrorCode::kInvalidQuery, message, {}};
  return *this;
}

// The bounds of the DataStreamIntervals become conditions of their joins.
Status SelectBuilder::AddIntervals(SelectDescription* select) {
  const auto time_of = [](const SelectDescription::Input& input) -> Result<Expr> {
    if (input.table.watermark_column_.empty()) {
      return Fail(ErrorCode::kInvalidQuery,
                  fmt::format("DataStreamInterval joins by the watermarked times, and table {} has "
                              "no Watermark",
                              input.table.name()));
    }
    const std::string& name = input.alias.empty() ? input.table.name() : input.alias;
    return SqlExpr(QuoteName(name) + "." + QuoteName(input.table.watermark_column_));
  };
  for (SelectDescription::Input& input : select->inputs) {
    if (!input.interval) continue;
    const Result<Expr> left = time_of(select->inputs.front());
    if (!left) return tl::unexpected(left.error());
    const Result<Expr> right = time_of(input);
    if (!right) return tl::unexpected(right.error());
    const DataStreamBounds& bounds = *input.interval;
    const Expr lower = *left + bounds.lower;
    const Expr upper = *left + bounds.upper;
    input.conditions.push_back(bounds.lower_exclusive ? *right > lower : *right >= lower);
    input.conditions.push_back(bounds.upper_exclusive ? *right < upper : *right <= upper);
  }
  return {};
}

SelectBuilder& SelectBuilder::Where(const Expr& condition) {
  description_->where.push_back(condition);
  return *this;
}

QueryBuilder SelectBuilder::Select(const std::vector<Expr>& columns) const {
  return Build(columns, nullptr);
}

QueryBuilder SelectBuilder::SelectAll() const { return Build({}, nullptr); }

QueryBuilder SelectBuilder::InsertInto(Table table, const std::vector<Expr>& columns) const {
  return Build(columns, &table);
}

QueryBuilder SelectBuilder::Build(const std::vector<Expr>& columns, const Table* sink) const {
  auto query = std::make_unique<QueryDescription>();
  query->engine = description_->engine;
  query->made_by_builder = true;
  SelectDescription select = *description_;
  query->error = select.error;
  if (Status added = AddIntervals(&select); !added && !query->error) query->error = added.error();
  std::vector<const Table*> tables;
  for (const SelectDescription::Input& input : select.inputs) {
    tables.push_back(&input.table);
    if (input.interval) {
      query->settings.emplace_back("per-record.interval-join", Option{"datastream", {}});
    }
  }
  if (sink != nullptr) tables.push_back(sink);

  // A table may be read twice; it is created once.
  std::vector<std::string> created;
  for (const Table* table : tables) {
    const std::string sql = table->ToSql();
    if (std::find(created.begin(), created.end(), sql) != created.end()) continue;
    query->text += sql + ";\n";
    created.push_back(sql);
  }
  if (sink != nullptr) query->text += fmt::format("INSERT INTO {}\n", QuoteName(sink->name()));
  std::vector<std::string> items;
  for (const Expr& column : columns) items.push_back(column.ToSql());
  query->text += fmt::format("SELECT {}{}", items.empty() ? "*" : "", fmt::join(items, ",\n  "));
  query->text += FromSql(select);

  QueryBuilder builder(std::move(query));
  for (const SelectDescription::Input& input : description_->inputs) {
    if (input.table.stream_ != nullptr) builder.Source(input.table.name(), input.table.stream_);
    if (input.table.source_) builder.Source(input.table.name(), input.table.source_);
  }
  if (sink != nullptr && sink->result_ != nullptr) builder.Sink(sink->result_);
  if (sink != nullptr && sink->sink_) builder.Sink(sink->sink_);
  return builder;
}

}  // namespace braid
