#include "engine/connectors/format/debezium_row_decoder.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "braid/change_kind.h"
#include "engine/connectors/format/json_line_decoder.h"
#include "engine/connectors/format/json_object_reader.h"

namespace braid {

namespace {

namespace ondemand = simdjson::ondemand;

simdjson::padded_string_view Padded(std::string_view json) {
  return simdjson::padded_string_view(json.data(), json.size(),
                                      json.size() + simdjson::SIMDJSON_PADDING);
}

class DebeziumRowDecoder final : public JsonLineDecoder {
 public:
  DebeziumRowDecoder(const TableDescription& table, const std::vector<int>& read_columns,
                     const DebeziumOptions& options, const TimeZonePtr& time_zone)
      : JsonLineDecoder(DecodedRows(table, read_columns, options.json.bad_records,
                                    ChangelogColumn{"op", std::nullopt})),
        schema_include_(options.schema_include),
        before_("before", table, read_columns, options.json, time_zone),
        after_("after", table, read_columns, options.json, time_zone) {}

 private:
  // One of the two rows of a record.
  struct Image {
    Image(const char* field, const TableDescription& table, const std::vector<int>& read_columns,
          const JsonOptions& options, const TimeZonePtr& time_zone)
        : name(field), row(table, read_columns, options, time_zone) {}

    const char* name;
    JsonObjectReader row;
    bool is_there = false;
  };

  bool ReadDocument(std::string_view json, DecodeResult* result, Status* status) override;
  // Finds the payload of a record with a schema and reads it.
  bool ReadPayload(ondemand::object record);
  bool ReadRecord(ondemand::object record);
  bool ReadImage(ondemand::value value, Image* image);
  bool ReadOperation(ondemand::value value);

  // Appends the rows that the operation asks for. False, with fault_ set, if one is missing.
  bool AddRows(DecodeResult* result, Status* status);
  bool Needs(const Image& image);
  void AddRow(ChangeKind kind, const Image& image, JsonObjectReader::Fault* fault);

  bool Broken(simdjson::error_code error) {
    return Faulty(NotValidJson(simdjson::error_message(error)));
  }
  bool EndsHere(ondemand::document* document) {
    if (document->current_location().error() == simdjson::OUT_OF_BOUNDS) return true;
    return Broken(simdjson::TRAILING_CONTENT);
  }

