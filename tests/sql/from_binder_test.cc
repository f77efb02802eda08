#include "engine/sql/from_binder.h"

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

TEST(FromBinderTest, EveryKindOfJoin) {
  const std::vector<std::pair<std::string, std::string>> kinds = {
      {"JOIN", "INNER"},
      {"INNER JOIN", "INNER"},
      {"LEFT JOIN", "LEFT OUTER"},
      {"LEFT OUTER JOIN", "LEFT OUTER"},
      {"RIGHT JOIN", "RIGHT OUTER"},
      {"RIGHT OUTER JOIN", "RIGHT OUTER"},
      {"FULL JOIN", "FULL OUTER"},
      {"FULL OUTER JOIN", "FULL OUTER"},
      {"LEFT SEMI JOIN", "LEFT SEMI"},
      {"SEMI JOIN", "LEFT SEMI"},
      {"LEFT ANTI JOIN", "LEFT ANTI"},
      {"ANTI JOIN", "LEFT ANTI"},
  };
  for (const auto& [written, kind] : kinds) {
    EXPECT_EQ(BoundPlan("SELECT v FROM l " + written + " r ON l.id = r.id"),
              "Project l.v AS v\n"
              "  Join " +
                  kind +
                  " ON l.id = r.id\n"
                  "    Scan l\n"
                  "    Scan r\n");
  }
}

TEST(FromBinderTest, JoinsWithoutACondition) {
  const std::string plan =
      "Project l.v AS v\n"
      "  Join CROSS\n"
      "    Scan l\n"
      "    Scan r\n";
  ExpectPlans({{"SELECT v FROM l CROSS JOIN r", plan}, {"SELECT v FROM l, r", plan}});
}

TEST(FromBinderTest, CommasWithWhereKeepTheFilterAboveTheJoin) {
  ExpectPlans({{"SELECT v FROM l, r x WHERE l.id = x.id AND v > 1",
                "Project l.v AS v\n"
                "  Filter l.id = x.id AND l.v > 1\n"
                "    Join CROSS\n"
                "      Scan l\n"
                "      Scan r AS x\n"}});
}

TEST(FromBinderTest, OnStaysWithTheJoinAndWhereStandsAboveIt) {
  ExpectPlans({{"SELECT l.v FROM l LEFT JOIN r ON l.id = r.id AND l.v > 1 WHERE r.w > 2",
                "Project l.v AS v\n"
                "  Filter r.w > 2\n"
                "    Join LEFT OUTER ON l.id = r.id AND l.v > 1\n"
                "      Scan l\n"
                "      Scan r\n"}});
}

TEST(FromBinderTest, ChainsAndParentheses) {
  ExpectPlans({
      {"SELECT v FROM l JOIN r ON l.id = r.id LEFT JOIN s ON s.a = r.id",
       "Project l.v AS v\n"
       "  Join LEFT OUTER ON s.a = r.id\n"
       "    Join INNER ON l.id = r.id\n"
       "      Scan l\n"
       "      Scan r\n"
       "    Scan s\n"},
      {"SELECT v FROM l JOIN (r LEFT JOIN s ON s.a = r.id) ON l.id = r.id",
       "Project l.v AS v\n"
       "  Join INNER ON l.id = r.id\n"
       "    Scan l\n"
       "    Join LEFT OUTER ON s.a = r.id\n"
       "      Scan r\n"
       "      Scan s\n"},
      {"SELECT v FROM l, r JOIN s ON s.a = r.id",
       "Project l.v AS v\n"
       "  Join CROSS\n"
       "    Scan l\n"
       "    Join INNER ON s.a = r.id\n"
       "      Scan r\n"
       "      Scan s\n"},
  });
}

TEST(FromBinderTest, ASelfJoinNeedsTwoNames) {
  ExpectPlans({{"SELECT a.v, b.v AS w FROM l AS a JOIN l b ON a.id = b.id",
                "Project a.v AS v, b.v AS w\n"
                "  Join INNER ON a.id = b.id\n"
                "    Scan l AS a\n"
                "    Scan l AS b\n"}});
}

