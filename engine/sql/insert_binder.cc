#include "engine/sql/insert_binder.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/expression/type_rules.h"
#include "engine/sql/name_match.h"
#include "engine/sql/query_binder.h"

namespace braid {

namespace {

class InsertBinder {
 public:
  InsertBinder(const InsertSyntax* insert, const SourceText* source)
      : insert_(insert), source_(source) {}

  Result<BoundInsert> Bind(const Catalog& catalog);

 private:
  tl::unexpected<Error> Refuse(std::string message, SourceRange range) const {
    return Fail(ErrorCode::kInvalidQuery, std::move(message), source_->PlaceAt(range.begin));
  }
  // Indexes into the sink's columns that the query's columns go to, in order.
  Result<std::vector<int>> Targets() const;
  Result<int> Target(const NameSyntax& name) const;
  // The columns that a query can give: the physical ones, but for that of the kinds.
  std::vector<int> StoredColumns() const;
  Status CheckCount(const LogicalNode& query, size_t targets) const;
  Result<ExpressionPtr> Store(const LogicalNode& query, size_t index,
                              const ColumnDefinition& column) const;

  const InsertSyntax* insert_;
  const SourceText* source_;
  TablePtr sink_;
  std::optional<int> changelog_column_;  // The sink writes the kind of each row there itself.
};

// The column of `table` that 'changelog.column' names, if it is declared.
std::optional<int> ChangelogColumnOf(const TableDefinition& table) {
  const auto option = table.options.find("changelog.column");
  if (option == table.options.end()) return std::nullopt;
  std::vector<std::string> names;
  const std::vector<int> physical = table.physical_columns();
  for (const int column : physical) {
    names.push_back(table.columns[static_cast<size_t>(column)].name);
  }
  const std::vector<size_t> found = MatchName(option->second.value, names);
  // More than one, or one of another type, is for the connector to refuse.
  if (found.size() != 1) return std::nullopt;
  return physical[found[0]];
}

Result<int> InsertBinder::Target(const NameSyntax& name) const {
  std::vector<std::string> names;
  for (const ColumnDefinition& column : sink_->columns) names.push_back(column.name);
  const std::vector<size_t> found = MatchName(name.text, names);
  if (found.empty()) {
    return Refuse(fmt::format("there is no column {} in {}{}", name.text, sink_->name,
                              SuggestName(name.text, names)),
                  name.range);
  }
  if (found.size() > 1) {
    return Refuse(fmt::format("{} is ambiguous: it could be {} or {}", name.text, names[found[0]],
                              names[found[1]]),
                  name.range);
  }
  if (sink_->columns[found[0]].computed != nullptr) {
    return Refuse(fmt::format("{} is a computed column; nothing is stored in it", name.text),
                  name.range);
  }
  const int column = static_cast<int>(found[0]);
  if (column == changelog_column_) {
    return Refuse(fmt::format("{} is the 'changelog.column' of {}, which writes it itself",
                              name.text, sink_->name),
                  name.range);
  }
  return column;
}

std::vector<int> InsertBinder::StoredColumns() const {
  std::vector<int> columns = sink_->physical_columns();
  if (changelog_column_) std::erase(columns, *changelog_column_);
  return columns;
}

Result<std::vector<int>> InsertBinder::Targets() const {
  if (insert_->columns.empty()) return StoredColumns();
  std::vector<int> targets;
  for (const NameSyntax& name : insert_->columns) {
    Result<int> target = Target(name);
    if (!target) return tl::unexpected(std::move(target.error()));
    if (std::find(targets.begin(), targets.end(), *target) != targets.end()) {
      return Refuse(fmt::format("{} stands twice in the list", name.text), name.range);
    }
    targets.push_back(*target);
  }
  for (const int index : StoredColumns()) {
    const ColumnDefinition& column = sink_->columns[static_cast<size_t>(index)];
    if (!column.not_null || std::find(targets.begin(), targets.end(), index) != targets.end()) {
      continue;
    }
    return Refuse(fmt::format("the list leaves out {}, which is NOT NULL", column.name),
                  insert_->columns[0].range);
  }
  return targets;
}

Status InsertBinder::CheckCount(const LogicalNode& query, size_t targets) const {
  if (query.columns.size() == targets) return {};
  std::string message = fmt::format("the query has {} columns, {} takes {}", query.columns.size(),
                                    sink_->name, targets);
  if (changelog_column_) {
    message += fmt::format("; it writes {}, its 'changelog.column', itself",
                           sink_->columns[static_cast<size_t>(*changelog_column_)].name);
  }
  return Refuse(std::move(message), insert_->query->range);
}

Result<ExpressionPtr> InsertBinder::Store(const LogicalNode& query, size_t index,
                                          const ColumnDefinition& column) const {
  const ExpressionPtr& expression = query.projections[index];
  if (!StoresImplicitly(expression->type, column.type)) {
    return Refuse(fmt::format("{} is {}, but the column {} of {} is {}; write a CAST",
                              query.columns[index].name, expression->type.ToString(), column.name,
                              sink_->name, column.type.ToString()),
                  SelectedRange(*insert_->query, index));
  }
  return MakeImplicitCast(expression, column.type);
}

Result<BoundInsert> InsertBinder::Bind(const Catalog& catalog) {
  Result<const CatalogEntry*> entry = catalog.Find(insert_->table, *source_);
  if (!entry) return tl::unexpected(std::move(entry.error()));
  sink_ = (*entry)->table;
  if (sink_ == nullptr) {
    return Refuse(fmt::format("{} is a view; INSERT INTO takes a table", (*entry)->name),
                  insert_->table[0].range);
  }
  changelog_column_ = ChangelogColumnOf(*sink_);
  Result<std::vector<int>> targets = Targets();
  if (!targets) return tl::unexpected(std::move(targets.error()));
  Result<Relation> query = QueryBinder(&catalog, source_).Bind(*insert_->query);
  if (!query) return tl::unexpected(std::move(query.error()));
  if (Status status = CheckCount(*query->node, targets->size()); !status) {
    return tl::unexpected(std::move(status.error()));
  }
  auto root = std::make_shared<LogicalNode>(*query->node);
  root->projections.clear();
  root->columns.clear();
  for (const int physical : sink_->physical_columns()) {
    const ColumnDefinition& column = sink_->columns[static_cast<size_t>(physical)];
    const auto source = std::find(targets->begin(), targets->end(), physical);
    LogicalColumn output{column.name, column.type};
    if (source == targets->end()) {
      root->projections.push_back(MakeLiteral(Value::Null(column.type)));
    } else {
      const auto index = static_cast<size_t>(source - targets->begin());
      Result<ExpressionPtr> stored = Store(*query->node, index, column);
      if (!stored) return tl::unexpected(std::move(stored.error()));
      if (*stored == query->node->projections[index]) {
        output.is_row_time = query->node->columns[index].is_row_time;
        output.is_processing_time = query->node->columns[index].is_processing_time;
      }
      root->projections.push_back(std::move(*stored));
    }
    root->columns.push_back(std::move(output));
  }
  return BoundInsert{sink_, std::move(root)};
}

}  // namespace

Result<BoundInsert> BindInsert(const InsertSyntax& insert, const Catalog& catalog,
                               const SourceText& source) {
  return InsertBinder(&insert, &source).Bind(catalog);
}

}  // namespace braid
