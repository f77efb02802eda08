#include "engine/sql/file_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace braid {

bool FileTables::HasName(const std::string& name) const {
  return std::any_of(tables_.begin(), tables_.end(),
                     [&](const TablePtr& table) { return table->name == name; });
}

Result<TablePtr> FileTables::Find(const std::string& path, const Place& place,
                                  const std::function<bool(const std::string&)>& is_taken) {
  const auto known = std::find(paths_.begin(), paths_.end(), path);
  if (known != paths_.end()) return tables_[static_cast<size_t>(known - paths_.begin())];
  if (maker_ == nullptr) {
    return Fail(ErrorCode::kInvalidQuery,
                fmt::format("'{}': a path can stand in FROM only where files can be read", path),
                place);
  }
  Result<TableDefinition> made = maker_(path);
  if (!made) {
    // A place in the data says more than the place of the path.
    if (!made.error().place.known()) made.error().place = place;
    return tl::unexpected(std::move(made.error()));
  }
  const std::string base = made->name;
  for (int number = 2; HasName(made->name) || is_taken(made->name); ++number) {
    made->name = fmt::format("{}{}", base, number);
  }
  made->place = place;
  paths_.push_back(path);
  tables_.push_back(std::make_shared<const TableDefinition>(std::move(*made)));
  return tables_.back();
}

}  // namespace braid