  const bool schema_include_;
  ondemand::parser parser_;
  // Of the record that is being read.
  Image before_;
  Image after_;
  std::optional<std::string> operation_;
  bool has_payload_ = false;
};

bool DebeziumRowDecoder::ReadDocument(std::string_view json, DecodeResult* result, Status* status) {
  ondemand::document document;
  if (const auto error = parser_.iterate(Padded(json)).get(document)) return Broken(error);
  ondemand::json_type type;
  if (const auto error = document.type().get(type)) return Broken(error);
  if (type == ondemand::json_type::null) {
    bool is_null = false;
    if (const auto error = document.is_null().get(is_null)) return Broken(error);
    return is_null ? EndsHere(&document) : Broken(simdjson::N_ATOM_ERROR);
  }
  if (type != ondemand::json_type::object) return Faulty("not an object");
  ondemand::object record;
  if (const auto error = document.get_object().get(record)) return Broken(error);
  before_.is_there = false;
  after_.is_there = false;
  operation_.reset();
  has_payload_ = false;
  if (schema_include_ ? !ReadPayload(record) : !ReadRecord(record)) return false;
  return EndsHere(&document) && AddRows(result, status);
}

bool DebeziumRowDecoder::ReadPayload(ondemand::object record) {
  for (auto field : record) {
    std::string_view name;
    if (const auto error = field.unescaped_key().get(name)) return Broken(error);
    if (name != "payload") continue;
    ondemand::object payload;
    if (const auto error = field.value().get_object().get(payload)) {
      return error == simdjson::INCORRECT_TYPE ? Faulty("payload is no object") : Broken(error);
    }
    has_payload_ = true;
    if (!ReadRecord(payload)) return false;
  }
  return has_payload_ || Faulty(
                             "payload is missing; a record without a schema is read with "
                             "'debezium-json.schema-include' = 'false'");
}

bool DebeziumRowDecoder::ReadRecord(ondemand::object record) {
  for (auto field : record) {
    std::string_view name;
    if (const auto error = field.unescaped_key().get(name)) return Broken(error);
    ondemand::value value;
    if (const auto error = field.value().get(value)) return Broken(error);
    bool is_read = true;
    if (name == "before") {
      is_read = ReadImage(value, &before_);
    } else if (name == "after") {
      is_read = ReadImage(value, &after_);
    } else if (name == "op") {
      is_read = ReadOperation(value);
    } else if (name == "payload") {
      has_payload_ = true;
    }
    if (!is_read) return false;
  }
  return true;
}

bool DebeziumRowDecoder::ReadImage(ondemand::value value, Image* image) {
  ondemand::json_type type;
  if (const auto error = value.type().get(type)) return Broken(error);
  if (type == ondemand::json_type::null) {
    bool is_null = false;
    if (const auto error = value.is_null().get(is_null)) return Broken(error);
    image->is_there = false;
    return is_null || Broken(simdjson::N_ATOM_ERROR);
  }
  if (type != ondemand::json_type::object) {
    return Faulty(fmt::format("{} is no object", image->name));
  }
  ondemand::object object;
  if (const auto error = value.get_object().get(object)) return Broken(error);
  image->is_there = true;
  return image->row.Read(object) || Faulty(image->row.fault());
}

bool DebeziumRowDecoder::ReadOperation(ondemand::value value) {
  std::string_view text;
  const auto error = value.get_string().get(text);
  if (error == simdjson::INCORRECT_TYPE) return Faulty("op is no string");
  if (error) return Broken(error);
  operation_ = text;
  return true;
}

bool DebeziumRowDecoder::Needs(const Image& image) {
  if (image.is_there) return true;
  std::string reason = fmt::format("{} is null in a record of op '{}'", image.name, *operation_);
  if (&image == &before_) reason += "; a table of PostgreSQL needs REPLICA IDENTITY FULL";
  return Faulty(std::move(reason));
}

void DebeziumRowDecoder::AddRow(ChangeKind kind, const Image& image,
                                JsonObjectReader::Fault* fault) {
  JsonObjectReader::Fault found = image.row.Append(&rows_);
  rows_.builder(rows_.kind_column()).Append(static_cast<int8_t>(kind));
  rows_.AddRows(1);
  if (fault->reason.empty()) fault->reason = std::move(found.reason);
  fault->can_stay &= found.can_stay;
}

bool DebeziumRowDecoder::AddRows(DecodeResult* result, Status* status) {
  if (!operation_) {
    return Faulty(has_payload_ && !schema_include_
                      ? "op is missing; a record with a schema is read with "
                        "'debezium-json.schema-include' = 'true'"
                      : "op is missing");
  }
  const int64_t num_rows = rows_.num_rows();
  JsonObjectReader::Fault fault;
  if (*operation_ == "c" || *operation_ == "r") {
    if (!Needs(after_)) return false;
    AddRow(ChangeKind::kInsert, after_, &fault);
  } else if (*operation_ == "u") {
    if (!Needs(before_) || !Needs(after_)) return false;
    AddRow(ChangeKind::kUpdateBefore, before_, &fault);
    AddRow(ChangeKind::kUpdateAfter, after_, &fault);
  } else if (*operation_ == "d") {
    if (!Needs(before_)) return false;
    AddRow(ChangeKind::kDelete, before_, &fault);
  } else {
    return Faulty(fmt::format("op '{}' is not c, r, u or d", *operation_));
  }
  if (fault.reason.empty()) return true;
  *status = rows_.BadLastRows(rows_.num_rows() - num_rows, fault.can_stay,
                              BadLine(std::move(fault.reason)), result);
  return status->has_value();
}

}  // namespace

std::unique_ptr<RowDecoder> NewDebeziumRowDecoder(const TableDescription& table,
                                                  const std::vector<int>& read_columns,
                                                  const DebeziumOptions& options,
                                                  const TimeZonePtr& time_zone) {
  return std::make_unique<DebeziumRowDecoder>(table, read_columns, options, time_zone);
}

}  // namespace braid
