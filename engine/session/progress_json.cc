#include "engine/session/progress_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "braid/value.h"

namespace braid {

namespace {

using nlohmann::ordered_json;

// ISO-8601 with milliseconds, UTC.
std::string IsoTime(EventTime time) {
  std::string text = FormatValue({DataType::Timestamp(3), time.micros});
  text[text.find(' ')] = 'T';
  return text + "Z";
}

std::string IsoTime(Watermark watermark) {
  if (watermark == Watermark::Infinity()) return "+infinity";
  return IsoTime(AtMicros(watermark));
}

template <typename T>
void PutTime(ordered_json* json, const char* name, const std::optional<T>& time) {
  if (time) (*json)[name] = IsoTime(*time);
}

// An offset is a text of the source; where it is JSON it stands in the record as such.
ordered_json OffsetJson(const std::string& offset) {
  if (offset.empty()) return nullptr;
  ordered_json parsed = ordered_json::parse(offset, nullptr, /*allow_exceptions=*/false);
  return parsed.is_discarded() ? ordered_json(offset) : parsed;
}

ordered_json EventTimeJson(const BatchProgress& progress) {
  ordered_json json = ordered_json::object();
  PutTime(&json, "min", progress.event_time_min);
  PutTime(&json, "max", progress.event_time_max);
  PutTime(&json, "avg", progress.event_time_average);
  PutTime(&json, "watermark", progress.watermark);
  PutTime(&json, "lateWatermark", progress.late_watermark);
  PutTime(&json, "nextWatermark", progress.next_watermark);
  return json;
}

ordered_json StateJson(const StateOperatorProgress& state) {
  return {{"operatorName", state.operator_name},
          {"numRowsTotal", state.num_rows_total},
          {"numRowsUpdated", state.num_rows_updated},
          {"allUpdatesTimeMs", state.all_updates_ms},
          {"numRowsRemoved", state.num_rows_removed},
          {"allRemovalsTimeMs", state.all_removals_ms},
          {"commitTimeMs", state.commit_ms},
          {"memoryUsedBytes", state.memory_used_bytes},
          {"memoryIndexBytes", state.memory_index_bytes},
          {"spilledBytes", state.spilled_bytes},
          {"bytesPerRow",
           state.num_rows_total == 0 ? 0 : state.memory_used_bytes / state.num_rows_total},
          {"numRowsDroppedByWatermark", state.num_rows_dropped_by_watermark},
          {"numShufflePartitions", state.num_shuffle_partitions},
          {"numStateStoreInstances", state.num_shuffle_partitions * 2},
          {"customMetrics",
           {{"numLeftRows", state.num_left_rows},
            {"numRightRows", state.num_right_rows},
            {"numOuterNullRows", state.num_padded_rows},
            {"numNullTimeRows", state.rows_null_time},
            {"numNullKeyRows", state.rows_null_key}}}};
}

ordered_json SourceJson(const SourceProgress& source, double seconds) {
  ordered_json json = {{"description", source.description},
                       {"table", source.table},
                       {"startOffset", OffsetJson(source.start_offset)},
                       {"endOffset", OffsetJson(source.end_offset)},
                       {"latestOffset", OffsetJson(source.latest_offset)},
                       {"numInputRows", source.num_input_rows}};
  if (source.num_input_rows > 0 && seconds > 0) {
    const double rate = static_cast<double>(source.num_input_rows) / seconds;
    const double rounded = std::round(rate * 10) / 10;
    json["inputRowsPerSecond"] = rounded;
    json["processedRowsPerSecond"] = rounded;
  }
  json["numLateRows"] = source.num_late_rows;
  json["numFutureRows"] = source.num_future_rows;
  json["numBadRecords"] = source.num_bad_records;
  if (!source.bad_records_location.empty()) {
    json["badRecordsLocation"] = source.bad_records_location;
  }
  if (source.backlog_bytes) json["backlogBytes"] = *source.backlog_bytes;
  json["idleMs"] = source.idle_ms;
  PutTime(&json, "maxEventTime", source.max_event_time);
  PutTime(&json, "watermark", source.watermark);
  json["holdsBack"] = source.holds_back;
  json["idle"] = source.idle;
  json["finished"] = source.finished;
  json["paused"] = source.paused;
  return json;
}

}  // namespace

std::string ProgressToJson(const BatchProgress& progress) {
  ordered_json json = {
      {"id", progress.id},
      {"runId", progress.run_id},
      {"name", progress.name.empty() ? ordered_json() : ordered_json(progress.name)},
      {"timestamp", IsoTime(progress.timestamp)},
      {"batchId", progress.batch_id},
      {"batchDuration", progress.batch_duration_ms},
      {"noData", progress.no_data},
      {"flush", progress.flush},
      {"numInputRows", progress.num_input_rows}};
  if (progress.num_input_rows > 0) {
    json["inputRowsPerSecond"] = progress.input_rows_per_second;
    json["processedRowsPerSecond"] = progress.processed_rows_per_second;
  }
  json["durationMs"] = progress.duration_ms;
  const ordered_json event_time = EventTimeJson(progress);
  if (!event_time.empty()) json["eventTime"] = event_time;
  json["stateOperators"] = ordered_json::array();
  if (progress.state) json["stateOperators"].push_back(StateJson(*progress.state));
  json["sources"] = ordered_json::array();
  const double seconds = static_cast<double>(progress.batch_duration_ms) / 1000;
  for (const SourceProgress& source : progress.sources) {
    json["sources"].push_back(SourceJson(source, seconds));
  }
  json["sink"] = {{"description", progress.sink_description},
                  {"numOutputRows", progress.num_output_rows}};
  if (progress.num_row_errors > 0) json["numRowErrors"] = progress.num_row_errors;
  if (progress.num_late_rows_written) json["numLateRowsWritten"] = *progress.num_late_rows_written;
  if (progress.num_unmatched_rows_written) {
    json["numUnmatchedRowsWritten"] = *progress.num_unmatched_rows_written;
  }
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace braid
