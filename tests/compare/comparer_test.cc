// Both modes over small inputs whose differences are known.
#include "engine/compare/comparer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/compare/compared_files.h"

namespace braid {
namespace {

using testing::ComparedFiles;
using testing::CompareFiles;
using testing::CompareTables;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Join(const std::string& type, const std::string& columns = "l.id, r.ts") {
  return fmt::format(
      "SELECT {} FROM l {} JOIN r ON l.id = r.id AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '30' "
      "SECOND",
      columns, type);
}

// In the third batch r has a row for id 6 that is late: the second one came to 01:40.
const ComparedFiles kLeft = {
    {{1, 0}, {2, 10}, {3, 20}}, {{6, 80}, {4, 100}}, {{5, 120}}, {{5, 220}}};
const ComparedFiles kRight = {{{1, 5}, {2, 12}}, {{9, 100}}, {{6, 90}, {8, 120}}, {{8, 220}}};

// "values: kind, reason" of each row.
std::vector<std::string> Texts(const OnlyRows& only) {
  std::vector<std::string> texts;
  for (const DifferingRow& row : only.rows) {
    texts.push_back(fmt::format("{}: {}, {}", fmt::join(row.values, ","), RowKindName(row.kind),
                                DifferenceReasonName(row.reason)));
  }
  return texts;
}

TEST(ComparerTest, SaysWhyALateRowMakesADifference) {
  const std::string at = "2024-01-01 00:01:30.000";
  const std::string left_at = "2024-01-01 00:01:20.000";
  const struct {
    const char* type;
    const char* columns;
    int64_t equal;
    std::vector<std::string> micro_batch;
    std::vector<std::string> per_record;
  } cases[] = {
      {"INNER", "l.id, r.ts", 2, {}, {"6," + at + ": matched, late"}},
      {"LEFT", "l.id, r.ts", 6, {"6,NULL: padded, partner-late"}, {"6," + at + ": matched, late"}},
      {"FULL", "l.id, r.ts", 9, {"6,NULL: padded, partner-late"}, {"6," + at + ": matched, late"}},
      {"RIGHT", "l.id, r.ts", 5, {}, {"6," + at + ": matched, late"}},
      {"LEFT SEMI", "l.id, l.ts", 2, {}, {"6," + left_at + ": matched, late"}},
      {"LEFT ANTI", "l.id, l.ts", 4, {"6," + left_at + ": padded, partner-late"}, {}},
  };
  for (const auto& tested : cases) {
    const Result<Comparison> compared =
        CompareFiles(Join(tested.type, tested.columns), kLeft, kRight);
    ASSERT_TRUE(compared) << tested.type << ": " << compared.error().message;
    EXPECT_EQ(compared->num_equal, tested.equal) << tested.type;
    EXPECT_EQ(Texts(compared->only[0]), tested.micro_batch) << tested.type;
    EXPECT_EQ(Texts(compared->only[1]), tested.per_record) << tested.type;
    EXPECT_EQ(compared->modes[0].num_late, 1) << tested.type;
    EXPECT_EQ(compared->modes[1].num_late, 0) << tested.type;
    EXPECT_FALSE(compared->agrees());
  }
}

TEST(ComparerTest, EqualRowsAgreeWhateverTheirOrder) {
  const ComparedFiles left = {{{1, 0}, {1, 0}, {2, 10}, {3, 20}}, {{4, 100}}};
  const ComparedFiles right = {{{1, 5}, {2, 12}}, {{4, 101}}};
  const Result<Comparison> compared = CompareFiles(Join("FULL"), left, right);
  ASSERT_TRUE(compared) << compared.error().message;
  EXPECT_TRUE(compared->agrees());
  EXPECT_EQ(compared->num_equal, 5);
  EXPECT_EQ(compared->num_equal_padded, 1);
  EXPECT_EQ(compared->modes[0].num_final_rows, 5);
  EXPECT_THAT(compared->only[0].rows, IsEmpty());
}

// A copy more in one of the results is a row more.
TEST(ComparerTest, CopiesOfARowCount) {
  ComparedFiles right = kRight;
  right[2].insert(right[2].begin(), {6, 90});
  const Result<Comparison> compared = CompareFiles(Join("INNER"), kLeft, right);
  ASSERT_TRUE(compared) << compared.error().message;
  EXPECT_EQ(compared->only[1].count, 2);
}

// Left 1 leaves record by record when r's second file has come to 01:40, before the late partner;
// in micro-batch mode both are in one batch.
TEST(ComparerTest, APartnerThatOneModeWaitsForMakesADifference) {
  const ComparedFiles left = {{{1, 0}, {2, 100}}, {{3, 200}}};
  const ComparedFiles right = {{{7, 100}, {1, 10}}, {{8, 200}}};
  const Result<Comparison> outer = CompareFiles(Join("LEFT"), left, right);
  ASSERT_TRUE(outer) << outer.error().message;
  EXPECT_THAT(Texts(outer->only[0]),
              ElementsAre("1,2024-01-01 00:00:10.000: matched, padded-early"));
  EXPECT_THAT(Texts(outer->only[1]), ElementsAre("1,NULL: padded, padded-early"));
  const Result<Comparison> inner = CompareFiles(Join("INNER"), left, right);
  ASSERT_TRUE(inner) << inner.error().message;
  EXPECT_THAT(Texts(inner->only[0]), ElementsAre("1,2024-01-01 00:00:10.000: matched, state-gone"));
  EXPECT_THAT(inner->only[1].rows, IsEmpty());
}

TEST(ComparerTest, ARowAtTheWatermarkIsNamedSo) {
  ComparedFiles right = kRight;
  right[2] = {{6, 95}, {8, 120}};  // The watermark is 01:40 - 5 s.
  const Result<Comparison> compared = CompareFiles(Join("INNER"), kLeft, right);
  ASSERT_TRUE(compared) << compared.error().message;
  EXPECT_THAT(Texts(compared->only[1]),
              ElementsAre("6,2024-01-01 00:01:35.000: matched, at-watermark"));
}

// Row times finer than a millisecond: micro-batch mode counts microseconds, and so does the other,
// by the digits of the column.
TEST(ComparerTest, StrictBoundsTakeTheSamePairs) {
  std::string tables = R"(
    CREATE TABLE l (id BIGINT, ts TIMESTAMP(PRECISION), v BIGINT,
                    WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
      WITH ('connector' = 'filesystem', 'path' = '${FOLDER}/l', 'format' = 'csv');
    CREATE TABLE r (id BIGINT, ts TIMESTAMP(PRECISION), v BIGINT,
                    WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
      WITH ('connector' = 'filesystem', 'path' = '${FOLDER}/r', 'format' = 'csv');
  )";
  const std::string query =
      "SELECT l.id, l.ts, r.ts FROM l LEFT JOIN r ON l.id = r.id AND r.ts > l.ts AND r.ts < l.ts + "
      "INTERVAL '30' SECOND";
  for (const char* precision : {"3", "6"}) {
    std::string own = tables;
    for (size_t at; (at = own.find("PRECISION")) != std::string::npos;) {
      own.replace(at, std::string("PRECISION").size(), precision);
    }
    const ComparedFiles left = {{{1, 0}, {2, 10.5}}};
    const ComparedFiles right = {
        {{1, 0}, {1, 0.001}, {1, 0.0005}, {2, 40.499}, {2, 40.4999}, {2, 40.5}}};
    const Result<Comparison> compared = CompareTables(own, query, left, right);
    ASSERT_TRUE(compared) << compared.error().message;
    EXPECT_TRUE(compared->agrees()) << precision;
    EXPECT_GE(compared->num_equal, 2) << precision;
  }
}

// Of the DataStream join: late in per-record mode, joined in the batch that holds both.
TEST(ComparerTest, DropsOfTheDataStreamJoinAreNamed) {
  const ComparedFiles left = {{{1, 0}, {2, 100}}, {{3, 200}}};
  const ComparedFiles right = {{{7, 100}, {1, 10}}, {{8, 200}}};
  const Result<Comparison> compared =
      CompareFiles("SET 'per-record.interval-join' = 'datastream';\n" + Join("INNER"), left, right);
  ASSERT_TRUE(compared) << compared.error().message;
  EXPECT_THAT(Texts(compared->only[0]), ElementsAre("1,2024-01-01 00:00:10.000: matched, late"));
  EXPECT_EQ(compared->modes[1].num_late, 1);
  EXPECT_EQ(compared->modes[1].operator_name, "DataStream interval join");
}

// Without an upper bound the per-record mode makes a regular join: its rows are taken back, and
// what remains counts.
TEST(ComparerTest, AChangelogIsAppliedBeforeItIsCompared) {
  const std::string tables = R"(
    CREATE TABLE l (id BIGINT, ts TIMESTAMP(3), v BIGINT)
      WITH ('connector' = 'filesystem', 'path' = '${FOLDER}/l', 'format' = 'csv');
    CREATE TABLE r (id BIGINT, ts TIMESTAMP(3), v BIGINT,
                    WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
      WITH ('connector' = 'filesystem', 'path' = '${FOLDER}/r', 'format' = 'csv');
  )";
  const std::string query =
      "SELECT l.id, r.v FROM l LEFT JOIN r ON l.id = r.id AND r.ts BETWEEN l.ts AND l.ts + "
      "INTERVAL '30' SECOND";
  const ComparedFiles left = {{{1, 0}, {2, 0}}};
  const ComparedFiles right = {{{1, 5, 50}, {1, 6, 60}}};
  const Result<Comparison> compared = CompareTables(tables, query, left, right);
  ASSERT_TRUE(compared) << compared.error().message;
  EXPECT_EQ(compared->modes[1].operator_name, "regular join");
  EXPECT_TRUE(compared->agrees());
  EXPECT_EQ(compared->num_equal, 3);
  EXPECT_EQ(compared->modes[1].num_final_rows, 3);
  EXPECT_EQ(compared->modes[0].num_output_rows, 3);
}

TEST(ComparerTest, DelaysAreInEventTime) {
  const ComparedFiles left = {{{1, 0}}, {{2, 100}}, {{3, 200}}};
  const ComparedFiles right = {{{1, 5}}, {{7, 100}}, {{7, 200}}};
  const Result<Comparison> compared = CompareFiles(Join("LEFT"), left, right);
  ASSERT_TRUE(compared) << compared.error().message;
  const auto matched = static_cast<size_t>(RowKind::kMatched);
  for (const ModeFigures& figures : compared->modes) {
    EXPECT_EQ(figures.delays[matched].num_rows, 1);
    EXPECT_EQ(figures.delays[matched].maximum, Interval{0});
  }
  // Record by record, row 2 is padded as soon as the watermark is past 02:10, at the row of 03:20;
  // row 3 at the end.
  const DelayFigures& padded = compared->modes[1].delays[static_cast<size_t>(RowKind::kPadded)];
  EXPECT_EQ(padded.num_rows, 2);
  EXPECT_EQ(padded.maximum, Seconds(100));
  EXPECT_EQ(padded.percentiles.front(), Interval{0});
}

TEST(ComparerTest, TellsHowTheRunsStood) {
  const Result<Comparison> compared = CompareFiles(Join("LEFT"), kLeft, kRight);
  ASSERT_TRUE(compared) << compared.error().message;
  for (const ModeFigures& figures : compared->modes) {
    ASSERT_FALSE(figures.samples.empty());
    EXPECT_GE(figures.state_rows_max, 3);
    EXPECT_GT(figures.state_bytes_max, 0);
    EXPECT_EQ(figures.samples.back().state_rows, 0);
    EXPECT_GT(figures.wall_micros, 0);
    EXPECT_EQ(figures.tables.size(), 2U);
    EXPECT_EQ(figures.tables[0].num_rows, 7);
  }
}

TEST(ComparerTest, ListsAsManyRowsAsAskedFor) {
  ComparedFiles right = kRight;
  for (int copy = 0; copy < 5; ++copy) {
    right[2].insert(right[2].begin(), {6, 90.0 + copy / 10.0});
  }
  const Result<Comparison> compared = CompareFiles(Join("INNER"), kLeft, right, 2);
  ASSERT_TRUE(compared) << compared.error().message;
  EXPECT_EQ(compared->only[1].count, 6);
  EXPECT_EQ(compared->only[1].rows.size(), 2U);
}

// Row times and keys that the query does not select, keys that are expressions, views that drop
// the row time, and computed columns.
TEST(ComparerTest, KnowsRowsByWhatTheQueryDoesNotSelect) {
  const char* const queries[] = {
      "SELECT l.v FROM l JOIN r ON l.id = r.id AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '30' "
      "SECOND",
      "SELECT r.v FROM l JOIN r ON l.id + 1 = r.id + 1 AND r.ts BETWEEN l.ts AND l.ts + INTERVAL "
      "'30' SECOND",
      "CREATE VIEW w AS SELECT id + 0 AS number, ts AS moment FROM r;\n"
      "SELECT l.v FROM l JOIN w ON l.id = w.number AND w.moment BETWEEN l.ts AND l.ts + INTERVAL "
      "'30' SECOND",
      "SELECT a.v FROM (SELECT * FROM l WHERE id > 0) a JOIN r ON r.id = a.id AND r.ts BETWEEN "
      "a.ts AND a.ts + INTERVAL '30' SECOND",
      "SELECT r.v, l.v FROM l, r WHERE l.id = r.id AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '30' "
      "SECOND",
  };
  for (const char* query : queries) {
    const Result<Comparison> compared = CompareFiles(query, kLeft, kRight);
    ASSERT_TRUE(compared) << query << ": " << compared.error().message;
    EXPECT_EQ(compared->num_equal, 2) << query;
    EXPECT_EQ(compared->only[1].count_of(DifferenceReason::kLate), 1) << query;
  }
}

// Without a join no row is late in either mode.
TEST(ComparerTest, ComparesOneTable) {
  const Result<Comparison> compared = CompareFiles("SELECT id FROM r", {}, kRight);
  ASSERT_TRUE(compared) << compared.error().message;
  EXPECT_TRUE(compared->agrees());
  EXPECT_EQ(compared->num_equal, 6);
}

// Of a table without a watermark no time says that it is missing.
TEST(ComparerTest, SeesPaddingOfATableWithoutRowTime) {
  const std::string tables = R"(
    CREATE TABLE l (id BIGINT, ts TIMESTAMP(3), v BIGINT,
                    WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
      WITH ('connector' = 'filesystem', 'path' = '${FOLDER}/l', 'format' = 'csv');
    CREATE TABLE r (id BIGINT, ts TIMESTAMP(3), v BIGINT)
      WITH ('connector' = 'filesystem', 'path' = '${FOLDER}/r', 'format' = 'csv');
  )";
  // D6: the left table's watermark lets right rows leave.
  const std::string query =
      "SELECT l.id, r.v FROM l RIGHT JOIN r ON l.id = r.id AND r.ts BETWEEN l.ts AND l.ts + "
      "INTERVAL '30' SECOND";
  const Result<Comparison> compared =
      CompareTables(tables, query, {{{1, 5}, {3, 7}}}, {{{1, 5, 7}, {2, 6, 8}}});
  ASSERT_TRUE(compared) << compared.error().message;
  EXPECT_TRUE(compared->agrees());
  EXPECT_EQ(compared->num_equal, 2);
  EXPECT_EQ(compared->num_equal_padded, 1);
  const auto padded = static_cast<size_t>(RowKind::kPadded);
  // Its only row has no row time: no delay is known.
  EXPECT_EQ(compared->modes[0].delays[padded].num_rows, 0);
}

TEST(ComparerTest, NothingIsWrittenAndTheCheckpointIsLeftAlone) {
  const std::string query =
      "SET 'execution.checkpoint' = '${FOLDER}/l/0000.csv/none';\n"
      "SET 'late-rows.table' = 'late';\n"
      "CREATE TABLE late (id BIGINT) WITH ('connector' = 'filesystem', 'path' = "
      "'${FOLDER}/l/0000.csv/none', 'format' = 'csv');\n"
      "CREATE TABLE joined (id BIGINT, ts TIMESTAMP(3)) WITH ('connector' = 'filesystem', 'path' = "
      "'${FOLDER}/l/0000.csv/none', 'format' = 'csv');\n"
      "INSERT INTO joined " +
      Join("LEFT");
  const Result<Comparison> compared = CompareFiles(query, kLeft, kRight);
  ASSERT_TRUE(compared) << compared.error().message;
  EXPECT_EQ(compared->num_equal, 6);
}

TEST(ComparerTest, LeavesLimitOut) {
  const Result<Comparison> compared = CompareFiles(Join("LEFT") + " LIMIT 1", kLeft, kRight);
  ASSERT_TRUE(compared) << compared.error().message;
  EXPECT_EQ(compared->num_equal, 6);
  EXPECT_THAT(compared->notes, ::testing::Contains(HasSubstr("LIMIT is left out")));
}

TEST(ComparerTest, RefusesWhatOneModeDoesNotTake) {
  const struct {
    std::string query;
    const char* error;
  } cases[] = {
      {"SELECT l.id FROM l JOIN r ON l.id = r.id AND r.ts = l.ts JOIN r AS s ON l.id = s.id",
       "in micro-batch mode: a second join in a query is not supported yet"},
      {"SELECT l.id FROM l LEFT JOIN r ON l.id = r.id", "in micro-batch mode: "},
      {"SELECT FROM", ""},
  };
  for (const auto& tested : cases) {
    const Result<Comparison> compared = CompareFiles(tested.query, kLeft, kRight);
    ASSERT_FALSE(compared) << tested.query;
    EXPECT_EQ(compared.error().code, ErrorCode::kInvalidQuery) << tested.query;
    EXPECT_THAT(compared.error().message, HasSubstr(tested.error));
  }
}

TEST(ComparerTest, RefusesInputThatDoesNotEnd) {
  const std::string tables = R"(
    CREATE TABLE l (id BIGINT, ts TIMESTAMP(3), v BIGINT,
                    WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
      WITH ('connector' = 'filesystem', 'path' = '${FOLDER}/l', 'format' = 'csv',
            'source.monitor-interval' = '1 s');
    CREATE TABLE r (id BIGINT, ts TIMESTAMP(3), v BIGINT,
                    WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
      WITH ('connector' = 'filesystem', 'path' = '${FOLDER}/r', 'format' = 'csv');
  )";
  const Result<Comparison> refused = CompareTables(tables, Join("LEFT"), kLeft, kRight);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidOption);
  EXPECT_THAT(refused.error().message, HasSubstr("does not end"));
  const Result<Comparison> told = CompareTables(
      tables, "SET 'execution.trigger' = 'available-now';\n" + Join("LEFT"), kLeft, kRight);
  EXPECT_TRUE(told) << told.error().message;
}

}  // namespace
}  // namespace braid
