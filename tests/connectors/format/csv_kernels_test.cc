#include "engine/connectors/format/csv_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "engine/connectors/format/csv_record.h"
#include "engine/connectors/format/text_value.h"
#include "tests/connectors/format/random_csv.h"

namespace braid {
namespace {

struct Index {
  SeparatorIndex counts;
  std::vector<uint32_t> separators;
};

Index IndexOf(const CsvKernels& kernels, std::string_view text, char quote = '"') {
  // Memory of exactly this size, so that reading beyond it is found.
  const std::vector<char> bytes(text.begin(), text.end());
  Index index;
  index.separators.resize(text.size() + kSeparatorSlack);
  index.counts =
      kernels.index_separators(bytes.data(), bytes.size(), ',', quote, index.separators.data());
  index.separators.resize(index.counts.num_separators);
  return index;
}

TEST(CsvKernelsTest, ThisProcessorHasAtLeastThePlainVariant) {
  ASSERT_FALSE(SupportedCsvKernels().empty());
  EXPECT_STREQ(SupportedCsvKernels().front()->name, "plain");
  EXPECT_EQ(&BestCsvKernels(), SupportedCsvKernels().back());
}

TEST(CsvKernelsTest, AllVariantsFindTheSameSeparators) {
  RandomCsv random(1);
  for (int round = 0; round < 3000; ++round) {
    std::string text = random.OneIn(2) ? random.Noise(random.Below(300))
                                       : random.Records(random.Below(20), 4, random.Below(3) * 5);
    if (!text.empty() && random.OneIn(3)) text[random.Below(text.size())] = '\r';
    const char quote = random.OneIn(5) ? '\0' : '"';
    const Index expected = IndexOf(*SupportedCsvKernels()[0], text, quote);
    for (const CsvKernels* kernels : SupportedCsvKernels()) {
      const Index index = IndexOf(*kernels, text, quote);
      ASSERT_EQ(index.separators, expected.separators) << kernels->name << "\n" << text;
      ASSERT_EQ(index.counts.num_line_ends, expected.counts.num_line_ends);
      ASSERT_EQ(index.counts.num_lines, expected.counts.num_lines);
      ASSERT_EQ(index.counts.num_bytes, expected.counts.num_bytes);
      ASSERT_EQ(kernels->count_lines(text.data(), text.size()),
                static_cast<size_t>(std::count(text.begin(), text.end(), '\n')));
    }
  }
}

// The separators of whole records as the exact reading sees them; `sound` is where it first sees
// a fault or a quote in an unquoted field.
std::vector<uint32_t> ExactSeparators(std::string_view text, size_t* sound) {
  const CsvOptions options;
  std::vector<uint32_t> separators;
  CsvRecord record;
  size_t position = 0;
  *sound = text.size();
  while (position < text.size()) {
    const std::string_view rest = text.substr(position);
    if (!ScanCsvRecord(options, rest, false, &record)) break;
    bool is_plain = record.fault == nullptr;
    for (const CsvField& field : record.fields) {
      const std::string_view value = rest.substr(field.begin, field.end - field.begin);
      is_plain &= field.is_quoted || value.find('"') == std::string_view::npos;
    }
    if (!is_plain) {
      *sound = position;
      break;
    }
    for (size_t field = 0; field + 1 < record.fields.size(); ++field) {
      const CsvField& next = record.fields[field + 1];
      separators.push_back(
          static_cast<uint32_t>(position + next.begin - (next.is_quoted ? 1 : 0) - 1));
    }
    position += record.end;
    separators.push_back(static_cast<uint32_t>(position - 1));
  }
  return separators;
}

TEST(CsvKernelsTest, SeparatorsAreThoseOfTheExactReadingUntilAQuoteIsOutOfPlace) {
  RandomCsv random(2);
  for (int round = 0; round < 3000; ++round) {
    const std::string text = random.OneIn(4)
                                 ? random.Noise(random.Below(200))
                                 : random.Records(random.Below(20), 4, random.Below(2) * 10);
    size_t sound = 0;
    const std::vector<uint32_t> expected = ExactSeparators(text, &sound);
    Index index = IndexOf(BestCsvKernels(), text);
    // Of whole records before the first fault.
    const uint32_t end = expected.empty() ? 0 : expected.back() + 1;
    ASSERT_LE(index.counts.num_bytes, text.size());
    if (sound < text.size()) {
      ASSERT_LT(index.counts.num_bytes, text.size()) << text;
      ASSERT_LE(sound, index.counts.num_bytes + 64) << text;
    } else {
      // The record that is cut at the end may hold anything.
      ASSERT_LE(end, index.counts.num_bytes + 64) << text;
    }
    while (!index.separators.empty() && index.separators.back() >= end) index.separators.pop_back();
    ASSERT_LE(index.separators.size(), expected.size());
    ASSERT_TRUE(std::equal(index.separators.begin(), index.separators.end(), expected.begin()))
        << text;
    if (end <= index.counts.num_bytes) {
      ASSERT_EQ(index.separators, expected) << text;
    }
  }
}

// Texts in one column, with a separator between them, so that the loops can read them.
struct FieldTexts {
  explicit FieldTexts(const std::vector<std::string>& texts) {
    bytes.assign(kBytesBeforeEnd, ' ');
    bytes += ",";
    for (const std::string& text : texts) {
      separators.push_back(static_cast<uint32_t>(bytes.size() - 1));
      bytes += text + ",";
    }
    separators.push_back(static_cast<uint32_t>(bytes.size() - 1));
    fields = {bytes.data(), separators.data(), 1, texts.size()};
    unread.resize(texts.size());
  }
  FieldTexts(const FieldTexts&) = delete;

