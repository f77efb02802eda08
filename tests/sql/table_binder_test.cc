#include "engine/sql/table_binder.h"

#include <gmock/gmock.h>

#include "tests/sql/bound_text.h"

namespace braid {
namespace {

using testing::ElementsAre;

TablePtr Table(const std::string& text) {
  const Result<Script> script = ParseScript(text, FileOptions("job.sql"));
  if (!script) {
    ADD_FAILURE() << text << ": " << script.error().ToString();
    return std::make_shared<const TableDefinition>();
  }
  return script->tables.back();
}

std::string Computed(const TableDefinition& table, size_t index) {
  return FormatExpression(*table.columns[index].computed, [&](int column) {
    return table.columns[static_cast<size_t>(column)].name;
  });
}

TEST(TableBinderTest, ColumnsAndTheirConstraints) {
  const TablePtr table = Table(
      "CREATE TEMPORARY TABLE IF NOT EXISTS clicks (\n"
      "  id BIGINT NOT NULL COMMENT 'the key', name STRING NULL, `a b` DECIMAL(5, 2)\n"
      ") COMMENT 'it''s' WITH ('connector' = 'filesystem', 'path' = 'x y');");
  EXPECT_EQ(table->name, "clicks");
  EXPECT_EQ(table->schema().ToString(), "id BIGINT, name STRING, a b DECIMAL(5, 2)");
  EXPECT_TRUE(table->columns[0].not_null);
  EXPECT_FALSE(table->columns[1].not_null);
  EXPECT_EQ(table->options.at("connector").value, "filesystem");
  EXPECT_EQ(table->options.at("path").value, "x y");
  EXPECT_EQ(table->options.at("path").place.line, 3);
  EXPECT_EQ(table->options.at("path").place.column, 53);
  EXPECT_EQ(table->place.file, "job.sql");
  EXPECT_EQ(table->place.line, 1);
}

TEST(TableBinderTest, ComputedColumnsSeePhysicalOnesAndComputedOnesBeforeThem) {
  const TablePtr table = Table(
      "CREATE TABLE t (a INT, b AS a + c, c INT, d AS b * 2, e AS PROCTIME(), f AS TO_TIMESTAMP(g) "
      "COMMENT 'x', g STRING, h AS TO_TIMESTAMP_LTZ(a, 3))");
  EXPECT_EQ(table->schema().ToString(),
            "a INT, b INT, c INT, d INT, e TIMESTAMP_LTZ(3), f TIMESTAMP(3), g STRING, h "
            "TIMESTAMP_LTZ(3)");
  EXPECT_EQ(Computed(*table, 1), "a + c");
  EXPECT_EQ(Computed(*table, 3), "b * 2");
  EXPECT_EQ(Computed(*table, 4), "PROCTIME()");
  EXPECT_EQ(Computed(*table, 5), "TO_TIMESTAMP(g)");
  EXPECT_THAT(table->physical_columns(), ElementsAre(0, 2, 6));
}

TEST(TableBinderTest, PrimaryKeys) {
  EXPECT_THAT(Table("CREATE TABLE t (a INT, b INT PRIMARY KEY NOT ENFORCED)")->primary_key,
              ElementsAre(1));
  EXPECT_THAT(Table("CREATE TABLE t (a INT, b INT, PRIMARY KEY (b, A) NOT ENFORCED)")->primary_key,
              ElementsAre(1, 0));
  const TablePtr table =
      Table("CREATE TABLE t (a INT, b INT, CONSTRAINT pk PRIMARY KEY (a) NOT ENFORCED)");
  EXPECT_THAT(table->primary_key, ElementsAre(0));
  EXPECT_TRUE(table->columns[0].not_null);
  EXPECT_FALSE(table->columns[1].not_null);
}

TEST(TableBinderTest, Errors) {
  ExpectErrors({
      {"CREATE TABLE t (a INT, a INT)", "1:24: the table has two columns a"},
      {"CREATE TABLE t (a AS 1)", "1:14: the table t has no column that is read or written"},
      {"CREATE TABLE t (a AS b, b AS c, c INT)", "1:22: there is no column b; there is c"},
      {"CREATE TABLE t (a AS a, c INT)", "1:22: there is no column a; there is c"},
      {"CREATE TABLE t (a AS NULL, c INT)",
       "1:22: the column a would have the type NULL, which no column has"},
      {"CREATE TABLE t (a AS INTERVAL '1' DAY, c INT)",
       "1:22: the column a would have the type INTERVAL DAY TO SECOND, which no column has"},
      {"CREATE TABLE t (a INT PRIMARY KEY NOT ENFORCED, PRIMARY KEY (a) NOT ENFORCED)",
       "1:49: a table has at most one PRIMARY KEY"},
      {"CREATE TABLE t (a INT, PRIMARY KEY (a, a) NOT ENFORCED)", "1:40: PRIMARY KEY has a twice"},
      {"CREATE TABLE t (abc INT, PRIMARY KEY (abd) NOT ENFORCED)",
       "1:39: there is no column abd in t; did you mean abc?"},
      {"CREATE TABLE t (a INT, b AS a, PRIMARY KEY (b) NOT ENFORCED)",
       "1:45: the computed column b cannot be part of a PRIMARY KEY"},
      {"CREATE TABLE t (a INT) WITH ('a' = 'b', 'a' = 'c')", "1:41: the option 'a' is given twice"},
      {"CREATE TABLE l (a INT)", "1:14: there is a table or view l already"},
      {"CREATE VIEW l AS SELECT id FROM r", "1:13: there is a table or view l already"},
      {"CREATE OR REPLACE VIEW l AS SELECT id FROM r",
       "1:24: l is a table; CREATE OR REPLACE VIEW replaces views"},
      {"CREATE OR REPLACE VIEW IF NOT EXISTS x AS SELECT id FROM r",
       "1:1: OR REPLACE and IF NOT EXISTS exclude each other"},
      {"CREATE OR REPLACE TABLE t (a INT)",
       "1:8: CREATE OR REPLACE is for views; a table is made once"},
      {"CREATE TABLE a.b (a INT)",
       "1:14: a table's name has one part; there are no catalogs and databases (a name with a dot "
       "in "
       "it stands in backticks, a path in quotes)"},
  });
}

}  // namespace
}  // namespace braid
