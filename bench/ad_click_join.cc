#include "bench/ad_click_join.h"

#include <fmt/format.h>

#include <string>

#include "braid/column_builder.h"
#include "engine/sql/parser.h"

namespace braid {

StreamPlan MakeAdClickPlan(bool outer, Mode mode) {
  const std::string text = fmt::format(
      "CREATE TABLE l (id BIGINT, ts TIMESTAMP(3), campaign BIGINT, price DOUBLE, "
      "WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'memory');"
      "CREATE TABLE r (id BIGINT, ts TIMESTAMP(3), user_id BIGINT, "
      "WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'memory');"
      "SELECT l.id, l.ts, l.campaign, l.price, r.ts AS clicked, r.user_id FROM l {} r "
      "ON l.id = r.id AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '{}' SECOND;",
      outer ? "LEFT JOIN" : "JOIN", kAdClickWindowSeconds);
  return *MakeStreamPlan(*ParseScript(text, {})->query, mode);
}

Arrivals MakeAdClickArrivals(const JoinPlan& plan, Side side, const WorkloadSide& rows) {
  ColumnBuilder ids(DataType::BigInt());
  for (const uint64_t word : rows.keys.words) ids.Append(static_cast<int64_t>(word));
  Arrivals arrivals;
  arrivals.columns = {ids.Finish(), rows.times};
  arrivals.columns.insert(arrivals.columns.end(), rows.payload.begin(), rows.payload.end());
  arrivals.num_rows = std::ssize(rows.rows);
  arrivals.keys =
      ComputeKeyWords({arrivals.columns.data(), 1}, plan.null_safe_keys, arrivals.num_rows);
  arrivals.time = rows.times;
  EvaluationContext context;
  for (const ExpressionPtr& payload : plan.side(side).payload_expressions) {
    arrivals.payload.push_back(
        Evaluator::Create(payload)->Evaluate(arrivals.columns, arrivals.num_rows, &context));
  }
  return arrivals;
}

}  // namespace braid
