#include "tests/plan/planned_query.h"

#include "engine/sql/parser.h"

namespace braid {

namespace {

std::string Table(const std::string& name, const std::string& number,
                  const std::string& watermark) {
  return "CREATE TABLE " + name + " (id BIGINT, ts TIMESTAMP(3), " + number +
         " BIGINT, name STRING, d DOUBLE, big TIMESTAMP(6), made TIMESTAMP(3), k INT, p DATE, "
         "b BOOLEAN, m DECIMAL(10, 2), z TIMESTAMP_LTZ(3)" +
         watermark + ") WITH ('connector' = 'blackhole');\n";
}

std::string WatermarkClause(const std::string& delay) {
  return ", WATERMARK FOR ts AS ts - INTERVAL '" + delay + "' SECOND";
}

}  // namespace

std::string StandardTables() {
  return Table("l", "v", WatermarkClause("5")) + Table("r", "w", WatermarkClause("2")) +
         Table("l0", "v", "") + Table("r0", "w", "") + Table("t", "u", WatermarkClause("2"));
}

Result<StreamPlan> PlanScript(const std::string& script, Mode mode, RowTimeJoin row_time_join) {
  Result<Script> parsed = ParseScript(script, {});
  if (!parsed) return tl::unexpected(parsed.error());
  if (!parsed->query) return Fail(ErrorCode::kInvalidQuery, "the script has no query");
  return MakeStreamPlan(*parsed->query, mode, row_time_join);
}

Result<StreamPlan> PlanQuery(const std::string& query) {
  return PlanScript(StandardTables() + query);
}

Result<StreamPlan> PlanPerRecord(const std::string& query, RowTimeJoin row_time_join) {
  return PlanScript(StandardTables() + query, Mode::kPerRecord, row_time_join);
}

std::string ExplainLine(const StreamPlan& plan, const std::string& name) {
  const std::string text = ExplainPlan(plan, Mode::kMicroBatch);
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = text.find('\n', begin);
    std::string line = text.substr(begin, end - begin);
    line.erase(0, line.find_first_not_of(' '));
    if (line.starts_with(name + ": ")) return line.substr(name.size() + 2);
    begin = end + 1;
  }
  return "(absent)";
}

std::string ExplainLineOf(const std::string& query, const std::string& name) {
  const Result<StreamPlan> plan = PlanQuery(query);
  return plan ? ExplainLine(*plan, name) : "refused: " + plan.error().message;
}

std::string RefusalOf(const std::string& query) {
  const Result<StreamPlan> plan = PlanQuery(query);
  return plan ? "(planned)" : plan.error().message;
}

}  // namespace braid
