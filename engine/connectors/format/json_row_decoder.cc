#include "engine/connectors/format/json_row_decoder.h"

#include <simdjson.h>

#include <string_view>
#include <utility>

#include "engine/connectors/format/json_line_decoder.h"
#include "engine/connectors/format/json_object_reader.h"

namespace braid {

namespace {

namespace ondemand = simdjson::ondemand;

simdjson::padded_string_view Padded(std::string_view json) {
  return simdjson::padded_string_view(json.data(), json.size(),
                                      json.size() + simdjson::SIMDJSON_PADDING);
}

static_assert(JsonLineShape::kReadableBehind <= simdjson::SIMDJSON_PADDING);

class JsonRowDecoder final : public JsonLineDecoder {
 public:
  JsonRowDecoder(const TableDescription& table, const std::vector<int>& read_columns,
                 const JsonOptions& options, const TimeZonePtr& time_zone,
                 const std::optional<ChangelogColumn>& changelog)
      : JsonLineDecoder(DecodedRows(table, read_columns, options.bad_records, changelog)),
        object_(table, read_columns, options, time_zone, changelog) {}

 private:
  bool ReadDocument(std::string_view json, DecodeResult* result, Status* status) override;
  bool ReadObject(ondemand::object object) {
    return object_.Read(object) || Faulty(object_.fault());
  }
  Status AddRow(DecodeResult* result);

  bool Broken(simdjson::error_code error) {
    return Faulty(NotValidJson(simdjson::error_message(error)));
  }
  bool EndsHere(ondemand::document* document) {
    if (document->current_location().error() == simdjson::OUT_OF_BOUNDS) return true;
    return Broken(simdjson::TRAILING_CONTENT);
  }

  ondemand::parser parser_;
  JsonObjectReader object_;
};

bool JsonRowDecoder::ReadDocument(std::string_view json, DecodeResult* result, Status* status) {
  if (object_.AppendLikeLast(json, &rows_)) {
    rows_.AddRows(1);
    return true;
  }
  ondemand::document document;
  if (const auto error = parser_.iterate(Padded(json)).get(document)) return Broken(error);
  ondemand::json_type type;
  if (const auto error = document.type().get(type)) return Broken(error);
  if (type == ondemand::json_type::object) {
    ondemand::object object;
    if (const auto error = document.get_object().get(object)) return Broken(error);
    if (!ReadObject(object)) return false;
    // Only now is it known that nothing follows.
    if (!EndsHere(&document)) return false;
    object_.Learn(json);
    *status = AddRow(result);
    return status->has_value();
  }
  if (type != ondemand::json_type::array) {
    return Faulty("neither an object nor an array of objects");
  }
  ondemand::array array;
  if (const auto error = document.get_array().get(array)) return Broken(error);
  for (auto element : array) {
    ondemand::object object;
    if (const auto error = element.get_object().get(object)) {
      if (error != simdjson::INCORRECT_TYPE) return Broken(error);
      return Faulty("an element of the array is no object");
    }
    if (!ReadObject(object)) return false;
    *status = AddRow(result);
    if (!*status) return false;
  }
  return EndsHere(&document);
}

Status JsonRowDecoder::AddRow(DecodeResult* result) {
  JsonObjectReader::Fault fault = object_.Append(&rows_);
  rows_.AddRows(1);
  if (fault.reason.empty()) return {};
  return rows_.BadLastRows(1, fault.can_stay, BadLine(std::move(fault.reason)), result);
}

}  // namespace

std::unique_ptr<RowDecoder> NewJsonRowDecoder(const TableDescription& table,
                                              const std::vector<int>& read_columns,
                                              const JsonOptions& options,
                                              const TimeZonePtr& time_zone,
                                              const std::optional<ChangelogColumn>& changelog) {
  return std::make_unique<JsonRowDecoder>(table, read_columns, options, time_zone, changelog);
}

}  // namespace braid
