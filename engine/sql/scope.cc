#include "engine/sql/scope.h"

#include <fmt/format.h>

#include <utility>

#include "engine/sql/name_match.h"

namespace braid {

namespace {

tl::unexpected<Error> Refuse(std::string message, SourceRange range, const SourceText& source) {
  return Fail(ErrorCode::kInvalidQuery, std::move(message), source.PlaceAt(range.begin));
}

tl::unexpected<Error> Ambiguous(const std::string& name,
                                const std::vector<const ScopeColumn*>& candidates,
                                SourceRange range, const SourceText& source) {
  std::string list;
  for (size_t index = 0; index < candidates.size(); ++index) {
    if (index > 0) list += index + 1 == candidates.size() ? " or " : ", ";
    list += QualifiedName(*candidates[index]);
  }
  return Refuse(fmt::format("{} is ambiguous: it could be {}", name, list), range, source);
}

// Of `columns` those that `name` means: of exactly this name, else of this name without case.
std::vector<const ScopeColumn*> Matching(const std::vector<const ScopeColumn*>& columns,
                                         const std::string& name) {
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (const ScopeColumn* column : columns) names.push_back(column->name);
  std::vector<const ScopeColumn*> matching;
  for (const size_t index : MatchName(name, names)) matching.push_back(columns[index]);
  return matching;
}

}  // namespace

std::string QualifiedName(const ScopeColumn& column) {
  return column.table.empty() ? column.name : column.table + "." + column.name;
}

std::vector<const ScopeColumn*> Scope::Star() const {
  std::vector<const ScopeColumn*> visible;
  for (const ScopeColumn& column : columns_) {
    if (!column.hidden) visible.push_back(&column);
  }
  return visible;
}

std::vector<const ScopeColumn*> Scope::FindPlain(const std::string& name) const {
  return Matching(Star(), name);
}

std::vector<std::string> Scope::PlainNames() const {
  std::vector<std::string> names;
  for (const ScopeColumn* column : Star()) names.push_back(column->name);
  if (outer_ == nullptr) return names;
  for (std::string& name : outer_->PlainNames()) names.push_back(std::move(name));
  return names;
}

bool Scope::Knows(const NameSyntax& name) const {
  return !FindPlain(name.text).empty() || (outer_ != nullptr && outer_->Knows(name));
}

Result<const std::string*> Scope::FindTable(const NameSyntax& name,
                                            const SourceText& source) const {
  const std::vector<size_t> found = MatchName(name.text, tables_);
  if (found.size() == 1) return &tables_[found[0]];
  if (found.size() > 1) {
    return Refuse(fmt::format("{} is ambiguous: it could be {} or {}", name.text, tables_[found[0]],
                              tables_[found[1]]),
                  name.range, source);
  }
  return Refuse(
      fmt::format("there is no table {} in FROM{}", name.text, SuggestName(name.text, tables_)),
      name.range, source);
}

Result<const ScopeColumn*> Scope::FindQualified(const NameSyntax& table, const NameSyntax& name,
                                                const SourceText& source) const {
  if (outer_ != nullptr && MatchName(table.text, tables_).empty() &&
      !MatchName(table.text, outer_->tables_).empty()) {
    return outer_->FindQualified(table, name, source);
  }
  Result<const std::string*> alias = FindTable(table, source);
  if (!alias) return tl::unexpected(std::move(alias.error()));
  std::vector<const ScopeColumn*> columns;
  std::vector<std::string> names;
  for (const ScopeColumn& column : columns_) {
    if (column.table != **alias) continue;
    columns.push_back(&column);
    names.push_back(column.name);
  }
  const std::vector<const ScopeColumn*> found = Matching(columns, name.text);
  if (found.size() == 1) return found[0];
  if (found.size() > 1) {
    return Ambiguous(table.text + "." + name.text, found, table.range, source);
  }
  return Refuse(fmt::format("there is no column {} in {}{}", name.text, **alias,
                            SuggestName(name.text, names)),
                name.range, source);
}

Result<const ScopeColumn*> Scope::Find(const std::vector<NameSyntax>& names,
                                       const SourceText& source) const {
  if (names.size() > 2) {
    return Refuse("a column is written as c or t.c; there are no databases and no nested fields",
                  names[0].range, source);
  }
  if (names.size() == 2) return FindQualified(names[0], names[1], source);
  const std::vector<const ScopeColumn*> found = FindPlain(names[0].text);
  if (found.size() == 1) return found[0];
  if (found.size() > 1) return Ambiguous(names[0].text, found, names[0].range, source);
  if (outer_ != nullptr && outer_->Knows(names[0])) return outer_->Find(names, source);
  return Refuse(fmt::format("there is no column {}{}", names[0].text,
                            SuggestName(names[0].text, PlainNames())),
                names[0].range, source);
}

Result<std::vector<const ScopeColumn*>> Scope::StarOf(const std::vector<NameSyntax>& names,
                                                      const SourceText& source) const {
  if (names.size() > 1) {
    return Refuse("all columns of a table are written as t.*", names[0].range, source);
  }
  Result<const std::string*> alias = FindTable(names[0], source);
  if (!alias) return tl::unexpected(std::move(alias.error()));
  std::vector<const ScopeColumn*> columns;
  for (const ScopeColumn& column : columns_) {
    if (column.table == **alias) columns.push_back(&column);
  }
  return columns;
}

Scope Scope::Shifted(int offset) const {
  Scope shifted = *this;
  for (ScopeColumn& column : shifted.columns_) {
    column.expression =
        RemapColumns(column.expression, [offset](int index) { return index + offset; });
  }
  return shifted;
}

}  // namespace braid
