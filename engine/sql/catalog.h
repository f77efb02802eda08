// The tables and views that a name in FROM or behind INSERT INTO can mean: those of the file, and
// in front of them, in a catalog of their own, the common tables of a WITH. And the tables of
// FROM 'path'.
//
// Thread rule: one thread while binding.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "braid/error.h"
#include "engine/sql/file_tables.h"
#include "engine/sql/logical_plan.h"
#include "engine/sql/relation.h"
#include "engine/sql/source_text.h"
#include "engine/sql/syntax.h"

namespace braid {

struct CatalogEntry {
  std::string name;
  TablePtr table;  // Null for a view.
  Relation view;   // The view's query, bound.
};

class Catalog {
 public:
  // Names that are not found here are looked up in `outer`, as all paths are; null for none.
  // Borrowed.
  explicit Catalog(const Catalog* outer = nullptr) : outer_(outer) {}

  // What FROM 'path' means. Borrowed; null: nothing.
  void SetFileTables(FileTables* file_tables) { file_tables_ = file_tables; }

  // Replaces an entry of exactly the same name.
  void Put(CatalogEntry entry);

  // The entry of exactly this name here, not further out; null for none.
  const CatalogEntry* FindExact(std::string_view name) const;

  // The entry that `names` mean. Fails with kInvalidQuery: unknown (with the nearest known name),
  // ambiguous, or a name of several parts.
  Result<const CatalogEntry*> Find(const std::vector<NameSyntax>& names,
                                   const SourceText& source) const;

  // The table of FROM 'path'. Fails as the maker of such tables does.
  Result<TablePtr> FindFile(const TextSyntax& path, const SourceText& source) const;

 private:
  std::vector<std::string> Names() const;

  const Catalog* outer_;
  FileTables* file_tables_ = nullptr;
  std::vector<CatalogEntry> entries_;
};

// The one part of a table's name. Fails for a name with dots: there are no databases.
Result<const NameSyntax*> TableName(const std::vector<NameSyntax>& names, const SourceText& source);

}  // namespace braid
