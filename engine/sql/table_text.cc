#include "engine/sql/table_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/expression/quoted.h"
#include "engine/sql/keywords.h"
#include "state/rows/check.h"

namespace braid {

namespace {

bool IsLetter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_';
}

bool IsPlainWord(const std::string& name) {
  return !name.empty() && IsLetter(name[0]) &&
         std::all_of(name.begin(), name.end(), [](char letter) {
           return IsLetter(letter) || (letter >= '0' && letter <= '9');
         });
}

// The names of the options: what a person looks for first, then the others.
std::vector<std::string> OptionOrder(const Options& options) {
  std::vector<std::string> order;
  for (const char* key : {"connector", "path", "format"}) {
    if (options.contains(key)) order.emplace_back(key);
  }
  for (const auto& [key, option] : options) {
    if (std::find(order.begin(), order.end(), key) == order.end()) order.push_back(key);
  }
  return order;
}

}  // namespace

std::string SqlName(const std::string& name) {
  // Any keyword is quoted: a word that is not reserved today may be tomorrow.
  return IsPlainWord(name) && FindKeyword(name) == nullptr ? name : Quoted(name, '`');
}

std::string CreateTableText(const TableDefinition& table) {
  BRAID_CHECK(!table.watermark && table.primary_key.empty(), "columns and options alone");
  std::string text = fmt::format("CREATE TABLE {} (", SqlName(table.name));
  const char* separator = "\n  ";
  for (const ColumnDefinition& column : table.columns) {
    BRAID_CHECK(column.computed == nullptr, "columns that are read");
    text += fmt::format("{}{} {}{}", separator, SqlName(column.name), column.type.ToString(),
                        column.not_null ? " NOT NULL" : "");
    separator = ",\n  ";
  }
  text += "\n) WITH (";
  separator = "";
  for (const std::string& key : OptionOrder(table.options)) {
    text += fmt::format("{}{} = {}", separator, Quoted(key, '\''),
                        Quoted(table.options.at(key).value, '\''));
    separator = ", ";
  }
  return text + ");\n";
}

}  // namespace braid
