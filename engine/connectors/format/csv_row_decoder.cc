#include "engine/connectors/format/csv_row_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/connectors/format/column_names.h"
#include "state/rows/utf8.h"

namespace braid {

namespace {

// A block and its separators fit into a second-level cache.
constexpr size_t kBlockBytes = size_t{128} << 10;

// The separators are found in steps of this many bytes.
constexpr size_t kStepBytes = 64;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Where the columns that are read stand in a record, and behind them that of the kinds.
std::vector<int> DataColumns(std::vector<int> read_columns,
                             const std::optional<ChangelogColumn>& changelog) {
  if (!changelog) return read_columns;
  if (!changelog->declared) {
    for (int& column : read_columns) ++column;
  }
  read_columns.push_back(static_cast<int>(changelog->declared.value_or(0)));
  return read_columns;
}

}  // namespace

CsvRowDecoder::CsvRowDecoder(const TableDescription& table, const std::vector<int>& read_columns,
                             CsvOptions options, const TimeZonePtr& time_zone,
                             const CsvKernels& kernels,
                             const std::optional<ChangelogColumn>& changelog)
    : options_(std::move(options)),
      kernels_(kernels),
      data_schema_(changelog ? WithChangelogColumn(table.schema, *changelog) : table.schema),
      data_columns_(DataColumns(read_columns, changelog)),
      rows_(table, read_columns, options_.bad_records, changelog) {
  for (size_t column = 0; column < rows_.num_columns(); ++column) {
    readers_.emplace_back(
        options_, kernels_,
        rows_.is_kind_column(column)
            ? TextReader::OfChangeKinds()
            : TextReader(rows_.field(column).type, options_.timestamp_style, time_zone),
        rows_.is_not_null(column));
    reads_strings_ |= rows_.field(column).type.kind == TypeKind::kString;
  }
  BeginFile();
}

int64_t CsvRowDecoder::CountLines(std::string_view bytes) const {
  return static_cast<int64_t>(kernels_.count_lines(bytes.data(), bytes.size()));
}

void CsvRowDecoder::BeginFile() {
  is_in_preamble_ = true;
  is_at_first_byte_ = true;
  line_ = 1;
  // Without a header fields stand in the order of the table.
  num_fields_ = data_schema_.fields.size();
  field_of_column_.assign(data_columns_.begin(), data_columns_.end());
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
  if (!options_.header_names_columns) return {};
  std::vector<std::string> names;
  for (const CsvField& field : header.fields) {
    names.emplace_back(CsvFieldText(options_, bytes, field, &scratch_));
  }
  std::vector<size_t> field_of_data_column;
  for (const Field& column : data_schema_.fields) {
    const NameMatch match = FindName(column.name, names);
    if (match.count != 1) {
      return Fail(ErrorCode::kInvalidInput,
                  fmt::format("the header {} column '{}'; its columns are: {}",
                              match.count == 0 ? "has no" : "has more than one", column.name,
                              fmt::join(names, ", ")),
                  std::move(place));
    }
    field_of_data_column.push_back(match.index);
  }
  num_fields_ = names.size();
  for (size_t column = 0; column < data_columns_.size(); ++column) {
    field_of_column_[column] = field_of_data_column[static_cast<size_t>(data_columns_[column])];
  }
  return {};
}

Result<size_t> CsvRowDecoder::Decode(std::string_view bytes, bool at_end, DecodeResult* result) {
  size_t position = 0;
  if (is_in_preamble_) {
    Result<size_t> taken = TakePreamble(bytes, at_end);
    if (!taken || is_in_preamble_) return taken;
    position = *taken;
  }
  rows_.PrepareForMore();
  readable_ = bytes;
  while (position < bytes.size()) {
    Result<size_t> taken = DecodeBlock(bytes, position, result);
    if (!taken) return taken;
    position += *taken;
    if (*taken > 0 && position >= exact_until_) continue;
    do {
      const std::string_view rest = bytes.substr(position);
      if (!ScanCsvRecord(options_, rest, at_end, &record_)) return position;
      if (Status status = AddRecord(rest, record_, result); !status) {
        return tl::unexpected<Error>(status.error());
      }
      position += record_.end;
      line_ += CountLines(rest.substr(0, record_.end));
    } while (position < exact_until_ && position < bytes.size());
  }
  return position;
}

size_t CsvRowDecoder::BlockSize(std::string_view rest) const {
  std::string_view block = rest.substr(0, kBlockBytes);
  if (options_.escape != '\0') block = block.substr(0, block.find(options_.escape));
  if (options_.comment == '\0') return block.size();
  size_t position = 0;
  while ((position = block.find(options_.comment, position)) != std::string_view::npos) {
    if (position == 0 || block[position - 1] == '\n') return position;
    ++position;
  }
  return block.size();
}

Result<size_t> CsvRowDecoder::DecodeBlock(std::string_view bytes, size_t position,
                                          DecodeResult* result) {
  const std::string_view rest = bytes.substr(position);
  const size_t block_size = BlockSize(rest);
  exact_until_ = position + block_size < bytes.size() && block_size < kBlockBytes
                     ? position + block_size + 1
                     : 0;
  if (separators_.size() < block_size + kSeparatorSlack + 1) {
    separators_.resize(block_size + kSeparatorSlack + 1);
  }
  separators_[0] = ~uint32_t{0};
  uint32_t* separators = separators_.data() + 1;
  const SeparatorIndex index = kernels_.index_separators(
      rest.data(), block_size, options_.delimiter, options_.quote, separators);
  if (index.num_bytes < block_size) exact_until_ = position + index.num_bytes + kStepBytes;
  // The record at the end of the block may be cut.
  size_t num_separators = index.num_separators;
  while (num_separators > 0 && rest[separators[num_separators - 1]] != '\n') --num_separators;
  if (num_separators == 0) return 0;
  const size_t num_bytes = size_t{separators[num_separators - 1]} + 1;
  block_ = rest.substr(0, num_bytes);
  block_has_returns_ = std::memchr(block_.data(), '\r', num_bytes) != nullptr;
  if (reads_strings_) {
    const bool is_utf8 = IsUtf8(block_);
    for (CsvColumnReader& reader : readers_) reader.set_is_utf8(is_utf8);
  }
  const int64_t num_lines = static_cast<int64_t>(index.num_lines) -
                            CountLines(rest.substr(num_bytes, index.num_bytes - num_bytes));
  const int64_t line = line_;
  counted_bytes_ = 0;
  const Status status = IsRegular(separators, num_separators, index.num_line_ends)
                            ? DecodeRun(0, index.num_line_ends, result)
                            : DecodeMixed(num_separators, result);
  if (!status) return tl::unexpected<Error>(status.error());
  line_ = line + num_lines;
  return num_bytes;
}

bool CsvRowDecoder::IsRegular(const uint32_t* separators, size_t num_separators,
                              size_t num_line_ends) const {
  if (num_separators != num_line_ends * num_fields_) return false;
  bool is_regular = true;
  // A blank line is a row of one field for the separators, but none for us.
  const uint32_t blank_max = num_fields_ == 1 ? 2 : 0;
  uint32_t row_begin = 0;
  for (size_t last = num_fields_ - 1; last < num_separators; last += num_fields_) {
    is_regular &= block_[separators[last]] == '\n';
    is_regular &= separators[last] - row_begin >= blank_max;
    row_begin = separators[last] + 1;
  }
  return is_regular;
}

Status CsvRowDecoder::DecodeMixed(size_t num_separators, DecodeResult* result) {
  const uint32_t* separators = separators_.data() + 1;
  size_t run_first = 0;
  size_t first = 0;
  while (first < num_separators) {
    size_t last = first;
    while (block_[separators[last]] != '\n') ++last;
    const size_t row_begin = separators_[first] + uint32_t{1};
    const size_t row_bytes = separators[last] - row_begin;
    const bool is_blank = row_bytes == 0 || (row_bytes == 1 && block_[row_begin] == '\r');
    if (is_blank || last + 1 - first != num_fields_) {
      if (Status status = DecodeRun(run_first, (first - run_first) / num_fields_, result);
          !status) {
        return status;
      }
      if (!is_blank) {
        const std::string_view record = block_.substr(row_begin, row_bytes + 1);
        line_ += CountLines(block_.substr(counted_bytes_, row_begin - counted_bytes_));
        counted_bytes_ = row_begin;
        ScanCsvRecord(options_, record, true, &record_);
        if (Status status = AddRecord(record, record_, result); !status) return status;
      }
      run_first = last + 1;
    }
    first = last + 1;
  }
  return DecodeRun(run_first, (num_separators - run_first) / num_fields_, result);
}

CsvFields CsvRowDecoder::FieldsOf(size_t column, size_t first, size_t num_rows) {
  const size_t field = field_of_column_[column];
  const CsvFields fields{block_.data(), separators_.data() + first + field, num_fields_, num_rows};
  const bool has_returns = block_has_returns_ && field + 1 == num_fields_;
  // Where the first number or time is quoted, all are likely to be; the loops want them bare. With
  // a null literal it matters whether a field is quoted, and so it is left to be seen.
  const bool has_quotes = options_.quote != '\0' && *fields.begin(0) == options_.quote &&
                          !rows_.field(column).type.is_variable_width() && !options_.null_literal;
  if (!has_returns && !has_quotes) return fields;
  bare_fields_.resize(2 * num_rows);
  for (size_t row = 0; row < num_rows; ++row) {
    const char* begin = fields.begin(row);
    const char* end = fields.end(row);
    if (has_returns && end > begin && end[-1] == '\r') --end;
    // A quote as the first byte of the text would then look like one around it.
    if (has_quotes && *begin == options_.quote &&
        (end - begin == 2 || begin[1] != options_.quote)) {
      ++begin;
      --end;
    }
    bare_fields_[2 * row] = static_cast<uint32_t>(begin - block_.data() - 1);
    bare_fields_[2 * row + 1] = static_cast<uint32_t>(end - block_.data());
  }
  return {block_.data(), bare_fields_.data(), 2, num_rows};
}

Status CsvRowDecoder::DecodeRun(size_t first, size_t num_rows, DecodeResult* result) {
  if (num_rows == 0) return {};
  const int64_t first_row = rows_.num_rows();
  faults_.clear();
  for (size_t column = 0; column < rows_.num_columns(); ++column) {
    bad_rows_.clear();
    readers_[column].Read(FieldsOf(column, first, num_rows), readable_.data(),
                          &rows_.builder(column), &bad_rows_);
    for (const uint32_t row : bad_rows_) faults_.push_back({row, column});
  }
  rows_.AddRows(static_cast<int64_t>(num_rows));
  if (faults_.empty()) return {};
  return ReportFaults(first, first_row, result);
}

Status CsvRowDecoder::ReportFaults(size_t first, int64_t first_row, DecodeResult* result) {
  std::sort(faults_.begin(), faults_.end(), [](const Fault& left, const Fault& right) {
    return std::pair(left.row, left.column) < std::pair(right.row, right.column);
  });
  for (size_t index = 0; index < faults_.size();) {
    const Fault& fault = faults_[index];
    const uint32_t* separators = separators_.data() + first + fault.row * num_fields_;
    const size_t begin = separators[0] + uint32_t{1};
    size_t end = separators[num_fields_];
    if (end > begin && block_[end - 1] == '\r') --end;
    line_ += CountLines(block_.substr(counted_bytes_, begin - counted_bytes_));
    counted_bytes_ = begin;
    const CsvFields field = {block_.data(), separators + field_of_column_[fault.column],
                             num_fields_, 1};
    const char* field_end = std::min(field.end(0), block_.data() + end);
    const std::string_view raw(field.begin(0), static_cast<size_t>(field_end - field.begin(0)));
    BadRecord bad{line_,
                  std::string(block_.substr(begin, std::min(end - begin, kBadRecordTextMax))),
                  FaultOf(fault.column, raw)};
    bool can_stay = true;
    for (; index < faults_.size() && faults_[index].row == fault.row; ++index) {
      can_stay &= !rows_.is_not_null(faults_[index].column);
    }
    if (Status status = rows_.BadRow(first_row + fault.row, can_stay, std::move(bad), result);
        !status) {
      return status;
    }
  }
  return {};
}

std::string CsvRowDecoder::FaultOf(size_t column, std::string_view raw) {
  if (readers_[column].IsNull(raw)) return rows_.NullRefused(column);
  return rows_.NotReadable(column, readers_[column].FieldText(raw, &scratch_));
}

Status CsvRowDecoder::AddRecord(std::string_view bytes, const CsvRecord& record,
                                DecodeResult* result) {
  if (record.is_blank) return {};
  std::string reason;
  if (record.fault != nullptr) {
    reason = record.fault;
  } else if (record.fields.size() != num_fields_) {
    reason = fmt::format("{} fields where {} are expected", record.fields.size(), num_fields_);
  }
  const std::string_view text = bytes.substr(0, std::min(record.text_end, kBadRecordTextMax));
  if (!reason.empty() && rows_.policy() != BadRecordPolicy::kNull) {
    return rows_.Bad({line_, std::string(text), std::move(reason)}, result);
  }
  bool can_stay = true;
  const size_t num_sound = record.fields.size() - (record.fault != nullptr ? 1 : 0);
  for (size_t column = 0; column < rows_.num_columns(); ++column) {
    bool is_good = false;
    if (field_of_column_[column] >= num_sound) {
      rows_.builder(column).AppendNull();
      is_good = !rows_.is_not_null(column);
    } else {
      const CsvField& field = record.fields[field_of_column_[column]];
      is_good = readers_[column].Append(bytes, field, &rows_.builder(column));
      if (!is_good && reason.empty()) {
        const size_t quotes = field.is_quoted ? 1 : 0;
        reason = FaultOf(column,
                         bytes.substr(field.begin - quotes, field.end - field.begin + 2 * quotes));
      }
    }
    can_stay &= is_good || !rows_.is_not_null(column);
  }
  rows_.AddRows(1);
  if (reason.empty()) return {};
  return rows_.BadRow(rows_.num_rows() - 1, can_stay, {line_, std::string(text), std::move(reason)},
                      result);
}

}  // namespace braid
