#include "engine/connectors/datagen_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/connectors/datagen_connector.h"
#include "tests/connectors/row_texts.h"

namespace braid {
namespace {

using testing::HasSubstr;

TableDescription Table(Schema schema, const std::map<std::string, std::string>& options) {
  TableDescription table;
  table.name = "t";
  table.not_null.assign(schema.fields.size(), 0);
  table.schema = std::move(schema);
  for (const auto& [name, value] : options) table.options[name] = {value, {}};
  return table;
}

Result<std::unique_ptr<Source>> NewSource(const TableDescription& table) {
  std::vector<int> columns;
  for (size_t i = 0; i < table.schema.fields.size(); ++i) columns.push_back(static_cast<int>(i));
  return DatagenConnector().NewSource(table, columns, nullptr);
}

// Rows first…end - 1 of a table.
std::vector<std::string> Rows(const TableDescription& table, int first, int end) {
  const Result<std::unique_ptr<Source>> source = NewSource(table);
  EXPECT_TRUE(source) << source.error().ToString();
  std::vector<std::string> rows;
  const auto offset = [](int row) {
    return row == 0 ? "" : "{\"rows\":" + std::to_string(row) + "}";
  };
  const Status replayed =
      (*source)->Replay(offset(first), offset(end), "", [&](const SourceSlice& slice) -> Status {
        for (std::string& row : RowTexts(slice.rows)) rows.push_back(std::move(row));
        return {};
      });
  EXPECT_TRUE(replayed);
  return rows;
}

TEST(DatagenSourceTest, SequencesOfEveryType) {
  struct Case {
    DataType type;
    std::map<std::string, std::string> options;
    std::vector<std::string> rows;
  };
  for (const Case& c : {
           Case{DataType::BigInt(), {}, {"0", "1", "2", "3"}},
           Case{DataType::BigInt(), {{"start", "-1"}}, {"-1", "0", "1", "2"}},
           Case{DataType::Int(), {{"start", "5"}, {"end", "7"}}, {"5", "6", "7", "5"}},
           Case{DataType::TinyInt(), {{"start", "126"}}, {"126", "127", "126", "127"}},
           Case{DataType::Decimal(5, 2), {{"start", "1.5"}}, {"1.50", "2.50", "3.50", "4.50"}},
           Case{DataType::String(), {{"start", "9"}}, {"9", "10", "11", "12"}},
           Case{DataType::Date(),
                {{"start", "2024-02-28"}},
                {"2024-02-28", "2024-02-29", "2024-03-01", "2024-03-02"}},
           Case{DataType::Timestamp(3),
                {{"start", "2024-01-31 23:59:58"}, {"step", "1500 ms"}},
                {"2024-01-31 23:59:58.000", "2024-01-31 23:59:59.500", "2024-02-01 00:00:01.000",
                 "2024-02-01 00:00:02.500"}},
       }) {
    std::map<std::string, std::string> options = {{"fields.a.kind", "sequence"}};
    for (const auto& [name, value] : c.options) options["fields.a." + name] = value;
    EXPECT_EQ(Rows(Table({{{"a", c.type}}}, options), 0, 4), c.rows) << c.type.ToString();
  }
}

TEST(DatagenSourceTest, RandomValuesLieWithinTheirBoundsAndReachThem) {
  struct Case {
    DataType type;
    std::map<std::string, std::string> options;
    std::set<std::string> values;
  };
  for (const Case& c : {
           Case{DataType::Boolean(), {}, {"true", "false"}},
           Case{DataType::TinyInt(), {{"min", "-1"}, {"max", "1"}}, {"-1", "0", "1"}},
           Case{DataType::BigInt(), {{"min", "7"}, {"max", "7"}}, {"7"}},
           Case{DataType::Decimal(3, 1), {{"min", "0.1"}, {"max", "0.3"}}, {"0.1", "0.2", "0.3"}},
           Case{DataType::Date(),
                {{"min", "2024-02-29"}, {"max", "2024-03-01"}},
                {"2024-02-29", "2024-03-01"}},
           Case{DataType::Timestamp(0),
                {{"min", "2024-01-01 00:00:00"}, {"max", "2024-01-01 00:00:01"}},
                {"2024-01-01 00:00:00", "2024-01-01 00:00:01"}},
           Case{DataType::Int(), {{"min", "1"}, {"max", "1"}, {"null-rate", "0.5"}}, {"1", "NULL"}},
           Case{DataType::String(), {{"length", "0"}}, {""}},
       }) {
    std::map<std::string, std::string> options = {{"fields.a.kind", "random"}};
    for (const auto& [name, value] : c.options) options["fields.a." + name] = value;
    const std::vector<std::string> rows = Rows(Table({{{"a", c.type}}}, options), 0, 20'000);
    // A time at the upper bound itself is one in a million.
    std::set<std::string> values(rows.begin(), rows.end());
    if (c.type.is_timestamp()) values.insert("2024-01-01 00:00:01");
    EXPECT_EQ(values, c.values) << c.type.ToString();
  }
}

TEST(DatagenSourceTest, EveryRowIsTheSameInEveryRun) {
  const Schema schema = {{{"id", DataType::BigInt()},
                          {"price", DataType::Double()},
                          {"name", DataType::String()},
                          {"ts", DataType::Timestamp(3)}}};
  const std::map<std::string, std::string> options = {{"fields.name.length", "20"},
                                                      {"fields.ts.max-disorder", "5 s"},
                                                      {"fields.price.null-rate", "0.1"}};
  const TableDescription table = Table(schema, options);
  const std::vector<std::string> all = Rows(table, 0, 1'000);
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), 1'000U);
  EXPECT_EQ(Rows(table, 0, 1'000), all);
  EXPECT_EQ(Rows(table, 400, 1'000), std::vector<std::string>(all.begin() + 400, all.end()));
  std::map<std::string, std::string> other = options;
  other["seed"] = "1";
  EXPECT_NE(Rows(Table(schema, other), 0, 1'000), all);
}

TEST(DatagenSourceTest, TimesLieBackByLessThanTheDisorder) {
  const Schema schema = {{{"ts", DataType::Timestamp(3)}}};
  const auto times = [&](const std::map<std::string, std::string>& more) {
    std::map<std::string, std::string> options = {{"rows-per-second", "100"}};
    options.insert(more.begin(), more.end());
    const Result<std::unique_ptr<Source>> source = NewSource(Table(schema, options));
    std::vector<int64_t> micros;
    const Status replayed =
        (*source)->Replay("", "{\"rows\":1000}", "", [&](const SourceSlice& slice) -> Status {
          for (const int64_t time : slice.rows.column(0).Values<int64_t>()) micros.push_back(time);
          return {};
        });
    EXPECT_TRUE(replayed);
    return micros;
  };
  const std::vector<int64_t> in_order = times({});
  const std::vector<int64_t> disordered = times({{"fields.ts.max-disorder", "1 s"}});
  ASSERT_EQ(disordered.size(), in_order.size());
  int64_t most = 0;
  int falls = 0;
  for (size_t row = 0; row < in_order.size(); ++row) {
    EXPECT_EQ(in_order[row] - in_order[0], static_cast<int64_t>(row) * 10'000);
    EXPECT_GE(in_order[row], disordered[row]);
    most = std::max(most, in_order[row] - disordered[row]);
    if (row > 0 && disordered[row] < disordered[row - 1]) ++falls;
  }
  EXPECT_LE(most, 1'000'000);
  EXPECT_GT(most, 900'000);
  EXPECT_GT(falls, 100);
}

// A source whose clock the test sets.
struct Paced {
  explicit Paced(std::optional<int64_t> num_rows) {
    DatagenSource::Options options;
    options.table = "t";
    options.rows_per_second = 100;
    options.num_rows = num_rows;
    options.now = [this] { return now; };
    GeneratedField field;
    field.type = DataType::BigInt();
    field.is_sequence = true;
    field.max = 1'000'000;
    source = std::make_unique<DatagenSource>(
        std::move(options), std::make_shared<const Schema>(Schema{{{"a", field.type}}}),
        std::vector<GeneratedField>{field});
  }

  // How many rows it gives now; -1 at the end.
  int64_t Give(int64_t bytes_max = 0) {
    const Result<SourceNext> next = source->Next({.bytes_max = bytes_max, .one_file = false});
    EXPECT_TRUE(next);
    if (next->kind == SourceNext::Kind::kEnd) return -1;
    if (next->kind == SourceNext::Kind::kNothing) return 0;
    end = next->slice.end;
    return next->slice.rows.num_rows();
  }

  std::chrono::nanoseconds now = std::chrono::seconds(1'000);
  std::unique_ptr<DatagenSource> source;
  std::string end;
};

TEST(DatagenSourceTest, GivesRowsAsTimeGoesBy) {
  Paced paced(250);
  ASSERT_TRUE(paced.source->Open(""));
  ASSERT_TRUE(paced.source->StopAtLatest());
  EXPECT_TRUE(paced.source->is_finite());
  EXPECT_EQ(paced.Give(), 0);
  paced.now += std::chrono::milliseconds(999);
  EXPECT_EQ(paced.Give(), 99);
  EXPECT_EQ(paced.Give(), 0);
  paced.now += std::chrono::seconds(1);
  EXPECT_EQ(paced.Give(90), 10);
  EXPECT_EQ(paced.Give(), 90);
  paced.now += std::chrono::hours(1);
  EXPECT_EQ(paced.Give(), 51);
  EXPECT_EQ(paced.end, "{\"rows\":250}");
  EXPECT_EQ(paced.Give(), -1);
}

TEST(DatagenSourceTest, GoesOnAfterARestartWhereItStopped) {
  Paced paced(std::nullopt);
  ASSERT_TRUE(paced.source->Open("{\"rows\":1000}"));
  paced.now += std::chrono::milliseconds(50);
  EXPECT_EQ(paced.Give(), 5);
  EXPECT_EQ(paced.end, "{\"rows\":1005}");
  EXPECT_FALSE(paced.source->is_finite());
  EXPECT_FALSE(paced.source->StopAtLatest());
  EXPECT_EQ(paced.source->Open("{\"lines\":5}").error().code, ErrorCode::kCorruption);
}

TEST(DatagenSourceTest, EndsWithItsShortestSequence) {
  const Schema schema = {{{"a", DataType::BigInt()}, {"b", DataType::BigInt()}}};
  const Result<std::unique_ptr<Source>> source = NewSource(Table(
      schema, {{"fields.a.kind", "sequence"}, {"fields.a.end", "9"}, {"number-of-rows", "100"}}));
  ASSERT_TRUE(source);
  EXPECT_TRUE((*source)->is_finite());
  const Result<std::unique_ptr<Source>> endless = NewSource(Table(schema, {}));
  ASSERT_TRUE(endless);
  EXPECT_FALSE((*endless)->is_finite());
}

TEST(DatagenSourceTest, RefusesOptionsThatCannotBe) {
  const Schema schema = {{{"a", DataType::BigInt()},
                          {"b", DataType::Boolean()},
                          {"s", DataType::String()},
                          {"ts", DataType::Timestamp(3)}}};
  struct Case {
    std::map<std::string, std::string> options;
    const char* message;
  };
  for (const Case& c : {
           Case{{{"rows-per-secnd", "5"}}, "'rows-per-second'"},
           Case{{{"rows-per-second", "0"}}, "'rows-per-second'"},
           Case{{{"fields.x.kind", "random"}}, "fields.x.kind"},
           Case{{{"fields.a.length", "3"}}, "fields.a.length"},
           Case{{{"fields.a.kind", "randm"}}, "fields.a.kind"},
           Case{{{"fields.a.min", "x"}}, "is not a BIGINT"},
           Case{{{"fields.a.min", "3"}, {"fields.a.max", "2"}}, "lies before 'fields.a.min'"},
           Case{{{"fields.b.kind", "sequence"}}, "no sequence of BOOLEAN"},
           Case{{{"fields.ts.kind", "random"}}, "need both bounds"},
           Case{{{"fields.ts.start", "yesterday"}}, "is not a TIMESTAMP(3)"},
           Case{{{"fields.a.null-rate", "2"}}, "share from 0 to 1"},
       }) {
    const Result<std::unique_ptr<Source>> source = NewSource(Table(schema, c.options));
    ASSERT_FALSE(source) << c.message;
    EXPECT_EQ(source.error().code, ErrorCode::kInvalidOption);
    EXPECT_THAT(source.error().message, HasSubstr(c.message));
  }
  TableDescription table = Table(schema, {{"fields.a.null-rate", "0.5"}});
  table.not_null[0] = 1;
  EXPECT_THAT(NewSource(table).error().message, HasSubstr("NOT NULL"));
  EXPECT_FALSE(DatagenConnector().NewSink(table, nullptr));
}

}  // namespace
}  // namespace braid
