// Every recorded micro-batch case is planned: refused exactly where it says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/plan/planned_query.h"

namespace braid {
namespace {

using Json = nlohmann::json;

const std::filesystem::path kCases = BRAID_CASES_FOLDER;

Json ReadCase(const std::filesystem::path& path) {
  std::ifstream file(path);
  return Json::parse(file);
}

std::string CreateTable(const std::string& name, const Json& table) {
  std::string sql = "CREATE TABLE " + name + " (";
  for (const Json& column : table["columns"]) {
    sql += column[0].get<std::string>() + " " + column[1].get<std::string>() + ", ";
  }
  if (table.contains("computed")) {
    for (const Json& column : table["computed"]) {
      sql += column[0].get<std::string>() + " AS " + column[1].get<std::string>() + ", ";
    }
  }
  if (table.contains("watermark") && !table["watermark"].is_null()) {
    const std::string column = table["watermark"]["column"].get<std::string>();
    const int64_t delay_ms = table["watermark"]["delay_ms"].get<int64_t>();
    sql += "WATERMARK FOR " + column + " AS " + column + " - INTERVAL '" +
           std::to_string(delay_ms / 1000) + "." +
           std::to_string(1000 + delay_ms % 1000).substr(1) + "' SECOND, ";
  }
  sql.resize(sql.size() - 2);
  return sql + ") WITH ('connector' = 'blackhole');\n";
}

std::string ScriptOf(const Json& recorded) {
  std::string script;
  for (const auto& [name, table] : recorded["tables"].items()) script += CreateTable(name, table);
  return script + recorded["query"].get<std::string>();
}

// What holds is our own value where there is one.
bool IsRefused(const Json& recorded) {
  if (recorded.contains("braid")) return recorded["braid"].contains("error");
  return recorded["microbatch"].contains("error");
}

std::vector<std::filesystem::path> CaseFiles() {
  std::vector<std::filesystem::path> files;
  for (const char* folder : {"spark", "extra"}) {
    for (const auto& entry : std::filesystem::directory_iterator(kCases / folder)) {
      if (entry.path().extension() == ".json") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(CaseFilesTest, AreRefusedExactlyWhereTheySaySo) {
  int planned = 0;
  int refused = 0;
  for (const std::filesystem::path& path : CaseFiles()) {
    const Json recorded = ReadCase(path);
    if (!recorded.contains("microbatch")) continue;
    const Result<StreamPlan> plan = PlanScript(ScriptOf(recorded));
    EXPECT_EQ(!plan.has_value(), IsRefused(recorded))
        << path << ": " << recorded["query"] << ": "
        << (plan ? ExplainPlan(*plan, Mode::kMicroBatch) : plan.error().ToString());
    (plan ? planned : refused) += 1;
    if (!plan) {
      EXPECT_EQ(plan.error().code, ErrorCode::kInvalidQuery) << path;
    }
  }
  EXPECT_EQ(planned + refused, 401);
  EXPECT_GT(refused, 30);
}

}  // namespace
}  // namespace braid
