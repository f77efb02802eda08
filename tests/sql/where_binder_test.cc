#include "engine/sql/where_binder.h"

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

TEST(WhereBinderTest, ExistsBecomesASemiJoin) {
  ExpectPlans({
      {"SELECT id FROM l WHERE EXISTS (SELECT 1 FROM r WHERE r.id = l.id AND w > 3 AND r.ts "
       "BETWEEN "
       "l.ts AND l.ts + INTERVAL '5' SECOND) AND v > 1",
       "Project l.id AS id\n"
       "  Filter l.v > 1\n"
       "    Join LEFT SEMI ON r.id = l.id AND r.ts >= l.ts AND r.ts <= l.ts + INTERVAL '5' SECOND\n"
       "      Scan l\n"
       "      Filter r.w > 3\n"
       "        Scan r\n"},
      {"SELECT id FROM l WHERE (v > 1 AND (exists (SELECT * FROM r WHERE r.id = l.id)))",
       "Project l.id AS id\n"
       "  Filter l.v > 1\n"
       "    Join LEFT SEMI ON r.id = l.id\n"
       "      Scan l\n"
       "      Scan r\n"},
      {"SELECT id FROM l WHERE EXISTS (SELECT 1 FROM r)",
       "Project l.id AS id\n"
       "  Join LEFT SEMI\n"
       "    Scan l\n"
       "    Scan r\n"},
      {"SELECT id FROM l WHERE EXISTS (SELECT 1 FROM r WHERE l.v > 1)",
       "Project l.id AS id\n"
       "  Join LEFT SEMI ON l.v > 1\n"
       "    Scan l\n"
       "    Scan r\n"},
  });
}

TEST(WhereBinderTest, NotExistsBecomesAnAntiJoin) {
  ExpectPlans({{"SELECT id FROM l WHERE NOT EXISTS (SELECT 1 FROM r WHERE r.id = l.id AND w = v)",
                "Project l.id AS id\n"
                "  Join LEFT ANTI ON r.id = l.id AND r.w = l.v\n"
                "    Scan l\n"
                "    Scan r\n"}});
}

TEST(WhereBinderTest, InBecomesASemiJoin) {
  ExpectPlans({
      {"SELECT id FROM l WHERE l.id IN (SELECT r.id FROM r WHERE r.ts = l.ts AND r.w > 1)",
       "Project l.id AS id\n"
       "  Join LEFT SEMI ON l.id = r.id AND r.ts = l.ts\n"
       "    Scan l\n"
       "    Filter r.w > 1\n"
       "      Scan r\n"},
      {"SELECT id FROM l WHERE id + 1 IN (SELECT id * 2 FROM r)",
       "Project l.id AS id\n"
       "  Join LEFT SEMI ON l.id + 1 = r.id * 2\n"
       "    Scan l\n"
       "    Scan r\n"},
      {"SELECT id FROM l WHERE (id, ts) IN (SELECT id, ts FROM r)",
       "Project l.id AS id\n"
       "  Join LEFT SEMI ON l.id = r.id AND l.ts = r.ts\n"
       "    Scan l\n"
       "    Scan r\n"},
  });
}

TEST(WhereBinderTest, InsideNamesGoFirst) {
  // id and ts are columns of both: inside they mean r's.
  ExpectPlans(
      {{"SELECT id FROM l WHERE EXISTS (SELECT 1 FROM r WHERE id = 1 AND v = w AND name = 'a')",
        "Project l.id AS id\n"
        "  Join LEFT SEMI ON l.v = r.w AND l.name = 'a'\n"
        "    Scan l\n"
        "    Filter r.id = 1\n"
        "      Scan r\n"}});
}

TEST(WhereBinderTest, SubqueriesMayHaveJoinsAndSubqueriesOfTheirOwn) {
  ExpectPlans(
      {{"SELECT id FROM l WHERE EXISTS (WITH q AS (SELECT a AS k FROM s) SELECT 1 FROM r JOIN q ON "
        "r.id = q.k WHERE r.id = l.id AND EXISTS (SELECT 1 FROM s WHERE s.a = r.id))",
        "Project l.id AS id\n"
        "  Join LEFT SEMI ON r.id = l.id\n"
        "    Scan l\n"
        "    Join LEFT SEMI ON s.a = r.id\n"
        "      Join INNER ON r.id = k\n"
        "        Scan r\n"
        "        Project s.a AS k\n"
        "          Scan s\n"
        "      Scan s\n"}});
}

TEST(WhereBinderTest, RefusesWhatIsNoJoinAndSaysWhatToWrite) {
  const std::string not_in =
      "NOT IN (SELECT …) is not supported: one NULL in the subquery would reject every row; write "
      "NOT "
      "EXISTS (SELECT 1 FROM … WHERE …)";
  ExpectErrors({
      {"SELECT id FROM l WHERE id NOT IN (SELECT id FROM r)", "1:31: " + not_in},
      {"SELECT id FROM l WHERE NOT id IN (SELECT id FROM r)", "1:31: " + not_in},
      {"SELECT id FROM l WHERE id = 1 OR EXISTS (SELECT 1 FROM r)",
       "1:34: EXISTS is possible as a condition of WHERE, alone or joined by AND; it becomes a "
       "semi "
       "join, NOT EXISTS an anti join"},
      {"SELECT id FROM l JOIN r ON id IN (SELECT a FROM s)",
       "1:31: IN (SELECT …) is possible as a condition of WHERE, alone or joined by AND; it "
       "becomes a "
       "semi join"},
      {"SELECT id FROM l WHERE (id, v) IN (SELECT id FROM r)",
       "1:32: IN compares 2 with 1 selected columns; they must be as many"},
      {"SELECT id FROM l WHERE EXISTS (SELECT 1 FROM r WHERE r.id = l.id LIMIT 1)",
       "1:66: LIMIT is not possible in EXISTS and IN"},
      {"SELECT id FROM l WHERE EXISTS (SELECT noway FROM r WHERE r.id = l.id)",
       "1:39: there is no column noway; there are id, ts, w, pt, id, ts, v and name"},
      {"SELECT id FROM l WHERE EXISTS (SELECT 1 FROM r WHERE EXISTS (SELECT 1 FROM s WHERE s.b = "
       "l.v))",
       "1:90: there is no table l in FROM; there is s"},
      {"SELECT id FROM l WHERE EXISTS (SELECT 1 FROM r WHERE w)",
       "1:54: WHERE takes a condition (BOOLEAN), not BIGINT"},
      {"SELECT id FROM l WHERE v", "1:24: WHERE takes a condition (BOOLEAN), not BIGINT"},
  });
}

TEST(WhereBinderTest, ANullConditionIsFalse) {
  ExpectPlans({{"SELECT id FROM l WHERE NULL",
                "Project l.id AS id\n"
                "  Filter NULL\n"
                "    Scan l\n"}});
}

}  // namespace
}  // namespace braid
