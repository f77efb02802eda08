#include "engine/plan/fingerprint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "tests/plan/planned_query.h"

namespace braid {
namespace {

using testing::HasSubstr;

constexpr const char* kBase =
    "CREATE TABLE l (id BIGINT, ts TIMESTAMP(3), v INT, x INT, WATERMARK FOR ts AS ts - INTERVAL "
    "'5' SECOND) WITH ('connector' = 'blackhole');\n"
    "CREATE TABLE r (id BIGINT, ts TIMESTAMP(3), w INT, WATERMARK FOR ts AS ts - INTERVAL '5' "
    "SECOND) WITH ('connector' = 'blackhole');\n"
    "SELECT l.id, l.v, r.w FROM l LEFT JOIN r ON l.id = r.id AND r.ts BETWEEN l.ts AND l.ts + "
    "INTERVAL '5' SECOND AND l.v <> r.w";

std::string FingerprintOf(const std::string& script) {
  const Result<StreamPlan> plan = PlanScript(script);
  EXPECT_TRUE(plan.has_value()) << script << ": " << (plan ? "" : plan.error().message);
  return plan ? StateFingerprint(*plan) : "";
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t place = text.find(from); place != std::string::npos;
       place = text.find(from, place + to.size())) {
    text.replace(place, from.size(), to);
  }
  return text;
}

TEST(FingerprintTest, IsReadable) {
  const std::string fingerprint = FingerprintOf(kBase);
  for (const char* line :
       {"state fingerprint: 1\n", "join type: LEFT OUTER\n", "left table: l\n",
        "left table column $2: INT -- column v of table l\n", "left watermark column: $1 -- ts\n",
        "left key 1: $0 BIGINT -- l.id\n", "left stored time: $1 -- l.ts\n",
        "left eviction: time < watermark - INTERVAL '5' SECOND -- l.ts < watermark - INTERVAL '5' "
        "SECOND\n",
        "left stored column 1: $2 INT -- l.v\n",
        "time range: from INTERVAL '0' SECOND to INTERVAL '5' SECOND\n",
        "postJoinFilter: left $2 <> right $2 -- l.v <> r.w\n"}) {
    EXPECT_THAT(fingerprint, HasSubstr(line));
  }
}

TEST(FingerprintTest, WhatStateDoesNotDependOnMayChange) {
  struct Case {
    const char* what;
    std::string script;
  };
  const std::string base = kBase;
  const Case cases[] = {
      {"nothing", base},
      {"aliases",
       Replaced(Replaced(Replaced(base, "FROM l LEFT JOIN r ON", "FROM l AS a LEFT JOIN r AS b ON"),
                         "l.", "a."),
                "r.", "b.")},
      {"the name of a column",
       Replaced(Replaced(base, " v INT", " amount INT"), "l.v", "l.amount")},
      {"a column more at the end",
       Replaced(base, "w INT, WATERMARK", "w INT, more STRING, WATERMARK")},
      {"the delay", Replaced(base, "AS ts - INTERVAL '5' SECOND", "AS ts - INTERVAL '9' SECOND")},
      {"the type of an unused column", Replaced(base, "x INT", "x STRING")},
      {"what is made of the stored columns",
       Replaced(base, "SELECT l.id, l.v, r.w", "SELECT l.id + 1 AS i, r.w + l.v AS s")},
      {"whether the key is asked for, which is its own word",
       Replaced(base, "SELECT l.id, l.v, r.w", "SELECT l.v, r.w")},
      {"the name of an output column", Replaced(base, "r.w FROM", "r.w AS other FROM")},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(ExplainFingerprintChange(FingerprintOf(base), FingerprintOf(c.script)), std::nullopt)
        << c.what;
  }
}

TEST(FingerprintTest, NamesWhatChanged) {
  struct Case {
    std::string script;
    const char* message;
  };
  const std::string base = kBase;
  const Case cases[] = {
      {Replaced(base, " v INT", " v BIGINT"),
       "column v of table l was INT when the checkpoint was made, and is BIGINT now"},
      {Replaced(base, "LEFT JOIN", "JOIN"),
       "the join type was LEFT OUTER when the checkpoint was made, and is INNER now"},
      {Replaced(base, "l.ts + INTERVAL '5'", "l.ts + INTERVAL '8'"),
       "the left eviction was l.ts < watermark - INTERVAL '5' SECOND [time < watermark - INTERVAL "
       "'5' SECOND] when the checkpoint was made, and is l.ts < watermark - INTERVAL '8' SECOND "
       "[time < watermark - INTERVAL '8' SECOND] now"},
      {Replaced(base, "l.v <> r.w", "l.v < r.w"),
       "the postJoinFilter was l.v <> r.w [left $2 <> right $2] when the checkpoint was made, and "
       "is l.v < r.w [left $2 < right $2] now"},
      {Replaced(base, "SELECT l.id, l.v, r.w", "SELECT l.id, l.v, l.x, r.w"),
       "column x of table l is used now, and was not when the checkpoint was made"},
      {base + " AND l.v > 3",
       "the left preJoinFilter was none when the checkpoint was made, and "
       "is l.v > 3 [$2 > 3] now"},
      {base + " WHERE l.v > 3", "the left WHERE was none"},
      {Replaced(base, "l.id = r.id", "l.id + 1 = r.id"), "the left key 1 was l.id [$0 BIGINT]"},
      {Replaced(base, "l.id = r.id AND ", ""),
       "column id of table r was used when the checkpoint "
       "was made, and is not used now"},
      {Replaced(base, "CREATE TABLE l (id BIGINT, ", "CREATE TABLE l (first STRING, id BIGINT, "),
       "column id of table l was the left table column $0 when the checkpoint was made, and is the "
       "left table column $1 now"},
      {Replaced(base, "id BIGINT, ts TIMESTAMP(3), v INT", "id BIGINT, v INT, ts TIMESTAMP(3)"),
       "the left table column $1 was column ts of table l [TIMESTAMP(3)] when the checkpoint was "
       "made, and is column v of table l [INT] now"},
  };
  for (const Case& c : cases) {
    const std::optional<std::string> change =
        ExplainFingerprintChange(FingerprintOf(base), FingerprintOf(c.script));
    ASSERT_TRUE(change.has_value()) << c.script;
    EXPECT_THAT(*change, HasSubstr(c.message));
  }
}

constexpr const char* kTree =
    "SELECT l.id, r.w, t.u FROM l JOIN r ON l.id = r.id AND r.ts BETWEEN l.ts AND l.ts + INTERVAL "
    "'5' SECOND LEFT JOIN t ON t.id = l.id AND t.ts BETWEEN l.ts AND l.ts + INTERVAL '9' SECOND";

std::string PerRecordFingerprint(const std::string& query,
                                 RowTimeJoin row_time_join = RowTimeJoin::kSql) {
  const Result<StreamPlan> plan = PlanPerRecord(query, row_time_join);
  EXPECT_TRUE(plan.has_value()) << query << ": " << (plan ? "" : plan.error().message);
  return plan ? StateFingerprint(*plan) : "";
}

TEST(FingerprintTest, OfATreeIsReadable) {
  const std::string fingerprint = PerRecordFingerprint(kTree);
  for (const char* line :
       {"state fingerprint: 1\n", "\nmode: per-record\n", "\njoin type: LEFT OUTER\n",
        "\noperator: row-time interval join\n",
        "\nwindow: from -INTERVAL '9' SECOND to INTERVAL '0' SECOND\n",
        "\nleft input's join type: INNER\n", "\nleft input's operator: row-time interval join\n",
        "\nleft input's left table: l\n", "\nleft input's right table: r\n",
        "\nleft input's left key 1: $0 BIGINT -- l.id\n",
        "\nleft input's WHERE after the join: none\n",
        "\nleft input's output column $2: right $2 BIGINT -- r.w\n", "\nright table: t\n",
        "\nleft key 1: $0 BIGINT -- l.id\n"}) {
    EXPECT_THAT(fingerprint, HasSubstr(line));
  }
}

TEST(FingerprintTest, OfATreeNamesWhatChanged) {
  struct Case {
    std::string now;
    const char* message;
  };
  const std::string base = kTree;
  const std::string two =
      "SELECT l.id FROM l JOIN r ON l.id = r.id AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '5' "
      "SECOND";
  const Case cases[] = {
      {Replaced(base, "l JOIN r", "l LEFT JOIN r"), "the left input's join type was INNER when"},
      {Replaced(base, "INTERVAL '5'", "INTERVAL '6'"), "the left input's window was from"},
      {Replaced(base, "'9' SECOND", "'8' SECOND"), "the window was from"},
      {Replaced(base, " AND t.ts BETWEEN l.ts AND l.ts + INTERVAL '9' SECOND", ""),
       "the operator was row-time interval join when the checkpoint was made, and is regular join "
       "now"},
      {base + " WHERE l.v > r.w", "the left input's postJoinFilter was none when"},
      {Replaced(base, "SELECT l.id, r.w", "SELECT l.id"), "column w of table r was used when"},
      {Replaced(base, "l.id = r.id", "l.id = r.id AND l.id <> 3"),
       "the left input's postJoinFilter was none when"},
      {two, "the join type was LEFT OUTER when"},
  };
  for (const Case& c : cases) {
    const std::optional<std::string> change =
        ExplainFingerprintChange(PerRecordFingerprint(base), PerRecordFingerprint(c.now));
    ASSERT_TRUE(change.has_value()) << c.now;
    EXPECT_THAT(*change, HasSubstr(c.message));
  }
  EXPECT_EQ(ExplainFingerprintChange(PerRecordFingerprint(base),
                                     PerRecordFingerprint(Replaced(base, "t.u", "t.u + 1 AS s"))),
            std::nullopt);
}

TEST(FingerprintTest, NamesAnotherModeAndAnotherOperator) {
  const std::string query =
      "SELECT l.id FROM l JOIN r ON l.id = r.id AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '5' "
      "SECOND";
  for (const std::string& one : {query, std::string("SELECT id FROM l")}) {
    const std::string micro_batch = FingerprintOf(StandardTables() + one);
    EXPECT_EQ(ExplainFingerprintChange(micro_batch, PerRecordFingerprint(one)),
              "the mode was micro-batch when the checkpoint was made, and is per-record now");
    EXPECT_EQ(ExplainFingerprintChange(PerRecordFingerprint(one), micro_batch),
              "the mode was per-record when the checkpoint was made, and is micro-batch now");
  }
  EXPECT_EQ(ExplainFingerprintChange(PerRecordFingerprint(query),
                                     PerRecordFingerprint(query, RowTimeJoin::kDataStream)),
            "the operator was row-time interval join when the checkpoint was made, and is "
            "DataStream interval join now");
}

TEST(FingerprintTest, TextInAConditionCannotLookLikeALabel) {
  const std::string base = std::string(kBase) + " AND r.w = 3";
  const std::string odd = Replaced(base, "r.w = 3", "CAST(r.w AS STRING) <> 'a -- b\\nc'");
  const std::string other = Replaced(odd, "-- b", "-- d");
  EXPECT_EQ(ExplainFingerprintChange(FingerprintOf(odd), FingerprintOf(odd)), std::nullopt);
  EXPECT_TRUE(ExplainFingerprintChange(FingerprintOf(odd), FingerprintOf(other)).has_value());
}

TEST(FingerprintTest, WithoutAJoinOnlyTheWatermarkCounts) {
  const std::string base = StandardTables() + "SELECT id FROM l WHERE v > 1";
  EXPECT_EQ(ExplainFingerprintChange(FingerprintOf(base),
                                     FingerprintOf(StandardTables() + "SELECT v, id FROM l")),
            std::nullopt);
  const std::optional<std::string> change = ExplainFingerprintChange(
      FingerprintOf(base), FingerprintOf(StandardTables() + "SELECT id FROM r"));
  ASSERT_TRUE(change.has_value());
  EXPECT_THAT(*change, HasSubstr("the input table was l"));
}

}  // namespace
}  // namespace braid
