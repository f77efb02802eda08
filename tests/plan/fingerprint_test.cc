#include "engine/plan/fingerprint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "engine/plan/fingerprint_change.h"
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
       {"state fingerprint: 2\n", "mode: micro-batch\n", "join type: LEFT OUTER\n",
        "left table: l\n", "left matches: recorded\n",
        "left column v: INT -- column v of table l\n",
        "left unused column x: INT -- column x of table l\n", "left watermark: {left.ts} -- ts\n",
        "left key 1: {left.id} -- l.id\n", "left key 1 type: BIGINT -- l.id\n",
        "left stored time: {left.ts} -- l.ts\n",
        "left eviction: -5000000 -- l.ts < watermark - INTERVAL '5' SECOND\n",
        "left stored column 1: {left.v} -- l.v\n", "left stored column 1 type: INT -- l.v\n",
        "time range from: 0 -- INTERVAL '0' SECOND\n",
        "time range to: 5000000 -- INTERVAL '5' SECOND\n",
        "postJoinFilter: {left.v} <> {right.w} -- l.v <> r.w\n"}) {
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
      {"a column more in front",
       Replaced(base, "CREATE TABLE l (id BIGINT, ", "CREATE TABLE l (first STRING, id BIGINT, ")},
      {"the order of columns",
       Replaced(base, "id BIGINT, ts TIMESTAMP(3), v INT", "id BIGINT, v INT, ts TIMESTAMP(3)")},
      {"an unused column less", Replaced(base, " x INT,", "")},
      {"a wider type", Replaced(base, " v INT", " v BIGINT")},
      {"a wider row time", Replaced(base, "ts TIMESTAMP(3)", "ts TIMESTAMP(6)")},
      {"a column that is in the condition still", Replaced(base, "l.v, r.w", "r.w")},
      {"a narrower bound", Replaced(base, "l.ts + INTERVAL '5'", "l.ts + INTERVAL '3'")},
      {"no padding any more", Replaced(base, "LEFT JOIN", "JOIN")},
      {"the condition of a join that pads nothing",
       Replaced(Replaced(base, "LEFT JOIN", "JOIN"), "l.v <> r.w", "l.v < r.w")},
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
      {Replaced(base, " v INT", " v SMALLINT"),
       "column v of table l was INT when the checkpoint was made, and is SMALLINT now: what is "
       "stored of it may not fit"},
      {Replaced(base, " v INT", " v STRING"),
       "column v of table l was INT when the checkpoint was made, and is STRING now"},
      {Replaced(base, "ts TIMESTAMP(3)", "ts TIMESTAMP(0)"),
       "column ts of table l was TIMESTAMP(3) when the checkpoint was made, and is TIMESTAMP(0) "
       "now"},
      {Replaced(base, "LEFT JOIN", "FULL JOIN"),
       "the join type was LEFT OUTER when the checkpoint was made, and is FULL OUTER now: which "
       "rows of table r have matched already is not recorded"},
      {Replaced(base, "l.ts + INTERVAL '5'", "l.ts + INTERVAL '8'"),
       "the upper time bound between table l and table r (r.ts minus l.ts) was INTERVAL '5' SECOND "
       "when the checkpoint was made, and is INTERVAL '8' SECOND now: rows that have left"},
      {Replaced(base, "l.v <> r.w", "l.v < r.w"),
       "the condition of the join (the postJoinFilter) was l.v <> r.w when the checkpoint was "
       "made, and is l.v < r.w now"},
      {Replaced(base, "SELECT l.id, l.v, r.w", "SELECT l.id, l.v, l.x, r.w"),
       "l.x of table l is used now, and was not when the checkpoint was made: rows in state do not "
       "have it"},
      {base + " AND l.v > 3",
       "the condition on rows of table l was none when the checkpoint was made, and is l.v > 3 "
       "now"},
      {base + " WHERE l.v > 3", "the condition on rows of table l was none"},
      {Replaced(base, "l.id = r.id", "l.id + 1 = r.id"),
       "key 1 of table l was l.id when the checkpoint was made, and is l.id + 1 now"},
      {Replaced(base, "l.id = r.id AND ", ""),
       "key 1 of table l was l.id when the checkpoint was made, and there is none now"},
      {Replaced(base, "l.id = r.id", "l.id = r.id AND l.x = r.w"),
       "key 2 of table l is l.x now, and there was none when the checkpoint was made"},
      {Replaced(base, "CREATE TABLE r (id BIGINT, ts TIMESTAMP(3), w INT",
                "CREATE TABLE r (id BIGINT, ts TIMESTAMP(3), w0 INT, w AS w0 + 1"),
       "the expression of column w of table r was none when the checkpoint was made, and is w0 + 1 "
       "now"},
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
       {"state fingerprint: 2\n", "\nmode: per-record\n", "\njoin type: LEFT OUTER\n",
        "\noperator: row-time interval join\n",
        "\nwindow: from -INTERVAL '9' SECOND to INTERVAL '0' SECOND\n",
        "\nleft input's join type: INNER\n", "\nleft input's operator: row-time interval join\n",
        "\nleft input's left table: l\n", "\nleft input's right table: r\n",
        "\nleft input's left key 1: {left input's left.id} -- l.id\n",
        "\nleft input's WHERE after the join: none\n", "\nright table: t\n",
        "\nleft key 1: {left input's left.id} -- l.id\n"}) {
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
       "the time bound of the join of the left input and table t was from -INTERVAL '9' SECOND to "
       "INTERVAL '0' SECOND when the checkpoint was made, and is none now: with it the row-time "
       "interval join becomes a regular join"},
      {Replaced(base, "t.id = l.id", "t.id = l.id AND t.u > r.w"),
       "the condition of the join (the postJoinFilter) was none when"},
      {two,
       "the left input's join type was INNER when the checkpoint was made, and there is no such "
       "join now"},
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
  // Of a joined row less may be stored, and the order may change.
  EXPECT_EQ(ExplainFingerprintChange(PerRecordFingerprint(base),
                                     PerRecordFingerprint(Replaced(base, "l.id, r.w", "l.id"))),
            std::nullopt);
}

