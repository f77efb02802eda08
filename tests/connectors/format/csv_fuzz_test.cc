// Random csv, read by the decoder in any variant and any cut, by the exact reading alone, and by
// libcsv.
#include <csv.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/connectors/format/csv_record.h"
#include "engine/connectors/format/csv_row_decoder.h"
#include "state/rows/value.h"
#include "tests/connectors/format/decoding.h"
#include "tests/connectors/format/random_csv.h"

namespace braid {
namespace {

using testing::ElementsAreArray;

using Records = std::vector<std::vector<std::string>>;

// Our records; `is_strict` turns false at a fault or a quote in an unquoted field.
Records OurRecords(std::string_view text, bool* is_strict) {
  const CsvOptions options;
  Records records;
  CsvRecord record;
  std::string scratch;
  *is_strict = true;
  while (!text.empty() && ScanCsvRecord(options, text, true, &record)) {
    std::vector<std::string> fields;
    for (const CsvField& field : record.fields) {
      fields.emplace_back(CsvFieldText(options, text, field, &scratch));
      const bool has_quote = fields.back().find('"') != std::string::npos;
      if (record.fault != nullptr || (!field.is_quoted && has_quote)) *is_strict = false;
    }
    if (!record.is_blank) records.push_back(std::move(fields));
    text.remove_prefix(record.end);
  }
  return records;
}

// What libcsv makes of it in its strict mode; false if it refuses the text.
bool LibcsvRecords(std::string_view text, Records* records) {
  struct Collected {
    Records* records;
    std::vector<std::string> fields;
  } collected{records, {}};
  csv_parser parser;
  csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI);
  // It would trim blanks; the csv format does not.
  csv_set_space_func(&parser, [](unsigned char) { return 0; });
  const auto on_field = [](void* field, size_t size, void* data) {
    static_cast<Collected*>(data)->fields.emplace_back(static_cast<const char*>(field), size);
  };
  const auto on_record = [](int, void* data) {
    auto* to = static_cast<Collected*>(data);
    to->records->push_back(std::exchange(to->fields, {}));
  };
  bool is_good =
      csv_parse(&parser, text.data(), text.size(), on_field, on_record, &collected) == text.size();
  is_good = csv_fini(&parser, on_field, on_record, &collected) == 0 && is_good;
  csv_free(&parser);
  return is_good;
}

// libcsv differs on purpose in that it takes a '\r' alone for a line end; none is drawn here.
TEST(CsvFuzzTest, ReadsWhatLibcsvReads) {
  RandomCsv random(11);
  size_t num_good = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::string text =
        random.OneIn(2) ? random.Noise(random.Below(40)) : random.Records(random.Below(12), 3, 20);
    bool is_strict = false;
    const Records ours = OurRecords(text, &is_strict);
    Records theirs;
    const bool is_good = LibcsvRecords(text, &theirs);
    ASSERT_EQ(is_good, is_strict) << text;
    if (!is_good) continue;
    ++num_good;
    ASSERT_EQ(ours, theirs) << text;
  }
  EXPECT_GT(num_good, 5000U);
}

// What the decoder must give, by the exact reading of one record after the other.
Decoded ExpectedOf(const TableDescription& table, BadRecordPolicy policy, std::string_view text) {
  CsvOptions options;
  Decoded decoded;
  CsvRecord record;
  std::string scratch;
  int64_t line = 1;
  for (; !text.empty(); text.remove_prefix(record.end)) {
    EXPECT_TRUE(ScanCsvRecord(options, text, true, &record));
    const int64_t record_line = line;
    line += std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(record.end), '\n');
    if (record.is_blank) continue;
    const size_t num_columns = table.schema.fields.size();
    std::string reason = record.fault == nullptr ? "" : record.fault;
    if (reason.empty() && record.fields.size() != num_columns) {
      reason = fmt::format("{} fields where {} are expected", record.fields.size(), num_columns);
    }
    std::vector<std::string> values;
    const size_t num_sound = record.fields.size() - (record.fault == nullptr ? 0 : 1);
    for (size_t column = 0; column < num_columns; ++column) {
      const Field& field = table.schema.fields[column];
      values.push_back("NULL");
      if (column >= num_sound) continue;
      const std::string_view value = CsvFieldText(options, text, record.fields[column], &scratch);
      if (value.empty() && !field.type.is_variable_width()) continue;
      ColumnBuilder builder(field.type);
      if (TextReader(field.type, TimestampStyle::kAny, SessionZone()).Append(value, &builder)) {
        values.back() = FormatValue(ValueAt(builder.Finish(), 0));
      } else if (reason.empty()) {
        reason = NotOfType(field, value);
      }
    }
    if (!reason.empty()) {
      decoded.bad.push_back(
          fmt::format("{}: {}: {}", record_line, reason, text.substr(0, record.text_end)));
    }
    if (reason.empty() || policy == BadRecordPolicy::kNull) {
      decoded.rows.push_back(fmt::format("{}", fmt::join(values, "|")));
    }
  }
  decoded.line = line;
  return decoded;
}

TEST(CsvFuzzTest, EveryVariantAndEveryCutGivesWhatTheExactReadingGives) {
  RandomCsv random(12);
  TableDescription table = TableOf("a BIGINT, b STRING, c DOUBLE, d INT", {{"format", "csv"}});
  for (int round = 0; round < 1500; ++round) {
    const size_t one_broken_in = random.OneIn(3) ? 3 : random.Below(2) * 20;
    const std::string text = random.Records(random.Below(60), 4, one_broken_in);
    const BadRecordPolicy policy =
        random.OneIn(2) ? BadRecordPolicy::kNull : BadRecordPolicy::kDrop;
    table.options["bad-records"] = {policy == BadRecordPolicy::kNull ? "null" : "drop", {}};
    const Decoded expected = ExpectedOf(table, policy, text);
    for (const CsvKernels* kernels : SupportedCsvKernels()) {
      DecodeSettings settings;
      settings.bytes_a_call = random.OneIn(2) ? 0 : 1 + random.Below(300);
      settings.take_often = random.OneIn(2);
      settings.csv_kernels = kernels;
      const Decoded decoded = DecodeText(table, text, settings);
      ASSERT_EQ(decoded.error, "") << text;
      ASSERT_EQ(decoded.rows, expected.rows) << kernels->name << "\n" << text;
      ASSERT_EQ(decoded.bad, expected.bad) << kernels->name << "\n" << text;
      ASSERT_EQ(decoded.line, expected.line) << text;
    }
  }
}

}  // namespace
}  // namespace braid
