// Fields and types of json.
#include <fmt/format.h>
#include <simdjson.h>

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/connectors/format/column_guess.h"
#include "engine/connectors/format/schema_guess.h"

namespace braid {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t\r") == std::string_view::npos;
}

GuessedValue GuessElement(const simdjson::dom::element& value) {
  switch (value.type()) {
    case simdjson::dom::element_type::BOOL:
      return {ValueKind::kBoolean, 0};
    case simdjson::dom::element_type::INT64:
      return {ValueKind::kInteger, 0};
    case simdjson::dom::element_type::DOUBLE:
      return {ValueKind::kFloating, 0};
    case simdjson::dom::element_type::STRING: {
      const GuessedValue guess = GuessValue(value.get_string().value_unsafe());
      const bool is_time = guess.kind == ValueKind::kDate || guess.kind == ValueKind::kTimestamp ||
                           guess.kind == ValueKind::kZonedTimestamp;
      // A number in quotes is meant as a text.
      return is_time ? guess : GuessedValue();
    }
    default:
      // Objects, arrays, and integers that exceed a BIGINT.
      return {};
  }
}

class JsonColumns {
 public:
  // Fails with the reason.
  Result<void> AddLine(std::string_view line, int64_t number);

  int64_t num_records() const { return num_records_; }
  Schema schema() const {
    Schema schema;
    for (size_t column = 0; column < names_.size(); ++column) {
      schema.fields.push_back({names_[column], guesses_[column].type()});
    }
    return schema;
  }

 private:
  void AddObject(const simdjson::dom::object& object);

  simdjson::dom::parser parser_;
  std::unordered_map<std::string, size_t> column_of_name_;
  std::vector<std::string> names_;
  std::vector<ColumnGuess> guesses_;
  int64_t num_records_ = 0;
};

tl::unexpected<Error> FailAt(int64_t line, std::string reason) {
  Place place;
  place.line = line;
  return Fail(ErrorCode::kInvalidInput, std::move(reason), std::move(place));
}

Result<void> JsonColumns::AddLine(std::string_view line, int64_t number) {
  simdjson::dom::element root;
  if (const auto error = parser_.parse(line.data(), line.size()).get(root)) {
    return FailAt(number, fmt::format("this line is no JSON object ({}); json is read one object a "
                                      "line",
                                      simdjson::error_message(error)));
  }
  simdjson::dom::object object;
  if (root.get_object().get(object) == simdjson::SUCCESS) {
    AddObject(object);
    return {};
  }
  simdjson::dom::array array;
  if (root.get_array().get(array) == simdjson::SUCCESS) {
    for (const simdjson::dom::element element : array) {
      if (element.get_object().get(object) != simdjson::SUCCESS) {
        return FailAt(number, "an element of the array is no object");
      }
      AddObject(object);
    }
    return {};
  }
  return FailAt(number, "neither an object nor an array of objects");
}

void JsonColumns::AddObject(const simdjson::dom::object& object) {
  ++num_records_;
  for (const auto field : object) {
    if (field.key.empty()) continue;
    const auto [found, is_new] = column_of_name_.emplace(std::string(field.key), names_.size());
    if (is_new) {
      names_.emplace_back(field.key);
      guesses_.emplace_back();
    }
    if (!field.value.is_null()) guesses_[found->second].Add(GuessElement(field.value));
  }
}

}  // namespace

FormatName GuessFormat(std::string_view bytes) {
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  const size_t first = bytes.find_first_not_of(" \t\r\n");
  const bool is_json =
      first != std::string_view::npos && (bytes[first] == '{' || bytes[first] == '[');
  return is_json ? FormatName::kJson : FormatName::kCsv;
}

Result<SchemaGuess> GuessJson(const Sample& sample) {
  std::string_view rest = sample.bytes;
  if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
  JsonColumns columns;
  int64_t number = 0;
  while (!rest.empty() && columns.num_records() < kSampleRecordsMax) {
    const size_t end = rest.find('\n');
    if (end == std::string_view::npos && !sample.is_whole) break;
    const std::string_view line = rest.substr(0, end);
    ++number;
    if (!IsBlank(line)) {
      if (Status added = columns.AddLine(line, number); !added) {
        return tl::unexpected(std::move(added.error()));
      }
    }
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  SchemaGuess guess;
  guess.schema = columns.schema();
  if (guess.schema.fields.empty()) {
    return Fail(ErrorCode::kInvalidInput,
                sample.is_whole ? "no object with fields to guess the columns from"
                                : "no whole line in the first MiB to guess the columns from");
  }
  guess.options["format"] = {"json", {}};
  guess.num_records = columns.num_records();
  guess.saw_all = rest.empty() && sample.is_whole;
  return guess;
}

}  // namespace braid
