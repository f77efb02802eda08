#include "engine/cli/advice_json.h"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "engine/advise/bound_text.h"

namespace braid {

namespace {

using nlohmann::ordered_json;

constexpr std::array kQuantiles = {0.0,  0.01, 0.05, 0.1,  0.25,  0.5,
                                   0.75, 0.9,  0.95, 0.99, 0.999, 1.0};

ordered_json OptionalMicros(const std::optional<Interval>& length) {
  return length ? ordered_json(length->micros) : ordered_json(nullptr);
}

ordered_json TimeJson(const std::optional<EventTime>& time) {
  return time ? ordered_json(TimeText(*time)) : ordered_json(nullptr);
}

ordered_json CostJson(const StateCost& cost) {
  return {{"leftRows", std::llround(cost.rows[0])},
          {"rightRows", std::llround(cost.rows[1])},
          {"leftBytes", std::llround(cost.bytes[0])},
          {"rightBytes", std::llround(cost.bytes[1])}};
}

ordered_json SideJson(const SideAdvice& side) {
  ordered_json json = {{"table", side.table},
                       {"alias", side.alias},
                       {"time", side.time_name},
                       {"rows", side.num_rows},
                       {"rowsThatCanMatch", side.num_joined_rows},
                       {"rowsWithNullTime", side.num_null_time_rows},
                       {"rowsWithNullKey", side.num_null_key_rows},
                       {"rowErrors", side.num_row_errors},
                       {"badRecords", side.num_bad_records},
                       {"firstTime", TimeJson(side.first_time)},
                       {"lastTime", TimeJson(side.last_time)},
                       {"rowsPerSecond", side.rows_per_second},
                       {"stateBytesPerRow", side.bytes_per_row}};
  ordered_json watermark = {{"writtenDelayMicros", OptionalMicros(side.written_delay)}};
  if (side.written_delay) watermark["lateRowsAtWrittenDelay"] = side.num_late_at_written_delay;
  watermark["exact"] = side.is_lateness_exact;
  watermark["delays"] = ordered_json::array();
  for (const DelayAdvice& advised : side.delays) {
    watermark["delays"].push_back({{"share", advised.share},
                                   {"delayMicros", advised.delay.micros},
                                   {"lateRows", advised.num_late_rows},
                                   {"sql", WatermarkText(side, advised.delay)}});
  }
  json["watermark"] = std::move(watermark);
  return json;
}

ordered_json MatchesJson(const Advice& advice, const MatchAdvice& matches) {
  ordered_json json = {{"count", matches.count}, {"exact", matches.is_exact}};
  json["quantiles"] = ordered_json::array();
  json["bounds"] = ordered_json::array();
  if (matches.bins.empty()) return json;
  for (const double share : kQuantiles) {
    json["quantiles"].push_back(
        {{"share", share}, {"micros", QuantileOf(matches.bins, share).micros}});
  }
  for (const BoundAdvice& bound : matches.bounds) {
    json["bounds"].push_back({{"share", bound.share},
                              {"lowerMicros", bound.lower.micros},
                              {"upperMicros", bound.upper.micros},
                              {"kept", bound.kept},
                              {"sql", BoundText(advice, bound.lower, bound.upper)},
                              {"state", CostJson(bound.state)}});
  }
  return json;
}

}  // namespace

std::string FormatAdviceJson(const Advice& advice) {
  ordered_json json = {{"maxMicros", advice.max.micros},
                       {"left", SideJson(advice.sides[0])},
                       {"right", SideJson(advice.sides[1])},
                       {"pairs", MatchesJson(advice, advice.pairs)},
                       {"nearest", MatchesJson(advice, advice.nearest)}};
  json["written"] = {{"lowerMicros", OptionalMicros(advice.written.lower)},
                     {"upperMicros", OptionalMicros(advice.written.upper)}};
  if (advice.written_share) json["written"]["share"] = *advice.written_share;
  if (advice.written_state) json["written"]["state"] = CostJson(*advice.written_state);
  json["watermarkLagMicros"] = advice.watermark_lag.micros;
  json["pairErrors"] = advice.num_pair_errors;
  json["bufferBytesPeak"] = advice.buffer_bytes_peak;
  json["spilledBytes"] = advice.spilled_bytes;
  json["notes"] = advice.notes;
  // Names may hold bytes that are no UTF-8.
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace braid
