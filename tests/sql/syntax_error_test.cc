// What a user reads for text that does not follow the grammar.
#include "tests/sql/bound_text.h"

namespace braid {
namespace {

TEST(SyntaxErrorTest, SaysWhatWasFoundAndWhatCouldStandThere) {
  ExpectErrors({
      {"SELECT l.id FORM l", "1:18: found 'l', expected FROM or ','; did you mean FROM?"},
      {"SELECT l.id FROM l WHER v > 1",
       "1:25: found 'v', expected JOIN, LIMIT, WHERE, '(', ',' or the end of the text; did you "
       "mean "
       "WHERE?"},
      {"SELECT l.id FROM",
       "1:17: found the end of the text, expected a name, text in quotes or '('"},
      {"SELECT FROM l", "1:8: found 'FROM', expected an expression or '*'"},
      {"SELECT id i, FROM l", "1:14: found 'FROM', expected an expression or '*'"},
      {"SELECT id FROM l WHERE v > 1 AND",
       "1:33: found the end of the text, expected an expression"},
      {"SELECT id FROM l WHERE (v > 1",
       "1:30: found the end of the text, expected an operator, ')' or ','"},
      {"SELECT id FROM l)",
       "1:17: found ')', expected a name, AS, JOIN, LIMIT, WHERE, ',', '.' or the end of the text"},
      {"FROM l SELECT id",
       "1:1: found 'FROM', expected a statement (CREATE TABLE, CREATE VIEW, INSERT INTO, SELECT, "
       "WITH, EXPLAIN, SET)"},
      {"SELEC id FROM l",
       "1:1: found 'SELEC', expected a statement (CREATE TABLE, CREATE VIEW, INSERT INTO, SELECT, "
       "WITH, EXPLAIN, SET); did you mean SELECT?"},
      {"CREATE FUNCTION f AS 'x'", "1:8: found 'FUNCTION', expected OR, TABLE, TEMPORARY or VIEW"},
      {"CREATE TABLE t (a INT,)", "1:23: found ')', expected a name or CONSTRAINT"},
      {"CREATE TABLE t (a INT, PRIMARY KEY (a))",
       "1:39: found ')', expected NOT ENFORCED: nobody checks a PRIMARY KEY"},
      {"CREATE TABLE t (a INT) WITH (a = 'b')", "1:30: found 'a', expected text in quotes"},
      {"CREATE TABLE t (a 5)", "1:19: found '5', expected a type or AS"},
      {"SET a = 'b'", "1:5: found 'a', expected text in quotes"},
      {"SELECT v + INTERVAL 5 FROM l", "1:23: found 'FROM', expected a unit of time"},
      {"SELECT 'a' 'b' FROM l", "1:12: found 'b', expected a name, an operator, AS, FROM or ','"},
      {"SELECT *\nFROM l\nWHERE v >\n;", "4:1: found ';', expected an expression"},
      {"SELECT 'ein ganz langer Text der nicht in die Meldung passt' 'x' FROM l",
       "1:62: found 'x', expected a name, an operator, AS, FROM or ','"},
  });
}

TEST(SyntaxErrorTest, SaysThatAPathStandsInQuotes) {
  const std::string hint = "; a path stands in quotes: 'folder/file.csv'";
  const std::string behind =
      ", expected a name, AS, JOIN, LIMIT, WHERE, ',', '.' or the end of the text" + hint;
  const std::string instead = ", expected a name, text in quotes or '('" + hint;
  ExpectErrors({
      {"SELECT * FROM data/l.csv", "1:19: found '/'" + behind},
      {"SELECT * FROM data-1/l.csv", "1:19: found '-'" + behind},
      {"SELECT * FROM /data/l.csv", "1:15: found '/'" + instead},
      {"SELECT * FROM ./l.csv", "1:15: found '.'" + instead},
      {"SELECT * FROM ../l.csv", "1:15: found '.'" + instead},
      {"SELECT * FROM l JOIN data/r.csv ON TRUE",
       "1:26: found '/', but JOIN needs ON or USING; a join of all rows with all is written CROSS "
       "JOIN" +
           hint},
      {"SELECT * FROM l.csv",
       "1:15: a table's name has one part; there are no catalogs and databases (a name with a dot "
       "in it stands in backticks, a path in quotes)"},
      {"SELECT * FROM data/*.csv", "1:19: this comment is not closed; */ is missing" + hint},
      {"SELECT v / FROM l", "1:12: found 'FROM', expected an expression"},
  });
}

TEST(SyntaxErrorTest, SaysWhenAJoinHasNoCondition) {
  const std::string message =
      ", but JOIN needs ON or USING; a join of all rows with all is written CROSS JOIN";
  ExpectErrors({
      {"SELECT * FROM l JOIN r", "1:23: found the end of the text" + message},
      {"SELECT * FROM l JOIN r WHERE l.id = r.id", "1:24: found 'WHERE'" + message},
      {"SELECT * FROM l LEFT JOIN r AS x;", "1:33: found ';'" + message},
  });
}

TEST(SyntaxErrorTest, SaysThatSelectNeedsFrom) {
  const std::string message = "SELECT needs FROM: a query reads at least one table";
  ExpectErrors({
      {"SELECT 1", "1:9: " + message},
      {"SELECT 1;", "1:9: " + message},
      {"SELECT 1 WHERE TRUE", "1:10: " + message},
      {"SELECT * FROM (SELECT 1)", "1:24: " + message},
  });
}

TEST(SyntaxErrorTest, NamesTheReservedWordThatIsMeantAsAName) {
  ExpectErrors({
      {"SELECT order FROM l",
       "1:8: found 'order', expected an expression or '*'; ORDER is a reserved word: as a name it "
       "stands in backticks, `order`"},
      {"CREATE TABLE t (order INT)",
       "1:17: found 'order', expected a name or CONSTRAINT; ORDER is a reserved word: as a name it "
       "stands in backticks, `order`"},
      {"SELECT id FROM Group",
       "1:16: found 'Group', expected a name, text in quotes or '('; GROUP is a reserved word: as "
       "a name it stands "
       "in backticks, `Group`"},
  });
}

TEST(SyntaxErrorTest, RefusesByNameWhatBraidLeavesOut) {
  const std::string statements =
      " is not supported; the statements are CREATE TABLE, CREATE VIEW, INSERT INTO, SELECT, "
      "EXPLAIN "
      "and SET";
  ExpectErrors({
      {"SELECT id FROM l GROUP BY id",
       "1:18: GROUP BY is not supported: Braid joins streams, it does not aggregate them"},
      {"SELECT id FROM l WHERE v > 1 GROUP BY id",
       "1:30: GROUP BY is not supported: Braid joins streams, it does not aggregate them"},
      {"SELECT id FROM l HAVING id > 1",
       "1:18: HAVING is not supported: Braid joins streams, it does not aggregate them"},
      {"SELECT DISTINCT id FROM l",
       "1:8: DISTINCT is not supported: it would keep every row seen, for ever"},
      {"SELECT COUNT(DISTINCT id) FROM l",
       "1:14: DISTINCT is not supported: it would keep every row seen, for ever"},
      {"SELECT id FROM l ORDER BY id",
       "1:18: ORDER BY is not supported: a stream has no end to be sorted at"},
      {"SELECT id FROM l UNION ALL SELECT id FROM r",
       "1:18: UNION is not supported: a query is one SELECT"},
      {"SELECT id FROM l INTERSECT SELECT id FROM r",
       "1:18: INTERSECT is not supported: a query is one SELECT; LEFT SEMI JOIN keeps the rows "
       "with a "
       "partner"},
      {"SELECT id FROM l EXCEPT SELECT id FROM r",
       "1:18: EXCEPT is not supported: a query is one SELECT; LEFT ANTI JOIN keeps the rows "
       "without "
       "a partner"},
      {"SELECT SUM(v) OVER (PARTITION BY id) FROM l",
       "1:15: window functions (OVER) are not supported"},
      {"SELECT * FROM TABLE(TUMBLE(TABLE l, DESCRIPTOR(ts), INTERVAL '1' MINUTE))",
       "1:20: table functions (TUMBLE, HOP, SESSION, CUMULATE and others) are not supported"},
      {"SELECT * FROM HOP(l)", "1:18: the table function HOP is not supported in FROM"},
      {"SELECT * FROM l CROSS JOIN UNNEST(l.a)",
       "1:34: the table function UNNEST is not supported in FROM"},
      {"SELECT * FROM l, LATERAL TABLE(f(x))", "1:18: LATERAL is not supported"},
      {"SELECT * FROM l MATCH_RECOGNIZE (x)", "1:17: MATCH_RECOGNIZE is not supported"},
      {"SELECT * FROM l JOIN r FOR SYSTEM_TIME AS OF l.pt ON l.id = r.id",
       "1:24: FOR SYSTEM_TIME AS OF (temporal and lookup joins) is not supported"},
      {"SELECT * FROM l NATURAL JOIN r",
       "1:17: NATURAL JOIN is not supported; name the columns: JOIN … USING (…)"},
      {"SELECT * FROM l LIMIT 5 OFFSET 2", "1:25: OFFSET is not supported"},
      {"WITH RECURSIVE x AS (SELECT id FROM l) SELECT * FROM x",
       "1:16: WITH RECURSIVE is not supported"},
      {"INSERT INTO s VALUES (1)", "1:15: VALUES is not supported: rows come from tables"},
      {"INSERT OVERWRITE s SELECT id FROM l",
       "1:8: INSERT OVERWRITE is not supported; it is INSERT INTO, and the option 'sink.existing' "
       "= "
       "'overwrite' of the table"},
      {"CREATE TABLE t (a INT) PARTITIONED BY (a)", "1:24: PARTITIONED BY is not supported"},
      {"CREATE TABLE t (a INT METADATA)", "1:23: METADATA columns are not supported"},
      {"CREATE TABLE t (a ARRAY<INT>)", "1:24: the type ARRAY<…> is not supported"},
      {"SELECT CAST(v AS MAP<INT, INT>) FROM l", "1:21: the type MAP<…> is not supported"},
      {"SELECT TIME '10:00' FROM l", "1:13: the type TIME is not supported"},
      {"DROP TABLE l", "1:1: DROP" + statements},
      {"UPDATE l SET v = 1", "1:1: UPDATE" + statements},
      {"DELETE FROM l", "1:1: DELETE" + statements},
      {"MERGE INTO l USING r ON TRUE", "1:1: MERGE" + statements},
      {"alter TABLE l ADD x INT", "1:1: ALTER" + statements},
      {"SHOW TABLES", "1:1: SHOW" + statements},
  });
}

TEST(SyntaxErrorTest, RefusesTokensThatCannotBe) {
  ExpectErrors({
      {"SELECT /*+ OPTIONS('a'='b') */ id FROM l",
       "1:8: hints (/*+ … */) are not supported; options stand in WITH (…) of the table, or in "
       "SET"},
      {"SELECT id /* FROM l", "1:11: this comment is not closed; */ is missing"},
      {"SELECT 'abc FROM l", "1:8: this text is not closed; a ' is missing"},
      {"SELECT 'abc'' FROM l", "1:8: this text is not closed; a ' is missing"},
      {"SELECT `abc FROM l", "1:8: this name is not closed; a ` is missing"},
      {"SELECT `` FROM l", "1:8: a name has at least one character"},
      {"SELECT \"id\" FROM l",
       "1:8: text stands in single quotes: 'text'; names in backticks: `name`"},
      {"SELECT id FROM l WHERE v == 1", "1:26: equality is written ="},
      {"SELECT v::INT FROM l", "1:9: a conversion is written CAST(value AS type)"},
      {"SELECT 1abc FROM l", "1:8: a name that starts with a digit stands in backticks"},
      {"SELECT v[1] FROM l", "1:9: '[' begins nothing here"},
      {"SELECT $x FROM l", "1:8: '$' begins nothing here"},
      {std::string("SELECT \x01 FROM l"), "1:8: the byte 0x01 begins nothing here"},
      {"SELECT '\xFF' FROM l", "1:8: this is not UTF-8 text"},
      {"SELECT caf\xC3 FROM l", "1:8: this is not UTF-8 text"},
      {"SELECT `\xED\xA0\x80` FROM l", "1:8: this is not UTF-8 text"},
      {"SELECT X'0' FROM l", "1:8: X'…' takes two digits 0-9 A-F for each byte"},
      {"SELECT X'0G' FROM l", "1:8: X'…' takes two digits 0-9 A-F for each byte"},
  });
}

}  // namespace
}  // namespace braid
