#include "engine/sql/query_binder.h"

#include "tests/sql/bound_text.h"

namespace braid {
namespace {

struct Case {
  std::string text;
  std::string plan;
};

void ExpectPlans(const std::vector<Case>& cases) {
  for (const Case& each : cases) EXPECT_EQ(BoundPlan(each.text), each.plan) << each.text;
}

TEST(QueryBinderTest, StarsAreWrittenOut) {
  ExpectPlans({
      {"SELECT * FROM s", "Project s.a AS a, s.b AS b, s.c AS c, s.t AS t, s.d AS d\n  Scan s\n"},
      {"SELECT x.*, 1 AS one FROM s x",
       "Project x.a AS a, x.b AS b, x.c AS c, x.t AS t, x.d AS d, 1 AS one\n  Scan s AS x\n"},
      {"SELECT r.*, l.v FROM l, r",
       "Project r.id AS id, r.ts AS ts (row time), r.w AS w, r.pt AS pt (processing time), l.v AS "
       "v\n"
       "  Join CROSS\n"
       "    Scan l\n"
       "    Scan r\n"},
  });
}

TEST(QueryBinderTest, AColumnWithoutANameIsCalledByItsText) {
  ExpectPlans({
      {"SELECT v +\n  1, l.ID, COALESCE( v , 0 ) c FROM l",
       "Project l.v + 1 AS v + 1, l.id AS id, COALESCE(l.v, 0) AS c\n  Scan l\n"},
  });
}

TEST(QueryBinderTest, AliasesMayBeAnyWordBehindAs) {
  ExpectPlans({
      {"SELECT v AS select, v AS `a b`, v timestamp, v AS FROM FROM l",
       "Project l.v AS select, l.v AS a b, l.v AS timestamp, l.v AS FROM\n  Scan l\n"},
  });
}

TEST(QueryBinderTest, ViewsAreBoundWhereTheyAreUsed) {
  ExpectPlans({
      {"CREATE VIEW x (k, t) AS SELECT id, ts FROM l WHERE v > 1;\nSELECT k, y.t FROM x AS y",
       "Project k AS k, t AS t (row time)\n"
       "  Project id AS k, ts AS t (row time)\n"
       "    Project l.id AS id, l.ts AS ts (row time)\n"
       "      Filter l.v > 1\n"
       "        Scan l\n"},
      {"CREATE TEMPORARY VIEW x AS SELECT id FROM l;\nCREATE OR REPLACE VIEW x AS SELECT id + 1 AS "
       "i "
       "FROM x;\nSELECT * FROM x",
       "Project i AS i\n"
       "  Project id + 1 AS i\n"
       "    Project l.id AS id\n"
       "      Scan l\n"},
      {"CREATE VIEW x AS SELECT id FROM l;\nCREATE VIEW IF NOT EXISTS x AS SELECT v FROM "
       "l;\nSELECT * "
       "FROM x",
       "Project id AS id\n"
       "  Project l.id AS id\n"
       "    Scan l\n"},
  });
}

TEST(QueryBinderTest, CommonTablesAreViewsOfTheirQuery) {
  ExpectPlans({
      {"WITH x AS (SELECT id FROM l), r (k) AS (SELECT id FROM x) SELECT x.id, r.k FROM x JOIN r "
       "ON "
       "x.id = r.k",
       "Project id AS id, k AS k\n"
       "  Join INNER ON id = k\n"
       "    Project l.id AS id\n"
       "      Scan l\n"
       "    Project id AS k\n"
       "      Project id AS id\n"
       "        Project l.id AS id\n"
       "          Scan l\n"},
      {"INSERT INTO s (a) WITH x AS (SELECT id FROM l) SELECT id FROM x",
       "Project id AS a, NULL AS b, NULL AS c, NULL AS t\n"
       "  Project l.id AS id\n"
       "    Scan l\n"},
      {"SELECT * FROM (WITH x AS (SELECT id FROM l) SELECT * FROM x) y",
       "Project id AS id\n"
       "  Project id AS id\n"
       "    Project l.id AS id\n"
       "      Scan l\n"},
  });
  ExpectErrors({
      {"WITH x AS (SELECT id FROM l), x AS (SELECT id FROM l) SELECT * FROM x",
       "1:31: WITH defines x twice"},
      {"WITH x AS (SELECT id FROM y), y AS (SELECT id FROM l) SELECT * FROM x",
       "1:27: there is no table or view y; there are l, r and s"},
      {"WITH x AS (SELECT id FROM x) SELECT * FROM x",
       "1:27: there is no table or view x; there are l, r and s"},
      {"WITH x (a, b) AS (SELECT id FROM l) SELECT * FROM x",
       "1:9: the list of names is 2 long, but there are 1 columns"},
  });
}

TEST(QueryBinderTest, LimitIsForPrintedQueries) {
  const std::string message =
      "LIMIT is possible only in a SELECT that is printed, not in a view, a subquery or an INSERT";
  ExpectErrors({
      {"CREATE VIEW x AS SELECT id FROM l LIMIT 4", "1:35: " + message},
      {"SELECT * FROM (SELECT id FROM l LIMIT 4) x", "1:33: " + message},
      {"INSERT INTO s (a) SELECT id FROM l LIMIT 4", "1:36: " + message},
      {"WITH x AS (SELECT id FROM l LIMIT 4) SELECT * FROM x", "1:29: " + message},
      {"SELECT id FROM l LIMIT 99999999999999999999",
       "1:24: LIMIT 99999999999999999999 is too large"},
      {"SELECT id FROM l LIMIT -1", "1:24: found '-', expected a whole number"},
  });
}

TEST(QueryBinderTest, PrintedColumnsHaveATypeThatCanBePrinted) {
  ExpectErrors({
      {"SELECT id, NULL AS x FROM l",
       "1:12: the column x is NULL without a type; write CAST(NULL AS …)"},
      {"SELECT v , l.ts - r.ts AS d FROM l, r",
       "1:12: the column d is an interval, which cannot be printed; TIMESTAMPDIFF(SECOND, from, "
       "to) "
       "gives a number"},
  });
  ExpectPlans({{"SELECT id FROM (SELECT id, ts - ts AS d FROM l) x WHERE d > INTERVAL '1' SECOND",
                "Project id AS id\n"
                "  Filter d > INTERVAL '1' SECOND\n"
                "    Project l.id AS id, l.ts - l.ts AS d\n"
                "      Scan l\n"}});
}

}  // namespace
}  // namespace braid
