// Binds the query of every recorded case over the case's tables: what the two oracles take, the
// dialect takes.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "engine/sql/logical_plan_printer.h"
#include "engine/sql/parser.h"

namespace braid {
namespace {

using Json = nlohmann::json;

// Refused while binding: what the case is about is refused by name (SEMANTICS D17).
const std::set<std::string>& RefusedByBinder() {
  static const std::set<std::string> names = {"e2e-join-then-tumble"};
  return names;
}

std::string CreateTable(const std::string& name, const Json& table) {
  std::string text = "CREATE TABLE " + name + " (";
  for (const Json& column : table["columns"]) {
    text += "`" + column[0].get<std::string>() + "` " + column[1].get<std::string>() + ", ";
  }
  if (table.contains("computed")) {
    for (const Json& column : table["computed"]) {
      text += column[0].get<std::string>() + " AS " + column[1].get<std::string>() + ", ";
    }
  }
  if (!table["watermark"].is_null()) {
    const std::string column = table["watermark"]["column"];
    text += "WATERMARK FOR " + column + " AS " + column + " - INTERVAL " +
            std::to_string(table["watermark"]["delay_ms"].get<int64_t>()) + " MILLISECONDS, ";
  }
  if (table.contains("primary_key")) {
    text += "PRIMARY KEY (" + table["primary_key"][0].get<std::string>() + ") NOT ENFORCED, ";
  }
  text.resize(text.size() - 2);
  return text + ");\n";
}

std::vector<std::filesystem::path> CaseFiles() {
  std::vector<std::filesystem::path> files;
  for (const char* folder : {"spark", "extra", "flink"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(BRAID_CASES) / folder)) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(CaseQueryTest, BindsTheQueryOfEveryCase) {
  int bound = 0;
  for (const std::filesystem::path& file : CaseFiles()) {
    SCOPED_TRACE(file.filename().string());
    const Json recorded = Json::parse(std::ifstream(file));
    if (recorded["query"].is_null()) continue;
    std::string text;
    for (const auto& [name, table] : recorded["tables"].items()) text += CreateTable(name, table);
    text += recorded["query"].get<std::string>();
    const Result<Script> script = ParseScript(text, {});
    if (RefusedByBinder().contains(file.stem().string())) {
      EXPECT_FALSE(script.has_value());
      continue;
    }
    ASSERT_TRUE(script.has_value()) << text << "\n" << script.error().ToString();
    ASSERT_TRUE(script->query.has_value());
    EXPECT_FALSE(PrintLogicalPlan(*script->query->root).empty());
    ++bound;
  }
  EXPECT_GT(bound, 690);
}

}  // namespace
}  // namespace braid
