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
  description_->inputs.push_back({kind, std::move(table), std::move(alias), {}});
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
  std::vector<const Table*> tables;
  for (const SelectDescription::Input& input : description_->inputs) {
    tables.push_back(&input.table);
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
  query->text += FromSql(*description_);

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