  std::string bytes;
  std::vector<uint32_t> separators;
  CsvFields fields;
  std::vector<uint32_t> unread;
};

// What `loop` reads must be what TextReader reads. Returns how many texts it left.
template <typename T, typename Loop>
size_t ExpectSameValues(const DataType& type, const std::vector<std::string>& texts,
                        TimestampStyle style, const char* name, const Loop& loop) {
  FieldTexts field(texts);
  std::vector<T> values(texts.size());
  const size_t num_unread = loop(field.fields, values.data(), field.unread.data());
  std::vector<bool> is_unread(texts.size());
  for (size_t index = 0; index < num_unread; ++index) is_unread[field.unread[index]] = true;
  const TextReader reader(type, style, nullptr);
  for (size_t row = 0; row < texts.size(); ++row) {
    if (is_unread[row]) continue;
    T expected{};
    EXPECT_TRUE(reader.Read(texts[row], &expected))
        << name << ": " << type.ToString() << " '" << texts[row] << "'";
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): -0.0 and 0.0 differ.
    EXPECT_EQ(std::memcmp(&values[row], &expected, sizeof(T)), 0)
        << name << ": " << type.ToString() << " '" << texts[row] << "'";
  }
  return num_unread;
}

// Numbers in unusual forms, and texts that are almost numbers.
const std::vector<std::string>& OddNumbers() {
  static const std::vector<std::string> kTexts = {"",
                                                  "-",
                                                  ".",
                                                  "-.",
                                                  "0",
                                                  "-0",
                                                  "-0.0",
                                                  "00012",
                                                  "1.",
                                                  ".5",
                                                  "+1",
                                                  "1e5",
                                                  " 1",
                                                  "1 2",
                                                  "1-",
                                                  "--1",
                                                  "1.2.3",
                                                  "a",
                                                  "/",
                                                  ":",
                                                  "9;",
                                                  "1\x80",
                                                  "NaN",
                                                  "true",
                                                  "9223372036854775807",
                                                  "9223372036854775808",
                                                  "-9223372036854775808",
                                                  "9999999999999999999",
                                                  "99999999999999999999",
                                                  "9007199254740993",
                                                  "9007199254740991",
                                                  "16777217",
                                                  "123456.123456789",
                                                  "0.000000000000001",
                                                  "a234567890123456789"};
  return kTexts;
}

TEST(CsvKernelsTest, LoopsReadTheSameNumbersAsTheExactReading) {
  RandomCsv random(3);
  std::vector<std::string> texts = OddNumbers();
  for (int count = 0; count < 20000; ++count) {
    std::string text = random.Number();
    if (random.OneIn(20)) text[random.Below(text.size())] = static_cast<char>(random.Below(256));
    if (text.find(',') == std::string::npos) texts.push_back(text);
  }
  const TimestampStyle style = TimestampStyle::kAny;
  for (const CsvKernels* kernels : SupportedCsvKernels()) {
    ExpectSameValues<int64_t>(DataType::BigInt(), texts, style, kernels->name,
                              kernels->read_bigint);
    ExpectSameValues<float>(DataType::Float(), texts, style, kernels->name, kernels->read_float);
    ExpectSameValues<double>(DataType::Double(), texts, style, kernels->name, kernels->read_double);
    for (const DataType& type : {DataType::Decimal(10, 2), DataType::Decimal(18, 0),
                                 DataType::Decimal(18, 18), DataType::Decimal(3, 1)}) {
      int64_t limit = 1;
      for (int digit = 0; digit < type.precision; ++digit) limit *= 10;
      ExpectSameValues<int64_t>(type, texts, style, kernels->name,
                                [&](const CsvFields& fields, int64_t* values, uint32_t* unread) {
                                  return kernels->read_decimal(fields, type.scale, limit, values,
                                                               unread);
                                });
    }
  }
}

// Some variants take several rows at a time: an odd one must not disturb its neighbours.
TEST(CsvKernelsTest, AnOddNumberLeavesItsNeighboursAlone) {
  RandomCsv random(5);
  const auto plain = [&random](bool with_point) {
    std::string text = random.OneIn(3) ? "-" : "";
    const size_t num_digits = 1 + random.Below(15);
    for (size_t digit = 0; digit < num_digits; ++digit) {
      text += static_cast<char>('0' + random.Below(10));
    }
    if (with_point) text.insert(text.size() - random.Below(num_digits), ".");
    return text;
  };
  const TimestampStyle style = TimestampStyle::kAny;
  for (const std::string& odd : OddNumbers()) {
    for (size_t place = 0; place < 4; ++place) {
      for (const size_t num_rows : {4, 5, 7, 8, 70}) {
        std::vector<std::string> integers;
        std::vector<std::string> doubles;
        for (size_t row = 0; row < num_rows; ++row) {
          integers.push_back(plain(false));
          doubles.push_back(plain(!random.OneIn(4)));
        }
        integers[place] = odd;
        doubles[place] = odd;
        for (const CsvKernels* kernels : SupportedCsvKernels()) {
          EXPECT_LE(ExpectSameValues<int64_t>(DataType::BigInt(), integers, style, kernels->name,
                                              kernels->read_bigint),
                    1U);
          ExpectSameValues<double>(DataType::Double(), doubles, style, kernels->name,
                                   kernels->read_double);
        }
      }
    }
  }
}

TEST(CsvKernelsTest, LoopsReadTheSameTimesAsTheExactReading) {
  RandomCsv random(4);
  std::vector<std::string> texts = {"2024-02-29 12:34:56", "2023-02-29 12:34:56"};
  for (int count = 0; count < 20000; ++count) {
    std::string text = random.OneIn(2) ? "2024-01-31 23:59:59" : "1969-12-31T00:00:00";
    if (random.OneIn(2)) text += "." + std::string(1 + random.Below(8), '7');
    if (random.OneIn(4)) text += random.OneIn(4) ? "+02:00" : "Z";
    for (size_t changes = random.Below(3); changes > 0; --changes) {
      const char digit = static_cast<char>('0' + random.Below(10));
      text[random.Below(text.size())] = random.OneIn(3) ? ' ' : digit;
    }
    texts.push_back(text);
  }
  for (const CsvKernels* kernels : SupportedCsvKernels()) {
    for (const TimestampStyle style :
         {TimestampStyle::kAny, TimestampStyle::kSql, TimestampStyle::kIso8601}) {
      for (const int precision : {0, 3, 6}) {
        CsvTimestampShape shape;
        if (style == TimestampStyle::kSql) shape.other_separator = ' ';
        if (style == TimestampStyle::kIso8601) shape.separator = 'T';
        shape.precision = precision;
        ExpectSameValues<int64_t>(DataType::Timestamp(static_cast<uint8_t>(precision)), texts,
                                  style, kernels->name,
                                  [&](const CsvFields& fields, int64_t* values, uint32_t* unread) {
                                    return kernels->read_timestamp(fields, shape, values, unread);
                                  });
      }
    }
  }
}

TEST(CsvKernelsTest, LoopsReadWhatIsCommon) {
  const std::vector<std::string> integers = {"0", "-1", "1767225600000", "1099511627776123456",
                                             "9223372036854775807"};
  const std::vector<std::string> numbers = {"0",  "12.34",           "-0.5",         ".5",
                                            "5.", "123456789.12345", "1767225600000"};
  const std::vector<std::string> times = {"2024-01-31 12:34:56", "2024-01-31T12:34:56Z",
                                          "2024-01-31 12:34:56.5", "2024-01-31 12:34:56.123",
                                          "2024-01-31T12:34:56.123456Z"};
  const TimestampStyle style = TimestampStyle::kAny;
  for (const CsvKernels* kernels : SupportedCsvKernels()) {
    EXPECT_EQ(ExpectSameValues<int64_t>(DataType::BigInt(), integers, style, kernels->name,
                                        kernels->read_bigint),
              0U);
    EXPECT_EQ(ExpectSameValues<double>(DataType::Double(), numbers, style, kernels->name,
                                       kernels->read_double),
              0U);
    EXPECT_EQ(
        ExpectSameValues<int64_t>(DataType::Decimal(18, 5), numbers, style, kernels->name,
                                  [&](const CsvFields& fields, int64_t* values, uint32_t* unread) {
                                    return kernels->read_decimal(
                                        fields, 5, 1'000'000'000'000'000'000, values, unread);
                                  }),
        0U);
    EXPECT_EQ(
        ExpectSameValues<int64_t>(DataType::Timestamp(3), times, style, kernels->name,
                                  [&](const CsvFields& fields, int64_t* values, uint32_t* unread) {
                                    return kernels->read_timestamp(fields, {}, values, unread);
                                  }),
        0U);
  }
}

}  // namespace
}  // namespace braid
