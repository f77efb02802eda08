#include "tests/advise/advised_rows.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "braid/column_builder.h"
#include "engine/connectors/memory.h"
#include "engine/session/job.h"

namespace braid::testing {

namespace {

constexpr const char* kTables = R"(
CREATE TABLE l (id BIGINT, ts TIMESTAMP(3), v BIGINT, name STRING,
                WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'memory');
CREATE TABLE r (id BIGINT, ts TIMESTAMP(3), v BIGINT, name STRING,
                WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'memory');
)";
constexpr size_t kSliceRows = 1'000;

template <typename T>
void AppendOptional(const std::optional<T>& value, ColumnBuilder* builder) {
  if (value) {
    builder->Append(*value);
  } else {
    builder->AppendNull();
  }
}

std::shared_ptr<MemoryStream> StreamOf(const std::vector<AdvisedRow>& rows) {
  const auto schema = std::make_shared<const Schema>(Schema{{{"id", DataType::BigInt()},
                                                             {"ts", DataType::Timestamp(3)},
                                                             {"v", DataType::BigInt()},
                                                             {"name", DataType::String()}}});
  auto stream = std::make_shared<MemoryStream>(*schema, MemoryStream::Kind::kFinite);
  for (size_t begin = 0; begin < rows.size(); begin += kSliceRows) {
    const size_t end = std::min(begin + kSliceRows, rows.size());
    std::vector<ColumnBuilder> builders;
    for (const Field& field : schema->fields) builders.emplace_back(field.type);
    for (size_t index = begin; index < end; ++index) {
      const AdvisedRow& row = rows[index];
      AppendOptional(row.id, &builders[0]);
      AppendOptional(
          row.time_millis ? std::optional<int64_t>(*row.time_millis * 1'000) : std::nullopt,
          &builders[1]);
      builders[2].Append(row.value);
      builders[3].AppendString(row.name);
    }
    std::vector<Column> columns;
    for (ColumnBuilder& builder : builders) columns.push_back(builder.Finish());
    const Status pushed =
        stream->Push(RowBatch(schema, std::move(columns), static_cast<int64_t>(end - begin)));
    if (!pushed) return nullptr;
  }
  stream->End();
  return stream;
}

}  // namespace

Result<Advice> AdviseRows(const std::string& query, const std::vector<AdvisedRow>& left,
                          const std::vector<AdvisedRow>& right, std::optional<Interval> max,
                          const AdvisorOptions& options) {
  auto connector = std::make_shared<MemoryConnector>();
  connector->AddStream("l", StreamOf(left));
  connector->AddStream("r", StreamOf(right));
  ConnectorRegistry registry;
  registry.Add("memory", connector);
  ManualClock clock;
  std::optional<AdvicePlan> plan;
  JobOptions job_options;
  job_options.connectors = &registry;
  job_options.clock = &clock;
  job_options.planner = [&plan, max](const BoundQuery& bound,
                                     const Settings&) -> Result<StreamPlan> {
    Result<AdvicePlan> planned = PlanAdvice(bound, max);
    if (!planned) return tl::unexpected(planned.error());
    plan = std::move(*planned);
    return plan->plan;
  };
  const Result<std::unique_ptr<Job>> job = Job::Prepare(kTables + query, job_options);
  if (!job) return tl::unexpected(job.error());
  return Advise(job->get(), *plan, &clock, options);
}

}  // namespace braid::testing
