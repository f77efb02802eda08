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

TEST(SelectBuilderTest, DataStreamIntervalIsFlinksIntervalJoin) {
  struct Case {
    const char* name;
    bool lower_exclusive;
    bool upper_exclusive;
    std::vector<int64_t> seconds;  // Of the right rows that join a left row at 10 s.
  };
  for (const Case& test : {Case{"inclusive", false, false, {8, 9, 10, 11}},
                           Case{"lower exclusive", true, false, {9, 10, 11}},
                           Case{"upper exclusive", false, true, {8, 9, 10}},
                           Case{"both exclusive", true, true, {9, 10}}}) {
    SCOPED_TRACE(test.name);
    const TwoStreams streams;
    SelectBuilder select = MustCreate().From(Input("l", streams.left), "a");
    select.Join(Input("r", streams.right), "b").On(Col("a.k") == Col("b.k"));
    select.DataStreamInterval(Seconds(-2), Seconds(1));
    if (test.lower_exclusive) select.LowerBoundExclusive();
    if (test.upper_exclusive) select.UpperBoundExclusive();
    std::vector<int64_t> joined;
    QueryBuilder builder = select.Select({Col("a.k"), Col("b.ts").As("ts")});
    const Result<std::string> plan = builder.Mode(Mode::kPerRecord).Explain();
    ASSERT_TRUE(plan) << plan.error().ToString();
    EXPECT_THAT(*plan, HasSubstr("DataStream interval join"));
    Result<PushQuery> query = builder.Push([&](const RowBatch& rows) {
      for (int64_t row = 0; row < rows.num_rows(); ++row) {
        joined.push_back(rows.Time(1, row).micros / 1'000'000);
      }
    });
    ASSERT_TRUE(query) << query.error().ToString();
    EXPECT_TRUE(query->PushLeftRow(1, EventTime{10'000'000}));
    for (int64_t second = 7; second <= 12; ++second) {
      EXPECT_TRUE(query->PushRightRow(1, EventTime{second * 1'000'000}));
    }
    EXPECT_EQ(joined, test.seconds);
  }
}

TEST(SelectBuilderTest, ADataStreamIntervalThatCannotBeIsRefused) {
  const TwoStreams streams;
  const SelectBuilder from = MustCreate().From(Input("l", streams.left), "a");
  const auto joined = [&] { return SelectBuilder(from).Join(Input("r", streams.right), "b"); };
  Table timeless("r");
  timeless.Columns(streams.right->schema());
  struct Case {
    SelectBuilder select;
    const char* message;
  };
  for (const Case& test :
       {Case{SelectBuilder(from).DataStreamInterval(Seconds(0), Seconds(1)), "behind a Join"},
        Case{joined().LowerBoundExclusive(), "behind a DataStreamInterval"},
        Case{joined().UpperBoundExclusive(), "behind a DataStreamInterval"},
        Case{SelectBuilder(from).Join(timeless).DataStreamInterval(Seconds(0), Seconds(1)),
             "table r has no Watermark"},
        Case{joined().DataStreamInterval(Seconds(2), Seconds(1)), ""}}) {
    const Result<std::string> plan =
        SelectBuilder(test.select).SelectAll().Mode(Mode::kPerRecord).Explain();
    ASSERT_FALSE(plan) << test.message;
    EXPECT_EQ(plan.error().code, ErrorCode::kInvalidQuery);
    EXPECT_THAT(plan.error().message, HasSubstr(test.message));
  }
}

TEST(SelectBuilderTest, RecordByRecordAJoinWithoutBoundsGivesChangesToForEachBatch) {
  TwoStreams streams(MemoryStream::Kind::kFinite);
  streams.PushLeft({{1, 10}});
  streams.PushRight({{1, 12}});
  streams.End();
  std::vector<std::string> kinds;
  Result<Query> query = MustCreate()
                            .From(Input("l", streams.left), "a")
                            .LeftJoin(Input("r", streams.right), "b")
                            .On(Col("a.k") == Col("b.k"))
                            .Select({Col("a.k"), Col("b.k").As("other")})
                            .Mode(Mode::kPerRecord)
                            .ForEachBatch([&](const RowBatch& rows, const BatchInfo& /*batch*/) {
                              for (int64_t row = 0; row < rows.num_rows(); ++row) {
                                EXPECT_TRUE(rows.has_change_kinds());
                                kinds.emplace_back(ChangeKindText(rows.change_kind(row)));
                              }
                            })
                            .Start();
  ASSERT_TRUE(query) << query.error().ToString();
  EXPECT_TRUE(query->AwaitTermination());
  EXPECT_THAT(kinds, ElementsAre("+I", "-D", "+I"));
}

TEST(SelectBuilderTest, RecordByRecordBetweenIsAnIntervalJoin) {
  TwoStreams streams(MemoryStream::Kind::kFinite);
  streams.PushLeft({{1, 10}, {2, 11}});
  streams.PushRight({{1, 12}, {3, 13}});
  streams.End();
  QueryBuilder builder = MustCreate()
                             .From(Input("l", streams.left), "a")
                             .LeftJoin(Input("r", streams.right), "b")
                             .On(WithinFiveSeconds())
                             .Select({Col("a.k"), Col("b.k").As("other")});
  builder.Mode(Mode::kPerRecord).Sink(streams.result);
  const Result<std::string> plan = builder.Explain();
  ASSERT_TRUE(plan) << plan.error().ToString();
  EXPECT_THAT(*plan, HasSubstr("row-time interval join"));
  EXPECT_TRUE(MustStart(builder).AwaitTermination());
  EXPECT_THAT(streams.Rows(), ElementsAre("1 1", "2 -"));
}

}  // namespace
}  // namespace braid
