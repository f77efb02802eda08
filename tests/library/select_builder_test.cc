#include "braid/select_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/library/two_streams.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;

Table Input(const std::string& name, const std::shared_ptr<MemoryStream>& stream) {
  Table table(name);
  table.Columns(stream->schema()).Watermark("ts").From(stream);
  return table;
}

Expr WithinFiveSeconds() {
  return Col("a.k") == Col("b.k") && Col("b.ts").Between(Col("a.ts"), Col("a.ts") + Seconds(5));
}

TEST(SelectBuilderTest, EveryJoinIsThatOfSql) {
  using Builder = SelectBuilder;
  struct Case {
    Builder& (Builder::*join)(Table, std::string);
    std::vector<Expr> columns;
    std::vector<std::string> rows;
  };
  const std::vector<Expr> both = {Col("a.k"), Col("b.k")};
  const std::vector<Expr> left = {Col("a.k")};
  for (const Case& c :
       {Case{&Builder::Join, both, {"1 1"}}, Case{&Builder::LeftJoin, both, {"1 1", "2 -"}},
        Case{&Builder::RightJoin, both, {"- 3", "1 1"}},
        Case{&Builder::FullJoin, both, {"- 3", "1 1", "2 -"}},
        Case{&Builder::LeftSemiJoin, left, {"1"}}, Case{&Builder::LeftAntiJoin, left, {"2"}}}) {
    TwoStreams streams(MemoryStream::Kind::kFinite);
    streams.PushLeft({{1, 10}, {2, 11}});
    streams.PushRight({{1, 12}, {3, 13}});
    streams.End();
    SelectBuilder select = MustCreate().From(Input("l", streams.left), "a");
    (select.*c.join)(Input("r", streams.right), "b").On(WithinFiveSeconds());
    const QueryBuilder builder = select.Select(c.columns).Sink(streams.result);
    Query query = MustStart(builder);
    EXPECT_TRUE(query.AwaitTermination()) << builder.Sql();
    EXPECT_THAT(streams.Rows(), ElementsAreArray(c.rows)) << builder.Sql();
  }
}

TEST(SelectBuilderTest, ConditionsAndWhereAreJoinedByAnd) {
  TwoStreams streams(MemoryStream::Kind::kFinite);
  streams.PushLeft({{1, 10}, {2, 11}, {4, 11}});
  streams.PushRight({{1, 12}, {2, 12}, {4, 12}});
  streams.End();
  Table out("out");
  out.Column("k", DataType::BigInt()).Column("shown", DataType::Timestamp(3)).Into(streams.result);
  Query query =
      MustStart(MustCreate()
                    .From(Input("l", streams.left), "a")
                    .Join(Input("r", streams.right), "b")
                    .On(WithinFiveSeconds())
                    .On(Col("a.k") != Col("b.k") + 1)
                    .Where(Col("a.k") < 4)
                    .Where(Col("b.k") > 1)
                    .InsertInto(out, {Col("a.k"), Col("b.ts").Cast(DataType::Timestamp(3))}));
  EXPECT_TRUE(query.AwaitTermination());
  EXPECT_THAT(streams.Rows(), ElementsAre("2 12"));
}

TEST(SelectBuilderTest, OneTableIsFilteredAndProjected) {
  TwoStreams streams(MemoryStream::Kind::kFinite);
  streams.PushLeft({{1, 10}, {2, 11}});
  streams.End();
  Query query = MustStart(MustCreate()
                              .From(Input("odd `name`", streams.left))
                              .Where(Col("k") % 2 == 0)
                              .Select({(Col("k") * 10).As("tenfold")})
                              .Sink(streams.result));
  EXPECT_TRUE(query.AwaitTermination());
  EXPECT_THAT(streams.Rows(), ElementsAre("20"));
  EXPECT_EQ(streams.result->Rows()[0].schema().fields[0].name, "tenfold");
}

TEST(SelectBuilderTest, AMistakeNamesThePartItIsIn) {
  const TwoStreams streams;
  const Result<Query> query = MustCreate()
                                  .From(Input("l", streams.left), "a")
                                  .Join(Input("r", streams.right), "b")
                                  .On(Col("a.k") == Col("b.key"))
                                  .SelectAll()
                                  .Start();
  ASSERT_FALSE(query);
  EXPECT_EQ(query.error().code, ErrorCode::kInvalidQuery);
  EXPECT_THAT(query.error().message, HasSubstr("in:   ON (`a`.`k` = `b`.`key`)"));
  EXPECT_EQ(query.error().place.line, 0);
}

TEST(SelectBuilderTest, AMistakeInALongPartIsShownWithWhatStandsAroundIt) {
  const TwoStreams streams;
  std::vector<Expr> columns(1'000, Col("k").Cast(DataType::String()));
  Expr deep = Col("k") == Expr("é");
  for (int depth = 0; depth < 1'000; ++depth) deep = !deep;
  columns.push_back(deep);
  const Result<Query> query =
      MustCreate().From(Input("l", streams.left)).Where(deep).Select(columns).Start();
  ASSERT_FALSE(query);
  EXPECT_THAT(query.error().message, HasSubstr("(NOT (NOT"));
  EXPECT_LT(query.error().message.size(), 300U);
}

TEST(SelectBuilderTest, TheTableMayBeReadTwice) {
  TwoStreams streams(MemoryStream::Kind::kFinite);
  streams.PushLeft({{1, 10}, {1, 12}});
  streams.End();
  const Table table = Input("l", streams.left);
  Query query = MustStart(MustCreate()
                              .From(table, "a")
                              .Join(table, "b")
                              .On(WithinFiveSeconds())
                              .Select({Col("a.ts"), Col("b.ts").Cast(DataType::Timestamp(3))})
                              .Sink(streams.result));
  EXPECT_TRUE(query.AwaitTermination());
  EXPECT_THAT(streams.Rows(), ElementsAre("10 10", "10 12", "12 12"));
}

}  // namespace
}  // namespace braid