TEST(FromBinderTest, UsingMakesOneColumnThatComesFirst) {
  const std::string rest =
      "    Scan l\n"
      "    Scan r\n";
  const std::string left = "l.v AS v, l.name AS name";
  const std::string right = "r.w AS w, r.pt AS pt (processing time)";
  ExpectPlans({
      {"SELECT * FROM l JOIN r USING (id, ts)",
       "Project l.id AS id, l.ts AS ts (row time), " + left + ", " + right +
           "\n  Join INNER ON l.id = r.id AND l.ts = r.ts\n" + rest},
      {"SELECT * FROM l RIGHT JOIN r USING (ts, id)",
       "Project r.ts AS ts (row time), r.id AS id, " + left + ", " + right +
           "\n  Join RIGHT OUTER ON l.ts = r.ts AND l.id = r.id\n" + rest},
      {"SELECT * FROM l FULL JOIN r USING (id, ts)",
       "Project COALESCE(l.id, r.id) AS id, COALESCE(l.ts, r.ts) AS ts, " + left + ", " + right +
           "\n  Join FULL OUTER ON l.id = r.id AND l.ts = r.ts\n" + rest},
      {"SELECT * FROM l LEFT ANTI JOIN r USING (id)",
       "Project l.id AS id, l.ts AS ts (row time), " + left +
           "\n  Join LEFT ANTI ON l.id = r.id\n" + rest},
      {"SELECT id, l.id, r.id AS rid FROM l FULL JOIN r USING (id)",
       "Project COALESCE(l.id, r.id) AS id, l.id AS id, r.id AS rid"
       "\n  Join FULL OUTER ON l.id = r.id\n" +
           rest},
      {"SELECT r.* FROM l JOIN r USING (id)", "Project r.id AS id, r.ts AS ts (row time), " +
                                                  right + "\n  Join INNER ON l.id = r.id\n" + rest},
  });
}

TEST(FromBinderTest, ASecondUsingTakesTheFirstOnesColumn) {
  ExpectPlans({{"SELECT id, x.v FROM l FULL JOIN r USING (id) JOIN l x USING (id)",
                "Project COALESCE(l.id, r.id) AS id, x.v AS v\n"
                "  Join INNER ON COALESCE(l.id, r.id) = x.id\n"
                "    Join FULL OUTER ON l.id = r.id\n"
                "      Scan l\n"
                "      Scan r\n"
                "    Scan l AS x\n"}});
}

TEST(FromBinderTest, ErrorsInJoins) {
  ExpectErrors({
      {"SELECT * FROM l JOIN r USING (v)",
       "1:31: there is no column v; there are id, ts, w and pt"},
      {"SELECT * FROM l JOIN r USING (id, id)", "1:35: USING has id twice"},
      {"SELECT * FROM l JOIN r ON l.id", "1:27: ON takes a condition (BOOLEAN), not BIGINT"},
      {"SELECT r.w FROM l LEFT SEMI JOIN r ON l.id = r.id",
       "1:8: there is no table r in FROM; there is l"},
      {"SELECT * FROM l JOIN r ON l.id = s.a JOIN s ON TRUE",
       "1:34: there is no table s in FROM; there are l and r"},
  });
}

TEST(FromBinderTest, SubqueriesAndTheirNames) {
  ExpectPlans({
      {"SELECT a.i, t FROM (SELECT id AS i, ts AS t FROM l WHERE v > 1) AS a",
       "Project i AS i, t AS t (row time)\n"
       "  Project l.id AS i, l.ts AS t (row time)\n"
       "    Filter l.v > 1\n"
       "      Scan l\n"},
      {"SELECT k FROM (SELECT id FROM l) (k)",
       "1:34: found '(', expected a name, AS, JOIN, LIMIT, WHERE, ',' or the end of the text"},
      {"SELECT x.k FROM (SELECT id FROM l) x (k)",
       "Project k AS k\n"
       "  Project id AS k\n"
       "    Project l.id AS id\n"
       "      Scan l\n"},
  });
}

TEST(FromBinderTest, RowTimeIsKeptUntilAnExpressionTakesIt) {
  ExpectPlans(
      {{"SELECT a, b, c, d, e FROM (SELECT ts AS a, ts + INTERVAL '1' SECOND AS b, "
        "CAST(ts AS TIMESTAMP(3)) AS c, pt AS d, PROCTIME() AS e FROM r) x",
        "Project a AS a (row time), b AS b, c AS c, d AS d (processing time), e AS e "
        "(processing time)\n"
        "  Project r.ts AS a (row time), r.ts + INTERVAL '1' SECOND AS b, CAST(r.ts AS "
        "TIMESTAMP(3)) AS c, r.pt AS d (processing time), PROCTIME() AS e (processing time)\n"
        "    Scan r\n"}});
}

}  // namespace
}  // namespace braid