TEST(FingerprintTest, NamesAnotherModeAndAnotherOperator) {
  const std::string query =
      "SELECT l.id FROM l JOIN r ON l.id = r.id AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '5' "
      "SECOND";
  for (const std::string& one : {query, std::string("SELECT id FROM l")}) {
    const std::string micro_batch = FingerprintOf(StandardTables() + one);
    EXPECT_EQ(ExplainFingerprintChange(micro_batch, PerRecordFingerprint(one)),
              "the mode was micro-batch when the checkpoint was made, and is per-record now: the "
              "modes keep state differently");
    EXPECT_EQ(ExplainFingerprintChange(PerRecordFingerprint(one), micro_batch),
              "the mode was per-record when the checkpoint was made, and is micro-batch now: the "
              "modes keep state differently");
  }
  EXPECT_EQ(ExplainFingerprintChange(PerRecordFingerprint(query),
                                     PerRecordFingerprint(query, RowTimeJoin::kDataStream)),
            "the join of table l and table r was a row-time interval join when the checkpoint was "
            "made, and is a DataStream interval join now: per-record.interval-join, which chooses, "
            "cannot change");
}

TEST(FingerprintTest, TextInAConditionCannotLookLikeALabel) {
  const std::string base = std::string(kBase) + " AND r.w = 3";
  const std::string odd = Replaced(base, "r.w = 3", "CAST(r.w AS STRING) <> 'a -- b\\nc {left.v}'");
  const std::string other = Replaced(odd, "-- b", "-- d");
  EXPECT_EQ(ExplainFingerprintChange(FingerprintOf(odd), FingerprintOf(odd)), std::nullopt);
  EXPECT_TRUE(ExplainFingerprintChange(FingerprintOf(odd), FingerprintOf(other)).has_value());
}

TEST(FingerprintTest, SaysWhereStoredColumnsCameFrom) {
  using Kept = FingerprintMatch::Origins;
  const std::string base = kBase;
  const auto kept = [&](const std::string& now) {
    const Result<FingerprintMatch> match =
        MatchFingerprints(FingerprintOf(base), FingerprintOf(now));
    EXPECT_TRUE(match.has_value()) << now;
    return match ? match->kept : Kept();
  };
  EXPECT_EQ(kept(base), (Kept{{0}, {0}}));
  const std::string two = Replaced(base, "SELECT l.id, l.v, r.w", "SELECT l.v, l.x, r.w");
  const Result<FingerprintMatch> fewer = MatchFingerprints(FingerprintOf(two), FingerprintOf(base));
  ASSERT_TRUE(fewer.has_value());
  EXPECT_EQ(fewer->kept, (Kept{{0}, {0}}));
  // A key that is cast now is not its word any more.
  const std::string narrow = Replaced(base, "id BIGINT", "id INT");
  const std::string widened = Replaced(narrow, "TABLE r (id INT", "TABLE r (id BIGINT");
  const Result<FingerprintMatch> cast =
      MatchFingerprints(FingerprintOf(narrow), FingerprintOf(widened));
  ASSERT_TRUE(cast.has_value()) << cast.error().message;
  EXPECT_EQ(cast->kept, (Kept{{std::nullopt, 0}, {0}}));
}

TEST(FingerprintTest, TheZoneCountsWhereTimesDependOnIt) {
  const auto of = [](const std::string& type, const char* zone) {
    const Result<StreamPlan> plan = PlanScript(Replaced(kBase, "v INT", "v " + type));
    EXPECT_TRUE(plan.has_value());
    return StateFingerprint(*plan, {zone, 0});
  };
  EXPECT_EQ(ExplainFingerprintChange(of("INT", "UTC"), of("INT", "Asia/Tokyo")), std::nullopt);
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
