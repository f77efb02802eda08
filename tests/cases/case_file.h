// A recorded case (cases/FORMAT): tables, query, steps and what each batch must give.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace braid::testing {

struct CaseTable {
  std::string name;
  nlohmann::json definition;
};

// What must hold for the micro-batch part: our own value where the case records a difference.
struct CaseExpectation {
  bool refused = false;
  nlohmann::json batches = nlohmann::json::array();
  // Whether a missing count of rows with a NULL time means 0 (Spark has no such count).
  bool null_times_counted = false;
};

struct CaseFile {
  std::string name;
  std::vector<CaseTable> tables;
  std::string query;
  nlohmann::json options;
  nlohmann::json steps;
  CaseExpectation expected;
};

std::string IntervalText(int64_t millis);  // INTERVAL '1.500' SECOND

// CREATE TABLE with the memory connector.
std::string CreateTable(const CaseTable& table);

// The query of a case of an operator; one is made of the options where the case has none
// (DataStream).
std::string QueryOf(const nlohmann::json& file);

// Reads and checks a case file; ends the test program with a message if it is none.
CaseFile ReadCaseFile(const std::string& path);

// CREATE TABLE and SET statements and the query of the case as one SQL text; tables use the memory
// connector. `parallelism` becomes a SET.
std::string CaseScript(const CaseFile& file, int parallelism);

}  // namespace braid::testing
