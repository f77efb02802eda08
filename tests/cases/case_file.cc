#include "tests/cases/case_file.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <iostream>

namespace braid::testing {

std::string CreateTable(const CaseTable& table) {
  std::string columns;
  for (const nlohmann::json& column : table.definition.at("columns")) {
    columns += fmt::format("  `{}` {},\n", column.at(0).get<std::string>(),
                           column.at(1).get<std::string>());
  }
  if (table.definition.contains("computed")) {
    for (const nlohmann::json& column : table.definition.at("computed")) {
      columns += fmt::format("  `{}` AS {},\n", column.at(0).get<std::string>(),
                             column.at(1).get<std::string>());
    }
  }
  const nlohmann::json watermark = table.definition.value("watermark", nlohmann::json());
  if (!watermark.is_null()) {
    const int64_t delay = watermark.at("delay_ms").get<int64_t>();
    columns += fmt::format("  WATERMARK FOR `{0}` AS `{0}` - INTERVAL '{1}.{2:03d}' SECOND,\n",
                           watermark.at("column").get<std::string>(), delay / 1000, delay % 1000);
  }
  columns.resize(columns.size() - 2);
  return fmt::format("CREATE TABLE `{}` (\n{}\n) WITH ('connector' = 'memory');\n", table.name,
                     columns);
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
