// The join of two workloads by two side states alone: no sources, no expressions, no sink.
// Arguments: left rows, left rows a batch, whether the left side is outer, seconds of window.
// Figures: ns an input row of each phase (CPU time), bytes of memory a state row at the end of the
// busiest batch.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "bench/bench_rows.h"
#include "bench/cpu_seconds.h"
#include "bench/workload_rows.h"
#include "braid/column_builder.h"
#include "state/side_state.h"

namespace braid {
namespace {

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
  Join(bool left_outer, Interval window)
      : window_(window), left_(Options(2, left_outer)), right_(Options(1, false)) {}

  void Run(const WorkloadBatch& batch, Measures* measures) {
    const double start = CpuSeconds();
    last_ = start;
    const ArrivingRows left = Arriving(batch.left);
    const ArrivingRows right = Arriving(batch.right);
    ProbeAll(&right_, left, Interval{0}, window_, false, kProbeRight, measures);
    left_.Append(left, {});
    Lap(kAppendLeft, measures);
    ProbeAll(&left_, right, -window_, Interval{0}, is_outer_, kProbeLeft, measures);
    right_.Append(right, {});
    Lap(kAppendRight, measures);
    if (watermark_ != 0) {
      const EvictionResult evicted = left_.EvictBelow(EventTime{watermark_} - window_);
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

  static ArrivingRows Arriving(const WorkloadSide& side) {
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
  const Interval window_;
  SideState left_;
  SideState right_;
  Matches matches_;
  int64_t watermark_ = 0;
  double last_ = 0;
};

using MakeRows = WorkloadRows (*)(int64_t, int64_t, int64_t);

// The last workload that was asked for; benchmarks that follow each other often share it.
const WorkloadRows& CachedRows(MakeRows make, int64_t num_left, int64_t batch_rows,
                               int64_t window) {
  static std::map<std::tuple<MakeRows, int64_t, int64_t, int64_t>, WorkloadRows> cache;
  const auto key = std::make_tuple(make, num_left, batch_rows, window);
  const auto found = cache.find(key);
  if (found != cache.end()) return found->second;
  cache.clear();
  return cache.emplace(key, make(num_left, batch_rows, window)).first->second;
}

void RunJoin(benchmark::State& state, MakeRows make) {
  const WorkloadRows& rows =
      CachedRows(make, BenchRows(state.range(0)), state.range(1), state.range(3));
  Measures measures;
  for (auto _ : state) {
    measures = {};
    Join join(state.range(2) != 0, Seconds(state.range(3)));
    for (const WorkloadBatch& batch : rows.batches) join.Run(batch, &measures);
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

void BM_AdClickJoin(benchmark::State& state) { RunJoin(state, MakeAdClickRows); }
BENCHMARK(BM_AdClickJoin)
    ->ArgNames({"rows", "batch", "outer", "window"})
    ->Args({500'000, 1, 0, 20})
    ->Args({2'000'000, 1'000, 0, 60})
    ->Args({2'000'000, 1'000, 1, 60})
    ->Args({2'000'000, 10'000, 0, 60})
    ->Args({2'000'000, 10'000, 1, 60})
    ->Args({2'000'000, 100'000, 0, 60})
    ->Args({2'000'000, 100'000, 1, 60})
    ->Args({8'000'000, 100'000, 0, 60})
    ->Args({8'000'000, 100'000, 0, 500})
    ->Unit(benchmark::kMillisecond);

bool IsClicked(const WorkloadRows& rows, uint64_t key) {
  return std::any_of(rows.batches.begin(), rows.batches.end(), [key](const WorkloadBatch& batch) {
    const auto& words = batch.right.keys.words;
    return std::find(words.begin(), words.end(), key) != words.end();
  });
}

// An impression in the middle, without a click, says that it is an hour later. It does not move the
// watermark, which the clicks hold back, and stays in state.
WorkloadRows MakeAdClickRowsWithOutlier(int64_t num_left, int64_t batch_rows, int64_t window) {
  WorkloadRows rows = MakeAdClickRows(num_left, batch_rows, window);
  WorkloadSide& left = rows.batches[rows.batches.size() / 2].left;
  size_t outlier = 0;
  while (IsClicked(rows, left.keys.words[outlier])) ++outlier;
  ColumnBuilder moved(DataType::Timestamp(3));
  size_t row = 0;
  for (const int64_t micros : left.times.Values<int64_t>()) {
    moved.Append(row++ == outlier ? micros + Seconds(3'600).micros : micros);
  }
  left.times = moved.Finish();
  return rows;
}

// What a single row costs that is far ahead: to be compared with BM_AdClickJoin of the same rows.
void BM_OutlierJoin(benchmark::State& state) { RunJoin(state, MakeAdClickRowsWithOutlier); }
BENCHMARK(BM_OutlierJoin)
    ->ArgNames({"rows", "batch", "outer", "window"})
    ->Args({8'000'000, 100'000, 0, 60})
    ->Unit(benchmark::kMillisecond);

void BM_AuctionJoin(benchmark::State& state) { RunJoin(state, MakeAuctionRows); }
BENCHMARK(BM_AuctionJoin)
    ->ArgNames({"rows", "batch", "outer", "window"})
    ->Args({200'000, 1'000, 0, 20})
    ->Args({200'000, 10'000, 0, 20})
    ->Unit(benchmark::kMillisecond);

// Rows of one key, one a millisecond.
class HotRows {
 public:
  ArrivingRows Next(int64_t count) {
    keys_.words.assign(static_cast<size_t>(count), 7);
    ColumnBuilder times(DataType::Timestamp(3));
    for (int64_t i = 0; i < count; ++i) times.Append(1'000 * next_++);
    times_ = times.Finish();
    rows_.resize(static_cast<size_t>(count));
    std::iota(rows_.begin(), rows_.end(), 0);
    return {&keys_, &times_, {}, rows_};
  }
  EventTime now() const { return {1'000 * next_}; }

 private:
  int64_t next_ = 0;
  KeyWords keys_;
  Column times_;
  std::vector<int32_t> rows_;
};

// One key with a million rows in state, 2,000 partners a row; ns a pair. Argument: rows a batch.
void BM_HotKey(benchmark::State& state) {
  SideStateOptions options;
  options.has_time = true;
  options.collect_delta = false;
  SideState side(options);
  HotRows rows;
  side.Append(rows.Next(BenchRows(1'000'000)), {});
  Matches matches;
  int64_t pairs = 0;
  for (auto _ : state) {
    const ArrivingRows arriving = rows.Next(state.range(0));
    side.Append(arriving, {});
    ProbeCursor cursor;
    bool done = false;
    while (!done) {
      matches.Clear();
      done = side.Probe(arriving, -Seconds(1), Seconds(1), &cursor, &matches);
      pairs += std::ssize(matches.stored);
    }
    side.EvictBelow(rows.now() - Seconds(1'000));
    side.ReleaseEvicted();
  }
  state.counters["s_pair"] = benchmark::Counter(
      static_cast<double>(pairs), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_HotKey)->Arg(1)->Arg(1'000)->Arg(10'000)->Unit(benchmark::kMicrosecond);

// What an eviction costs that finds nothing to evict, with five million rows in state, one of them
// at the threshold.
void BM_EvictNothing(benchmark::State& state) {
  SideStateOptions options;
  options.has_time = true;
  options.collect_delta = false;
  SideState side(options);
  HotRows rows;
  for (int batch = 0; batch < 50; ++batch) side.Append(rows.Next(BenchRows(100'000)), {});
  int64_t threshold = -1'000'000'000;
  for (auto _ : state) {
    benchmark::DoNotOptimize(side.EvictBelow({threshold++}));
    side.ReleaseEvicted();
  }
}
BENCHMARK(BM_EvictNothing);

// What it costs to evict a hundred thousand rows of so many; the argument.
void BM_EvictSome(benchmark::State& state) {
  const int64_t num_rows = BenchRows(state.range(0));
  const int64_t num_evicted = BenchRows(100'000);
  SideStateOptions options;
  options.has_time = true;
  options.collect_delta = false;
  SideState side(options);
  HotRows rows;
  for (int64_t row = 0; row < num_rows; row += num_evicted) side.Append(rows.Next(num_evicted), {});
  for (auto _ : state) {
    state.PauseTiming();
    side.Append(rows.Next(num_evicted), {});
    state.ResumeTiming();
    // The rows are a millisecond apart.
    side.EvictBelow(rows.now() - Seconds(num_rows / 1'000));
    side.ReleaseEvicted();
    if (side.num_rows() > num_rows + 1) state.SkipWithError("too many rows are left");
  }
}
BENCHMARK(BM_EvictSome)->Arg(1'000'000)->Arg(10'000'000)->Unit(benchmark::kMicrosecond);

// Grows to six million rows; ms of the slowest batch of 100,000.
void BM_Growth(benchmark::State& state) {
  const WorkloadRows& rows = CachedRows(MakeAdClickRows, BenchRows(6'000'000), 100'000, 600);
  double worst = 0;
  for (auto _ : state) {
    SideStateOptions options;
    options.has_time = true;
    options.collect_delta = false;
    options.payload = {DataType::BigInt(), DataType::Double()};
    SideState side(options);
    for (const WorkloadBatch& batch : rows.batches) {
      const double start = CpuSeconds();
      side.Append({&batch.left.keys, &batch.left.times, batch.left.payload, batch.left.rows}, {});
      worst = std::max(worst, CpuSeconds() - start);
    }
  }
  state.counters["worst_batch_ms"] = worst * 1e3;
}
BENCHMARK(BM_Growth)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace braid

BENCHMARK_MAIN();
