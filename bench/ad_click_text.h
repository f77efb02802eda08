// The rows of the ad-click workload as csv and json, in memory: impressions (ad_id, ts, campaign,
// price) and clicks (ad_id, ts, user).
#pragma once

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "bench/bench_rows.h"
#include "braid/connector.h"

namespace braid {

inline const int64_t kNumAdClickImpressions = BenchRows(2'000'000);

enum class AdClickForm {
  kMillis,   // csv; ts in milliseconds, a BIGINT
  kIso,      // csv; ts as yyyy-MM-dd HH:mm:ss.SSS, a TIMESTAMP(3)
  kQuoted,   // As kMillis, every field in quotes.
  kStrings,  // As kMillis, campaign and user are STRINGs.
  kBad,      // As kMillis, one impression in a hundred is bad.
  kJson,     // json; otherwise as kMillis.
  kJsonIso,  // json; otherwise as kIso.
};

const char* AdClickFormName(AdClickForm form);

struct AdClickText {
  std::string impressions;
  std::string clicks;
  int64_t num_rows = 0;  // Of both.
  int64_t num_bad = 0;
};

// Made at the first call for a form.
const AdClickText& CachedAdClickText(AdClickForm form);

TableDescription AdClickTable(AdClickForm form, bool is_impressions);

// Sets the counters ns_row and GB_s; `seconds` are of all iterations, the rest of one.
void ReportRows(benchmark::State& state, double seconds, int64_t rows, size_t bytes);

}  // namespace braid
