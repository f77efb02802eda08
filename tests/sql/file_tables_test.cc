#include "engine/sql/file_tables.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/sql/logical_plan_printer.h"
#include "engine/sql/parser.h"

namespace braid {
namespace {

// Knows '….csv', with a column id, named after what stands in front of the point.
ParseOptions OptionsWithFiles(std::vector<std::string>* asked) {
  ParseOptions options;
  options.file_table = [asked](const std::string& path) -> Result<TableDefinition> {
    asked->push_back(path);
    if (!path.ends_with(".csv")) return Fail(ErrorCode::kInvalidQuery, "no such file");
    if (path == "bad.csv") {
      Place place;
      place.file = path;
      place.line = 7;
      return Fail(ErrorCode::kInvalidInput, "a bad line", place);
    }
    TableDefinition table;
    const size_t slash = path.rfind('/');
    table.name = path.substr(slash == std::string::npos ? 0 : slash + 1);
    table.name.resize(table.name.size() - 4);
    table.columns.push_back({"id", DataType::BigInt(), false, nullptr});
    table.is_guessed = true;
    return table;
  };
  return options;
}

struct Outcome {
  std::string plan;  // Or the error.
  std::vector<std::string> tables;
  std::vector<std::string> asked;
};

Outcome Bind(const std::string& text) {
  Outcome outcome;
  const Result<Script> script = ParseScript(text, OptionsWithFiles(&outcome.asked));
  if (!script) {
    outcome.plan = script.error().ToString();
    return outcome;
  }
  outcome.plan = PrintLogicalPlan(*script->query->root);
  for (const TablePtr& table : script->file_tables) outcome.tables.push_back(table->name);
  return outcome;
}

using Names = std::vector<std::string>;

TEST(FileTablesTest, APathStandsWhereATableStands) {
  EXPECT_EQ(Bind("SELECT id FROM 'in/a.csv'").plan, "Project a.id AS id\n  Scan a\n");
  EXPECT_EQ(Bind("SELECT a.id FROM 'in/a.csv' WHERE a.id > 1").plan,
            "Project a.id AS id\n  Filter a.id > 1\n    Scan a\n");
  EXPECT_EQ(Bind("SELECT x.id FROM 'a.csv' x").plan, "Project x.id AS id\n  Scan a AS x\n");
  EXPECT_EQ(Bind("SELECT k FROM 'a.csv' AS x (k)").plan.find("there is no"), std::string::npos);
  EXPECT_EQ(Bind("SELECT l.id FROM 'a.csv' l LEFT JOIN 'b.csv' r ON l.id = r.id").plan,
            "Project l.id AS id\n"
            "  Join LEFT OUTER ON l.id = r.id\n"
            "    Scan a AS l\n"
            "    Scan b AS r\n");
}

TEST(FileTablesTest, APathStandsInViewsSubqueriesAndWith) {
  const std::string plan = "Project id AS id\n  Project a.id AS id\n    Scan a\n";
  for (const char* text : {"CREATE VIEW v AS SELECT id FROM 'a.csv'; SELECT id FROM v",
                           "SELECT id FROM (SELECT id FROM 'a.csv') v",
                           "WITH v AS (SELECT id FROM 'a.csv') SELECT id FROM v"}) {
    const Outcome outcome = Bind(text);
    EXPECT_EQ(outcome.plan, plan);
    EXPECT_EQ(outcome.tables, Names({"a"})) << text;
  }
  EXPECT_EQ(Bind("SELECT id FROM 'a.csv' WHERE id IN (SELECT id FROM 'b.csv')").tables,
            Names({"a", "b"}));
}

TEST(FileTablesTest, APathIsAskedForOnce) {
  const Outcome outcome = Bind("SELECT x.id FROM 'a.csv' x JOIN 'a.csv' y ON x.id = y.id");
  EXPECT_EQ(outcome.asked, Names({"a.csv"}));
  EXPECT_EQ(outcome.tables, Names({"a"}));
}

TEST(FileTablesTest, ANameThatIsTakenGetsANumber) {
  EXPECT_EQ(Bind("SELECT a.id FROM 'x/a.csv' JOIN 'y/a.csv' ON a.id = a2.id").tables,
            Names({"a", "a2"}));
  EXPECT_EQ(Bind("CREATE TABLE a (id BIGINT) WITH ('connector' = 'print');"
                 "SELECT a2.id FROM 'a.csv'")
                .tables,
            Names({"a2"}));
}

TEST(FileTablesTest, ErrorsStandAtThePathOrInTheData) {
  EXPECT_EQ(Bind("SELECT id FROM 'a.txt'").plan, "1:16: invalid query: no such file");
  EXPECT_EQ(Bind("SELECT id FROM 'bad.csv'").plan, "bad.csv:7: invalid input: a bad line");
  EXPECT_EQ(Bind("SELECT x FROM 'a.csv'").plan,
            "1:8: invalid query: there is no column x; there is id");
  EXPECT_EQ(Bind("SELECT a.id FROM 'a.csv' JOIN 'a.csv' ON a.id = a.id").plan,
            "1:31: invalid query: a stands twice in FROM; give one of them another name: a AS a2");
}

TEST(FileTablesTest, WithoutAMakerAPathIsRefused) {
  const Result<Script> script = ParseScript("SELECT id FROM 'a.csv'", {});
  ASSERT_FALSE(script);
  EXPECT_EQ(script.error().message,
            "'a.csv': a path can stand in FROM only where files can be read");
}

}  // namespace
}  // namespace braid
