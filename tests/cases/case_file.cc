#include "tests/cases/case_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>

namespace braid::testing {

std::string IntervalText(int64_t millis) {
  return fmt::format("INTERVAL '{}{}.{:03d}' SECOND", millis < 0 ? "-" : "",
                     std::abs(millis) / 1000, std::abs(millis) % 1000);
}

std::string CreateTable(const CaseTable& table) {
  const nlohmann::json key = table.definition.value("primary_key", nlohmann::json::array());
  std::string columns;
  for (const nlohmann::json& column : table.definition.at("columns")) {
    const bool in_key = std::find(key.begin(), key.end(), column.at(0)) != key.end();
    columns += fmt::format("  `{}` {}{},\n", column.at(0).get<std::string>(),
                           column.at(1).get<std::string>(), in_key ? " NOT NULL" : "");
  }
  for (const nlohmann::json& column : table.definition.value("computed", nlohmann::json::array())) {
    columns += fmt::format("  `{}` AS {},\n", column.at(0).get<std::string>(),
                           column.at(1).get<std::string>());
  }
  const nlohmann::json watermark = table.definition.value("watermark", nlohmann::json());
  if (!watermark.is_null()) {
    columns += fmt::format("  WATERMARK FOR `{0}` AS `{0}` - {1},\n",
                           watermark.at("column").get<std::string>(),
                           IntervalText(watermark.at("delay_ms").get<int64_t>()));
  }
  if (!key.empty()) {
    columns += fmt::format("  PRIMARY KEY (`{}`) NOT ENFORCED,\n", key.at(0).get<std::string>());
  }
  columns.resize(columns.size() - 2);
  return fmt::format("CREATE TABLE `{}` (\n{}\n) WITH ('connector' = 'memory');\n", table.name,
                     columns);
}

std::string QueryOf(const nlohmann::json& file) {
  if (!file.at("query").is_null()) return file.at("query").get<std::string>();
  const nlohmann::json& options = file.at("options");
  const std::string extra = options.value("extra_condition", "none");
  return fmt::format(
      "SELECT l.*, r.* FROM l JOIN r ON l.id = r.id AND r.ts >{} l.ts + {} AND r.ts <{} l.ts + "
      "{}{}",
      options.value("lower_inclusive", true) ? "=" : "",
      IntervalText(options.at("lower_ms").get<int64_t>()),
      options.value("upper_inclusive", true) ? "=" : "",
      IntervalText(options.at("upper_ms").get<int64_t>()), extra == "none" ? "" : " AND " + extra);
}

CaseFile ReadCaseFile(const std::string& path) {
  std::ifstream stream(path);
  const nlohmann::json json = nlohmann::json::parse(stream, nullptr, false);
  if (json.is_discarded() || !json.contains("microbatch")) {
    std::cerr << path << ": not a case with a micro-batch part\n";
    std::exit(2);
  }
  CaseFile file;
  file.name = json.at("name").get<std::string>();
  file.query = json.at("query").get<std::string>();
  file.options = json.value("options", nlohmann::json::object());
  for (const auto& [name, definition] : json.at("tables").items()) {
    file.tables.push_back({name, definition});
  }
  const nlohmann::json& recorded = json.at("microbatch");
  file.steps = recorded.value("steps", nlohmann::json::array());
  const bool own = json.contains("braid");
  const nlohmann::json& part = own ? json.at("braid") : recorded;
  file.expected.refused = part.contains("error");
  file.expected.batches = part.value("batches", nlohmann::json::array());
  file.expected.null_times_counted = own || recorded.value("oracle", "").rfind("model", 0) == 0;
  if (!file.expected.refused && !part.contains("batches")) {
    std::cerr << path << ": neither batches nor an error to compare with\n";
    std::exit(2);
  }
  return file;
}

std::string CaseScript(const CaseFile& file, int parallelism) {
  std::string text = fmt::format("SET 'parallelism' = '{}';\n", parallelism);
  text += "SET 'execution.end-of-input' = 'hold';\n";
  for (const auto& [key, value] : file.options.items()) {
    if (key.rfind("spark.", 0) != 0 || !value.is_string()) continue;
    text += fmt::format("SET '{}' = '{}';\n", key, value.get<std::string>());
  }
  for (const CaseTable& table : file.tables) text += CreateTable(table);
  return text + file.query + ";\n";
}

}  // namespace braid::testing
