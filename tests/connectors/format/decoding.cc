#include "tests/connectors/format/decoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "braid/change_kind.h"
#include "braid/value.h"
#include "engine/connectors/format/csv_row_decoder.h"
#include "engine/connectors/format/row_encoder.h"
#include "engine/connectors/option_reader.h"
#include "state/rows/check.h"

namespace braid {

namespace {

DataType TypeOf(const std::string& name) {
  static const std::map<std::string, DataType> kTypes = {
      {"BOOLEAN", DataType::Boolean()},
      {"TINYINT", DataType::TinyInt()},
      {"SMALLINT", DataType::SmallInt()},
      {"INT", DataType::Int()},
      {"BIGINT", DataType::BigInt()},
      {"FLOAT", DataType::Float()},
      {"DOUBLE", DataType::Double()},
      {"DECIMAL(10;2)", DataType::Decimal(10, 2)},
      {"DECIMAL(18;0)", DataType::Decimal(18, 0)},
      {"DECIMAL(4;4)", DataType::Decimal(4, 4)},
      {"STRING", DataType::String()},
      {"BYTES", DataType::Bytes()},
      {"DATE", DataType::Date()},
      {"TIMESTAMP(0)", DataType::Timestamp(0)},
      {"TIMESTAMP(3)", DataType::Timestamp(3)},
      {"TIMESTAMP(6)", DataType::Timestamp(6)},
      {"TIMESTAMP_LTZ(0)", DataType::TimestampLtz(0)},
      {"TIMESTAMP_LTZ(3)", DataType::TimestampLtz(3)},
  };
  const auto type = kTypes.find(name);
  BRAID_CHECK(type != kTypes.end(), "a type that the tests do not know");
  return type->second;
}

}  // namespace

TableDescription TableOf(std::string_view columns, const TableOptions& options) {
  TableDescription table;
  table.name = "t";
  std::string text(columns);
  while (!text.empty()) {
    const size_t comma = std::min(text.find(", "), text.size());
    std::string column = text.substr(0, comma);
    text.erase(0, comma + 2);
    const bool not_null = column.ends_with(" NOT NULL");
    if (not_null) column.resize(column.size() - 9);
    const size_t blank = column.rfind(' ');
    table.schema.fields.push_back({column.substr(0, blank), TypeOf(column.substr(blank + 1))});
    table.not_null.push_back(not_null ? 1 : 0);
  }
  for (const auto& [name, value] : options) table.options[name] = {value, {}};
  return table;
}

std::vector<int> AllColumns(const TableDescription& table) {
  std::vector<int> columns;
  for (int column = 0; column < table.schema.num_columns(); ++column) columns.push_back(column);
  return columns;
}

std::vector<std::string> RowTexts(const RowBatch& batch) {
  std::vector<std::string> rows;
  for (int64_t row = 0; row < batch.num_rows(); ++row) {
    std::vector<std::string> values;
    for (const Column& column : batch.columns()) {
      values.push_back(FormatValue(ValueAt(column, row)));
    }
    const std::string kind =
        batch.has_change_kinds() ? std::string(ChangeKindText(batch.change_kind(row))) + " " : "";
    rows.push_back(fmt::format("{}{}", kind, fmt::join(values, "|")));
  }
  return rows;
}

std::unique_ptr<RowDecoder> DecoderOf(const TableDescription& table,
                                      const std::vector<int>& read_columns,
                                      const CsvKernels* csv_kernels) {
  OptionReader options(table.options, "table t", table.place);
  if (csv_kernels != nullptr) {
    return std::make_unique<CsvRowDecoder>(table, read_columns, ReadCsvOptions(&options), nullptr,
                                           *csv_kernels);
  }
  auto decoder = NewRowDecoder(table, read_columns, &options);
  const Status status = options.Finish(nullptr);
  if (!decoder || !status) {
    std::fputs((decoder ? status.error() : decoder.error()).ToString().c_str(), stderr);
  }
  BRAID_CHECK(decoder.has_value() && status.has_value(), "the options are wrong");
  return std::move(*decoder);
}

std::string OptionErrorOf(const TableDescription& table) {
  OptionReader options(table.options, "table t", table.place);
  const auto decoder = NewRowDecoder(table, AllColumns(table), &options);
  if (!decoder) return decoder.error().message;
  const Status status = options.Finish(nullptr);
  return status ? "" : status.error().message;
}

Decoded DecodeText(const TableDescription& table, std::string_view text,
                   const DecodeSettings& settings) {
  const std::unique_ptr<RowDecoder> decoder =
      DecoderOf(table, settings.read_columns.empty() ? AllColumns(table) : settings.read_columns,
                settings.csv_kernels);
  Decoded decoded;
  DecodeResult result;
  decoder->BeginFile();
  size_t begin = 0;
  size_t given = 0;  // Where the bytes given so far end.
  const size_t step = settings.bytes_a_call == 0 ? text.size() : settings.bytes_a_call;
  do {
    given = std::min(text.size(), given + step);
    // Memory of exactly this size, so that reading beyond it is found.
    const std::vector<char> bytes(text.begin() + static_cast<ptrdiff_t>(begin),
                                  text.begin() + static_cast<ptrdiff_t>(given));
    const Result<size_t> taken =
        decoder->Decode({bytes.data(), bytes.size()}, given == text.size(), &result);
    if (!taken) {
      decoded.error = fmt::format("{}: {}", taken.error().place.line, taken.error().message);
      break;
    }
    begin += *taken;
    if (settings.take_often) {
      for (std::string& row : RowTexts(decoder->TakeRows())) decoded.rows.push_back(row);
    }
  } while (given < text.size());
  if (decoded.error.empty()) {
    BRAID_CHECK(begin == text.size(), "bytes are left at the end of the file");
    for (std::string& row : RowTexts(decoder->TakeRows())) decoded.rows.push_back(row);
  }
  for (const BadRecord& bad : result.bad_records) {
    decoded.bad.push_back(fmt::format("{}: {}: {}", bad.line, bad.reason, bad.text));
  }
  decoded.num_bad = result.num_bad_records;
  decoded.line = decoder->line();
  return decoded;
}

RowBatch DecodeRows(const TableDescription& table, std::string_view text) {
  const std::unique_ptr<RowDecoder> decoder = DecoderOf(table, AllColumns(table));
  DecodeResult result;
  const Result<size_t> taken = decoder->Decode(text, true, &result);
  if (!taken) std::fputs(taken.error().ToString().c_str(), stderr);
  BRAID_CHECK(taken.has_value(), "the text is bad");
  return decoder->TakeRows();
}

std::string EncodeRows(const TableDescription& table, const RowBatch& rows) {
  OptionReader options(table.options, "table t", table.place);
  auto encoder = NewRowEncoder(table, &options);
  if (!encoder) return encoder.error().message;
  if (Status status = options.Finish(nullptr); !status) return status.error().message;
  std::string bytes;
  (*encoder)->AppendHeader(&bytes);
  if (Status status = (*encoder)->Encode(rows, &bytes); !status) return status.error().message;
  return bytes;
}

}  // namespace braid
