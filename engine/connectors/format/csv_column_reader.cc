#include "engine/connectors/format/csv_column_reader.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

#include "braid/change_kind.h"
#include "state/rows/time_text.h"

namespace braid {

namespace {

std::string_view RawField(const CsvFields& fields, size_t row) {
  const char* begin = fields.begin(row);
  return {begin, static_cast<size_t>(fields.end(row) - begin)};
}

CsvTimestampShape ShapeOf(const TextReader& reader) {
  CsvTimestampShape shape;
  if (reader.style() == TimestampStyle::kSql) shape.other_separator = ' ';
  if (reader.style() == TimestampStyle::kIso8601) shape.separator = 'T';
  shape.accepts_local = reader.type().kind == TypeKind::kTimestamp || reader.zone_is_utc();
  shape.precision = reader.type().precision;
  return shape;
}

// Plain forms of the types that have no loop in CsvKernels; each gives the rows that it leaves.
size_t ReadDates(const CsvFields& fields, int32_t* values, uint32_t* unread) {
  char last_text[10] = {};
  int32_t last_days = 0;
  size_t num_unread = 0;
  for (size_t row = 0; row < fields.num_rows; ++row) {
    const std::string_view raw = RawField(fields, row);
    const bool is_last = raw.size() == sizeof(last_text) &&
                         std::memcmp(raw.data(), last_text, sizeof(last_text)) == 0;
    if (!is_last) {
      if (raw.size() != sizeof(last_text) || !ParseDate(raw, &last_days)) {
        unread[num_unread++] = static_cast<uint32_t>(row);
        continue;
      }
      std::memcpy(last_text, raw.data(), sizeof(last_text));
    }
    values[row] = last_days;
  }
  return num_unread;
}

size_t ReadBooleans(const CsvFields& fields, uint8_t* values, uint32_t* unread) {
  size_t num_unread = 0;
  for (size_t row = 0; row < fields.num_rows; ++row) {
    const std::string_view raw = RawField(fields, row);
    const bool is_true = raw == "true";
    values[row] = is_true ? 1 : 0;
    if (!is_true && raw != "false") unread[num_unread++] = static_cast<uint32_t>(row);
  }
  return num_unread;
}

size_t ReadChangeKinds(const CsvFields& fields, int8_t* values, uint32_t* unread) {
  size_t num_unread = 0;
  for (size_t row = 0; row < fields.num_rows; ++row) {
    const std::optional<ChangeKind> kind = ParseChangeKind(RawField(fields, row));
    values[row] = static_cast<int8_t>(kind.value_or(ChangeKind::kInsert));
    if (!kind) unread[num_unread++] = static_cast<uint32_t>(row);
  }
  return num_unread;
}

}  // namespace

CsvColumnReader::CsvColumnReader(const CsvOptions& options, const CsvKernels& kernels,
                                 TextReader reader, bool is_not_null)
    : options_(options),
      kernels_(kernels),
      reader_(std::move(reader)),
      is_not_null_(is_not_null),
      shape_(ShapeOf(reader_)) {
  int64_t ignored = 0;
  literal_is_value_ = options.null_literal && !reader_.type().is_variable_width() &&
                      reader_.Read(*options.null_literal, &ignored);
  for (int digit = 0; digit < reader_.type().precision; ++digit) decimal_limit_ *= 10;
}

bool CsvColumnReader::IsNull(std::string_view raw) const {
  if (options_.null_literal && raw == *options_.null_literal) return true;
  if (reader_.type().is_variable_width()) return false;
  return raw.empty() || (raw.size() == 2 && options_.quote != '\0' && raw[0] == options_.quote &&
                         raw[1] == options_.quote);
}

std::string_view CsvColumnReader::FieldText(std::string_view raw, std::string* scratch) const {
  CsvField field;
  field.end = raw.size();
  field.has_escapes =
      options_.escape != '\0' && raw.find(options_.escape) != std::string_view::npos;
  if (options_.quote != '\0' && !raw.empty() && raw[0] == options_.quote) {
    field.is_quoted = true;
    field.begin = 1;
    field.end = raw.size() - 1;
    field.has_escapes |= raw.substr(1, raw.size() - 2).find(options_.quote) != raw.npos;
  }
  return CsvFieldText(options_, raw, field, scratch);
}

bool CsvColumnReader::Append(std::string_view bytes, const CsvField& field,
                             ColumnBuilder* builder) {
  // The literal is compared before escapes are resolved, so that \N can be one.
  const std::string_view raw = bytes.substr(field.begin, field.end - field.begin);
  const bool is_literal =
      !field.is_quoted && options_.null_literal && raw == *options_.null_literal;
  if (is_literal || (raw.empty() && !reader_.type().is_variable_width())) {
    builder->AppendNull();
    return !is_not_null_;
  }
  if (reader_.Append(CsvFieldText(options_, bytes, field, &scratch_), builder)) return true;
  builder->AppendNull();
  return false;
}

void CsvColumnReader::ReadOne(const Target& target, size_t row, void* value) {
  const std::string_view raw = RawField(target.fields, row);
  const bool is_null = IsNull(raw);
  if (!is_null && reader_.Read(FieldText(raw, &scratch_), value)) return;
  target.builder->SetNull(target.first_row + static_cast<int64_t>(row));
  if (!is_null || is_not_null_) target.bad_rows->push_back(static_cast<uint32_t>(row));
}

template <typename T, typename ReadLoop>
void CsvColumnReader::ReadFixed(const CsvFields& fields, const char* readable,
                                ColumnBuilder* builder, std::vector<uint32_t>* bad_rows,
                                const ReadLoop& loop) {
  const Target target{fields, builder, builder->length(), bad_rows};
  T* values = builder->AppendUninitialized<T>(static_cast<int64_t>(fields.num_rows));
  // Rows at the very front of the memory have too little before them for the loops.
  size_t first = 0;
  while (first < fields.num_rows &&
         (literal_is_value_ ||
          fields.end(first) - readable < static_cast<ptrdiff_t>(kBytesBeforeEnd))) {
    ReadOne(target, first, values + first);
    ++first;
  }
  CsvFields rest = fields;
  rest.separators += first * fields.stride;
  rest.num_rows -= first;
  if (unread_.size() < rest.num_rows) unread_.resize(rest.num_rows);
  const size_t num_unread = loop(rest, values + first, unread_.data());
  for (size_t index = 0; index < num_unread; ++index) {
    const size_t row = first + unread_[index];
    ReadOne(target, row, values + row);
  }
}

template <typename T>
void CsvColumnReader::ReadNarrow(const CsvFields& fields, const char* readable,
                                 ColumnBuilder* builder, std::vector<uint32_t>* bad_rows) {
  ReadFixed<T>(fields, readable, builder, bad_rows,
               [this](const CsvFields& rest, T* values, uint32_t* unread) {
                 if (wide_values_.size() < rest.num_rows) wide_values_.resize(rest.num_rows);
                 size_t num_unread = kernels_.read_bigint(rest, wide_values_.data(), unread);
                 for (size_t index = 0; index < num_unread; ++index) {
                   wide_values_[unread[index]] = 0;
                 }
                 for (size_t row = 0; row < rest.num_rows; ++row) {
                   values[row] = static_cast<T>(wide_values_[row]);
                   if (values[row] != wide_values_[row]) [[unlikely]] {
                     unread[num_unread++] = static_cast<uint32_t>(row);
                   }
                 }
                 return num_unread;
               });
}

void CsvColumnReader::ReadStrings(const CsvFields& fields, ColumnBuilder* builder,
                                  std::vector<uint32_t>* bad_rows) {
  const bool is_string = reader_.type().kind == TypeKind::kString;
  for (size_t row = 0; row < fields.num_rows; ++row) {
    const std::string_view raw = RawField(fields, row);
    const bool is_null = options_.null_literal && raw == *options_.null_literal;
    if (!is_null) [[likely]] {
      const bool is_quoted = !raw.empty() && raw[0] == options_.quote && options_.quote != '\0';
      if (is_string && !is_quoted && is_utf8_) [[likely]] {
        builder->AppendString(raw);
        continue;
      }
      if (reader_.Append(FieldText(raw, &scratch_), builder)) continue;
    }
    builder->AppendNull();
    if (!is_null || is_not_null_) bad_rows->push_back(static_cast<uint32_t>(row));
  }
}

void CsvColumnReader::Read(const CsvFields& fields, const char* readable, ColumnBuilder* builder,
                           std::vector<uint32_t>* bad_rows) {
  switch (reader_.type().kind) {
    case TypeKind::kTinyInt:
      if (reader_.reads_change_kinds()) {
        return ReadFixed<int8_t>(fields, readable, builder, bad_rows, ReadChangeKinds);
      }
      return ReadNarrow<int8_t>(fields, readable, builder, bad_rows);
    case TypeKind::kSmallInt:
      return ReadNarrow<int16_t>(fields, readable, builder, bad_rows);
    case TypeKind::kInt:
      return ReadNarrow<int32_t>(fields, readable, builder, bad_rows);
    case TypeKind::kBigInt:
      return ReadFixed<int64_t>(fields, readable, builder, bad_rows, kernels_.read_bigint);
    case TypeKind::kFloat:
      return ReadFixed<float>(fields, readable, builder, bad_rows, kernels_.read_float);
    case TypeKind::kDouble:
      return ReadFixed<double>(fields, readable, builder, bad_rows, kernels_.read_double);
    case TypeKind::kDecimal:
      return ReadFixed<int64_t>(fields, readable, builder, bad_rows,
                                [this](const CsvFields& rest, int64_t* values, uint32_t* unread) {
                                  return kernels_.read_decimal(rest, reader_.type().scale,
                                                               decimal_limit_, values, unread);
                                });
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz:
      return ReadFixed<int64_t>(fields, readable, builder, bad_rows,
                                [this](const CsvFields& rest, int64_t* values, uint32_t* unread) {
                                  return kernels_.read_timestamp(rest, shape_, values, unread);
                                });
    case TypeKind::kDate:
      return ReadFixed<int32_t>(fields, readable, builder, bad_rows, ReadDates);
    case TypeKind::kBoolean:
      return ReadFixed<uint8_t>(fields, readable, builder, bad_rows, ReadBooleans);
    default:
      return ReadStrings(fields, builder, bad_rows);
  }
}

}  // namespace braid
