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

#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/connectors/format/csv_kernels.h"
#include "engine/connectors/format/csv_row_decoder.h"
#include "engine/connectors/format/csv_row_encoder.h"

namespace braid {
namespace {

constexpr int64_t kNumImpressions = 2'000'000;
constexpr int64_t kRowsABatch = 100'000;
constexpr size_t kBytesACall = size_t{256} << 10;

enum Text { kMillis, kIso, kQuoted, kBad };
constexpr const char* kTextNames[] = {"millis", "iso", "quoted", "bad"};

struct Rows {
  std::string impressions;
  std::string clicks;
  int64_t num_rows = 0;
  int64_t num_bad = 0;
};

class Generator {
 public:
  uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    uint64_t word = state_;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9ULL;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebULL;
    return word ^ (word >> 31);
  }

 private:
  uint64_t state_ = 42;
};

std::string TimeText(int64_t millis, Text text) {
  if (text != kIso) return fmt::format("{}", millis);
  const int64_t rest = millis % 86'400'000;
  return fmt::format("2026-01-{:02} {:02}:{:02}:{:02}.{:03}", 1 + millis / 86'400'000 % 28,
                     rest / 3'600'000, rest / 60'000 % 60, rest / 1000 % 60, rest % 1000);
}

Rows MakeRows(Text text) {
  Rows rows;
  Generator random;
  const char* quote = text == kQuoted ? "\"" : "";
  for (int64_t row = 0; row < kNumImpressions; ++row) {
    const uint64_t id = (static_cast<uint64_t>(row) * 0x9E3779B97F4A7C15ULL) & ((1ULL << 40) - 1);
    const int64_t time = 1'767'225'600'000 + row / 10;
    const uint64_t cents = 1 + random.Next() % 10'000;
    const bool is_bad = text == kBad && random.Next() % 100 == 0;
    rows.num_bad += is_bad ? 1 : 0;
    if (is_bad && row % 2 == 0) {
      rows.impressions += fmt::format("{},{}\n", id, time);
    } else {
      rows.impressions += fmt::format("{0}{1}{0},{0}{2}{0},{0}{3}{0},{0}{4}.{5:02}{6}{0}\n", quote,
                                      id, TimeText(time, text), random.Next() % 1000, cents / 100,
                                      cents % 100, is_bad ? "x" : "");
    }
    ++rows.num_rows;
    if (random.Next() % 10 < 3) {
      const int64_t later = time + static_cast<int64_t>(random.Next() % 60'000);
      rows.clicks += fmt::format("{0}{1}{0},{0}{2}{0},{0}{3}{0}\n", quote, id,
                                 TimeText(later, text), random.Next() % 1'000'000);
      ++rows.num_rows;
    }
  }
  return rows;
}

const Rows& CachedRows(Text text) {
  static std::unique_ptr<Rows> cached[4];
  if (cached[text] == nullptr) cached[text] = std::make_unique<Rows>(MakeRows(text));
  return *cached[text];
}

TableDescription TableOf(Text text, bool is_impressions) {
  TableDescription table;
  table.name = "ads";
  const DataType time = text == kIso ? DataType::Timestamp(3) : DataType::BigInt();
  table.schema.fields = {{"ad_id", DataType::BigInt()}, {"ts", time}};
  if (is_impressions) {
    table.schema.fields.push_back({"campaign", DataType::BigInt()});
    table.schema.fields.push_back({"price", DataType::Double()});
  } else {
    table.schema.fields.push_back({"user", DataType::BigInt()});
  }
  table.not_null.assign(table.schema.fields.size(), 0);
  return table;
}

// CPU time, since other work may share the machine.
double CpuSeconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void Report(benchmark::State& state, double seconds, int64_t rows, size_t bytes) {
  const double runs = static_cast<double>(state.iterations());
  state.counters["ns_row"] = seconds * 1e9 / runs / static_cast<double>(rows);
  state.counters["GB_s"] = static_cast<double>(bytes) * runs / seconds / 1e9;
}

int64_t ReadAll(const CsvKernels& kernels, Text text, bool is_impressions, std::string_view bytes,
                DecodeResult* result, std::vector<RowBatch>* batches) {
  CsvOptions options;
  options.bad_records = BadRecordPolicy::kDrop;
  const TableDescription table = TableOf(text, is_impressions);
  std::vector<int> columns;
  for (int column = 0; column < table.schema.num_columns(); ++column) columns.push_back(column);
  CsvRowDecoder decoder(table, columns, options, SessionZone(), kernels);
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

void ReadCsv(benchmark::State& state, const CsvKernels* kernels, Text text) {
  const Rows& rows = CachedRows(text);
  double seconds = 0;
  for (auto _ : state) {
    const double start = CpuSeconds();
    DecodeResult result;
    const int64_t num_read = ReadAll(*kernels, text, true, rows.impressions, &result, nullptr) +
                             ReadAll(*kernels, text, false, rows.clicks, &result, nullptr);
    seconds += CpuSeconds() - start;
    if (num_read != rows.num_rows - rows.num_bad || result.num_bad_records != rows.num_bad) {
      state.SkipWithError("wrong number of rows");
    }
  }
  Report(state, seconds, rows.num_rows, rows.impressions.size() + rows.clicks.size());
}

void IndexCsv(benchmark::State& state, const CsvKernels* kernels) {
  const std::string& bytes = CachedRows(kMillis).impressions;
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
    if (num_line_ends != kNumImpressions) state.SkipWithError("wrong number of line ends");
  }
  Report(state, seconds, kNumImpressions, bytes.size());
}

void WriteCsv(benchmark::State& state, Text text) {
  const Rows& rows = CachedRows(text);
  std::vector<RowBatch> batches;
  DecodeResult result;
  ReadAll(BestCsvKernels(), text, true, rows.impressions, &result, &batches);
  const CsvRowEncoder encoder(TableOf(text, true), CsvOptions());
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
  Report(state, seconds, kNumImpressions, num_bytes);
}

void RegisterAll() {
  for (const CsvKernels* kernels : SupportedCsvKernels()) {
    benchmark::RegisterBenchmark(fmt::format("IndexCsv/{}", kernels->name).c_str(), IndexCsv,
                                 kernels)
        ->Unit(benchmark::kMillisecond);
    for (const Text text : {kMillis, kIso, kQuoted, kBad}) {
      benchmark::RegisterBenchmark(
          fmt::format("ReadCsv/{}/{}", kernels->name, kTextNames[text]).c_str(), ReadCsv, kernels,
          text)
          ->Unit(benchmark::kMillisecond);
    }
  }
  for (const Text text : {kMillis, kIso}) {
    benchmark::RegisterBenchmark(fmt::format("WriteCsv/{}", kTextNames[text]).c_str(), WriteCsv,
                                 text)
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
