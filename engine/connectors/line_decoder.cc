#include "engine/connectors/line_decoder.h"

#include <fmt/format.h>

#include "engine/connectors/format/csv_options.h"
#include "engine/connectors/format/debezium_options.h"
#include "engine/connectors/format/json_options.h"
#include "engine/connectors/option_reader.h"
#include "engine/connectors/raw_row_decoder.h"
#include "state/rows/check.h"
#include "state/rows/utf8.h"

namespace braid {

Result<std::unique_ptr<LineDecoder>> LineDecoder::New(const TableDescription& table,
                                                      const std::vector<int>& read_columns,
                                                      OptionReader* options) {
  const std::string format = options->Text("format", "");
  if (format.empty()) {
    return Fail(
        ErrorCode::kInvalidOption,
        fmt::format(
            "table {}: the option 'format' is missing; it can be csv, json, debezium-json or raw",
            table.name),
        table.place);
  }
  BadRecordPolicy policy = BadRecordPolicy::kFail;
  std::string alone;
  Result<std::unique_ptr<RowDecoder>> decoder;
  if (format == "raw") {
    CheckEncoding(options);
    policy = ReadBadRecordPolicy(options, "raw.ignore-parse-errors");
    decoder = RawRowDecoder::New(table, read_columns);
  } else if (format == "csv" || format == "json" || format == "debezium-json") {
    decoder = NewRowDecoder(table, read_columns, options);
    if (format == "json") {
      policy = ReadJsonOptions(options).bad_records;
    } else if (format == "debezium-json") {
      policy = ReadDebeziumOptions(options).json.bad_records;
    } else {
      const CsvOptions csv = ReadCsvOptions(options);
      policy = csv.bad_records;
      for (const char letter : {csv.quote, csv.escape}) {
        if (letter != '\0') alone += letter;
      }
      if (csv.header) {
        options->Refuse("csv.header", "lines of a socket have no header: leave out 'csv.header'");
      }
    }
  } else {
    return Fail(
        ErrorCode::kInvalidOption,
        fmt::format("table {}: unknown 'format' = '{}'; it can be csv, json, debezium-json or raw",
                    table.name, format),
        options->PlaceOf("format"));
  }
  if (!decoder) return tl::unexpected(decoder.error());
  return std::unique_ptr<LineDecoder>(
      new LineDecoder(std::move(*decoder), policy, std::move(alone)));
}

Status LineDecoder::DecodeWhole(std::string_view lines, DecodeResult* result) {
  if (lines.empty()) return {};
  const Result<size_t> taken = decoder_->Decode(lines, /*at_end=*/true, result);
  if (!taken) return tl::unexpected(taken.error());
  BRAID_CHECK(*taken == lines.size(), "whole lines are decoded whole");
  return {};
}

Status LineDecoder::DecodePlain(std::string_view text, DecodeResult* result) {
  while (!text.empty()) {
    const size_t found = alone_.empty() ? std::string_view::npos : text.find_first_of(alone_);
    if (found == std::string_view::npos) return DecodeWhole(text, result);
    const size_t before = found == 0 ? std::string_view::npos : text.rfind('\n', found - 1);
    const size_t begin = before == std::string_view::npos ? 0 : before + 1;
    // A text that no source has logged may end inside a line.
    const size_t line_end = text.find('\n', found);
    const size_t end = line_end == std::string_view::npos ? text.size() : line_end + 1;
    if (Status status = DecodeWhole(text.substr(0, begin), result); !status) return status;
    if (Status status = DecodeWhole(text.substr(begin, end - begin), result); !status) {
      return status;
    }
    text.remove_prefix(end);
  }
  return {};
}

Status LineDecoder::DecodeKept(const KeptLine& kept, int64_t number, DecodeResult* result) {
  if (kept.long_bytes == 0) {
    std::string line(kept.line);
    line += '\n';
    return DecodePlain(line, result);
  }
  BadRecord record;
  record.line = number;
  record.text = WithoutInvalidBytes(kept.line);
  record.reason = fmt::format("a line of {} bytes is longer than 'source.max-line-bytes' allows",
                              kept.long_bytes);
  if (policy_ == BadRecordPolicy::kFail) {
    Place place;
    place.line = number;
    return Fail(ErrorCode::kInvalidInput, record.reason, place);
  }
  ++result->num_bad_records;
  result->bad_records.push_back(std::move(record));
  return {};
}

Result<RowBatch> LineDecoder::Decode(std::string_view text, int64_t first_line,
                                     DecodeResult* result) {
  int64_t line = first_line;
  while (!text.empty()) {
    // Up to the next line that begins with a zero byte.
    size_t plain = 0;
    if (text.front() != '\0') {
      const size_t next = text.find(std::string_view("\n\0", 2));
      plain = next == std::string_view::npos ? text.size() : next + 1;
    }
    if (Status resumed = decoder_->ResumeFile({}, line); !resumed) {
      return tl::unexpected(resumed.error());
    }
    Status status;
    if (plain > 0) {
      status = DecodePlain(text.substr(0, plain), result);
      line += CountLines(text.substr(0, plain));
      text.remove_prefix(plain);
    } else {
      status = DecodeKept(TakeLine(&text), line, result);
      ++line;
    }
    if (!status) return tl::unexpected(status.error());
  }
  return decoder_->TakeRows();
}

}  // namespace braid
