#include "engine/sql/catalog.h"

#include <fmt/format.h>

#include <utility>

#include "engine/sql/name_match.h"

namespace braid {

Result<const NameSyntax*> TableName(const std::vector<NameSyntax>& names,
                                    const SourceText& source) {
  if (names.size() == 1) return &names[0];
  return Fail(ErrorCode::kInvalidQuery,
              "a table's name has one part; there are no catalogs and databases (a name with a dot "
              "in it stands in backticks, a path in quotes)",
              source.PlaceAt(names[0].range.begin));
}

void Catalog::Put(CatalogEntry entry) {
  for (CatalogEntry& known : entries_) {
    if (known.name != entry.name) continue;
    known = std::move(entry);
    return;
  }
  entries_.push_back(std::move(entry));
}

const CatalogEntry* Catalog::FindExact(std::string_view name) const {
  for (const CatalogEntry& entry : entries_) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

std::vector<std::string> Catalog::Names() const {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : entries_) names.push_back(entry.name);
  if (outer_ == nullptr) return names;
  for (std::string& name : outer_->Names()) names.push_back(std::move(name));
  return names;
}

Result<const CatalogEntry*> Catalog::Find(const std::vector<NameSyntax>& names,
                                          const SourceText& source) const {
  Result<const NameSyntax*> part = TableName(names, source);
  if (!part) return tl::unexpected(std::move(part.error()));
  const NameSyntax& name = **part;
  const Place place = source.PlaceAt(name.range.begin);
  for (const Catalog* catalog = this; catalog != nullptr; catalog = catalog->outer_) {
    std::vector<std::string> known;
    for (const CatalogEntry& entry : catalog->entries_) known.push_back(entry.name);
    const std::vector<size_t> found = MatchName(name.text, known);
    if (found.size() == 1) return &catalog->entries_[found[0]];
    if (found.size() > 1) {
      return Fail(ErrorCode::kInvalidQuery,
                  fmt::format("{} is ambiguous: it could be {} or {}", name.text, known[found[0]],
                              known[found[1]]),
                  place);
    }
  }
  return Fail(
      ErrorCode::kInvalidQuery,
      fmt::format("there is no table or view {}{}", name.text, SuggestName(name.text, Names())),
      place);
}

Result<TablePtr> Catalog::FindFile(const TextSyntax& path, const SourceText& source) const {
  if (file_tables_ == nullptr && outer_ != nullptr) return outer_->FindFile(path, source);
  const Place place = source.PlaceAt(path.range.begin);
  if (file_tables_ == nullptr) {
    return Fail(ErrorCode::kInvalidQuery, "a table cannot be read from a path here", place);
  }
  const auto is_taken = [this](const std::string& name) { return FindExact(name) != nullptr; };
  return file_tables_->Find(path.text, place, is_taken);
}

}  // namespace braid
