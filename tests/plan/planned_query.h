// For tests: SQL text to a plan, and single lines of its explanation.
#pragma once

#include <string>

#include "braid/error.h"
#include "engine/plan/stream_plan.h"

namespace braid {

// Tables l(id BIGINT, ts TIMESTAMP(3), v BIGINT, name STRING, d DOUBLE, big TIMESTAMP(6), made
// TIMESTAMP(3)) and r(id BIGINT, ts TIMESTAMP(3), w BIGINT, …), watermarks on ts with delays 5 s
// and 2 s; l0 and r0 have no watermark; a third table t like r.
std::string StandardTables();

// Plans the query of `script` (tables and one query). Fails as the parser or the planner does.
Result<StreamPlan> PlanScript(const std::string& script, Mode mode = Mode::kMicroBatch,
                              RowTimeJoin row_time_join = RowTimeJoin::kSql);

// Plans `query` over the standard tables.
Result<StreamPlan> PlanQuery(const std::string& query);

// Plans `query` over the standard tables in per-record mode.
Result<StreamPlan> PlanPerRecord(const std::string& query,
                                 RowTimeJoin row_time_join = RowTimeJoin::kSql);

// What stands behind "name: " in the explanation's first line that begins with it, without the
// indentation; "(absent)" if there is none.
std::string ExplainLine(const StreamPlan& plan, const std::string& name);

// The same of PlanQuery(query); the error's message if it is refused.
std::string ExplainLineOf(const std::string& query, const std::string& name);

// The error's message; "(planned)" if the query is accepted.
std::string RefusalOf(const std::string& query);

}  // namespace braid
