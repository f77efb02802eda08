// Which column a name means.
#include "engine/sql/scope.h"

#include "tests/sql/bound_text.h"

namespace braid {
namespace {

constexpr char kCaseTable[] = "CREATE TABLE c (Id INT, ID INT, Name STRING);\n";

std::string Columns(const std::string& text) {
  const Result<Script> script = BindBehindTables(text);
  if (!script) return script.error().message;
  std::string columns;
  for (const LogicalColumn& column : script->query->root->columns) {
    columns += (columns.empty() ? "" : ", ") + column.name;
  }
  return columns;
}

TEST(ScopeTest, AnExactNameGoesFirstThenAUniqueOneWithoutCase) {
  const std::string tables = kCaseTable;
  EXPECT_EQ(Columns(tables + "SELECT Id, ID, name, C.NAME FROM C"), "Id, ID, Name, Name");
  EXPECT_EQ(Columns(tables + "SELECT id FROM c"), "id is ambiguous: it could be c.Id or c.ID");
  EXPECT_EQ(Columns(tables + "SELECT x.iD FROM c x"),
            "x.iD is ambiguous: it could be x.Id or x.ID");
}

TEST(ScopeTest, TableNamesAreMatchedInTheSameWay) {
  const std::string tables = "CREATE TABLE L (a INT);\n";
  EXPECT_EQ(Columns(tables + "SELECT a FROM L"), "a");
  EXPECT_EQ(Columns(tables + "SELECT id FROM l"), "id");
  EXPECT_EQ(Columns(tables + "SELECT w FROM R"), "w");
  EXPECT_EQ(Columns("CREATE TABLE Xy (a INT);\nCREATE TABLE xY (a INT);\nSELECT a FROM xy"),
            "xy is ambiguous: it could be Xy or xY");
}

TEST(ScopeTest, AliasesHideTheTablesName) {
  EXPECT_EQ(Columns("SELECT x.id, id FROM l x"), "id, id");
  EXPECT_EQ(Columns("SELECT l.id FROM l AS x"), "there is no table l in FROM; there is x");
  EXPECT_EQ(Columns("SELECT x.k, k2 FROM l AS x (k, k2, k3, k4)"), "k, k2");
  EXPECT_EQ(Columns("SELECT * FROM l x (k)"),
            "the list of names is 1 long, but there are 4 columns");
  EXPECT_EQ(Columns("SELECT x.id FROM l AS `x` JOIN l `y z` ON `y z`.id = x.id"), "id");
}

TEST(ScopeTest, AnUnknownNameBringsTheNearestKnownOne) {
  ExpectErrors({
      {"SELECT l.nam FROM l", "1:10: there is no column nam in l; did you mean name?"},
      {"SELECT nmae FROM l", "1:8: there is no column nmae; did you mean name?"},
      {"SELECT x.id FROM l, r", "1:8: there is no table x in FROM; there are l and r"},
      {"SELECT clicks.id FROM l clics",
       "1:8: there is no table clicks in FROM; did you mean clics?"},
      {"SELECT * FROM lx", "1:15: there is no table or view lx; there are l, r and s"},
      {"INSERT INTO out_table SELECT id FROM l",
       "1:13: there is no table or view out_table; there are l, r and s"},
      {"SELECT a.b.c FROM l",
       "1:8: a column is written as c or t.c; there are no databases and no nested fields"},
      {"SELECT id FROM db.l",
       "1:16: a table's name has one part; there are no catalogs and databases (a name with a dot "
       "in "
       "it stands in backticks, a path in quotes)"},
      {"SELECT a.b.* FROM l", "1:8: all columns of a table are written as t.*"},
      {"SELECT x.* FROM l", "1:8: there is no table x in FROM; there is l"},
  });
}

TEST(ScopeTest, AnAmbiguousNameListsItsCandidates) {
  ExpectErrors({
      {"SELECT id FROM l JOIN r ON l.id = r.id", "1:8: id is ambiguous: it could be l.id or r.id"},
      {"SELECT 1 AS x FROM l JOIN r ON id = 1", "1:32: id is ambiguous: it could be l.id or r.id"},
      {"SELECT id FROM l, r, l x", "1:8: id is ambiguous: it could be l.id, r.id or x.id"},
      {"SELECT a.x FROM (SELECT id x, v x FROM l) a",
       "1:8: a.x is ambiguous: it could be a.x or a.x"},
      {"SELECT * FROM l JOIN l ON l.id = l.id",
       "1:22: l stands twice in FROM; give one of them another name: l AS l2"},
  });
}

TEST(ScopeTest, NamesMayHaveAnyCharacterInBackticks) {
  EXPECT_EQ(Columns("CREATE TABLE `a b.c` (`x``y` INT, `über` INT);\n"
                    "SELECT `a b.c`.`x``y`, über FROM `a b.c`"),
            "x`y, über");
}

}  // namespace
}  // namespace braid
