#include "engine/sql/parser.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>
#include <variant>

#include "engine/sql/catalog.h"
#include "engine/sql/file_tables.h"
#include "engine/sql/insert_binder.h"
#include "engine/sql/query_binder.h"
#include "engine/sql/source_text.h"
#include "engine/sql/syntax_parser.h"
#include "engine/sql/table_binder.h"

namespace braid {

namespace {

class ScriptBinder {
 public:
  ScriptBinder(const SourceText* source, FileTableMaker file_table)
      : source_(source), file_tables_(std::move(file_table)) {
    catalog_.SetFileTables(&file_tables_);
  }
  // Not moved: the catalog refers to file_tables_.
  ScriptBinder(const ScriptBinder&) = delete;
  ScriptBinder& operator=(const ScriptBinder&) = delete;

  void AddTable(TablePtr table) {
    std::string name = table->name;
    catalog_.Put({std::move(name), std::move(table), {}});
  }
  Result<Script> Bind(const ScriptSyntax& syntax);

 private:
  tl::unexpected<Error> Refuse(std::string message, SourceRange range) const {
    return Fail(ErrorCode::kInvalidQuery, std::move(message), source_->PlaceAt(range.begin));
  }
  Status BindStatement(const CreateTableSyntax& statement, SourceRange range);
  Status BindStatement(const CreateViewSyntax& statement, SourceRange range);
  Status BindStatement(const RunSyntax& statement, SourceRange range);
  Status BindStatement(const SetSyntax& statement, SourceRange range);
  // Sets `exists` if the name is taken and the statement says IF NOT EXISTS.
  Status CheckNew(const NewNameSyntax& name, bool* exists) const;
  Status CheckPrintable(const LogicalNode& root, const QuerySyntax& query) const;
  Result<BoundQuery> BindSelect(const QuerySyntax& query) const;

