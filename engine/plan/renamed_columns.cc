#include "engine/plan/renamed_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace braid {

namespace {

bool HasColumn(const std::vector<TableColumn>& columns, const std::string& name) {
  return std::any_of(columns.begin(), columns.end(),
                     [&](const TableColumn& column) { return column.name == name; });
}

class Renaming {
 public:
  Renaming(const FingerprintLines& before, FingerprintLines* now) {
    const auto old_columns = TableColumns(before);
    for (const auto& [title, columns] : TableColumns(*now)) {
      const auto old = old_columns.find(title);
      if (old != old_columns.end()) AddTable(title, old->second, columns);
    }
    for (FingerprintLine& line : now->all()) Rename(&line);
  }

 private:
  void AddTable(const std::string& title, const std::vector<TableColumn>& old,
                const std::vector<TableColumn>& now) {
    if (old.size() != now.size()) return;
    std::vector<std::pair<std::string, std::string>> renamed;
    for (size_t i = 0; i < old.size(); ++i) {
      if (old[i].name == now[i].name) continue;
      if (HasColumn(now, old[i].name) || HasColumn(old, now[i].name)) return;
      if (!IsWideningText(old[i].line->value, now[i].line->value)) return;
      renamed.emplace_back(now[i].name, old[i].name);
    }
    for (const auto& [new_name, old_name] : renamed) {
      texts_.emplace_back(FingerprintColumn(title, new_name), FingerprintColumn(title, old_name));
      for (const std::string_view mark : {kColumnMark, kUnusedMark, kComputedMark}) {
        parts_[fmt::format("{}{}{}", title, mark, new_name)] =
            fmt::format("{}{}{}", title, mark, old_name);
      }
    }
  }

  void Rename(FingerprintLine* line) const {
    if (const auto part = parts_.find(line->part); part != parts_.end()) line->part = part->second;
    for (const auto& [from, to] : texts_) {
      for (size_t place = line->value.find(from); place != std::string::npos;
           place = line->value.find(from, place + to.size())) {
        line->value.replace(place, from.size(), to);
      }
    }
  }

  std::vector<std::pair<std::string, std::string>> texts_;
  std::map<std::string, std::string> parts_;
};

// A new column that only a new watermark is on may be there: what is stored does not depend on it.
bool IsStateMadeOf(const FingerprintLines& before, const FingerprintLines& now,
                   const TableColumn& column) {
  const std::string text = FingerprintColumn(column.title, column.name);
  return std::any_of(now.all().begin(), now.all().end(), [&](const FingerprintLine& line) {
    const bool is_of_state =
        line.part.find(kStoredMark) != std::string::npos || line.part.ends_with(" filter") ||
        line.part.ends_with(" stored time") || line.part.find(" key ") != std::string::npos ||
        (line.part.find(kComputedMark) != std::string::npos && before.Find(line.part) != nullptr);
    return is_of_state && line.value.find(text) != std::string::npos;
  });
}

}  // namespace

void RenameBack(const FingerprintLines& before, FingerprintLines* now) {
  const Renaming renaming(before, now);
}

std::optional<std::string> ExplainLostColumns(const FingerprintLines& before,
                                              const FingerprintLines& now) {
  const auto old_tables = TableColumns(before);
  for (const auto& [title, columns] : TableColumns(now)) {
    const auto old = old_tables.find(title);
    if (old == old_tables.end()) continue;
    std::vector<std::string> lost;
    for (const TableColumn& column : old->second) {
      if (column.is_used && !HasColumn(columns, column.name)) lost.push_back(column.name);
    }
    std::vector<std::string> found;
    for (const TableColumn& column : columns) {
      if (column.is_used && !HasColumn(old->second, column.name) &&
          IsStateMadeOf(before, now, column)) {
        found.push_back(column.name);
      }
    }
    if (lost.empty() || found.empty()) continue;
    return fmt::format(
        "table {} has no {} any more, and the query uses its {}, which the table did not have when "
        "the checkpoint was made. To rename a column, leave it in its place, with as many columns "
        "as before, and a type that is the same or wider; change the rest in another run",
        now.ValueOf(title + " table"), fmt::join(lost, ", "), fmt::join(found, ", "));
  }
  return std::nullopt;
}

}  // namespace braid
