#include "tests/compare/compared_files.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/connectors/connector_registry.h"
#include "tests/connectors/temporary_folder.h"

namespace braid::testing {

namespace {

constexpr const char* kTables = R"(
CREATE TABLE l (id BIGINT, ts TIMESTAMP(3), v BIGINT, WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
  WITH ('connector' = 'filesystem', 'path' = '${FOLDER}/l', 'format' = 'csv',
        'source.max-files-per-trigger' = '1');
CREATE TABLE r (id BIGINT, ts TIMESTAMP(3), v BIGINT, WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
  WITH ('connector' = 'filesystem', 'path' = '${FOLDER}/r', 'format' = 'csv',
        'source.max-files-per-trigger' = '1');
)";

std::string TimeText(double seconds) {
  const auto micros = static_cast<int64_t>(std::llround(seconds * 1e6));
  const int64_t whole = micros / 1'000'000;
  return fmt::format("2024-01-01 {:02}:{:02}:{:02}.{:06}", whole / 3'600, whole / 60 % 60,
                     whole % 60, micros % 1'000'000);
}

void WriteFiles(const TemporaryFolder& folder, const std::string& table,
                const ComparedFiles& files) {
  for (size_t file = 0; file < files.size(); ++file) {
    std::string text;
    for (const ComparedRow& row : files[file]) {
      text += fmt::format("{},{},{}\n", row.id ? std::to_string(*row.id) : "",
                          row.seconds ? TimeText(*row.seconds) : "", row.value);
    }
    const std::string name = fmt::format("{}/{:04}.csv", table, file);
    folder.Write(name, text);
    // Files are read in the order of their times.
    folder.SetTime(name, 1'000'000 + static_cast<double>(file));
  }
}

}  // namespace

Result<Comparison> CompareFiles(const std::string& query, const ComparedFiles& left,
                                const ComparedFiles& right, int64_t num_rows) {
  return CompareTables(kTables, query, left, right, num_rows);
}

Result<Comparison> CompareTables(const std::string& tables, const std::string& query,
                                 const ComparedFiles& left, const ComparedFiles& right,
                                 int64_t num_rows) {
  const TemporaryFolder folder;
  WriteFiles(folder, "l", left);
  WriteFiles(folder, "r", right);
  const ConnectorRegistry connectors = BuiltInConnectors();
  SystemClock clock;
  JobOptions options;
  options.connectors = &connectors;
  options.clock = &clock;
  options.defines["FOLDER"] = folder.path();
  return Compare(tables + query, options, num_rows);
}

}  // namespace braid::testing