  const SourceText* source_;
  FileTables file_tables_;
  Catalog catalog_;
  Script script_;
};

Result<Script> ScriptBinder::Bind(const ScriptSyntax& syntax) {
  for (const StatementSyntax& statement : syntax.statements) {
    Status status =
        std::visit([&](const auto& kind) { return BindStatement(kind, statement.range); },
                   statement.statement);
    if (!status) return tl::unexpected(std::move(status.error()));
  }
  script_.file_tables = file_tables_.tables();
  return std::move(script_);
}

Status ScriptBinder::CheckNew(const NewNameSyntax& name, bool* exists) const {
  Result<const NameSyntax*> part = TableName(name.parts, *source_);
  if (!part) return tl::unexpected(std::move(part.error()));
  *exists = catalog_.FindExact((*part)->text) != nullptr;
  if (!*exists || name.if_not_exists) return {};
  return Refuse(fmt::format("there is a table or view {} already", (*part)->text), (*part)->range);
}

Status ScriptBinder::BindStatement(const CreateTableSyntax& statement, SourceRange range) {
  bool exists = false;
  if (Status status = CheckNew(statement.name, &exists); !status) return status;
  Result<TablePtr> table = BindTable(statement, range, *source_);
  if (!table) return tl::unexpected(std::move(table.error()));
  if (exists) return {};
  script_.tables.push_back(*table);
  AddTable(std::move(*table));
  return {};
}

Status ScriptBinder::BindStatement(const CreateViewSyntax& statement, SourceRange range) {
  if (statement.or_replace && statement.name.if_not_exists) {
    return Refuse("OR REPLACE and IF NOT EXISTS exclude each other", range);
  }
  bool exists = false;
  Status status = CheckNew(statement.name, &exists);
  const std::string& name = statement.name.parts[0].text;
  if (!status && statement.or_replace && exists) {
    const CatalogEntry* entry = catalog_.FindExact(name);
    if (entry->table != nullptr) {
      return Refuse(fmt::format("{} is a table; CREATE OR REPLACE VIEW replaces views", name),
                    statement.name.parts[0].range);
    }
    status = {};
  }
  if (!status) return status;
  Result<Relation> relation = QueryBinder(&catalog_, source_).Bind(*statement.query);
  if (!relation) return tl::unexpected(std::move(relation.error()));
  relation = WithColumnNames(std::move(*relation), statement.columns, *source_);
  if (!relation) return tl::unexpected(std::move(relation.error()));
  if (exists && !statement.or_replace) return {};
  catalog_.Put({name, nullptr, std::move(*relation)});
  return {};
}

// Columns of these types exist only inside of expressions.
Status ScriptBinder::CheckPrintable(const LogicalNode& root, const QuerySyntax& query) const {
  for (size_t index = 0; index < root.columns.size(); ++index) {
    const LogicalColumn& column = root.columns[index];
    const SourceRange range = SelectedRange(query, index);
    if (column.type.kind == TypeKind::kNull) {
      return Refuse(
          fmt::format("the column {} is NULL without a type; write CAST(NULL AS …)", column.name),
          range);
    }
    if (column.type.kind == TypeKind::kIntervalDay ||
        column.type.kind == TypeKind::kIntervalMonth) {
      return Refuse(fmt::format("the column {} is an interval, which cannot be printed; "
                                "TIMESTAMPDIFF(SECOND, from, to) gives a number",
                                column.name),
                    range);
    }
  }
  return {};
}

Result<BoundQuery> ScriptBinder::BindSelect(const QuerySyntax& query) const {
  BoundQuery bound;
  Result<Relation> relation = QueryBinder(&catalog_, source_).Bind(query, /*may_limit=*/true);
  if (!relation) return tl::unexpected(std::move(relation.error()));
  bound.root = std::move(relation->node);
  if (Status status = CheckPrintable(*bound.root, query); !status) {
    return tl::unexpected(std::move(status.error()));
  }
  if (!query.limit) return bound;
  int64_t limit = 0;
  const std::string& text = query.limit->count.text;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limit);
  if (error != std::errc() || end != text.data() + text.size()) {
    return Refuse(fmt::format("LIMIT {} is too large", text), query.limit->count.range);
  }
  bound.limit = limit;
  return bound;
}

Status ScriptBinder::BindStatement(const RunSyntax& statement, SourceRange range) {
  if (script_.query) {
    return Refuse("a file has one INSERT or one SELECT; this is the second", range);
  }
  BoundQuery query;
  if (statement.insert) {
    Result<BoundInsert> insert = BindInsert(*statement.insert, catalog_, *source_);
    if (!insert) return tl::unexpected(std::move(insert.error()));
    query.root = std::move(insert->root);
    query.sink = std::move(insert->sink);
  } else {
    Result<BoundQuery> select = BindSelect(*statement.query);
    if (!select) return tl::unexpected(std::move(select.error()));
    query = std::move(*select);
  }
  query.explain = statement.explain;
  query.text = source_->Written(statement.range);
  query.place = source_->PlaceAt(statement.range.begin);
  script_.query = std::move(query);
  return {};
}

Status ScriptBinder::BindStatement(const SetSyntax& statement, SourceRange /*range*/) {
  const OptionSyntax& option = statement.option;
  script_.settings.emplace_back(
      option.key.text, Option{option.value.text, source_->PlaceAt(option.key.range.begin)});
  return {};
}

}  // namespace

Result<Script> ParseScript(std::string_view text, const ParseOptions& options) {
  Result<SourceText> source = options.replaces_defines
                                  ? SourceText::Create(text, options.file_name, options.defines)
                                  : SourceText::CreateVerbatim(text, options.file_name);
  if (!source) return tl::unexpected(std::move(source.error()));
  Result<ScriptSyntax> syntax = ParseSyntax(*source);
  if (!syntax) return tl::unexpected(std::move(syntax.error()));
  ScriptBinder binder(&*source, options.file_table);
  for (const TablePtr& table : options.tables) binder.AddTable(table);
  return binder.Bind(*syntax);
}

}  // namespace braid
