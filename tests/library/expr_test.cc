#include "braid/expr.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "braid/value.h"
#include "tests/library/two_streams.h"

namespace braid {
namespace {

// The value of `expr` for the row k = 7, text = "it's `${X}`".
std::string ValueOf(const Expr& expr) {
  auto stream = std::make_shared<MemoryStream>(
      Schema{{{"k", DataType::BigInt()}, {"text", DataType::String()}}},
      MemoryStream::Kind::kFinite);
  RowBatchBuilder rows(stream->shared_schema());
  rows.Append(7, "it's `${X}`");
  EXPECT_TRUE(stream->Push(rows.Finish()));
  stream->End();
  Table table("t");
  table.Columns(stream->schema()).From(stream);
  auto result = std::make_shared<MemoryResult>();
  Result<Query> query = MustCreate().From(table).Select({expr.As("value")}).Sink(result).Start();
  if (!query) return query.error().ToString();
  if (const Status status = query->AwaitTermination(); !status) return status.error().ToString();
  return FormatValue(ValueAt(result->Rows().at(0).column(0), 0));
}

TEST(ExprTest, ConstantsComeBackAsTheyAre) {
  struct Case {
    Expr expr;
    std::string value;
  };
  for (const Case& c : std::vector<Case>{
           {true, "true"},
           {42, "42"},
           {-42, "-42"},
           {std::numeric_limits<int64_t>::max(), "9223372036854775807"},
           {std::numeric_limits<int64_t>::min(), "-9223372036854775808"},
           {0.1, "0.1"},
           {-1e300, "-1e+300"},
           {std::numeric_limits<double>::denorm_min(), "5e-324"},
           {"it's ${X} `here`\nand 'there'", "it's ${X} `here`\nand 'there'"},
           {std::string("\\n"), "\\n"},
           {EventTime{1'704'067'200'123'456}, "2024-01-01 00:00:00.123456"},
           {EventTime{-1}, "1969-12-31 23:59:59.999999"},
           {EventTime{0} + Seconds(90'061), "1970-01-02 01:01:01.000000"},
       }) {
    EXPECT_EQ(ValueOf(c.expr), c.value) << c.expr.ToSql();
  }
}

TEST(ExprTest, IntervalsAreExact) {
  const Expr base = EventTime{0};
  struct Case {
    Interval interval;
    std::string value;
  };
  for (const Case& c : std::vector<Case>{
           {Seconds(60), "1970-01-01 00:01:00.000000"},
           {Milliseconds(-1), "1969-12-31 23:59:59.999000"},
           {Interval{1}, "1970-01-01 00:00:00.000001"},
           {Seconds(86'400 * 400), "1971-02-05 00:00:00.000000"},
           {Interval{-86'400'000'001}, "1969-12-30 23:59:59.999999"},
       }) {
    EXPECT_EQ(ValueOf(base + c.interval), c.value) << Expr(c.interval).ToSql();
  }
}

TEST(ExprTest, OperatorsKeepTheOrderTheyAreWrittenIn) {
  const Expr k = Col("k");
  struct Case {
    Expr expr;
    std::string value;
  };
  for (const Case& c : std::vector<Case>{
           {(k + 1) * 2, "16"},
           {k + 1 * 2, "9"},
           {k - 1 - 1, "5"},
           {k - (Expr(1) - 1), "7"},
           {-k % 4, "-3"},
           {(k == 7 && !(k < 7)) || k > 100, "true"},
           {k.Between(1, 7), "true"},
           {k.In({1, 2, 3}), "false"},
           {k.IsNull(), "false"},
           {k.IsNotNull(), "true"},
           {k.IsNotDistinctFrom(Null().Cast(DataType::BigInt())), "false"},
           {Col("text").Like("it%"), "true"},
           {k.Cast(DataType::String()), "7"},
           {Call("UPPER", {Col("t.text")}), "IT'S `${X}`"},
           {SqlExpr("k * 2 + 1"), "15"},
           {k >= 7 && k <= 7 && k != 8, "true"},
           {k / 2, "3"},
       }) {
    EXPECT_EQ(ValueOf(c.expr), c.value) << c.expr.ToSql();
  }
}

}  // namespace
}  // namespace braid
