// The tables that FROM 'path' means: one a path, made when the path is met first.
//
// Thread rule: one thread while binding.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "braid/error.h"
#include "engine/sql/logical_plan.h"

namespace braid {

class FileTables {
 public:
  explicit FileTables(FileTableMaker maker) : maker_(std::move(maker)) {}

  // The table of `path`, which stands at `place`. Its name gets a number behind it if it is taken
  // by another file or, as `is_taken` says, by another table. Fails as the maker does, at `place`.
  Result<TablePtr> Find(const std::string& path, const Place& place,
                        const std::function<bool(const std::string&)>& is_taken);

  // In the order of the text.
  const std::vector<TablePtr>& tables() const { return tables_; }

 private:
  bool HasName(const std::string& name) const;

  FileTableMaker maker_;
  std::vector<std::string> paths_;  // Of tables_.
  std::vector<TablePtr> tables_;
};

}  // namespace braid
