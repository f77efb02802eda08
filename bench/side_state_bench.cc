// The join of the ad-click workload by two side states alone: no sources, no expressions, no sink.
// Arguments: left rows, left rows a batch, whether the left side is outer. Figures: ns an input row
// of each phase (CPU time), bytes of memory a state row at the end of the busiest batch.
#include <benchmark/benchmark.h>

#include <ctime>
#include <map>
#include <tuple>

#include "bench/ad_click_rows.h"
#include "state/side_state.h"

namespace braid {
namespace {

// CPU time, since other work may share the machine.
double CpuSeconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

constexpr Interval kWindow = Seconds(60);
constexpr Interval kDelay = Seconds(5);

enum Phase { kProbeRight, kAppendLeft, kProbeLeft, kAppendRight, kGather, kEvict, kNumPhases };
constexpr const char* kPhaseNames[] = {"probe_right",  "append_left", "probe_left",
                                       "append_right", "gather",      "evict"};

struct Measures {
  double seconds[kNumPhases] = {};
  double worst_batch_seconds = 0;
  int64_t pairs = 0;
  int64_t padded = 0;
  int64_t state_rows_max = 0;
  int64_t memory_bytes_max = 0;
};

class Join {
 public:
  explicit Join(bool left_outer) : left_(Options(2, left_outer)), right_(Options(1, false)) {}

  void Run(const AdClickBatch& batch, Measures* measures) {
    const double start = CpuSeconds();
    last_ = start;
    const ArrivingRows left = Arriving(batch.left);
    const ArrivingRows right = Arriving(batch.right);
    ProbeAll(&right_, left, Interval{0}, kWindow, false, kProbeRight, measures);
    left_.Append(left, {});
    Lap(kAppendLeft, measures);
    ProbeAll(&left_, right, -kWindow, Interval{0}, is_outer_, kProbeLeft, measures);
    right_.Append(right, {});
    Lap(kAppendRight, measures);
    if (watermark_ != 0) {
      const EvictionResult evicted = left_.EvictBelow(EventTime{watermark_} - kWindow);
      if (!evicted.unmatched.empty()) {
        for (int column = 0; column < 2; ++column) {
          benchmark::DoNotOptimize(left_.GatherPayload(column, evicted.unmatched));
        }
        benchmark::DoNotOptimize(left_.GatherTime(DataType::Timestamp(3), evicted.unmatched));
        measures->padded += std::ssize(evicted.unmatched);
      }
      right_.EvictBelow(EventTime{watermark_});
    }
    const int64_t rows = left_.num_rows() + right_.num_rows();
    left_.ReleaseEvicted();
    right_.ReleaseEvicted();
    Lap(kEvict, measures);
    watermark_ = (EventTime{std::min(batch.left.time_max, batch.right.time_max)} - kDelay).micros;
    if (rows > measures->state_rows_max) {
      measures->state_rows_max = rows;
      measures->memory_bytes_max = left_.memory_bytes() + right_.memory_bytes();
    }
    measures->worst_batch_seconds = std::max(measures->worst_batch_seconds, last_ - start);
  }

 private:
  SideStateOptions Options(size_t columns, bool track_matches) {
    SideStateOptions options;
    options.has_time = true;
    options.track_matches = track_matches;
    options.collect_delta = false;
    is_outer_ |= track_matches;
    options.payload.push_back(DataType::BigInt());
    if (columns == 2) options.payload.push_back(DataType::Double());
    return options;
  }

  static ArrivingRows Arriving(const AdClickSide& side) {
    ArrivingRows rows;
    rows.keys = &side.keys;
    rows.times = &side.times;
    rows.payload = side.payload;
    rows.rows = side.rows;
    return rows;
  }

  void Lap(Phase phase, Measures* measures) {
    const double now = CpuSeconds();
    measures->seconds[phase] += now - last_;
    last_ = now;
  }

  void ProbeAll(SideState* state, const ArrivingRows& arriving, Interval lower, Interval upper,
                bool mark, Phase phase, Measures* measures) {
    ProbeCursor cursor;
    bool done = false;
    while (!done) {
      matches_.Clear();
      done = state->Probe(arriving, lower, upper, &cursor, &matches_);
      if (mark) state->MarkMatched(matches_.stored);
      Lap(phase, measures);
      if (matches_.stored.empty()) continue;
      measures->pairs += std::ssize(matches_.stored);
      benchmark::DoNotOptimize(state->GatherPayload(0, matches_.stored));
      if (state == &left_) benchmark::DoNotOptimize(state->GatherPayload(1, matches_.stored));
      benchmark::DoNotOptimize(state->GatherTime(DataType::Timestamp(3), matches_.stored));
      Lap(kGather, measures);
    }
  }

  bool is_outer_ = false;
  SideState left_;
  SideState right_;
  Matches matches_;
  int64_t watermark_ = 0;
  double last_ = 0;
};

const AdClickRows& CachedRows(int64_t num_left, int64_t batch_rows) {
  static std::map<std::pair<int64_t, int64_t>, AdClickRows> cache;
  const auto key = std::make_pair(num_left, batch_rows);
  const auto found = cache.find(key);
  if (found != cache.end()) return found->second;
  cache.clear();
  return cache.emplace(key, MakeAdClickRows(num_left, batch_rows)).first->second;
}

void BM_AdClickJoin(benchmark::State& state) {
  const AdClickRows& rows = CachedRows(state.range(0), state.range(1));
  Measures measures;
  for (auto _ : state) {
    measures = {};
    Join join(state.range(2) != 0);
    for (const AdClickBatch& batch : rows.batches) join.Run(batch, &measures);
    if (measures.pairs != rows.num_matches) state.SkipWithError("wrong number of pairs");
  }
  const double count = static_cast<double>(rows.num_rows);
  double total = 0;
  for (int phase = 0; phase < kNumPhases; ++phase) {
    state.counters[kPhaseNames[phase]] = measures.seconds[phase] * 1e9 / count;
    total += measures.seconds[phase] * 1e9 / count;
  }
  state.counters["ns_row"] = total;
  state.counters["worst_batch_ms"] = measures.worst_batch_seconds * 1e3;
  state.counters["state_rows"] = static_cast<double>(measures.state_rows_max);
  state.counters["bytes_row"] =
      static_cast<double>(measures.memory_bytes_max) / static_cast<double>(measures.state_rows_max);
}

BENCHMARK(BM_AdClickJoin)
    ->ArgNames({"rows", "batch", "outer"})
    ->Args({2'000'000, 1'000, 0})
    ->Args({2'000'000, 1'000, 1})
    ->Args({2'000'000, 10'000, 0})
    ->Args({2'000'000, 10'000, 1})
    ->Args({2'000'000, 100'000, 0})
    ->Args({2'000'000, 100'000, 1})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace braid

BENCHMARK_MAIN();
