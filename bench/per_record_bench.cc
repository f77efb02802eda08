// The join of the ad-click workload record by record: rows in memory, no sink, a watermark after
// every record that moves it. Arguments: left rows, left rows a block, whether the join is outer.
// Figures: ns an input row (CPU time), result rows, rows of state at the end of the fullest block.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/ad_click_join.h"
#include "bench/bench_rows.h"
#include "bench/cpu_seconds.h"
#include "bench/workload_rows.h"
#include "engine/perrecord/per_record_join.h"

namespace braid {
namespace {

constexpr int64_t kDelayMillis = 5'000;

class CountingOutput final : public JoinOutput {
 public:
  Status Take(const OutputBlock& block) override {
    num_rows_ += block.num_rows;
    return {};
  }
  int64_t num_rows() const { return num_rows_; }

 private:
  int64_t num_rows_ = 0;
};

RecordSide MakeRecords(const JoinPlan& plan, Side side, const WorkloadSide& rows) {
  RecordSide records;
  if (rows.rows.empty()) return records;
  records.rows = std::make_shared<const Arrivals>(MakeAdClickArrivals(plan, side, rows));
  records.num_rows = records.rows->num_rows;
  return records;
}

// Blocks in the order of source.interleave = event-time.
class BlockMaker {
 public:
  explicit BlockMaker(const JoinPlan& plan) : plan_(plan) {}

  RecordBlock Make(const WorkloadBatch& batch) {
    RecordBlock block;
    block.sides = {MakeRecords(plan_, Side::kLeft, batch.left),
                   MakeRecords(plan_, Side::kRight, batch.right)};
    const auto left = batch.left.times.Values<int64_t>();
    const auto right = batch.right.times.Values<int64_t>();
    for (size_t l = 0, r = 0; l < left.size() || r < right.size();) {
      const bool is_left = r == right.size() || (l < left.size() && left[l] <= right[r]);
      RecordStep step;
      step.side = is_left ? Side::kLeft : Side::kRight;
      step.row = static_cast<int32_t>(is_left ? l : r);
      const int64_t millis = (is_left ? left[l++] : right[r++]) / 1'000 - kDelayMillis;
      int64_t& watermark = watermarks_[Index(step.side)];
      if (millis > watermark) step.millis = watermark = millis;
      block.steps.push_back(step);
    }
    return block;
  }

 private:
  const JoinPlan& plan_;
  std::array<int64_t, 2> watermarks_ = {kUnsetMillis, kUnsetMillis};
};

// Both inputs end.
RecordBlock EndOfInput() {
  RecordBlock block;
  for (const Side side : kBothSides) {
    RecordStep& step = block.steps.emplace_back();
    step.type = RecordStep::Type::kWatermark;
    step.side = side;
    step.millis = kEndMillis;
  }
  return block;
}

struct Blocks {
  std::vector<RecordBlock> blocks;
  int64_t num_rows = 0;
  int64_t num_results = 0;
};

Blocks MakeBlocks(const JoinPlan& plan, int64_t num_left, int64_t block_rows, bool outer) {
  const WorkloadRows rows = MakeAdClickRows(num_left, block_rows, kAdClickWindowSeconds);
  Blocks result;
  result.num_rows = rows.num_rows;
  // An impression has one matching click at most.
  result.num_results = outer ? num_left : rows.num_matches;
  BlockMaker maker(plan);
  for (const WorkloadBatch& batch : rows.batches) result.blocks.push_back(maker.Make(batch));
  result.blocks.push_back(EndOfInput());
  return result;
}

void BM_PerRecordAdClickJoin(benchmark::State& state) {
  const bool outer = state.range(2) != 0;
  const StreamPlan plan = MakeAdClickPlan(outer, Mode::kPerRecord);
  const Blocks blocks = MakeBlocks(*plan.join, BenchRows(state.range(0)), state.range(1), outer);
  double seconds = 0;
  int64_t state_rows_max = 0;
  int64_t num_results = 0;
  for (auto _ : state) {
    CountingOutput output;
    std::vector<int> columns(7);
    std::iota(columns.begin(), columns.end(), 0);
    columns.erase(columns.begin() + 4);  // The right key.
    const auto join = std::move(*PerRecordJoin::Create(*plan.join, columns, {}, &output));
    const double start = CpuSeconds();
    for (const RecordBlock& block : blocks.blocks) {
      if (!join->Process(block)) state.SkipWithError("the join failed");
      state_rows_max = std::max(
          state_rows_max, join->num_state_rows(Side::kLeft) + join->num_state_rows(Side::kRight));
    }
    seconds += CpuSeconds() - start;
    num_results = output.num_rows();
    if (num_results != blocks.num_results) state.SkipWithError("wrong number of result rows");
  }
  state.counters["ns_row"] = seconds * 1e9 / static_cast<double>(blocks.num_rows) /
                             static_cast<double>(state.iterations());
  state.counters["results"] = static_cast<double>(num_results);
  state.counters["state_rows"] = static_cast<double>(state_rows_max);
}
BENCHMARK(BM_PerRecordAdClickJoin)
    ->ArgNames({"rows", "block", "outer"})
    ->Args({2'000'000, 10'000, 0})
    ->Args({2'000'000, 10'000, 1})
    ->Args({500'000, 100, 0})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace braid

BENCHMARK_MAIN();
