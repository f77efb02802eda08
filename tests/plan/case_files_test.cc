// Every recorded case is planned: refused exactly where it says so, and in per-record mode with the
// kinds of joins that it says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/plan/change_flow.h"
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

std::vector<std::filesystem::path> CaseFiles(const std::vector<std::string>& folders) {
  std::vector<std::filesystem::path> files;
  for (const std::string& folder : folders) {
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
  for (const std::filesystem::path& path : CaseFiles({"spark", "extra"})) {
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

std::vector<std::string> KindsOfJoins(const StreamPlan& plan) {
  std::vector<std::string> kinds;
  for (const JoinPlan* join : Joins(plan)) {
    kinds.push_back(join->per_record->is_interval() ? "IntervalJoin" : "Join");
  }
  return kinds;
}

TEST(CaseFilesTest, PerRecordJoinsAreOfTheKindTheySay) {
  int planned = 0;
  int refused = 0;
  for (const std::filesystem::path& path : CaseFiles({"flink", "extra"})) {
    const Json recorded = ReadCase(path);
    if (!recorded.contains("perrecord_e2e")) continue;
    SCOPED_TRACE(path.string() + ": " + recorded["query"].get<std::string>());
    const Json& part = recorded.contains("braid") ? recorded["braid"] : recorded["perrecord_e2e"];
    const Result<StreamPlan> plan = PlanScript(ScriptOf(recorded), Mode::kPerRecord);
    ASSERT_EQ(!plan.has_value(), part.contains("error")) << (plan ? "" : plan.error().ToString());
    (plan ? planned : refused) += 1;
    if (!plan) {
      EXPECT_EQ(plan.error().code, ErrorCode::kInvalidQuery);
      continue;
    }
    EXPECT_EQ(KindsOfJoins(*plan), part["plan_joins"].get<std::vector<std::string>>())
        << ExplainPlan(*plan, Mode::kPerRecord);
    if (!part.contains("change_kinds")) continue;
    const Json only_inserts = Json::array({"+I"});
    EXPECT_EQ(MayRetract(*plan, {}), part["change_kinds"] != only_inserts);
  }
  EXPECT_EQ(planned, 56);
  EXPECT_EQ(refused, 2);
}

// The plan's operator of the recorded harness cases.
TEST(CaseFilesTest, PerRecordOperatorsAreOfTheFamilyTheySay) {
  const std::map<std::string, PerRecordOperator> families = {
      {"rowtime-interval", PerRecordOperator::kRowTimeInterval},
      {"proctime-interval", PerRecordOperator::kProcessingTimeInterval},
      {"regular", PerRecordOperator::kRegular}};
  int planned = 0;
  for (const std::filesystem::path& path : CaseFiles({"flink", "extra"})) {
    const Json recorded = ReadCase(path);
    if (!recorded.contains("perrecord") || recorded["query"].is_null()) continue;
    const auto family = families.find(recorded["options"]["family"].get<std::string>());
    if (family == families.end() || recorded["perrecord"].contains("error")) continue;
    if (recorded.contains("braid") && recorded["braid"].contains("error")) continue;
    SCOPED_TRACE(path.string() + ": " + recorded["query"].get<std::string>());
    const Result<StreamPlan> plan = PlanScript(ScriptOf(recorded), Mode::kPerRecord);
    ASSERT_TRUE(plan.has_value()) << plan.error().ToString();
    EXPECT_EQ(plan->join->per_record->chosen, family->second);
    ++planned;
  }
  EXPECT_GT(planned, 200);
}

}  // namespace
}  // namespace braid
