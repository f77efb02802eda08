// Trees of joins in per-record mode: which columns are needed where, which times pass, what is
// pushed down and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/plan/change_flow.h"
#include "engine/plan/stream_plan.h"
#include "state/rows/limits.h"
#include "tests/plan/planned_query.h"

namespace braid {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kChain =
    "FROM l JOIN r ON l.id = r.id AND r.ts BETWEEN l.ts - INTERVAL '1' SECOND AND l.ts + INTERVAL "
    "'1' SECOND LEFT JOIN t ON t.id = l.id AND t.ts BETWEEN l.ts AND l.ts + INTERVAL '5' SECOND";

StreamPlan Planned(const std::string& query) {
  Result<StreamPlan> plan = PlanPerRecord(query);
  EXPECT_TRUE(plan.has_value()) << query << ": " << (plan ? "" : plan.error().message);
  return plan ? std::move(*plan) : StreamPlan();
}

std::string Refused(const std::string& query, RowTimeJoin row_time_join = RowTimeJoin::kSql) {
  const Result<StreamPlan> plan = PlanPerRecord(query, row_time_join);
  if (plan) return "(planned)";
  EXPECT_EQ(plan.error().code, ErrorCode::kInvalidQuery);
  EXPECT_GT(plan.error().place.line, 0) << query;
  return plan.error().message;
}

std::vector<std::string> TablesOf(const StreamPlan& plan) {
  std::vector<std::string> names;
  for (const InputPlan* input : TableInputs(plan)) names.push_back(input->table->name);
  return names;
}

std::vector<PerRecordOperator> OperatorsOf(const StreamPlan& plan) {
  std::vector<PerRecordOperator> operators;
  for (const JoinPlan* join : Joins(plan)) operators.push_back(join->per_record->chosen);
  return operators;
}

const InputPlan& Input(const StreamPlan& plan, Side side) { return plan.join->side(side).input; }

TEST(JoinTreeTest, AnInputThatIsAJoinIsAPlanOfItsOwn) {
  const StreamPlan plan = Planned(std::string("SELECT l.id, l.ts, r.ts AS rts, t.u ") + kChain);
  const InputPlan& input = Input(plan, Side::kLeft);
  ASSERT_NE(input.query, nullptr);
  EXPECT_EQ(input.table, nullptr);
  EXPECT_EQ(input.alias, "l JOIN r");
  EXPECT_THAT(input.steps, IsEmpty());
  EXPECT_FALSE(input.watermark.has_value());
  EXPECT_EQ(input.schema.ToString(), "id BIGINT, ts TIMESTAMP(3), ts TIMESTAMP(3)");
  EXPECT_EQ(input.schema.ToString(), input.query->output.ToString());
  EXPECT_THAT(input.column_names, ElementsAre("l.id", "l.ts", "r.ts"));
  EXPECT_THAT(input.read_columns, ElementsAre(0, 1, 2));
  ASSERT_EQ(input.table_columns.size(), 3U);
  EXPECT_EQ(input.table_columns[2]->column, 2);
  EXPECT_THAT(input.query->output_is_row_time, ElementsAre(0, 1, 1));
  EXPECT_THAT(plan.output_is_row_time, ElementsAre(0, 1, 1, 0));
  EXPECT_EQ(Input(plan, Side::kRight).query, nullptr);
  EXPECT_THAT(TablesOf(plan), ElementsAre("l", "r", "t"));
  EXPECT_THAT(OperatorsOf(plan), ElementsAre(PerRecordOperator::kRowTimeInterval,
                                             PerRecordOperator::kRowTimeInterval));
  EXPECT_EQ(Joins(plan).back(), &*plan.join);
  EXPECT_EQ(Joins(plan).front(), &*input.query->join);
  EXPECT_THAT(plan.warnings, IsEmpty());
  EXPECT_THAT(input.query->warnings, IsEmpty());
}

TEST(JoinTreeTest, TheRightInputMayBeAJoin) {
  const StreamPlan plan = Planned(
      "SELECT t.u, l.v FROM t JOIN (l JOIN r ON l.id = r.id AND r.ts BETWEEN l.ts AND l.ts + "
      "INTERVAL '1' SECOND) ON t.id = r.id AND t.ts BETWEEN r.ts AND r.ts + INTERVAL '9' SECOND");
  EXPECT_EQ(Input(plan, Side::kLeft).query, nullptr);
  ASSERT_NE(Input(plan, Side::kRight).query, nullptr);
  EXPECT_THAT(TablesOf(plan), ElementsAre("t", "l", "r"));
  EXPECT_EQ(Joins(plan).front(), &*Input(plan, Side::kRight).query->join);
  EXPECT_THAT(Input(plan, Side::kRight).column_names, ElementsAre("l.v", "r.id", "r.ts"));
  EXPECT_EQ(plan.join->per_record->lower, Interval{0});
  EXPECT_EQ(plan.join->per_record->upper, Interval{9'000'000});
}

TEST(JoinTreeTest, ViewsAndSubqueriesAboveAJoinAreItsOutput) {
  const StreamPlan plan = Planned(
      "CREATE VIEW pairs AS SELECT l.id AS key_id, l.v + r.w AS s, l.ts AS at, r.name AS unused "
      "FROM l JOIN r ON l.id = r.id AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '1' SECOND WHERE "
      "l.v > 3;\n"
      "SELECT p.s * 2 AS twice, t.u FROM (SELECT * FROM pairs WHERE s < 100) AS p JOIN t ON "
      "p.key_id = t.id AND t.ts BETWEEN p.at AND p.at + INTERVAL '1' SECOND");
  const InputPlan& input = Input(plan, Side::kLeft);
  ASSERT_NE(input.query, nullptr);
  EXPECT_EQ(input.alias, "p");
  EXPECT_THAT(input.column_names, ElementsAre("p.key_id", "p.s", "p.at"));
  EXPECT_EQ(input.schema.ToString(), "key_id BIGINT, s BIGINT, at TIMESTAMP(3)");
  EXPECT_EQ(input.query->projections.size(), 3U);
  const std::string text = ExplainPlan(plan, Mode::kPerRecord);
  // WHERE of an inner join counts as ON.
  EXPECT_THAT(text, HasSubstr("other conditions: l.v > 3 AND l.v + r.w < 100"));
  EXPECT_THAT(text, HasSubstr("row-time interval join: p.at - t.ts is between"));
}

TEST(JoinTreeTest, OnlyNeededColumnsComeOutOfAJoin) {
  const StreamPlan plan = Planned("SELECT t.u FROM l CROSS JOIN r CROSS JOIN t");
  const InputPlan& input = Input(plan, Side::kLeft);
  EXPECT_EQ(input.schema.num_columns(), 0);
  EXPECT_THAT(input.query->projections, IsEmpty());
  EXPECT_THAT(input.read_columns, IsEmpty());
  EXPECT_EQ(plan.projections[0]->kind, ExpressionKind::kColumn);
  for (const std::optional<StoredColumn>& stored : plan.join->side(Side::kLeft).stored) {
    EXPECT_FALSE(stored.has_value());
  }
}

TEST(JoinTreeTest, ConditionsOverOneInputMoveIntoItWhereTheJoinAllowsIt) {
  struct Case {
    const char* what;
    std::string query;
    const char* inside;   // In the explanation of the joined input.
    const char* outside;  // In that of the upper join.
  };
  const std::string comma = "SELECT l.id FROM l, r, t WHERE l.id = r.id AND t.id = l.id ";
  const std::string left = "SELECT l.id FROM l JOIN r ON l.id = r.id LEFT JOIN t ON t.id = l.id ";
  const std::string right =
      "SELECT t.id FROM t LEFT JOIN (l JOIN r ON l.id = r.id) ON t.id = l.id ";
  const Case cases[] = {
      {"an equality of two inner inputs", comma, "  equi-join keys: l.id = r.id",
       "\n  equi-join keys: l.id = t.id"},
      {"bounds of two inner inputs", comma + "AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '1' SECOND",
       "  operator: row-time interval join: l.ts - r.ts", "\noperator: regular join"},
      {"WHERE over an inner input", comma + "AND l.v > r.w", "    other conditions: l.v > r.w",
       "\n  other conditions: none"},
      {"ON of an inner join",
       "SELECT l.id FROM l JOIN r ON l.id = r.id JOIN t ON t.id = l.id AND l.v > r.w",
       "    other conditions: l.v > r.w", "\n  other conditions: none"},
      {"WHERE over the preserved side", left + "WHERE l.v > r.w", "    other conditions: l.v > r.w",
       "\n  WHERE after the join: none"},
      {"ON over the preserved side stays", left + "AND l.v > r.w", "    other conditions: none",
       "\n  other conditions: l.v > r.w"},
      {"WHERE over the padded side takes the padding away", right + "WHERE l.v > r.w",
       "    other conditions: l.v > r.w", "join: INNER JOIN (written LEFT OUTER"},
      {"WHERE that takes NULLs stays", right + "WHERE l.v IS NULL", "    other conditions: none",
       "\n  WHERE after the join: l.v IS NULL"},
      {"WHERE over a semi join's left side",
       "SELECT l.id FROM l JOIN r ON l.id = r.id WHERE EXISTS (SELECT 1 FROM t WHERE t.id = l.id) "
       "AND l.v > r.w",
       "    other conditions: l.v > r.w", "join: LEFT SEMI JOIN"},
      {"WHERE that takes a padding of the inner input away",
       "SELECT l.id FROM l LEFT JOIN r ON l.id = r.id JOIN t ON t.id = l.id WHERE r.w > 5",
       "  join: INNER JOIN (written LEFT OUTER", "\njoin: INNER JOIN\n"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    const std::string text = ExplainPlan(Planned(c.query), Mode::kPerRecord);
    EXPECT_THAT(text, HasSubstr(c.inside));
    EXPECT_THAT(text, HasSubstr(c.outside));
  }
}

TEST(JoinTreeTest, TimesPassThroughIntervalJoinsOnly) {
  struct Case {
    const char* what;
    std::string query;
    PerRecordOperator chosen;
  };
  const std::string first =
      "l JOIN r ON l.id = r.id AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '1' ";
  const std::string clock =
      "(SELECT id, PROCTIME() AS pt FROM l0) AS a JOIN (SELECT id, PROCTIME() AS pt FROM r0) AS b "
      "ON a.id = b.id AND b.pt BETWEEN a.pt AND a.pt + INTERVAL '1' SECOND ";
  const std::string bound = "t.ts BETWEEN x.ts AND x.ts + INTERVAL '1' SECOND";
  const Case cases[] = {
      {"row time of the left side",
       "SELECT 1 FROM (SELECT l.ts FROM " + first + "SECOND) AS x JOIN t ON " + bound,
       PerRecordOperator::kRowTimeInterval},
      {"row time of the right side",
       "SELECT 1 FROM (SELECT r.ts FROM " + first + "SECOND) AS x JOIN t ON " + bound,
       PerRecordOperator::kRowTimeInterval},
      {"row time that is computed with",
       "SELECT 1 FROM (SELECT l.ts + INTERVAL '0' SECOND AS ts "
       "FROM " +
           first + "SECOND) AS x JOIN t ON " + bound,
       PerRecordOperator::kRegular},
      {"row time through a regular join",
       "SELECT 1 FROM (SELECT l.ts FROM l JOIN r ON l.id = "
       "r.id) AS x JOIN t ON " +
           bound,
       PerRecordOperator::kRegular},
      {"processing time",
       "SELECT 1 FROM " + clock +
           "JOIN (SELECT id, PROCTIME() AS pt FROM l0) AS "
           "c ON c.pt BETWEEN a.pt AND a.pt + INTERVAL '1' SECOND",
       PerRecordOperator::kProcessingTimeInterval},
      {"a PROCTIME() over a regular join",
       "SELECT 1 FROM (SELECT a.id, PROCTIME() AS pt FROM l0 AS "
       "a JOIN r0 AS b ON a.id = b.id) AS a JOIN (SELECT id, PROCTIME() AS pt FROM l0) AS c ON "
       "c.pt BETWEEN a.pt AND a.pt + INTERVAL '1' SECOND",
       PerRecordOperator::kProcessingTimeInterval},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    const StreamPlan plan = Planned(c.query);
    ASSERT_TRUE(plan.join.has_value());
    EXPECT_EQ(plan.join->per_record->chosen, c.chosen) << ExplainPlan(plan, Mode::kPerRecord);
  }
}

TEST(JoinTreeTest, SaysWhereTheRowTimeIsLost) {
  const StreamPlan plan = Planned(
      "SELECT l.id, l.ts FROM l JOIN r ON l.id = r.id JOIN t ON t.id = l.id AND t.ts BETWEEN l.ts "
      "AND l.ts + INTERVAL '1' SECOND");
  const std::string lost = "`l JOIN r` is a regular join, behind which there is no row time";
  EXPECT_THAT(plan.join->per_record->reason, HasSubstr(lost));
  EXPECT_THAT(plan.join->per_record->missing_line,
              HasSubstr("to make it an interval join: the join condition does not say how far"));
  EXPECT_THAT(plan.warnings, Contains(HasSubstr("the join of l with r runs as a regular join")));
  EXPECT_THAT(plan.warnings,
              Contains(HasSubstr("the join of `l JOIN r` with t runs as a regular")));
  EXPECT_THAT(plan.warnings, Contains(HasSubstr(lost)));
  EXPECT_THAT(plan.output_is_row_time, ElementsAre(0, 0));

  const StreamPlan dropped = Planned(
      "SELECT x.id FROM (SELECT l.id, l.made FROM l JOIN r ON l.id = r.id AND r.ts BETWEEN l.ts "
      "AND "
      "l.ts + INTERVAL '1' SECOND) AS x JOIN t ON t.id = x.id");
  EXPECT_THAT(dropped.join->per_record->reason, HasSubstr("row time of x does not reach the join"));
}

TEST(JoinTreeTest, RefusesWhatWouldBeWrong) {
  struct Case {
    std::string query;
    const char* message;
  };
  const std::string tables =
      "CREATE TABLE z (id BIGINT, ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts) WITH ('connector' = "
      "'blackhole');\n";
  const Case cases[] = {
      {tables +
           "SELECT l.id FROM l JOIN z ON l.id = z.id AND z.ts BETWEEN l.ts AND l.ts + INTERVAL "
           "'1' SECOND",
       "the row times l.ts (TIMESTAMP(3)) and z.ts (TIMESTAMP_LTZ(3)) cannot bound a join"},
      {tables + "SELECT l.id FROM l JOIN z ON l.id = z.id AND z.ts = l.ts", "cannot bound a join"},
      {"SELECT l.id FROM l JOIN r ON l.id = r.id AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '1' "
       "MONTH",
       "a month or a year is not a fixed length"},
      {"SELECT x.id FROM (SELECT id, PROCTIME() AS pt FROM l) AS x JOIN (SELECT id, PROCTIME() AS "
       "pt "
       "FROM r0) AS y ON x.pt BETWEEN y.pt AND y.pt + INTERVAL '1' SECOND",
       "bounded by processing time, but table l has a watermark"},
      {"SELECT x.id FROM (SELECT l.id, PROCTIME() AS pt FROM l0 JOIN l ON l.id = l0.id) AS x JOIN "
       "(SELECT id, PROCTIME() AS pt FROM r0) AS y ON x.pt BETWEEN y.pt AND y.pt + INTERVAL '1' "
       "SECOND",
       "bounded by processing time, but table l has a watermark"},
      {"SELECT x.id FROM (SELECT l0.id, PROCTIME() AS pt FROM l0 LEFT JOIN r0 ON r0.id = l0.id) AS "
       "x "
       "JOIN (SELECT id, PROCTIME() AS pt FROM r0) AS y ON x.pt BETWEEN y.pt AND y.pt + INTERVAL "
       "'1' "
       "SECOND",
       "the processing-time interval join of x and y takes rows that are added only, but the LEFT "
       "OUTER JOIN of l0 and r0, a regular join, takes rows back"},
  };
  for (const Case& c : cases) EXPECT_THAT(Refused(c.query), HasSubstr(c.message)) << c.query;
  EXPECT_EQ(
      Refused(tables + "SELECT l.id FROM l JOIN z ON l.id = z.id AND CAST(z.ts AS TIMESTAMP(3)) "
                       "= l.ts"),
      "(planned)");
}

TEST(JoinTreeTest, MoreJoinsThanAStoreHoldsAreRefused) {
  const auto chain = [](size_t joins) {
    std::string query = "SELECT a0.id FROM l0 AS a0";
    for (size_t join = 1; join <= joins; ++join) {
      const std::string alias = "a" + std::to_string(join);
      query += " JOIN r0 AS " + alias + " ON a0.id = " + alias + ".id";
    }
    return query;
  };
  EXPECT_EQ(Joins(Planned(chain(kJoinsMax))).size(), kJoinsMax);
  EXPECT_THAT(Refused(chain(kJoinsMax + 1)), HasSubstr("has 33 joins"));
}

TEST(JoinTreeTest, DataStreamJoinsAreChosenInTheWholeTree) {
  const std::string inner =
      "SELECT l.id FROM l JOIN r ON l.id = r.id AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '1' "
      "SECOND "
      "JOIN t ON t.id = l.id AND t.ts BETWEEN r.ts AND r.ts + INTERVAL '1' SECOND";
  const Result<StreamPlan> plan = PlanPerRecord(inner, RowTimeJoin::kDataStream);
  ASSERT_TRUE(plan.has_value()) << plan.error().message;
  EXPECT_THAT(OperatorsOf(*plan), ElementsAre(PerRecordOperator::kDataStreamInterval,
                                              PerRecordOperator::kDataStreamInterval));
  EXPECT_THAT(Refused(std::string("SELECT l.id ") + kChain, RowTimeJoin::kDataStream),
              HasSubstr("takes inner joins only, and this is a LEFT OUTER JOIN"));
  EXPECT_THAT(
      Refused("SELECT l.id FROM l JOIN r ON l.id = r.id AND r.ts BETWEEN l.ts + INTERVAL '2' "
              "SECOND AND l.ts",
              RowTimeJoin::kDataStream),
      HasSubstr("lower bound of the join is above its upper bound"));
  // Others stay what they are.
  const Result<StreamPlan> regular =
      PlanPerRecord("SELECT l.id FROM l LEFT JOIN r ON l.id = r.id", RowTimeJoin::kDataStream);
  ASSERT_TRUE(regular.has_value());
  EXPECT_EQ(regular->join->per_record->chosen, PerRecordOperator::kRegular);
}

TEST(JoinTreeTest, IsExplainedJoinByJoin) {
  const std::string text = ExplainPlan(
      Planned("SELECT l.id, r.w, t.u FROM l JOIN r ON l.id = r.id AND r.ts BETWEEN l.ts AND l.ts + "
              "INTERVAL '1' SECOND LEFT JOIN t ON t.id = l.id AND t.ts > l.ts"),
      Mode::kPerRecord);
  // The warning says the same again.
  EXPECT_EQ(text.substr(0, text.find("warning: ")), R"(mode: per-record
left input: `l JOIN r`, a join
  left input: l
    columns read: id, ts
    row time: ts, watermark: the largest ts so far - INTERVAL '5' SECOND
  right input: r
    columns read: id, ts, w
    row time: ts, watermark: the largest ts so far - INTERVAL '2' SECOND
  join: INNER JOIN
    equi-join keys: l.id = r.id
    other conditions: none
    WHERE after the join: none
  operator: row-time interval join: l.ts - r.ts is between -INTERVAL '1' SECOND and INTERVAL '0' SECOND
  output: l.id AS id, l.ts AS ts (row time), r.w AS w
right input: t
  columns read: id, ts, u
  row time: ts, watermark: the largest ts so far - INTERVAL '2' SECOND
join: LEFT OUTER JOIN
  equi-join keys: l.id = t.id
  other conditions: t.ts > l.ts
  WHERE after the join: none
operator: regular join: there is no lower and upper bound between one row time of each side, or one PROCTIME() of each
  what would bound its state: the join condition does not say how far t.ts may be after l.ts, only how far before it; add to the join condition: AND t.ts <= l.ts + INTERVAL '1' HOUR (or whatever is the longest wait)
output: l.id AS id, r.w AS w, t.u AS u
sink: print
)");
}

}  // namespace
}  // namespace braid
