// A whole file: its statements and what they leave in the script.
#include "engine/sql/parser.h"

#include <gmock/gmock.h>

#include "tests/sql/bound_text.h"

namespace braid {
namespace {

TEST(ParserTest, ReadsTheJobOfTheDesign) {
  const Result<Script> script = ParseScript(
      "-- a job\n"
      "SET 'parallelism' = '2';\n"
      "CREATE TABLE impressions (\n"
      "  ad_id BIGINT, ts TIMESTAMP(3), campaign STRING,\n"
      "  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND\n"
      ") WITH ('connector' = 'filesystem', 'path' = '${DIR}/impressions', 'format' = 'csv');\n"
      "CREATE TABLE clicks (ad_id BIGINT, ts TIMESTAMP(3),\n"
      "  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'socket');\n"
      "CREATE TABLE attributed (ad_id BIGINT, shown TIMESTAMP(3), clicked TIMESTAMP(3))\n"
      "  WITH ('connector' = 'filesystem', 'path' = 'out', 'format' = 'csv');\n"
      "INSERT INTO attributed\n"
      "SELECT i.ad_id, i.ts, CAST(c.ts AS TIMESTAMP(3)) /* one row time */\n"
      "FROM impressions i LEFT JOIN clicks c\n"
      "  ON i.ad_id = c.ad_id AND c.ts BETWEEN i.ts AND i.ts + INTERVAL '60' SECOND;\n",
      FileOptions("job.sql", {{"DIR", "/data"}}));
  ASSERT_TRUE(script.has_value()) << script.error().ToString();
  ASSERT_EQ(script->settings.size(), 1U);
  EXPECT_EQ(script->settings[0].first, "parallelism");
  EXPECT_EQ(script->settings[0].second.value, "2");
  EXPECT_EQ(script->settings[0].second.place.line, 2);
  ASSERT_EQ(script->tables.size(), 3U);
  EXPECT_EQ(script->tables[0]->options.at("path").value, "/data/impressions");
  ASSERT_TRUE(script->query.has_value());
  EXPECT_EQ(script->query->sink, script->tables[2]);
  EXPECT_TRUE(script->query->root->columns[1].is_row_time);
  EXPECT_FALSE(script->query->root->columns[2].is_row_time);
  EXPECT_EQ(script->query->place.line, 11);
  EXPECT_TRUE(script->query->text.starts_with("INSERT INTO attributed\nSELECT"));
  EXPECT_TRUE(script->query->text.ends_with("'60' SECOND"));
}

TEST(ParserTest, SemicolonsSeparateAndTheLastOneMayBeLeftOut) {
  for (const char* text : {"", ";", ";;", " -- nothing", "SET 'a' = 'b'", "SET 'a' = 'b';",
                           ";SET 'a' = 'b';;SET 'a' = 'c';"}) {
    EXPECT_TRUE(ParseScript(text, {}).has_value()) << text;
  }
  ExpectErrors(
      {{"SET 'a' = 'b' SET 'a' = 'c'", "1:15: found 'SET', expected the end of the text"}});
}

TEST(ParserTest, SettingsKeepTheirOrder) {
  const Result<Script> script = ParseScript("SET 'b' = '1'; SET 'a' = '2'; SET 'b' = '3'", {});
  ASSERT_TRUE(script.has_value());
  std::vector<std::string> settings;
  for (const auto& [key, option] : script->settings) settings.push_back(key + "=" + option.value);
  EXPECT_THAT(settings, testing::ElementsAre("b=1", "a=2", "b=3"));
}

TEST(ParserTest, APrintedSelectMayHaveALimit) {
  const Result<Script> script = BindBehindTables("SELECT id FROM l LIMIT 5");
  ASSERT_TRUE(script.has_value());
  EXPECT_EQ(script->query->limit, 5);
  EXPECT_EQ(script->query->sink, nullptr);
  EXPECT_FALSE(script->query->explain);
  EXPECT_EQ(script->query->text, "SELECT id FROM l LIMIT 5");
  EXPECT_EQ(BindBehindTables("SELECT id FROM l")->query->limit, std::nullopt);
}

TEST(ParserTest, ExplainKeepsTheStatement) {
  for (const char* start : {"EXPLAIN ", "EXPLAIN PLAN FOR "}) {
    for (const char* query : {"SELECT id FROM l", "INSERT INTO s (a) SELECT id FROM l",
                              "WITH x AS (SELECT id FROM l) SELECT * FROM x"}) {
      const Result<Script> script = BindBehindTables(std::string(start) + query);
      ASSERT_TRUE(script.has_value()) << script.error().ToString();
      EXPECT_TRUE(script->query->explain);
      EXPECT_EQ(script->query->text, query);
    }
  }
}

TEST(ParserTest, AFileHasOneQuery) {
  ExpectErrors({
      {"SELECT id FROM l;\nSELECT id FROM r",
       "2:1: a file has one INSERT or one SELECT; this is the second"},
      {"INSERT INTO s (a) SELECT id FROM l; EXPLAIN SELECT id FROM r",
       "1:37: a file has one INSERT or one SELECT; this is the second"},
  });
}

TEST(ParserTest, ATableThatExistsStays) {
  const Result<Script> script =
      BindBehindTables("CREATE TABLE IF NOT EXISTS l (other INT); SELECT id FROM l");
  ASSERT_TRUE(script.has_value()) << script.error().ToString();
  EXPECT_EQ(script->tables.size(), 3U);
}

TEST(ParserTest, AProgramBringsTables) {
  TableDefinition definition;
  definition.name = "memory";
  definition.columns = {{"id", DataType::BigInt(), false, nullptr},
                        {"ts", DataType::Timestamp(3), false, nullptr}};
  definition.watermark = WatermarkDefinition{1, Seconds(5), {}};
  const TablePtr table = std::make_shared<const TableDefinition>(definition);
  ParseOptions options;
  options.tables = {table};
  const Result<Script> script = ParseScript("SELECT id, ts FROM memory", options);
  ASSERT_TRUE(script.has_value()) << script.error().ToString();
  EXPECT_EQ(script->query->root->inputs[0]->table, table);
  EXPECT_TRUE(script->query->root->columns[1].is_row_time);
  EXPECT_TRUE(script->tables.empty());
  const Result<Script> again = ParseScript("CREATE TABLE memory (a INT)", options);
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().message, "there is a table or view memory already");
}

TEST(ParserTest, PlacesNameTheFile) {
  const Result<Script> script = ParseScript("SELECT\n  x FROM nowhere", FileOptions("job.sql"));
  ASSERT_FALSE(script.has_value());
  EXPECT_EQ(script.error().ToString(),
            "job.sql:2:10: invalid query: there is no table or view nowhere");
}

}  // namespace
}  // namespace braid
