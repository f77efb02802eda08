#include "braid/query_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/library/two_streams.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(QueryBuilderTest, WrongTextIsRefusedWithItsPlace) {
  const Result<Query> query = MustCreate().Sql("SELECT *\nFORM t").Start();
  ASSERT_FALSE(query);
  EXPECT_EQ(query.error().code, ErrorCode::kInvalidQuery);
  EXPECT_EQ(query.error().place.line, 2);
}

TEST(QueryBuilderTest, ASourceForATableThatIsNotReadIsRefused) {
  const TwoStreams streams;
  const Result<Query> query = streams.Query(MustCreate()).Source("rr", streams.right).Start();
  ASSERT_FALSE(query);
  EXPECT_EQ(query.error().code, ErrorCode::kInvalidOption);
  EXPECT_EQ(query.error().message,
            "there is a source for the table rr, but the query reads l and r");
}

TEST(QueryBuilderTest, AStreamOfOtherColumnsIsRefused) {
  const TwoStreams streams;
  auto names = std::make_shared<MemoryStream>(Schema{{{"k", DataType::String()}}},
                                              MemoryStream::Kind::kFinite);
  const Result<Query> query = streams.Query(MustCreate()).Source("r", names).Start();
  ASSERT_FALSE(query);
  EXPECT_THAT(query.error().message, HasSubstr("those of the stream in memory (k STRING)"));
}

TEST(QueryBuilderTest, LateAndUnmatchedRowsGoToResultsOfTheirOwn) {
  TwoStreams streams(MemoryStream::Kind::kFinite);
  streams.PushLeft({{1, 10}, {2, 11}});
  streams.PushRight({{1, 12}, {3, 13}});
  streams.End();
  const auto unmatched = std::make_shared<MemoryResult>();
  const QueryBuilder builder = streams.Bind(
      MustCreate().Sql("CREATE TABLE u (k BIGINT, ts TIMESTAMP(3));\n" + TwoStreams::Sql()));
  Query query =
      MustStart(QueryBuilder(builder).Set("unmatched-rows.table", "u").Sink("u", unmatched));
  EXPECT_TRUE(query.AwaitTermination());
  EXPECT_THAT(TwoStreams::TextsOf(unmatched->Rows()), ElementsAre("2 11", "3 13"));

  const Result<Query> unknown = QueryBuilder(builder).Sink("u", unmatched).Start();
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("there is a sink for the table u"));
}

TEST(QueryBuilderTest, ATableWithoutASourceNeedsAConnector) {
  const TwoStreams streams;
  const Result<Query> query = MustCreate().Sql(TwoStreams::Sql()).Source("l", streams.left).Start();
  ASSERT_FALSE(query);
  EXPECT_THAT(query.error().message, HasSubstr("table r: the option 'connector' is missing"));
}

TEST(QueryBuilderTest, ABuilderStartsAsManyQueriesAsWanted) {
  TwoStreams streams(MemoryStream::Kind::kFinite);
  streams.PushLeft({{1, 10}});
  streams.End();
  const QueryBuilder builder = streams.Query(MustCreate());
  for (int i = 0; i < 2; ++i) {
    Query query = MustStart(builder);
    EXPECT_TRUE(query.AwaitTermination());
    EXPECT_THAT(streams.Rows(), ElementsAre("1 10 -"));
  }
}

TEST(QueryBuilderTest, ACopyIsABuilderOfItsOwn) {
  const TwoStreams streams;
  QueryBuilder builder = streams.Query(MustCreate()).Name("one");
  QueryBuilder copy = builder;
  copy.Name("two");
  EXPECT_EQ(MustStart(builder).name(), "one");
  EXPECT_EQ(MustStart(copy).name(), "two");
}

TEST(QueryBuilderTest, DefinesStandInTheText) {
  const TwoStreams streams;
  const Result<std::string> plan =
      MustCreate()
          .Sql("CREATE TABLE l (k BIGINT); SELECT k FROM l WHERE k = ${NUMBER}")
          .Define("NUMBER", "42")
          .Explain();
  ASSERT_TRUE(plan) << plan.error().ToString();
  EXPECT_THAT(*plan, HasSubstr("42"));
}

TEST(QueryBuilderTest, ForEachBatchGetsTheColumnsOfTheInsertsTable) {
  TwoStreams streams(MemoryStream::Kind::kFinite);
  streams.PushLeft({{1, 10}});
  streams.PushRight({{1, 12}});
  streams.End();
  std::vector<std::string> schemas;
  std::vector<int64_t> ids;
  Query query = MustStart(
      MustCreate({.parallelism = 3})
          .Sql("CREATE TABLE l (k BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts);"
               "CREATE TABLE r (k BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts);"
               "CREATE TABLE o (`key` INT, a TIMESTAMP(3)) WITH ('connector' = 'blackhole');"
               "INSERT INTO o SELECT CAST(l.k AS INT), l.ts FROM l JOIN r ON l.k = r.k AND "
               "r.ts BETWEEN l.ts AND l.ts + INTERVAL '5' SECOND")
          .Source("l", streams.left)
          .Source("r", streams.right)
          .ForEachBatch([&](const RowBatch& rows, const BatchInfo& batch) {
            schemas.push_back(rows.schema().ToString());
            ids.push_back(batch.id);
          }));
  EXPECT_TRUE(query.AwaitTermination());
  ASSERT_THAT(schemas, testing::Not(IsEmpty()));
  for (const std::string& schema : schemas) EXPECT_EQ(schema, "key INT, a TIMESTAMP(3)");
  for (size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(ids[i], static_cast<int64_t>(i));
}

}  // namespace
}  // namespace braid
