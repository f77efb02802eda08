// Random csv, read by the decoder in any variant and any cut, by the exact reading alone, and by
// libcsv.
#include <csv.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "braid/value.h"
#include "engine/connectors/format/csv_record.h"
#include "engine/connectors/format/csv_row_decoder.h"
#include "engine/connectors/option_reader.h"
#include "tests/connectors/format/decoding.h"
#include "tests/connectors/format/random_csv.h"

namespace braid {
namespace {

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
class ExactReading {
 public:
  ExactReading(const TableDescription& table, const CsvOptions& options)
      : fields_(table.schema.fields), options_(options) {}

  Decoded Read(std::string_view text) {
    int64_t line = 1;
    for (; !text.empty(); text.remove_prefix(record_.end)) {
      EXPECT_TRUE(ScanCsvRecord(options_, text, true, &record_));
      if (!record_.is_blank) AddRecord(text, line);
      line += std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(record_.end), '\n');
    }
    decoded_.line = line;
    return std::move(decoded_);
  }

 private:
  void AddRecord(std::string_view text, int64_t line) {
    std::string reason = record_.fault == nullptr ? "" : record_.fault;
    if (reason.empty() && record_.fields.size() != fields_.size()) {
      reason =
          fmt::format("{} fields where {} are expected", record_.fields.size(), fields_.size());
    }
    const size_t num_sound = record_.fields.size() - (record_.fault == nullptr ? 0 : 1);
    std::vector<std::string> values(fields_.size(), "NULL");
    for (size_t column = 0; column < std::min(fields_.size(), num_sound); ++column) {
      const CsvField& field = record_.fields[column];
      const std::string_view raw = text.substr(field.begin, field.end - field.begin);
      if (!field.is_quoted && options_.null_literal && raw == *options_.null_literal) continue;
      if (raw.empty() && !fields_[column].type.is_variable_width()) continue;
      const std::string_view value = CsvFieldText(options_, text, field, &scratch_);
      ColumnBuilder builder(fields_[column].type);
      const TextReader reader(builder.type(), TimestampStyle::kAny, nullptr);
      if (reader.Append(value, &builder)) {
        values[column] = FormatValue(ValueAt(builder.Finish(), 0));
      } else if (reason.empty()) {
        reason = NotOfType(fields_[column], value);
      }
    }
    if (!reason.empty()) {
      decoded_.bad.push_back(
          fmt::format("{}: {}: {}", line, reason, text.substr(0, record_.text_end)));
    }
    if (reason.empty() || options_.bad_records == BadRecordPolicy::kNull) {
      decoded_.rows.push_back(fmt::format("{}", fmt::join(values, "|")));
    }
  }

  const std::vector<Field>& fields_;
  CsvOptions options_;
  CsvRecord record_;
  std::string scratch_;
  Decoded decoded_;
};

// Options that change what bytes mean, all at random.
void SetOptions(RandomCsv* random, TableDescription* table) {
  table->options = {{"format", {"csv", {}}}};
  const auto set = [&](const char* name, const char* value) { table->options[name] = {value, {}}; };
  set("bad-records", random->OneIn(2) ? "null" : "drop");
  if (random->OneIn(4)) set("escape", random->OneIn(2) ? "\\" : "x");
  if (random->OneIn(4)) set("comment", random->OneIn(2) ? "#" : "7");
  if (random->OneIn(4)) set("quote", random->OneIn(2) ? "'" : "");
  if (random->OneIn(4)) set("delimiter", random->OneIn(2) ? ";" : "-");
  if (random->OneIn(4)) set("null-literal", random->OneIn(2) ? "" : "1");
}

TEST(CsvFuzzTest, EveryVariantAndEveryCutGivesWhatTheExactReadingGives) {
  RandomCsv random(12);
  TableDescription table = TableOf("a BIGINT, b STRING, c DOUBLE, d INT", {});
  for (int round = 0; round < 1500; ++round) {
    SetOptions(&random, &table);
    OptionReader reader(table.options, "t", {});
    const CsvOptions options = ReadCsvOptions(&reader);
    const size_t one_broken_in = random.OneIn(3) ? 3 : random.Below(2) * 20;
    std::string text = random.Records(random.Below(60), 4, one_broken_in);
    for (char& letter : text) {
      if (letter == ',') letter = options.delimiter;
      if (letter == '"' && options.quote != '\0') letter = options.quote;
      if (random.OneIn(50)) letter = "#\\x1\r"[random.Below(5)];
    }
    const Decoded expected = ExactReading(table, options).Read(text);
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

TEST(CsvFuzzTest, WhatIsWrittenReadsBackTheSame) {
  RandomCsv random(13);
  TableDescription table = TableOf("a BIGINT, b STRING, c DOUBLE, d STRING", {});
  for (int round = 0; round < 1000; ++round) {
    SetOptions(&random, &table);
    if (!table.options.contains("null-literal")) table.options["null-literal"] = {"NULL", {}};
    // Without quotes not everything can be written.
    if (!table.options.contains("escape") || table.options["null-literal"].value != "NULL") {
      table.options.erase("quote");
    }
    if (random.OneIn(2)) table.options["csv.header"] = {"true", {}};
    std::vector<ColumnBuilder> builders;
    for (const Field& field : table.schema.fields) builders.emplace_back(field.type);
    const size_t num_rows = random.Below(20);
    for (size_t row = 0; row < num_rows; ++row) {
      builders[0].Append(static_cast<int64_t>(random.Below(2000)) - 1000);
      builders[2].Append(static_cast<double>(random.Below(100'000)) / 100);
      for (const size_t column : {1, 3}) {
        std::string text = random.OneIn(4) ? "" : random.Noise(random.Below(12));
        if (random.OneIn(4)) text += "\\;#'-x17\r\n"[random.Below(10)];
        builders[column].AppendString(text);
      }
      const size_t null_column = random.Below(6);
      if (null_column < 4) builders[null_column].SetNull(static_cast<int64_t>(row));
    }
    std::vector<Column> columns;
    for (ColumnBuilder& builder : builders) columns.push_back(builder.Finish());
    const RowBatch rows(std::make_shared<const Schema>(table.schema), std::move(columns),
                        static_cast<int64_t>(num_rows));
    const std::string text = EncodeRows(table, rows);
    const Decoded decoded = DecodeText(table, text);
    ASSERT_EQ(decoded.rows, RowTexts(rows)) << text << decoded.error;
    ASSERT_EQ(decoded.num_bad, 0) << text;
  }
}

}  // namespace
}  // namespace braid
