#include "braid/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/library/two_streams.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(EngineTest, ASettingThatCannotBeReadIsRefusedAtOnce) {
  const Result<Engine> wrong_key = Engine::Create({.settings = {{"paralelism", "2"}}});
  ASSERT_FALSE(wrong_key);
  EXPECT_EQ(wrong_key.error().code, ErrorCode::kInvalidOption);
  EXPECT_THAT(wrong_key.error().message, HasSubstr("parallelism"));
  EXPECT_FALSE(Engine::Create({.parallelism = 0}));
}

TEST(EngineTest, SettingsOfTheTextWinOverTheEnginesAndTheQuerysOverBoth) {
  const Engine engine = MustCreate({.settings = {{"pipeline.name", "of the engine"}}});
  const std::string text = "SET 'pipeline.name' = 'of the text';\n" + TwoStreams::Sql();
  struct Case {
    QueryBuilder builder;
    std::string name;
  };
  const TwoStreams streams(MemoryStream::Kind::kFinite);
  for (const Case& c :
       {Case{engine.Sql(TwoStreams::Sql()), "of the engine"}, Case{engine.Sql(text), "of the text"},
        Case{engine.Sql(text).Name("of the query"), "of the query"}}) {
    const Query query = MustStart(streams.Bind(c.builder));
    EXPECT_EQ(query.name(), c.name);
  }
}

TEST(EngineTest, QueriesOfOneEngineRunBesideEachOther) {
  const Engine engine = MustCreate();
  TwoStreams first;
  TwoStreams second;
  Query first_query = MustStart(first.Query(engine));
  Query second_query = MustStart(second.Query(engine));
  first.PushLeft({{1, 10}});
  first.PushRight({{1, 12}});
  second.PushLeft({{2, 20}});
  second.PushRight({{2, 21}});
  EXPECT_TRUE(first_query.ProcessAllAvailable());
  EXPECT_TRUE(second_query.ProcessAllAvailable());
  EXPECT_THAT(first.Rows(), ElementsAre("1 10 12"));
  EXPECT_THAT(second.Rows(), ElementsAre("2 20 21"));
}

TEST(EngineTest, AQueryOutlivesItsEngine) {
  TwoStreams streams;
  Query query = [&] { return MustStart(streams.Query(MustCreate())); }();
  streams.PushLeft({{1, 10}});
  streams.PushRight({{1, 12}});
  EXPECT_TRUE(query.ProcessAllAvailable());
  EXPECT_THAT(streams.Rows(), ElementsAre("1 10 12"));
}

// Gives a stream to every table of its name.
class OwnConnector final : public Connector {
 public:
  explicit OwnConnector(SourceFactory factory) : factory_(std::move(factory)) {}

  Result<std::unique_ptr<Source>> NewSource(const TableDescription& table,
                                            const std::vector<int>& read_columns,
                                            std::vector<std::string>* notes) const override {
    notes->push_back("read by the program");
    return factory_(table, read_columns);
  }
  Result<std::unique_ptr<Sink>> NewSink(const TableDescription& table,
                                        std::vector<std::string>* /*notes*/) const override {
    return Fail(ErrorCode::kInvalidOption, "this connector only reads", table.place);
  }

 private:
  SourceFactory factory_;
};

TEST(EngineTest, AConnectorOfTheProgramIsFoundByItsName) {
  Engine engine = MustCreate();
  engine.AddConnector("own", std::make_shared<OwnConnector>(
                                 [](const TableDescription& table,
                                    const std::vector<int>&) -> Result<std::unique_ptr<Source>> {
                                   EXPECT_EQ(table.options.at("speed").value, "9");
                                   return Fail(ErrorCode::kIo, "the line is cut");
                                 }));
  const Result<Query> query =
      engine
          .Sql(
              "CREATE TABLE t (k BIGINT) WITH ('connector' = 'own', 'speed' = '9'); "
              "SELECT * FROM t")
          .Start();
  ASSERT_FALSE(query);
  EXPECT_EQ(query.error().code, ErrorCode::kIo);
  EXPECT_EQ(query.error().message, "the line is cut");
}

}  // namespace
}  // namespace braid
