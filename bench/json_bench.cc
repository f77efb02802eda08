// Reading and writing json lines in memory, on the rows of the ad-click workload: 2.6 million in
// all. Figures: ns of CPU time a row, bytes a second; one thread.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/ad_click_text.h"
#include "bench/cpu_seconds.h"
#include "engine/connectors/format/json_row_decoder.h"
#include "engine/connectors/format/json_row_encoder.h"

namespace braid {
namespace {

constexpr int64_t kRowsABatch = 100'000;
constexpr size_t kBytesACall = size_t{256} << 10;

int64_t ReadAll(AdClickForm form, bool is_impressions, std::string_view bytes,
                std::vector<RowBatch>* batches) {
  const TableDescription table = AdClickTable(form, is_impressions);
  std::vector<int> columns;
  for (int column = 0; column < table.schema.num_columns(); ++column) columns.push_back(column);
  const auto decoder = NewJsonRowDecoder(table, columns, JsonOptions(), nullptr);
  DecodeResult result;
  int64_t num_rows = 0;
  while (!bytes.empty()) {
    const size_t size = std::min(bytes.size(), kBytesACall);
    const auto taken = decoder->Decode(bytes.substr(0, size), size == bytes.size(), &result);
    if (!taken) return -1;
    bytes.remove_prefix(*taken);
    if (decoder->num_rows() < kRowsABatch && !bytes.empty()) continue;
    RowBatch batch = decoder->TakeRows();
    num_rows += batch.num_rows();
    benchmark::DoNotOptimize(batch);
    if (batches != nullptr) batches->push_back(std::move(batch));
  }
  return num_rows;
}

void ReadJson(benchmark::State& state, AdClickForm form) {
  const AdClickText& text = CachedAdClickText(form);
  double seconds = 0;
  for (auto _ : state) {
    const double start = CpuSeconds();
    const int64_t num_read =
        ReadAll(form, true, text.impressions, nullptr) + ReadAll(form, false, text.clicks, nullptr);
    seconds += CpuSeconds() - start;
    if (num_read != text.num_rows) state.SkipWithError("wrong number of rows");
  }
  ReportRows(state, seconds, text.num_rows, text.impressions.size() + text.clicks.size());
}

void WriteJson(benchmark::State& state, AdClickForm form) {
  std::vector<RowBatch> batches;
  ReadAll(form, true, CachedAdClickText(form).impressions, &batches);
  const auto encoder = NewJsonRowEncoder(AdClickTable(form, true), JsonOptions());
  std::string bytes;
  double seconds = 0;
  size_t num_bytes = 0;
  for (auto _ : state) {
    const double start = CpuSeconds();
    num_bytes = 0;
    for (const RowBatch& batch : batches) {
      bytes.clear();
      if (!encoder->Encode(batch, &bytes)) state.SkipWithError("not written");
      num_bytes += bytes.size();
    }
    seconds += CpuSeconds() - start;
  }
  ReportRows(state, seconds, kNumAdClickImpressions, num_bytes);
}

BENCHMARK_CAPTURE(ReadJson, json, AdClickForm::kJson)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ReadJson, json_iso, AdClickForm::kJsonIso)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(WriteJson, json, AdClickForm::kJson)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(WriteJson, json_iso, AdClickForm::kJsonIso)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace braid

BENCHMARK_MAIN();
