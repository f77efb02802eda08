// The micro-batch join of the ad-click workload alone, rows in memory and no sink, beside a bare
// loop of the same structure (bare_join.h). Arguments: left rows, left rows a batch, whether the
// join is outer. Figures: ns an input row (CPU time), result rows.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/ad_click_join.h"
#include "bench/bare_join.h"
#include "bench/bench_rows.h"
#include "bench/cpu_seconds.h"
#include "bench/workload_rows.h"
#include "engine/microbatch/activity_recorder.h"
#include "engine/microbatch/symmetric_hash_join.h"
#include "engine/plan/stream_plan.h"

namespace braid {
namespace {

constexpr Interval kDelay{5'000'000};

class CountingSink final : public Sink {
 public:
  std::string description() const override { return "CountingSink"; }
  Status Open(const SinkContext& /*context*/) override { return {}; }
  Status BeginBatch(int64_t /*batch_id*/) override { return {}; }
  Status Write(int /*partition*/, const RowBatch& rows) override {
    num_rows_ += rows.num_rows();
    return {};
  }
  Status PublishBatch(int64_t /*batch_id*/) override { return {}; }
  int64_t num_rows() const { return num_rows_; }

 private:
  int64_t num_rows_ = 0;
};

// The last workload that was asked for; benchmarks that follow each other share it.
const WorkloadRows& CachedRows(int64_t num_left, int64_t batch_rows) {
  static std::map<std::pair<int64_t, int64_t>, WorkloadRows> cache;
  const std::pair<int64_t, int64_t> key(num_left, batch_rows);
  const auto found = cache.find(key);
  if (found != cache.end()) return found->second;
  cache.clear();
  return cache.emplace(key, MakeAdClickRows(num_left, batch_rows, kAdClickWindowSeconds))
      .first->second;
}

void Finish(benchmark::State& state, const WorkloadRows& rows, double seconds, int64_t results) {
  // An impression has one matching click at most.
  const int64_t expected = state.range(2) != 0 ? BenchRows(state.range(0)) : rows.num_matches;
  if (results != expected) state.SkipWithError("wrong number of result rows");
  state.counters["ns_row"] =
      seconds * 1e9 / static_cast<double>(rows.num_rows) / static_cast<double>(state.iterations());
  state.counters["results"] = static_cast<double>(results);
}

void BM_Join(benchmark::State& state) {
  const WorkloadRows& rows = CachedRows(BenchRows(state.range(0)), state.range(1));
  const StreamPlan plan = MakeAdClickPlan(state.range(2) != 0, Mode::kMicroBatch);
  std::vector<std::array<Arrivals, 2>> batches;
  for (const WorkloadBatch& batch : rows.batches) {
    batches.push_back({MakeAdClickArrivals(*plan.join, Side::kLeft, batch.left),
                       MakeAdClickArrivals(*plan.join, Side::kRight, batch.right)});
  }
  double seconds = 0;
  int64_t num_results = 0;
  for (auto _ : state) {
    CountingSink sink;
    ActivityRecorder activity;
    const auto output_plan = std::move(*OutputPlan::Create(plan, OnRowError::kFail));
    RowOutput output(output_plan.get(), &sink, 0, &activity);
    SymmetricHashJoin::Options options;
    options.activity = &activity;
    const auto join =
        std::move(*SymmetricHashJoin::Create(*plan.join, &output, *output_plan, options));
    std::optional<Watermark> watermark;
    const double start = CpuSeconds();
    for (size_t index = 0; index < batches.size(); ++index) {
      output.BeginBatch({});
      join->BeginBatch(static_cast<int64_t>(index), watermark, {});
      for (const Side side : kBothSides) {
        const WorkloadBatch& batch = rows.batches[index];
        const WorkloadSide& arrived = side == Side::kLeft ? batch.left : batch.right;
        const Arrivals& arrivals = batches[index][Index(side)];
        if (!join->Probe(side, arrivals, arrived.rows) ||
            !join->Store(side, arrivals, arrived.rows)) {
          state.SkipWithError("the join failed");
        }
      }
      const bool is_last = index + 1 == batches.size();
      if (!join->EndBatch(is_last)) state.SkipWithError("the join failed");
      const WorkloadBatch& batch = rows.batches[index];
      const int64_t reached = std::min(batch.left.time_max, batch.right.time_max);
      watermark = Watermark{(reached - kDelay.micros) / 1'000};
    }
    seconds += CpuSeconds() - start;
    num_results = sink.num_rows();
  }
  Finish(state, rows, seconds, num_results);
}

void BM_BareJoin(benchmark::State& state) {
  const WorkloadRows& rows = CachedRows(BenchRows(state.range(0)), state.range(1));
  double seconds = 0;
  int64_t num_results = 0;
  for (auto _ : state) {
    BareJoin join(state.range(2) != 0, kAdClickWindowSeconds * 1'000'000, size_t{1} << 20,
                  size_t{1} << 18);
    const double start = CpuSeconds();
    for (const WorkloadBatch& batch : rows.batches) join.Run(batch, kDelay.micros);
    join.Flush();
    seconds += CpuSeconds() - start;
    num_results = join.num_results();
  }
  Finish(state, rows, seconds, num_results);
}

void Arguments(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"rows", "batch", "outer"})->Unit(benchmark::kMillisecond);
  for (const int64_t batch : {10'000, 100'000}) {
    for (const int64_t outer : {0, 1}) bench->Args({2'000'000, batch, outer});
  }
}
BENCHMARK(BM_Join)->Apply(Arguments);
BENCHMARK(BM_BareJoin)->Apply(Arguments);

}  // namespace
}  // namespace braid

BENCHMARK_MAIN();
