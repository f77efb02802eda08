// Reading and writing csv in memory, on the rows of the ad-click workload: impressions (ad_id, ts,
// campaign, price) and clicks (ad_id, ts, user), 2.6 million in all. Figures: ns of CPU time a row,
// bytes a second; one thread.
//
//   ReadCsv/VARIANT/TEXT   the whole decoder, rows taken every 100,000; TEXT is millis (ts is a
//                          BIGINT), iso (ts is a TIMESTAMP(3)), quoted (all fields in quotes),
//                          bad (as millis, one row in a hundred has a field too few or a bad
//                          number)
//   IndexCsv/VARIANT       the separators alone
//   WriteCsv               the encoder
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/ad_click_text.h"
#include "bench/cpu_seconds.h"
#include "engine/connectors/format/csv_kernels.h"
#include "engine/connectors/format/csv_row_decoder.h"
#include "engine/connectors/format/csv_row_encoder.h"

namespace braid {
namespace {

constexpr int64_t kRowsABatch = 100'000;
constexpr size_t kBytesACall = size_t{256} << 10;

constexpr AdClickForm kCsvForms[] = {AdClickForm::kMillis, AdClickForm::kIso, AdClickForm::kQuoted,
                                     AdClickForm::kStrings, AdClickForm::kBad};

int64_t ReadAll(const CsvKernels& kernels, AdClickForm form, bool is_impressions,
                std::string_view bytes, DecodeResult* result, std::vector<RowBatch>* batches) {
  CsvOptions options;
  options.bad_records = BadRecordPolicy::kDrop;
  const TableDescription table = AdClickTable(form, is_impressions);
  std::vector<int> columns;
  for (int column = 0; column < table.schema.num_columns(); ++column) columns.push_back(column);
  CsvRowDecoder decoder(table, columns, options, nullptr, kernels);
  int64_t num_rows = 0;
  while (!bytes.empty()) {
    const size_t size = std::min(bytes.size(), kBytesACall);
    const auto taken = decoder.Decode(bytes.substr(0, size), size == bytes.size(), result);
    if (!taken) return -1;
    bytes.remove_prefix(*taken);
    if (decoder.num_rows() < kRowsABatch && !bytes.empty()) continue;
    RowBatch batch = decoder.TakeRows();
    num_rows += batch.num_rows();
    benchmark::DoNotOptimize(batch);
    if (batches != nullptr) batches->push_back(std::move(batch));
  }
  return num_rows;
}

void ReadCsv(benchmark::State& state, const CsvKernels* kernels, AdClickForm form) {
  const AdClickText& rows = CachedAdClickText(form);
  double seconds = 0;
  for (auto _ : state) {
    const double start = CpuSeconds();
    DecodeResult result;
    const int64_t num_read = ReadAll(*kernels, form, true, rows.impressions, &result, nullptr) +
                             ReadAll(*kernels, form, false, rows.clicks, &result, nullptr);
    seconds += CpuSeconds() - start;
    if (num_read != rows.num_rows - rows.num_bad || result.num_bad_records != rows.num_bad) {
      state.SkipWithError("wrong number of rows");
    }
  }
  ReportRows(state, seconds, rows.num_rows, rows.impressions.size() + rows.clicks.size());
}

void IndexCsv(benchmark::State& state, const CsvKernels* kernels) {
  const std::string& bytes = CachedAdClickText(AdClickForm::kMillis).impressions;
  std::vector<uint32_t> separators(kBytesACall + kSeparatorSlack);
  double seconds = 0;
  for (auto _ : state) {
    const double start = CpuSeconds();
    size_t num_line_ends = 0;
    for (size_t position = 0; position < bytes.size(); position += kBytesACall) {
      const size_t size = std::min(bytes.size() - position, kBytesACall);
      num_line_ends +=
          kernels->index_separators(bytes.data() + position, size, ',', '"', separators.data())
              .num_line_ends;
    }
    seconds += CpuSeconds() - start;
    if (static_cast<int64_t>(num_line_ends) != kNumAdClickImpressions)
      state.SkipWithError("wrong number of line ends");
  }
  ReportRows(state, seconds, kNumAdClickImpressions, bytes.size());
}

void WriteCsv(benchmark::State& state, AdClickForm form) {
  const AdClickText& rows = CachedAdClickText(form);
  std::vector<RowBatch> batches;
  DecodeResult result;
  ReadAll(BestCsvKernels(), form, true, rows.impressions, &result, &batches);
  const CsvRowEncoder encoder(AdClickTable(form, true), CsvOptions());
  std::string bytes;
  double seconds = 0;
  size_t num_bytes = 0;
  for (auto _ : state) {
    const double start = CpuSeconds();
    num_bytes = 0;
    for (const RowBatch& batch : batches) {
      bytes.clear();
      if (!encoder.Encode(batch, &bytes)) state.SkipWithError("not written");
      num_bytes += bytes.size();
    }
    seconds += CpuSeconds() - start;
  }
  ReportRows(state, seconds, kNumAdClickImpressions, num_bytes);
}

void RegisterAll() {
  for (const CsvKernels* kernels : SupportedCsvKernels()) {
    benchmark::RegisterBenchmark(fmt::format("IndexCsv/{}", kernels->name).c_str(), IndexCsv,
                                 kernels)
        ->Unit(benchmark::kMillisecond);
    for (const AdClickForm form : kCsvForms) {
      benchmark::RegisterBenchmark(
          fmt::format("ReadCsv/{}/{}", kernels->name, AdClickFormName(form)).c_str(), ReadCsv,
          kernels, form)
          ->Unit(benchmark::kMillisecond);
    }
  }
  for (const AdClickForm form : {AdClickForm::kMillis, AdClickForm::kIso}) {
    benchmark::RegisterBenchmark(fmt::format("WriteCsv/{}", AdClickFormName(form)).c_str(),
                                 WriteCsv, form)
        ->Unit(benchmark::kMillisecond);
  }
}

}  // namespace
}  // namespace braid

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  braid::RegisterAll();
  benchmark::RunSpecifiedBenchmarks();
}
