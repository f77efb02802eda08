#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "braid/connector.h"
#include "engine/connectors/format/row_decoder.h"
#include "engine/connectors/format/schema_guess.h"
#include "engine/connectors/option_reader.h"
#include "tests/connectors/row_texts.h"
#include "tests/fuzz/fuzz_target.h"

namespace braid {

namespace {

using OptionTexts = std::map<std::string, std::string>;

TableDescription Table(const OptionTexts& options) {
  TableDescription table;
  table.name = "t";
  table.schema.fields = {
      {"i", DataType::Int()},
      {"s", DataType::String()},
      {"d", DataType::Double()},
      {"n", DataType::Decimal(10, 2)},
      {"b", DataType::Boolean()},
      {"day", DataType::Date()},
      {"ts", DataType::Timestamp(3)},
      {"bytes", DataType::Bytes()},
      {"tl", DataType::TimestampLtz(6)},
      {"f", DataType::Float()},
  };
  table.not_null.assign(table.schema.fields.size(), 0);
  table.not_null[0] = 1;
  for (const auto& [name, value] : options) table.options[name] = Option{value, {}};
  return table;
}

std::unique_ptr<RowDecoder> NewDecoder(const OptionTexts& options) {
  const TableDescription table = Table(options);
  OptionReader reader(table.options, "table t", {});
  std::vector<int> columns;
  for (int column = 0; column < 10; ++column) columns.push_back(column);
  Result<std::unique_ptr<RowDecoder>> decoder = NewRowDecoder(table, columns, &reader);
  Expect(decoder.has_value(), "the format's options are right");
  return std::move(*decoder);
}

// The rows as texts, or what the decoder refused them with.
struct Decoded {
  bool is_good = true;
  int64_t num_bad_records = 0;
  std::vector<std::string> rows;
};

// Gives the bytes up to `cut` first, then what was left of them with the rest.
Decoded Decode(const OptionTexts& options, std::string_view bytes, size_t cut) {
  const std::unique_ptr<RowDecoder> decoder = NewDecoder(options);
  decoder->BeginFile();
  Decoded decoded;
  DecodeResult result;
  size_t begin = 0;
  for (const size_t end : {cut, bytes.size()}) {
    const bool at_end = end == bytes.size();
    for (;;) {
      const Result<size_t> taken =
          decoder->Decode(bytes.substr(begin, end - begin), at_end, &result);
      if (!taken) return {false, 0, {}};
      Expect(*taken <= end - begin, "a decoder takes no more than it was given");
      begin += *taken;
      if (*taken == 0 || begin == end) break;
    }
    if (at_end) break;
  }
  Expect(begin == bytes.size(), "at the end all bytes are taken");
  decoded.num_bad_records = result.num_bad_records;
  decoded.rows = RowTexts(decoder->TakeRows());
  return decoded;
}

void DecodeBothWays(const OptionTexts& options, std::string_view bytes) {
  const size_t cut = bytes.size() / 2;
  const Decoded whole = Decode(options, bytes, bytes.size());
  const Decoded in_two = Decode(options, bytes, cut);
  Expect(whole.is_good == in_two.is_good, "a cut makes nothing bad");
  Expect(whole.num_bad_records == in_two.num_bad_records, "a cut makes no record bad");
  Expect(whole.rows == in_two.rows, "a cut changes no row");
}

}  // namespace

void FuzzCsv(std::string_view bytes) {
  static const std::vector<OptionTexts> kChoices = {
      {{"format", "csv"}},
      {{"format", "csv"}, {"bad-records", "drop"}},
      {{"format", "csv"}, {"bad-records", "null"}, {"csv.header", "true"}},
      {{"format", "csv"}, {"bad-records", "null"}, {"csv.null-literal", "n"}},
      {{"format", "csv"}, {"bad-records", "drop"}, {"csv.escape-character", "\\"}},
      {{"format", "csv"}, {"bad-records", "drop"}, {"csv.field-delimiter", ";"}},
  };
  const int choice = TakeChoice(&bytes, static_cast<int>(kChoices.size()));
  DecodeBothWays(kChoices[static_cast<size_t>(choice)], bytes);
}

void FuzzJson(std::string_view bytes) {
  static const std::vector<OptionTexts> kChoices = {
      {{"format", "json"}},
      {{"format", "json"}, {"bad-records", "drop"}},
      {{"format", "json"}, {"bad-records", "null"}},
      {{"format", "debezium-json"}, {"bad-records", "drop"}},
  };
  const int choice = TakeChoice(&bytes, static_cast<int>(kChoices.size()));
  DecodeBothWays(kChoices[static_cast<size_t>(choice)], bytes);
}

void FuzzSchemaGuess(std::string_view bytes) {
  const int choice = TakeChoice(&bytes, 4);
  const Sample sample{bytes, choice % 2 == 0};
  static_cast<void>(GuessFormat(bytes));
  const Result<SchemaGuess> guess = choice < 2 ? GuessCsv(sample, std::nullopt) : GuessJson(sample);
  if (!guess) return;
  Expect(!guess->schema.fields.empty(), "a guess has columns");
}

}  // namespace braid
