// The recorded tables of this folder: what each function and operator gives, row by row, and what
// Flink and Spark gave for the same text (README.md).
#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "engine/expression/function_registry.h"
#include "tests/expression/functions/evaluated_text.h"

namespace braid {
namespace {

using Json = nlohmann::ordered_json;
using testing::IsEmpty;

struct TableRow {
  std::string of;  // The function or operator that the row is about.
  Json fields;

  std::string sql() const { return fields.at("sql"); }
  bool has(const std::string& name) const { return fields.contains(name); }
  std::string text(const std::string& name) const { return fields.at(name); }
  std::string zone() const { return fields.value("zone", "UTC"); }
};

std::vector<TableRow> ReadTables() {
  std::vector<TableRow> rows;
  for (const auto& entry : std::filesystem::directory_iterator(BRAID_FUNCTION_TABLES)) {
    if (entry.path().extension() != ".json") continue;
    std::ifstream stream(entry.path());
    const Json table = Json::parse(stream);
    for (const auto& [name, group] : table.items()) {
      for (const Json& fields : group) rows.push_back({name, fields});
    }
  }
  return rows;
}

// Numbers of floating point agree when they differ by no more than libraries round differently.
bool SameValue(const std::string& type, const std::string& wanted, const std::string& got) {
  if (type != "FLOAT" && type != "DOUBLE") return wanted == got;
  const double left = std::strtod(wanted.c_str(), nullptr);
  const double right = std::strtod(got.c_str(), nullptr);
  if (std::isnan(left) || std::isnan(right)) return std::isnan(left) && std::isnan(right);
  if (std::isinf(left) || std::isinf(right)) return left == right;
  return std::abs(left - right) <= 1e-14 * std::abs(left);
}

void ExpectRow(const TableRow& row, Operands operands) {
  SCOPED_TRACE(row.of + ": " + row.sql() + " in " + row.zone());
  const EvaluatedText got = EvaluateText(row.sql(), row.zone(), operands);
  if (row.has("error")) {
    EXPECT_THAT(got.error, testing::HasSubstr(row.text("error"))) << got.type;
    return;
  }
  EXPECT_EQ(got.error, "");
  EXPECT_EQ(got.type, row.text("type"));
  if (row.fields.at("value").is_null()) {
    EXPECT_EQ(got.value.value_or("NULL"), "NULL");
    EXPECT_FALSE(got.value.has_value());
    return;
  }
  EXPECT_TRUE(SameValue(got.type, row.text("value"), got.value.value_or("NULL")))
      << "wanted " << row.text("value") << ", got " << got.value.value_or("NULL");
}

TEST(FunctionTableTest, EveryRowGivesItsTypeAndValue) {
  const std::vector<TableRow> rows = ReadTables();
  ASSERT_GT(rows.size(), 500U);
  for (const TableRow& row : rows) ExpectRow(row, Operands::kLiterals);
}

TEST(FunctionTableTest, EveryRowGivesTheSameOverColumns) {
  for (const TableRow& row : ReadTables()) ExpectRow(row, Operands::kColumns);
}

TEST(FunctionTableTest, EveryFunctionHasFiveRowsAndOneWithNull) {
  std::map<std::string, int> rows_of;
  std::set<std::string> with_null;
  for (const TableRow& row : ReadTables()) {
    ++rows_of[row.of];
    if (row.sql().find("NULL") != std::string::npos) with_null.insert(row.of);
  }
  for (const FunctionRule& rule : FunctionRules()) {
    const std::string name(rule.name);
    EXPECT_GE(rows_of[name], 5) << name;
    const bool takes_null = rule.most_arguments > 0;
    EXPECT_TRUE(!takes_null || with_null.contains(name)) << name;
  }
}

TEST(FunctionTableTest, EveryOperatorHasFiveRowsAndOneWithNull) {
  std::map<std::string, int> rows_of;
  std::set<std::string> with_null;
  for (const TableRow& row : ReadTables()) {
    ++rows_of[row.of];
    if (row.sql().find("NULL") != std::string::npos) with_null.insert(row.of);
  }
  for (const char* name :
       {"-x",   "+",       "-",        "*",         "/",   "%",   "||", "=",
        "<>",   "<",       "<=",       ">",         ">=",  "<=>", "IN", "BETWEEN",
        "LIKE", "IS NULL", "IS TRUE",  "IS FALSE",  "NOT", "AND", "OR", "IS DISTINCT FROM",
        "CASE", "CAST",    "TRY_CAST", "IS UNKNOWN"}) {
    EXPECT_GE(rows_of[name], 5) << name;
    EXPECT_TRUE(with_null.contains(name)) << name;
  }
}

// In docs/sql.md: "| `ABS(number)` | … | `ABS(-5)` is `5` | … |".
TEST(FunctionTableTest, TheDocumentedExampleOfEveryFunctionHolds) {
  static const std::regex example("`([^`]+)` is `([^`]*)`");
  std::map<std::string, std::string> line_of;
  std::ifstream stream(BRAID_DOCS "/sql.md");
  for (std::string line; std::getline(stream, line);) {
    const size_t end = line.find('`', 3);
    if (line.starts_with("| `") && end != std::string::npos)
      line_of[line.substr(3, end - 3)] = line;
  }
  for (const FunctionRule& rule : FunctionRules()) {
    if (rule.most_arguments == 0) continue;  // They depend on the time of the batch.
    const std::string& line = line_of[std::string(rule.usage)];
    std::smatch match;
    if (!std::regex_search(line, match, example)) {
      ADD_FAILURE() << rule.usage << " has no example";
      continue;
    }
    const EvaluatedText got = EvaluateText(match[1].str(), "UTC");
    EXPECT_EQ(got.error, "") << line;
    EXPECT_EQ(got.value.value_or("NULL"), match[2].str()) << line;
  }
}

// A difference from Flink is a decision: its row says why.
TEST(FunctionTableTest, EveryRowThatDiffersFromFlinkSaysWhy) {
  std::vector<std::string> unexplained;
  for (const TableRow& row : ReadTables()) {
    const bool differs = row.has("flink") && row.text("flink") != "=";
    if (differs != row.has("why")) unexplained.push_back(row.of + ": " + row.sql());
  }
  EXPECT_THAT(unexplained, IsEmpty());
}

}  // namespace
}  // namespace braid
