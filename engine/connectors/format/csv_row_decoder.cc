#include "engine/connectors/format/csv_row_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/connectors/format/column_names.h"

namespace braid {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

int64_t CountLines(std::string_view bytes) { return std::count(bytes.begin(), bytes.end(), '\n'); }

}  // namespace

CsvRowDecoder::CsvRowDecoder(const TableDescription& table, const std::vector<int>& read_columns,
                             CsvOptions options, const SessionZone& time_zone)
    : options_(std::move(options)),
      table_schema_(table.schema),
      read_columns_(read_columns),
      rows_(table, read_columns, options_.bad_records) {
  for (size_t column = 0; column < rows_.num_columns(); ++column) {
    readers_.emplace_back(rows_.field(column).type, options_.timestamp_style, time_zone);
  }
  BeginFile();
}

void CsvRowDecoder::BeginFile() {
  is_in_preamble_ = true;
  is_at_first_byte_ = true;
  line_ = 1;
  // Without a header fields stand in the order of the table.
  num_fields_ = table_schema_.fields.size();
  field_of_column_.assign(read_columns_.begin(), read_columns_.end());
}

Status CsvRowDecoder::ResumeFile(std::string_view beginning, int64_t line) {
  BeginFile();
  if (options_.header) {
    const Result<size_t> taken = TakePreamble(beginning, false);
    if (!taken) return tl::unexpected<Error>(taken.error());
    if (is_in_preamble_) {
      return Fail(ErrorCode::kInvalidInput, "the file no longer begins with its header");
    }
  }
  is_in_preamble_ = false;
  is_at_first_byte_ = false;
  line_ = line;
  return {};
}

Result<size_t> CsvRowDecoder::TakePreamble(std::string_view bytes, bool at_end) {
  size_t position = 0;
  if (is_at_first_byte_) {
    const size_t common = std::min(bytes.size(), kByteOrderMark.size());
    const bool may_be_mark = bytes.substr(0, common) == kByteOrderMark.substr(0, common);
    if (may_be_mark && common < kByteOrderMark.size() && !at_end) return 0;
    if (may_be_mark && common == kByteOrderMark.size()) position = common;
    is_at_first_byte_ = false;
  }
  while (options_.header) {
    const std::string_view rest = bytes.substr(position);
    if (!ScanCsvRecord(options_, rest, at_end, &record_)) return position;
    if (!record_.is_blank) {
      if (Status status = MatchHeader(rest, record_); !status) {
        return tl::unexpected<Error>(status.error());
      }
    }
    position += record_.end;
    line_ += CountLines(rest.substr(0, record_.end));
    if (!record_.is_blank) break;
  }
  is_in_preamble_ = false;
  return position;
}

Status CsvRowDecoder::MatchHeader(std::string_view bytes, const CsvRecord& header) {
  Place place;
  place.line = line_;
  if (header.fault != nullptr) {
    return Fail(ErrorCode::kInvalidInput, fmt::format("the header: {}", header.fault),
                std::move(place));
  }
  std::vector<std::string> names;
  for (const CsvField& field : header.fields) {
    names.emplace_back(CsvFieldText(options_, bytes, field, &scratch_));
  }
  std::vector<size_t> field_of_table_column;
  for (const Field& column : table_schema_.fields) {
    const NameMatch match = FindName(column.name, names);
    if (match.count != 1) {
      return Fail(ErrorCode::kInvalidInput,
                  fmt::format("the header {} column '{}'; its columns are: {}",
                              match.count == 0 ? "has no" : "has more than one", column.name,
                              fmt::join(names, ", ")),
                  std::move(place));
    }
    field_of_table_column.push_back(match.index);
  }
  num_fields_ = names.size();
  for (size_t column = 0; column < read_columns_.size(); ++column) {
    field_of_column_[column] = field_of_table_column[static_cast<size_t>(read_columns_[column])];
  }
  return {};
}

Result<size_t> CsvRowDecoder::Decode(std::string_view bytes, bool at_end, DecodeResult* result) {
  size_t position = 0;
  if (is_in_preamble_) {
    const Result<size_t> taken = TakePreamble(bytes, at_end);
    if (!taken || is_in_preamble_) return taken;
    position = *taken;
  }
  while (position < bytes.size()) {
    const std::string_view rest = bytes.substr(position);
    if (!ScanCsvRecord(options_, rest, at_end, &record_)) break;
    if (!record_.is_blank) {
      if (Status status = AddRecord(rest, record_, result); !status) {
        return tl::unexpected<Error>(status.error());
      }
    }
    position += record_.end;
    line_ += CountLines(rest.substr(0, record_.end));
  }
  return position;
}

Status CsvRowDecoder::AddRecord(std::string_view bytes, const CsvRecord& record,
                                DecodeResult* result) {
  std::string reason;
  bool can_stay = true;
  if (record.fault != nullptr) {
    reason = record.fault;
  } else if (record.fields.size() != num_fields_) {
    reason = fmt::format("{} fields where {} are expected", record.fields.size(), num_fields_);
  }
  const size_t num_sound = record.fields.size() - (record.fault != nullptr ? 1 : 0);
  for (size_t column = 0; column < rows_.num_columns(); ++column) {
    ColumnBuilder& builder = rows_.builder(column);
    const int64_t nulls_before = builder.null_count();
    if (field_of_column_[column] < num_sound) {
      std::string fault = AddField(column, bytes, record.fields[field_of_column_[column]]);
      if (reason.empty()) reason = std::move(fault);
    } else {
      builder.AppendNull();
    }
    if (rows_.is_not_null(column) && builder.null_count() != nulls_before) {
      if (reason.empty()) reason = NotNullViolated(rows_.field(column));
      can_stay = false;
    }
  }
  rows_.AddRows(1);
  if (reason.empty()) return {};
  const std::string_view text = bytes.substr(0, std::min(record.text_end, kBadRecordTextMax));
  return rows_.BadRow(rows_.num_rows() - 1, can_stay, {line_, std::string(text), std::move(reason)},
                      result);
}

std::string CsvRowDecoder::AddField(size_t column, std::string_view bytes, const CsvField& field) {
  const TextReader& reader = readers_[column];
  ColumnBuilder& builder = rows_.builder(column);
  // The literal is compared before escapes are resolved, so that \N can be one.
  const std::string_view raw = bytes.substr(field.begin, field.end - field.begin);
  const bool is_literal =
      !field.is_quoted && options_.null_literal && raw == *options_.null_literal;
  if (is_literal || (raw.empty() && !reader.type().is_variable_width())) {
    builder.AppendNull();
    return {};
  }
  const std::string_view text = CsvFieldText(options_, bytes, field, &scratch_);
  if (reader.Append(text, &builder)) return {};
  builder.AppendNull();
  return NotOfType(rows_.field(column), text);
}

}  // namespace braid
