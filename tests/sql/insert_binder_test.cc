#include "engine/sql/insert_binder.h"

#include "engine/expression/type_rules.h"
#include "tests/sql/bound_text.h"

namespace braid {
namespace {

TEST(InsertBinderTest, WritesThePhysicalColumnsInTheirOrder) {
  const std::string scan = "\n  Scan l\n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"INSERT INTO s SELECT id, CAST(v AS INT), name, ts FROM l",
       "Project l.id AS a, CAST(l.v AS INT) AS b, l.name AS c, l.ts AS t (row time)" + scan},
      {"INSERT INTO s (c, a) SELECT name, id FROM l",
       "Project l.id AS a, NULL AS b, l.name AS c, NULL AS t" + scan},
      {"INSERT INTO S (A) SELECT id FROM l",
       "Project l.id AS a, NULL AS b, NULL AS c, NULL AS t" + scan},
      {"INSERT INTO s SELECT 1, NULL, NULL, NULL FROM l",
       "Project 1 AS a, NULL AS b, NULL AS c, NULL AS t" + scan},
  };
  for (const auto& [text, plan] : cases) EXPECT_EQ(BoundPlan(text), plan) << text;
}

TEST(InsertBinderTest, TheChangelogColumnIsNotForTheQueryToGive) {
  const std::string table =
      "CREATE TABLE o (a BIGINT, op STRING NOT NULL, b STRING) WITH "
      "('connector' = 'x', 'changelog.column' = 'OP');\n";
  const std::string plan = "Project l.id AS a, NULL AS op, l.name AS b\n  Scan l\n";
  EXPECT_EQ(BoundPlan(table + "INSERT INTO o SELECT id, name FROM l"), plan);
  EXPECT_EQ(BoundPlan(table + "INSERT INTO o (b, a) SELECT name, id FROM l"), plan);
  ExpectErrors({
      {table + "INSERT INTO o (a, op) SELECT id, name FROM l",
       "2:19: op is the 'changelog.column' of o, which writes it itself"},
      {table + "INSERT INTO o SELECT id, '+I', name FROM l",
       "2:15: the query has 3 columns, o takes 2; it writes op, its 'changelog.column', itself"},
  });
  // Not declared: a column of the data alone.
  EXPECT_EQ(BoundPlan("CREATE TABLE o (a BIGINT) WITH ('connector' = 'x', 'changelog.column' = "
                      "'op');\nINSERT INTO o SELECT id FROM l"),
            "Project l.id AS a\n  Scan l\n");
}

TEST(InsertBinderTest, TheRootHasTheSinksTypes) {
  const Result<Script> script = BindBehindTables(
      "CREATE TABLE o (a BIGINT, b DOUBLE, c DECIMAL(10, 2), d TIMESTAMP(6), e DATE);\n"
      "INSERT INTO o SELECT 1, 2, 3, ts, ts FROM l");
  ASSERT_TRUE(script.has_value()) << script.error().ToString();
  const BoundQuery& query = *script->query;
  ASSERT_NE(query.sink, nullptr);
  EXPECT_EQ(query.sink->name, "o");
  for (size_t index = 0; index < query.root->columns.size(); ++index) {
    EXPECT_EQ(query.root->columns[index].type, query.sink->columns[index].type);
    EXPECT_EQ(query.root->projections[index]->type, query.sink->columns[index].type);
    EXPECT_FALSE(query.root->columns[index].is_row_time);
  }
}

TEST(InsertBinderTest, StoresWithoutACastWhatFlinkStores) {
  const std::vector<DataType> types = {
      DataType::Boolean(),      DataType::TinyInt(), DataType::SmallInt(), DataType::Int(),
      DataType::BigInt(),       DataType::Float(),   DataType::Double(),   DataType::Decimal(10, 2),
      DataType::String(),       DataType::Bytes(),   DataType::Date(),     DataType::Timestamp(3),
      DataType::TimestampLtz(3)};
  // One row a type that is stored, one letter a type of the column, in the order above.
  const std::vector<std::string> stored = {
      "y............", ".yyyyyyy.....", "..yyyyyy.....", "...yyyyy.....", "....yyyy.....",
      ".....yyy.....", "......yy.....", ".....yyy.....", "........y....", ".........y...",
      "..........y..", "..........yyy", "...........yy"};
  for (size_t from = 0; from < types.size(); ++from) {
    for (size_t to = 0; to < types.size(); ++to) {
      EXPECT_EQ(StoresImplicitly(types[from], types[to]), stored[from][to] == 'y')
          << types[from].ToString() << " to " << types[to].ToString();
    }
    EXPECT_TRUE(StoresImplicitly(DataType::Null(), types[from]));
    EXPECT_FALSE(StoresImplicitly(DataType::IntervalDay(), types[from]));
  }
}

TEST(InsertBinderTest, Errors) {
  ExpectErrors({
      {"INSERT INTO s SELECT id, v, name, ts FROM l",
       "1:26: v is BIGINT, but the column b of s is INT; write a CAST"},
      {"INSERT INTO s (b, a) SELECT name, id FROM l",
       "1:29: name is STRING, but the column b of s is INT; write a CAST"},
      {"INSERT INTO s SELECT * FROM l",
       "1:22: ts is TIMESTAMP(3), but the column b of s is INT; write a CAST"},
      {"INSERT INTO s (a, t) SELECT id, ts - ts FROM l",
       "1:33: ts - ts is INTERVAL DAY TO SECOND, but the column t of s is TIMESTAMP(3); write a "
       "CAST"},
      {"INSERT INTO s (c) SELECT name FROM l", "1:16: the list leaves out a, which is NOT NULL"},
      {"INSERT INTO s (a, A) SELECT id, id FROM l", "1:19: A stands twice in the list"},
      {"INSERT INTO s (a, d) SELECT id, id FROM l",
       "1:19: d is a computed column; nothing is stored in it"},
      {"INSERT INTO s (a, x) SELECT id, id FROM l",
       "1:19: there is no column x in s; there are a, b, c, t and d"},
      {"INSERT INTO s SELECT id FROM l", "1:15: the query has 1 columns, s takes 4"},
      {"INSERT INTO s (a, b) SELECT id FROM l", "1:22: the query has 1 columns, s takes 2"},
      {"CREATE VIEW x AS SELECT id FROM l;\nINSERT INTO x SELECT id FROM l",
       "2:13: x is a view; INSERT INTO takes a table"},
      {"INSERT INTO ss SELECT id FROM l",
       "1:13: there is no table or view ss; there are l, r and s"},
  });
}

}  // namespace
}  // namespace braid
