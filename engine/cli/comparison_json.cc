#include "engine/cli/comparison_json.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "engine/advise/bound_text.h"

namespace braid {

namespace {

using nlohmann::ordered_json;

// Names that can be written as they are in jq and JavaScript.
constexpr std::array<const char*, 2> kModeMembers = {"microBatch", "perRecord"};

ordered_json TimeJson(const std::optional<EventTime>& time) {
  return time ? ordered_json(TimeText(*time)) : ordered_json(nullptr);
}

ordered_json DelayJson(const DelayFigures& delay) {
  ordered_json json = {{"rows", delay.num_rows},
                       {"medianMicros", delay.median.micros},
                       {"percentile99Micros", delay.percentile_99.micros},
                       {"maximumMicros", delay.maximum.micros}};
  json["percentilesMicros"] = ordered_json::array();
  for (const Interval& percentile : delay.percentiles) {
    json["percentilesMicros"].push_back(percentile.micros);
  }
  return json;
}

ordered_json SampleJson(const StateSample& sample) {
  ordered_json json = {{"eventTimeMicros", sample.event_time
                                               ? ordered_json(sample.event_time->micros)
                                               : ordered_json(nullptr)}};
  const bool is_set = sample.watermark && *sample.watermark != Watermark::Infinity();
  json["watermarkMillis"] = is_set ? ordered_json(sample.watermark->millis) : ordered_json(nullptr);
  json["stateRows"] = sample.state_rows;
  json["stateBytes"] = sample.state_bytes;
  return json;
}

ordered_json RowJson(const DifferingRow& row) {
  return {{"values", row.values},
          {"kind", RowKindName(row.kind)},
          {"reason", DifferenceReasonName(row.reason)},
          {"leftTime", TimeJson(row.row_times[0])},
          {"rightTime", TimeJson(row.row_times[1])},
          {"emittedAt", TimeJson(row.emitted_at)}};
}

ordered_json OnlyJson(const OnlyRows& only) {
  ordered_json json = {{"count", only.count}};
  json["byReason"] = ordered_json::object();
  for (size_t reason = 0; reason < kNumDifferenceReasons; ++reason) {
    const char* name = DifferenceReasonName(static_cast<DifferenceReason>(reason));
    const int64_t count = only.count_of(static_cast<DifferenceReason>(reason));
    if (count > 0) json["byReason"][name] = count;
  }
  json["rows"] = ordered_json::array();
  for (const DifferingRow& row : only.rows) json["rows"].push_back(RowJson(row));
  return json;
}

ordered_json ModeJson(const ModeFigures& figures, const OnlyRows& only) {
  ordered_json json = {
      {"operator", figures.operator_name},          {"outputRows", figures.num_output_rows},
      {"finalRows", figures.num_final_rows},        {"lateRows", figures.num_late},
      {"rowErrors", figures.num_row_errors},        {"stateRowsMax", figures.state_rows_max},
      {"stateBytesMax", figures.state_bytes_max},   {"wallMicros", figures.wall_micros},
      {"processorMicros", figures.processor_micros}};
  json["tables"] = ordered_json::array();
  for (const TableFigures& table : figures.tables) {
    json["tables"].push_back({{"name", table.name}, {"rows", table.num_rows}});
  }
  json["delay"] = ordered_json::object();
  for (size_t kind = 0; kind < kNumRowKinds; ++kind) {
    json["delay"][RowKindName(static_cast<RowKind>(kind))] = DelayJson(figures.delays[kind]);
  }
  json["only"] = OnlyJson(only);
  json["samples"] = ordered_json::array();
  for (const StateSample& sample : figures.samples) json["samples"].push_back(SampleJson(sample));
  return json;
}

}  // namespace

std::string FormatComparisonJson(const Comparison& comparison) {
  ordered_json json = {{"agree", comparison.agrees()}};
  json["columns"] = ordered_json::array();
  for (const Field& field : comparison.schema.fields) {
    json["columns"].push_back({{"name", field.name}, {"type", field.type.ToString()}});
  }
  json["equalRows"] = comparison.num_equal;
  json["equalPaddedRows"] = comparison.num_equal_padded;
  json["paddedAtAnotherTime"] = comparison.num_padded_at_another_time;
  for (size_t mode = 0; mode < 2; ++mode) {
    json[kModeMembers[mode]] = ModeJson(comparison.modes[mode], comparison.only[mode]);
  }
  json["compareMicros"] = comparison.compare_micros;
  json["notes"] = comparison.notes;
  // Values may hold bytes that are no UTF-8.
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace braid
