#include "engine/perrecord/checkpoint_record.h"

#include <nlohmann/json.hpp>

namespace braid {

namespace {

using nlohmann::json;

// Offsets are a source's own affair and may hold any bytes.
json PositionToJson(const InputPosition& position) {
  const std::vector<uint8_t> offset(position.offset.begin(), position.offset.end());
  return {{"offset", json::binary(offset)}, {"rows", position.rows}};
}

InputPosition PositionFromJson(const json& value) {
  const json::binary_t& offset = value.at("offset").get_binary();
  return {std::string(offset.begin(), offset.end()), value.at("rows").get<int64_t>()};
}

CheckpointRecord FromJson(const json& value) {
  CheckpointRecord record;
  for (const json& entry : value.at("tables")) {
    TableCheckpoint& table = record.tables.emplace_back();
    table.table = entry.at("table").get<std::string>();
    table.position = PositionFromJson(entry.at("position"));
    table.sent = entry.at("sent").get<int64_t>();
    table.ended = entry.at("ended").get<bool>();
    table.start = PositionFromJson(entry.at("start"));
    table.num_rows = entry.at("num_rows").get<int64_t>();
  }
  for (const json& entry : value.at("clocks")) {
    record.clocks.push_back(
        {{entry.at(0).get<int64_t>(), entry.at(1).get<int64_t>()}, entry.at(2).get<int64_t>()});
  }
  record.turn = value.at("turn").get<size_t>();
  record.has_order = value.contains("order");
  if (!record.has_order) return record;
  for (const json& entry : value.at("order")) {
    record.order.push_back({static_cast<OrderEntry::Kind>(entry.at(0).get<int>()),
                            entry.at(1).get<int32_t>(), entry.at(2).get<int64_t>()});
  }
  return record;
}

}  // namespace

std::string EncodeCheckpoint(const CheckpointRecord& record) {
  json value;
  value["tables"] = json::array();
  for (const TableCheckpoint& table : record.tables) {
    value["tables"].push_back({{"table", table.table},
                               {"position", PositionToJson(table.position)},
                               {"sent", table.sent},
                               {"ended", table.ended},
                               {"start", PositionToJson(table.start)},
                               {"num_rows", table.num_rows}});
  }
  value["clocks"] = json::array();
  for (const JoinClock& clock : record.clocks) {
    value["clocks"].push_back({clock.input_watermarks[0], clock.input_watermarks[1], clock.millis});
  }
  value["turn"] = record.turn;
  if (record.has_order) {
    value["order"] = json::array();
    for (const OrderEntry& entry : record.order) {
      value["order"].push_back({static_cast<int>(entry.kind), entry.table, entry.value});
    }
  }
  std::string bytes;
  json::to_cbor(value, bytes);
  return bytes;
}

Result<CheckpointRecord> DecodeCheckpoint(const std::string& bytes) {
  try {
    return FromJson(json::from_cbor(bytes));
  } catch (const json::exception& error) {
    return Fail(ErrorCode::kCorruption,
                std::string("the checkpoint's record of the per-record mode cannot be read: ") +
                    error.what());
  }
}

}  // namespace braid
