// S4 (SPARK-19873), S5 (SPARK-27237, SPARK-46906), S6 (SPARK-55630): every change of
// docs/operations.md, "Changing a job that has a checkpoint", put to a whole job: it works, and the
// union of the outputs is what the rule says, or it is refused by what changed, and the job as it
// was goes on as if nothing had been tried.
#include "tests/reports/changed_job.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace braid {
namespace {

using testing::ChangedJob;
using ::testing::HasSubstr;
using testing::JobText;

using Options = std::vector<std::pair<std::string, std::string>>;

constexpr const char* kModes[] = {"micro-batch", "per-record"};

std::string Join(const std::string& columns, const std::string& type = "LEFT", int seconds = 10,
                 const std::string& more = "") {
  return fmt::format(
      "SELECT {} FROM l {} JOIN r ON l.k = r.k AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '{}' "
      "SECOND{}",
      columns, type, seconds, more);
}

constexpr const char* kLeftBefore =
    "k=1 ts=10 v=5 x=7,k=2 ts=11 v=6 x=8,k=4 ts=12 v=7 x=9,k=5 ts=10 v=8 x=1";
constexpr const char* kRightBefore = "k=2 ts=12 w=1";
constexpr const char* kLeftAfter = "k=3 ts=14 v=9 x=2,k=8 ts=100 v=0 x=0";
constexpr const char* kRightAfter = "k=1 ts=13 w=2,k=3 ts=15 w=3,k=5 ts=19 w=4,k=9 ts=100 w=0";
// What the job gives when nothing changes: k 1 and 5 match across the restart, 4 never does.
constexpr const char* kUnchanged = "1 5 2, 2 6 1, 3 9 3, 4 7 -, 5 8 4";

struct Change {
  const char* name;
  JobText before;
  JobText now;
  // What both runs give together; empty: the change is refused.
  std::string rows = {};
  std::vector<std::string> messages = {};
  std::vector<std::string> modes = {kModes[0], kModes[1]};
  std::string left_before = kLeftBefore;
  std::string left_after = kLeftAfter;
};

JobText In(const std::string& mode, JobText text) {
  text.settings.insert(text.settings.begin(), {"execution.mode", mode});
  return text;
}

void Check(const Change& change, const std::string& mode) {
  const std::string name = fmt::format("{}, {}", change.name, mode);
  ChangedJob job;
  job.Write("l", change.left_before);
  job.Write("r", kRightBefore);
  const Status first = job.Run(In(mode, change.before));
  ASSERT_TRUE(first) << name << ": " << first.error().ToString();
  job.Write("l", change.left_after);
  job.Write("r", kRightAfter);
  Status second = job.Run(In(mode, change.now));
  if (!change.rows.empty()) {
    ASSERT_TRUE(second) << name << ": " << second.error().ToString();
    EXPECT_EQ(job.Rows(), change.rows) << name;
    return;
  }
  ASSERT_FALSE(second) << name << ": " << job.Rows();
  EXPECT_EQ(second.error().code, ErrorCode::kConflict) << name << second.error().ToString();
  for (const std::string& message : change.messages) {
    EXPECT_THAT(second.error().message, HasSubstr(message)) << name;
  }
  // The job as it was finds all as it was.
  second = job.Run(In(mode, change.before));
  ASSERT_TRUE(second) << name << ": " << second.error().ToString();
  ChangedJob whole;
  for (const auto& [table, rows] :
       {std::pair<std::string, std::string>("l", change.left_before), {"r", kRightBefore}}) {
    whole.Write(table, rows);
  }
  ASSERT_TRUE(whole.Run(In(mode, change.before)));
  whole.Write("l", change.left_after);
  whole.Write("r", kRightAfter);
  ASSERT_TRUE(whole.Run(In(mode, change.before)));
  EXPECT_EQ(job.Rows(), whole.Rows()) << name;
}

void CheckAll(const std::vector<Change>& changes) {
  for (const Change& change : changes) {
    for (const std::string& mode : change.modes) Check(change, mode);
  }
}

const JobText kBase = {.select = Join("l.k, l.v, r.w")};

JobText WithSelect(const std::string& select) {
  JobText text = kBase;
  text.select = select;
  return text;
}

JobText WithLeft(const std::string& left) {
  JobText text = kBase;
  text.left = left;
  return text;
}

JobText WithSettings(Options settings, JobText text = kBase) {
  text.settings = std::move(settings);
  return text;
}

TEST(ChangedJobTest, TheSelectList) {
  const std::string view = "CREATE VIEW p AS SELECT k, ts, v + {} AS v FROM l;\n";
  const auto with_view = [&](int number) {
    JobText text = WithSelect(Join("l.k, l.v, r.w"));
    text.more = fmt::format(fmt::runtime(view), number);
    const std::string from = "FROM l LEFT";
    text.select.replace(text.select.find(from), from.size(), "FROM p AS l LEFT");
    return text;
  };
  CheckAll({
      {"nothing", kBase, kBase, kUnchanged},
      {"another order", kBase, WithSelect(Join("r.w, l.k")), "- 4, 2 1, 2 6 1, 3 3, 4 5"},
      {"other names", kBase, WithSelect(Join("l.k AS a, l.v AS b, r.w AS c")), kUnchanged},
      {"a column less", kBase, WithSelect(Join("l.k, r.w")), "1 2, 2 6 1, 3 3, 4 -, 5 4"},
      {"columns less of both sides", kBase, WithSelect(Join("l.k")), "1, 2 6 1, 3, 4, 5"},
      {"a column made of stored ones", kBase, WithSelect(Join("l.k, l.v, r.w, l.v + 1 AS p")),
       "1 5 2 6, 2 6 1, 3 9 3 10, 4 7 - 8, 5 8 4 9"},
      {"the row times, which are stored", kBase, WithSelect(Join("l.k, l.ts, r.ts")),
       "1 10 13, 2 6 1, 3 14 15, 4 12 -, 5 10 19"},
      {"a column that rows in state do not have",
       kBase,
       WithSelect(Join("l.k, l.v, l.x, r.w")),
       "",
       {"l.x of table l is used now", "rows in state do not have it", "name another checkpoint"}},
      {"a column of a view that is computed otherwise",
       with_view(1),
       with_view(2),
       "",
       {"the expression of l.v of table l was (v + 1) when", "is (v + 2) now"}},
  });
}

// What is stored of the key is its cast then.
TEST(ChangedJobTest, AColumnMoreThatIsAKeyOnlyAsItIsCast) {
  struct Case {
    const char* left;
    const char* right;
    const char* key;
    bool works;
  };
  for (const Case& c :
       {Case{"INT", "BIGINT", "l.k = r.k", true},
        {"TINYINT", "INT", "l.k = r.k", true},
        {"INT", "BIGINT", "CAST(l.k AS BIGINT) = r.k", true},
        {"INT", "BIGINT", "l.k = r.k AND CAST(l.ts AS DATE) = CAST(r.ts AS DATE)", true},
        {"INT", "BIGINT", "l.k IS NOT DISTINCT FROM r.k", true},
        {"INT", "DECIMAL(9, 0)", "l.k = r.k", false},
        {"INT", "DOUBLE", "l.k = r.k", false},
        {"INT", "INT", "l.k + 1 = r.k + 1", false}}) {
    const auto text = [&](const char* columns) {
      JobText job;
      job.select = Join(columns);
      job.select.replace(job.select.find("l.k = r.k"), 9, c.key);
      job.left = fmt::format("k {}, ts TIMESTAMP(3), v INT, WATERMARK FOR ts AS ts", c.left);
      job.right = fmt::format("k {}, ts TIMESTAMP(3), w INT, WATERMARK FOR ts AS ts", c.right);
      return job;
    };
    const std::string name = fmt::format("{} {} {}", c.left, c.right, c.key);
    Change change = {name.c_str(), text("l.v, r.w"), text("l.v, r.w, l.k")};
    if (c.works) change.rows = "5 2 1, 6 1, 7 - 4, 8 4 5, 9 3 3";
    change.messages = {"l.k of table l is used now", "rows in state do not have it"};
    CheckAll({change});
  }
}

TEST(ChangedJobTest, ADroppedColumnCannotComeBack) {
  for (const char* mode : kModes) {
    ChangedJob job;
    job.Write("l", kLeftBefore);
    job.Write("r", kRightBefore);
    ASSERT_TRUE(job.Run(In(mode, kBase)));
    const JobText less = WithSelect(Join("l.k, r.w"));
    job.Write("r", "k=1 ts=13 w=2");
    ASSERT_TRUE(job.Run(In(mode, less)));
    const Status back = job.Run(In(mode, kBase));
    ASSERT_FALSE(back) << mode;
    EXPECT_THAT(back.error().message, HasSubstr("l.v of table l is used now")) << mode;
    // Chunks of both layouts are read.
    job.Write("l", kLeftAfter);
    job.Write("r", "k=3 ts=15 w=3,k=5 ts=19 w=4,k=9 ts=100 w=0");
    ASSERT_TRUE(job.Run(In(mode, less)));
    EXPECT_EQ(job.Rows(), "1 2, 2 6 1, 3 3, 4 -, 5 4") << mode;
  }
}

TEST(ChangedJobTest, TheColumnsOfATable) {
  const char* const wide = "k BIGINT, ts TIMESTAMP(3), v {}, x INT, WATERMARK FOR ts AS ts";
  const auto with_type = [&](const char* type) {
    return WithLeft(fmt::format(fmt::runtime(wide), type));
  };
  const auto with_computed = [](const char* expression) {
    return WithLeft(fmt::format("k BIGINT, ts TIMESTAMP(3), x INT, v AS {}, WATERMARK FOR ts AS ts",
                                expression));
  };
  CheckAll({
      {"a column more at the end", kBase,
       WithLeft("k BIGINT, ts TIMESTAMP(3), v INT, x INT, more STRING, WATERMARK FOR ts AS ts"),
       kUnchanged},
      {"a column more in front", kBase,
       WithLeft("more STRING, k BIGINT, ts TIMESTAMP(3), v INT, x INT, WATERMARK FOR ts AS ts"),
       kUnchanged},
      {"an unused column less", kBase,
       WithLeft("k BIGINT, ts TIMESTAMP(3), v INT, WATERMARK FOR ts AS ts"), kUnchanged},
      {"a used column less",
       kBase,
       {.select = Join("l.k, r.w"),
        .left = "k BIGINT, ts TIMESTAMP(3), x INT, WATERMARK FOR ts AS ts"},
       "1 2, 2 6 1, 3 3, 4 -, 5 4"},
      {"another order", kBase,
       WithLeft("x INT, v INT, ts TIMESTAMP(3), k BIGINT, WATERMARK FOR ts AS ts"), kUnchanged},
      {.name = "another name",
       .before = kBase,
       .now = {.select = Join("l.k, l.amount, r.w"),
               .left = "k BIGINT, ts TIMESTAMP(3), amount INT, x INT, WATERMARK FOR ts AS ts"},
       .rows = kUnchanged,
       .left_after = "k=3 ts=14 amount=9 x=2,k=8 ts=100 amount=0 x=0"},
      {"another type of an unused column", kBase,
       WithLeft("k BIGINT, ts TIMESTAMP(3), v INT, x STRING, WATERMARK FOR ts AS ts"), kUnchanged},
      {"TINYINT to SMALLINT", with_type("TINYINT"), with_type("SMALLINT"), kUnchanged},
      {"TINYINT to BIGINT", with_type("TINYINT"), with_type("BIGINT"), kUnchanged},
      {"INT to BIGINT", kBase, with_type("BIGINT"), kUnchanged},
      {"FLOAT to DOUBLE", with_type("FLOAT"), with_type("DOUBLE"), kUnchanged},
      {"a longer DECIMAL", with_type("DECIMAL(5, 0)"), with_type("DECIMAL(9, 0)"), kUnchanged},
      {"a longer VARCHAR", with_type("VARCHAR(3)"), with_type("VARCHAR(9)"), kUnchanged},
      {"VARCHAR to STRING", with_type("VARCHAR(3)"), with_type("STRING"), kUnchanged},
      {"a finer row time", kBase,
       WithLeft("k BIGINT, ts TIMESTAMP(6), v INT, x INT, WATERMARK FOR ts AS ts"), kUnchanged},
      {"a wider key of both",
       {.select = kBase.select,
        .left = "k INT, ts TIMESTAMP(3), v INT, WATERMARK FOR ts AS ts",
        .right = "k INT, ts TIMESTAMP(3), w INT, WATERMARK FOR ts AS ts"},
       kBase,
       kUnchanged},
      {"a wider key of one",
       {.select = Join("l.k, l.v, r.w"),
        .left = "k INT, ts TIMESTAMP(3), v INT, WATERMARK FOR ts AS ts",
        .right = "k INT, ts TIMESTAMP(3), w INT, WATERMARK FOR ts AS ts"},
       {.select = kBase.select, .left = "k INT, ts TIMESTAMP(3), v INT, WATERMARK FOR ts AS ts"},
       kUnchanged},
      {"BIGINT to INT",
       with_type("BIGINT"),
       kBase,
       "",
       {"column v of table l was BIGINT", "is INT now", "only become wider"}},
      {"DOUBLE to FLOAT",
       with_type("DOUBLE"),
       with_type("FLOAT"),
       "",
       {"column v of table l was DOUBLE", "is FLOAT now"}},
      {"a shorter VARCHAR",
       with_type("VARCHAR(9)"),
       with_type("VARCHAR(3)"),
       "",
       {"column v of table l was VARCHAR(9)", "is VARCHAR(3) now"}},
      {"INT to STRING",
       kBase,
       with_type("STRING"),
       "",
       {"column v of table l was INT", "is STRING now"}},
      {"a coarser row time",
       kBase,
       WithLeft("k BIGINT, ts TIMESTAMP(0), v INT, x INT, WATERMARK FOR ts AS ts"),
       "",
       {"column ts of table l was TIMESTAMP(3)", "is TIMESTAMP(0) now"}},
      {"a narrower key",
       kBase,
       {.select = kBase.select,
        .left = "k INT, ts TIMESTAMP(3), v INT, x INT, WATERMARK FOR ts AS ts",
        .right = "k INT, ts TIMESTAMP(3), w INT, WATERMARK FOR ts AS ts"},
       "",
       {"column k of table l was BIGINT", "is INT now"}},
      {"the expression of a computed column",
       with_computed("x + 1"),
       with_computed("x + 2"),
       "",
       {"the expression of column v of table l", "was x + 1 when", "is x + 2 now"}},
      {"the name of the table",
       kBase,
       {.select = "SELECT l.k, l.v, r.w FROM m AS l LEFT JOIN r ON l.k = r.k AND r.ts BETWEEN l.ts "
                  "AND l.ts + INTERVAL '10' SECOND",
        .left_name = "m"},
       "",
       {"the left table was l", "is m now"}},
      {"an alias", kBase,
       WithSelect("SELECT a.k, a.v, b.w FROM l AS a LEFT JOIN r AS b ON a.k = b.k AND b.ts BETWEEN "
                  "a.ts AND a.ts + INTERVAL '10' SECOND"),
       kUnchanged},
      {"format options",
       kBase,
       {.select = kBase.select, .left_options = ", 'json.ignore-parse-errors' = 'true'"},
       kUnchanged},
      {"limits",
       kBase,
       {.select = kBase.select, .left_options = ", 'source.max-files-per-trigger' = '1'"},
       kUnchanged},
  });
}

// Which column is meant could only be guessed.
TEST(ChangedJobTest, ARenamedColumnThatIsNotInItsPlaceIsRefusedByBothNames) {
  const auto check = [](const char* name, const char* left, const std::string& select,
                        const char* lost, const char* found) {
    JobText now = WithSelect(select);
    now.left = left;
    const std::string message = fmt::format(
        "table l has no {} any more, and the query uses its {}, which the table did not have", lost,
        found);
    CheckAll({{name, kBase, now, "", {message, "leave it in its place"}}});
  };
  const std::string amount = Join("l.k, l.amount, r.w");
  check("and another order", "x INT, amount INT, ts TIMESTAMP(3), k BIGINT, WATERMARK FOR ts AS ts",
        amount, "v", "amount");
  check("and a column more",
        "k BIGINT, ts TIMESTAMP(3), amount INT, x INT, y INT, WATERMARK FOR ts AS ts", amount, "v",
        "amount");
  check("and a column less", "k BIGINT, ts TIMESTAMP(3), amount INT, WATERMARK FOR ts AS ts",
        amount, "v", "amount");
  check("and another type",
        "k BIGINT, ts TIMESTAMP(3), amount STRING, x INT, WATERMARK FOR ts AS ts", amount, "v",
        "amount");
  const std::string key =
      "SELECT l.id, l.v, r.w FROM l LEFT JOIN r ON l.id = r.k AND r.ts BETWEEN "
      "l.ts AND l.ts + INTERVAL '10' SECOND";
  check("a key", "id BIGINT, ts TIMESTAMP(3), v INT, WATERMARK FOR ts AS ts", key, "k", "id");
  check("a row time", "k BIGINT, t TIMESTAMP(3), v INT, WATERMARK FOR t AS t",
        "SELECT l.k, l.v, r.w FROM l LEFT JOIN r ON l.k = r.k AND r.ts BETWEEN l.t AND l.t + "
        "INTERVAL '10' SECOND",
        "ts", "t");
  // One that nothing asked for, and a new one that nothing is stored of.
  CheckAll({{"no column in use", kBase,
             WithLeft("k BIGINT, ts TIMESTAMP(3), v INT, y INT, z INT, WATERMARK FOR ts AS ts"),
             kUnchanged}});
}

TEST(ChangedJobTest, TheCondition) {
  const std::string both = " AND l.v + r.w < 12";
  CheckAll({
      {"a narrower bound",
       kBase,
       WithSelect(Join("l.k, l.v, r.w", "LEFT", 5)),
       "1 5 2, 2 6 1, 3 9 3, 4 7 -, 5 8 -",
       {},
       {kModes[0]}},
      {"a narrower bound of an inner join",
       WithSelect(Join("l.k, l.v, r.w", "INNER")),
       WithSelect(Join("l.k, l.v, r.w", "INNER", 5)),
       "1 5 2, 2 6 1, 3 9 3",
       {},
       {kModes[0]}},
      {"a narrower window",
       kBase,
       WithSelect(Join("l.k, l.v, r.w", "LEFT", 5)),
       "",
       {"the window was from", "'10' SECOND", "'5' SECOND"},
       {kModes[1]}},
      {"a wider bound",
       kBase,
       WithSelect(Join("l.k, l.v, r.w", "LEFT", 20)),
       "",
       {"the upper time bound between table l and table r (r.ts minus l.ts) was INTERVAL '10' "
        "SECOND",
        "is INTERVAL '20' SECOND now", "a bound may only become narrower"},
       {kModes[0]}},
      {"a wider bound of an inner join",
       WithSelect(Join("l.k, l.v, r.w", "INNER")),
       WithSelect(Join("l.k, l.v, r.w", "INNER", 20)),
       "",
       {"'10' SECOND", "'20' SECOND"}},
      {"a first bound",
       WithSelect("SELECT l.k, l.v, r.w FROM l JOIN r ON l.k = r.k"),
       WithSelect(Join("l.k, l.v, r.w", "INNER")),
       "",
       {"the time that rows of table l are kept by was none", "is l.ts now",
        "the join has a time bound now"},
       {kModes[0]}},
      {"another key",
       kBase,
       WithSelect("SELECT l.k, l.v, r.w FROM l LEFT JOIN r ON l.x = r.k AND r.ts BETWEEN l.ts AND "
                  "l.ts + INTERVAL '10' SECOND"),
       "",
       {"key 1 of table l was l.k", "is l.x now", "rows in state are found by it"}},
      {"a condition on one table",
       kBase,
       WithSelect(Join("l.k, l.v, r.w", "LEFT", 10, " AND l.v > 5")),
       "",
       {"l.v > 5"}},
      {"WHERE",
       kBase,
       WithSelect(Join("l.k, l.v, r.w", "LEFT", 10, " WHERE l.v > 5")),
       "",
       {"l.v > 5"},
       {kModes[0]}},
      {"no condition on one table any more",
       WithSelect(Join("l.k, l.v, r.w", "INNER", 10, " AND l.v > 5")),
       WithSelect(Join("l.k, l.v, r.w", "INNER")),
       "",
       {"the condition on rows of table l was l.v > 5", "is none now"},
       {kModes[0]}},
      {"a condition on pairs", WithSelect(Join("l.k, l.v, r.w", "INNER")),
       WithSelect(Join("l.k, l.v, r.w", "INNER", 10, both)), "1 5 2, 2 6 1"},
      {"another condition on the same columns of pairs",
       WithSelect(Join("l.k, l.v, r.w", "INNER", 10, both)),
       WithSelect(Join("l.k, l.v, r.w", "INNER", 10, " AND l.v <> r.w")),
       "1 5 2, 2 6 1, 3 9 3, 5 8 4"},
      {"no condition on pairs any more",
       WithSelect(Join("l.k, l.v, r.w", "INNER", 10, both)),
       WithSelect(Join("l.k, l.v, r.w", "INNER")),
       "",
       {"rows of table l with NULL in l.v could not match when the checkpoint was made"},
       {kModes[0]}},
      {"no condition on pairs any more, whose rows with NULL are kept",
       WithSelect(Join("l.k, l.v, r.w", "INNER", 10, both)),
       WithSelect(Join("l.k, l.v, r.w", "INNER")),
       "1 5 2, 2 6 1, 3 9 3, 5 8 4",
       {},
       {kModes[1]}},
      {"a condition on pairs of an outer join",
       kBase,
       WithSelect(Join("l.k, l.v, r.w", "LEFT", 10, both)),
       "",
       {"the condition of the join", "none", "l.v + r.w < 12"}},
      {"a condition on pairs in another order",
       WithSelect(Join("l.k, l.v, r.w", "LEFT", 10, " AND l.v <> r.w" + both)),
       WithSelect(Join("l.k, l.v, r.w", "LEFT", 10, both + " AND l.v <> r.w")),
       "1 5 2, 2 6 1, 3 9 -, 4 7 -, 5 8 -"},
      {"LIMIT", kBase, WithSelect(kBase.select + " LIMIT 100"), kUnchanged},
  });
}

// INNER to LEFT is S6.
TEST(ChangedJobTest, TheKindOfTheJoin) {
  const std::vector<std::string> kinds = {"INNER", "LEFT",      "RIGHT",
                                          "FULL",  "LEFT SEMI", "LEFT ANTI"};
  const std::string matched = "1 5, 2 6, 3 9, 5 8";
  const std::string padded = "1 5, 2 6, 3 9, 4 7, 5 8";
  const std::vector<std::pair<std::pair<std::string, std::string>, std::string>> works = {
      {{"LEFT", "INNER"}, matched}, {{"RIGHT", "INNER"}, matched},
      {{"FULL", "INNER"}, matched}, {{"FULL", "LEFT"}, padded},
      {{"FULL", "RIGHT"}, matched}, {{"LEFT ANTI", "LEFT SEMI"}, "1 5, 3 9, 5 8"},
  };
  for (const std::string& before : kinds) {
    for (const std::string& now : kinds) {
      if (before == now) continue;
      const std::string name = before + " to " + now;
      Change change = {name.c_str(), WithSelect(Join("l.k, l.v", before)),
                       WithSelect(Join("l.k, l.v", now))};
      for (const auto& [kind, rows] : works) {
        if (kind == std::pair(before, now)) change.rows = rows;
      }
      change.messages = {"the join type was " + before, "is " + now};
      CheckAll({change});
    }
  }
}

// Both texts say LEFT JOIN.
TEST(ChangedJobTest, AWhereThatTakesThePaddingAwayIsNamed) {
  CheckAll({{"no such WHERE any more",
             WithSelect(Join("l.k, l.v, r.w", "LEFT", 10, " WHERE r.w > 1")),
             kBase,
             "",
             {"the join type was INNER (LEFT OUTER with a WHERE that no padded row passes) when",
              "is LEFT OUTER now"}}});
}

// It keeps which rows have matched. In micro-batch mode a row with NULL in its key is gone as it
// comes: the job that read it has answered it.
TEST(ChangedJobTest, AnotherSideIsPaddedWhereUnmatchedRowsTableHasRecordedMatches) {
  const auto with_table = [](const char* kind) {
    return JobText{.select = Join("l.k, l.v, r.w", kind),
                   .settings = {{"unmatched-rows.table", "lost"}},
                   .more = "CREATE TABLE lost (k BIGINT) WITH ('connector' = 'blackhole');\n"};
  };
  const auto without = [](const char* kind) { return WithSelect(Join("l.k, l.v, r.w", kind)); };
  const std::string left = std::string(kLeftBefore) + ",k=- ts=12 v=1 x=1";
  std::vector<Change> changes;
  for (const char* before : {"INNER", "RIGHT"}) {
    for (const bool keeps_table : {true, false}) {
      const JobText now = keeps_table ? with_table("LEFT") : without("LEFT");
      changes.push_back(
          {"micro-batch", with_table(before), now, kUnchanged, {}, {kModes[0]}, left});
      changes.push_back({"per-record",
                         with_table(before),
                         now,
                         "- 1 -, " + std::string(kUnchanged),
                         {},
                         {kModes[1]},
                         left});
    }
  }
  CheckAll(changes);
}

TEST(ChangedJobTest, OneTableBecomesAJoin) {
  CheckAll({{"a join",
             WithSelect("SELECT k FROM l"),
             kBase,
             "",
             {"the query read table l alone when", "is a LEFT OUTER join now"}}});
}

TEST(ChangedJobTest, Watermarks) {
  const std::string two =
      "k BIGINT, ts TIMESTAMP(3), v INT, x INT, ts2 TIMESTAMP(3), WATERMARK "
      "FOR {0} AS {0}";
  const auto on = [&](const char* column) {
    return WithLeft(fmt::format(fmt::runtime(two), column));
  };
  const JobText without = WithLeft("k BIGINT, ts TIMESTAMP(3), v INT, x INT");
  CheckAll({
      {"a longer delay", kBase,
       WithLeft("k BIGINT, ts TIMESTAMP(3), v INT, x INT, WATERMARK FOR ts AS ts - INTERVAL '1' "
                "SECOND"),
       kUnchanged},
      {"a shorter delay",
       WithLeft("k BIGINT, ts TIMESTAMP(3), v INT, x INT, WATERMARK FOR ts AS ts - INTERVAL '1' "
                "SECOND"),
       kBase, kUnchanged},
      {"an idle time-out",
       kBase,
       {.select = kBase.select, .left_options = ", 'scan.watermark.idle-timeout' = '1 h'"},
       kUnchanged},
      {"the policy",
       kBase,
       WithSettings({{"execution.multiple-watermark-policy", "max"}}),
       kUnchanged,
       {},
       {kModes[0]}},
      {"a watermark more", without, kBase, kUnchanged, {}, {kModes[0]}},
      {"no watermark any more",
       kBase,
       without,
       "",
       {"the watermark of table l was on ts", "is none now"}},
      {"another column",
       on("ts"),
       on("ts2"),
       "",
       {"the watermark of table l was on ts", "is on ts2 now"}},
  });
}

// Per-record mode: a regular join becomes an interval join by what a person wrote, and back.
TEST(ChangedJobTest, WhatMakesItAnotherJoinIsNamed) {
  const auto with = [](const std::string& bound, const char* right = "WATERMARK FOR ts AS ts") {
    JobText text = WithSelect("SELECT l.k, l.v, r.w FROM l JOIN r ON l.k = r.k" + bound);
    text.right =
        fmt::format("k BIGINT, ts TIMESTAMP(3), w INT{}{}", *right == 0 ? "" : ", ", right);
    return text;
  };
  const std::string lower = " AND r.ts >= l.ts";
  const std::string both = lower + " AND r.ts <= l.ts + INTERVAL '10' SECOND";
  const std::string window = "from -INTERVAL '10' SECOND to INTERVAL '0' SECOND";
  const char* forth = "the regular join becomes a row-time interval join";
  const char* back = "the row-time interval join becomes a regular join";
  const std::vector<std::string> modes = {kModes[1]};
  CheckAll({
      {"a watermark",
       with(both, ""),
       with(both),
       "",
       {"the watermark of table r was none when", "is on ts now", forth},
       modes},
      {"no watermark any more",
       with(both),
       with(both, ""),
       "",
       {"the watermark of table r was on ts when", "is none now", back},
       modes},
      {"an upper bound",
       with(lower),
       with(both),
       "",
       {"the time bound of the join of table l and table r was r.ts >= l.ts when",
        "is " + window + " now", forth},
       modes},
      {"no upper bound any more",
       with(both),
       with(lower),
       "",
       {"was " + window + " when", "is r.ts >= l.ts now", back},
       modes},
      {"both bounds",
       with(""),
       with(both),
       "",
       {"was none when", "is " + window + " now", forth},
       modes},
      {"a watermark without bounds",
       with("", ""),
       with(""),
       "1 5 2, 2 6 1, 3 9 3, 5 8 4",
       {},
       modes},
  });
}

// A time is what the session zone says, wherever that is asked for.
TEST(ChangedJobTest, TheZoneIsRefusedWhereAnythingDependsOnIt) {
  const auto in = [](const char* zone, const std::string& columns, const std::string& more) {
    JobText text = WithSelect(Join(columns, "LEFT", 10, more));
    text.left = "k BIGINT, ts TIMESTAMP(3), v INT, x INT, s STRING, WATERMARK FOR ts AS ts";
    text.settings = {{"table.local-time-zone", zone}};
    return text;
  };
  const auto change = [&](const char* columns, const char* more = "") {
    Change made = {columns, in("UTC", columns, more), in("Asia/Tokyo", columns, more)};
    made.messages = {"table.local-time-zone was UTC when", "is Asia/Tokyo now"};
    return made;
  };
  CheckAll({
      change("l.k, CAST(l.ts AS TIMESTAMP_LTZ(3))"),
      change("l.k, CAST(TO_TIMESTAMP_LTZ(l.v, 3) AS TIMESTAMP(3))"),
      change("l.k, EXTRACT(HOUR FROM TO_TIMESTAMP_LTZ(l.v, 3))"),
      change("l.k, DATE_FORMAT(TO_TIMESTAMP_LTZ(l.v, 3), 'HH')"),
      change("l.k, FLOOR(TO_TIMESTAMP_LTZ(l.v, 3) TO DAY)"),
      change("l.k, TO_TIMESTAMP_LTZ(l.v, 3) + INTERVAL '1' MONTH"),
      change("l.k, CURRENT_DATE"),
      change("l.k, LOCALTIMESTAMP"),
      change("l.k, TO_TIMESTAMP(l.s)"),
      change("l.k, CAST(l.s AS TIMESTAMP(3))"),
      change("l.k", " AND TO_TIMESTAMP_LTZ(l.v, 3) < r.ts"),
      change("l.k", " WHERE CAST(TO_TIMESTAMP_LTZ(l.v, 3) AS DATE) < DATE '2024-01-01'"),
  });
  for (const char* columns :
       {"l.k, TO_TIMESTAMP(l.s, 'yyyy')", "l.k, TO_TIMESTAMP('2024-01-01 00:00:00')",
        "l.k, TO_TIMESTAMP_LTZ(l.v, 3)", "l.k, TO_TIMESTAMP_LTZ(l.v, 3) + INTERVAL '1' DAY",
        "l.k, CAST(TO_TIMESTAMP_LTZ(l.v, 3) AS STRING)", "l.k, CAST(l.s AS DATE)"}) {
    ChangedJob job;
    job.Write("l", kLeftBefore);
    job.Write("r", kRightBefore);
    const Status first = job.Run(in("UTC", columns, ""));
    ASSERT_TRUE(first) << columns << first.error().ToString();
    const Status changed = job.Run(in("Asia/Tokyo", columns, ""));
    EXPECT_TRUE(changed) << columns << changed.error().ToString();
  }
}

TEST(ChangedJobTest, SettingsApplyFromTheRestartOnOrAreRefused) {
  const std::string late = "CREATE TABLE late (k BIGINT) WITH ('connector' = 'blackhole');\n";
  const JobText lost = {
      .select = kBase.select,
      .settings = {{"unmatched-rows.table", "lost"}},
      .more = "CREATE TABLE lost (k BIGINT, x INT) WITH ('connector' = 'blackhole');\n"};
  const std::string moments = "k BIGINT, ts TIMESTAMP_LTZ(3), {}, WATERMARK FOR ts AS ts";
  const auto in_zone = [&](const char* zone) {
    JobText text = kBase;
    text.left = fmt::format(fmt::runtime(moments), "v INT");
    text.right = fmt::format(fmt::runtime(moments), "w INT");
    text.settings = {{"table.local-time-zone", zone}};
    return text;
  };
  std::vector<Change> changes = {
      {"flush", kBase, WithSettings({{"execution.end-of-input", "flush"}}),
       "1 5 2, 2 6 1, 3 9 3, 4 7 -, 5 8 4, 8 0 -"},
      {"late-rows.table",
       kBase,
       {.select = kBase.select, .settings = {{"late-rows.table", "late"}}, .more = late},
       kUnchanged},
      {"no late-rows.table any more",
       {.select = kBase.select, .settings = {{"late-rows.table", "late"}}, .more = late},
       kBase,
       kUnchanged},
      {"unmatched-rows.table", kBase, lost, "", {"unmatched-rows.table is set now"}},
      {"no unmatched-rows.table any more", lost, kBase, kUnchanged},
      {"the zone where no time depends on it", WithSettings({{"table.local-time-zone", "UTC"}}),
       WithSettings({{"table.local-time-zone", "Asia/Tokyo"}}), kUnchanged},
      {"the zone where times depend on it",
       in_zone("UTC"),
       in_zone("Asia/Tokyo"),
       "",
       {"table.local-time-zone was UTC", "is Asia/Tokyo now"}},
      {"the operator",
       WithSelect(Join("l.k, l.v, r.w", "INNER")),
       WithSettings({{"per-record.interval-join", "datastream"}},
                    WithSelect(Join("l.k, l.v, r.w", "INNER"))),
       "",
       {"the join of table l and table r was a row-time interval join",
        "is a DataStream interval join now", "per-record.interval-join"},
       {kModes[1]}},
  };
  const std::vector<std::pair<std::string, std::string>> free_settings = {
      {"parallelism", "3"},
      {"execution.no-data-batches", "false"},
      {"execution.on-row-error", "drop"},
      {"execution.trigger", "asap"},
      {"table.exec.source.idle-timeout", "1 h"},
      {"state.retain-versions", "1"},
      {"execution.checkpointing.interval", "1 h"},
      {"source.interleave", "round-robin"},
      {"table.exec.interval-join.allowed-lateness", "3 s"},
      {"table.exec.interval-join.min-cleanup-interval", "3 s"},
      {"pipeline.name", "other"},
  };
  for (const auto& [key, value] : free_settings) {
    const bool pads_later = key == "execution.no-data-batches";
    const std::string rows = pads_later ? "1 5 2, 2 6 1, 3 9 3, 5 8 4" : kUnchanged;
    const auto text = WithSettings({{key, value}});
    changes.push_back({key.c_str(), kBase, text, rows, {}, {kModes[0]}});
    changes.push_back({key.c_str(), text, kBase, kUnchanged, {}, {kModes[0]}});
    changes.push_back({key.c_str(), kBase, text, kUnchanged, {}, {kModes[1]}});
    changes.push_back({key.c_str(), text, kBase, kUnchanged, {}, {kModes[1]}});
  }
  CheckAll(changes);
}

TEST(ChangedJobTest, TheMode) {
  for (const bool forth : {true, false}) {
    ChangedJob job;
    job.Write("l", kLeftBefore);
    job.Write("r", kRightBefore);
    ASSERT_TRUE(job.Run(In(kModes[forth ? 0 : 1], kBase)));
    const Status changed = job.Run(In(kModes[forth ? 1 : 0], kBase));
    ASSERT_FALSE(changed);
    EXPECT_THAT(changed.error().message,
                HasSubstr(fmt::format("the mode was {} when", kModes[forth ? 0 : 1])));
  }
}

// A padded row of the lower join must not come behind what it has told the upper one.
TEST(ChangedJobTest, TheLatenessOfAJoinBelowAnotherMayOnlyRise) {
  const auto chain = [](const char* lateness) {
    JobText text = {.select =
                        "SELECT l.k, r.w, s.u FROM l LEFT JOIN r ON l.k = r.k AND r.ts "
                        "BETWEEN l.ts AND l.ts + INTERVAL '10' SECOND JOIN s ON l.k = s.k "
                        "AND s.ts BETWEEN l.ts AND l.ts + INTERVAL '10' SECOND",
                    .more =
                        "CREATE TABLE s (k BIGINT, ts TIMESTAMP(3), u INT, WATERMARK FOR ts AS "
                        "ts) WITH ('connector' = 'datagen', 'number-of-rows' = '0');\n"};
    text.settings = {{"table.exec.interval-join.allowed-lateness", lateness}};
    return In(kModes[1], text);
  };
  ChangedJob job;
  job.Write("l", kLeftBefore);
  job.Write("r", kRightBefore);
  Status run = job.Run(chain("2 s"));
  ASSERT_TRUE(run) << run.error().ToString();
  run = job.Run(chain("1 s"));
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().message, HasSubstr("allowed-lateness was 2000 ms"));
  EXPECT_THAT(run.error().message, HasSubstr("is 1000 ms now"));
  run = job.Run(chain("3 s"));
  EXPECT_TRUE(run) << run.error().ToString();
}

// What was planned is run by the query as it is now, once.
TEST(ChangedJobTest, ABatchThatACrashLeftIsRunByTheChangedQuery) {
  for (const char* mode : kModes) {
    ChangedJob job;
    job.Write("l", kLeftBefore);
    job.Write("r", kRightBefore);
    ASSERT_FALSE(job.Run(In(mode, kBase), /*published_max=*/0)) << mode;
    const Status changed = job.Run(In(mode, WithSelect(Join("l.k, r.w"))));
    ASSERT_TRUE(changed) << mode << ": " << changed.error().ToString();
    EXPECT_EQ(job.Rows(), "2 1") << mode;
    job.Write("l", kLeftAfter);
    job.Write("r", kRightAfter);
    ASSERT_TRUE(job.Run(In(mode, WithSelect(Join("l.k, r.w"))))) << mode;
    EXPECT_EQ(job.Rows(), "1 2, 2 1, 3 3, 4 -, 5 4") << mode;
  }
}

TEST(ChangedJobTest, AMovedInputGoesOn) {
  for (const char* mode : kModes) {
    ChangedJob job;
    job.Write("l", kLeftBefore);
    job.Write("r", kRightBefore);
    ASSERT_TRUE(job.Run(In(mode, kBase)));
    std::filesystem::rename(job.File("l"), job.File("moved"));
    job.Write("moved", kLeftAfter);
    job.Write("r", kRightAfter);
    JobText moved = kBase;
    moved.left_path = "moved";
    const Status run = job.Run(In(mode, moved));
    ASSERT_TRUE(run) << mode << ": " << run.error().ToString();
    EXPECT_EQ(job.Rows(), kUnchanged) << mode;
  }
}

TEST(ChangedJobTest, AnotherConnectorIsRefused) {
  ChangedJob job;
  job.Write("l", kLeftBefore);
  job.Write("r", kRightBefore);
  ASSERT_TRUE(job.Run(kBase));
  JobText other = kBase;
  other.left_name = "unused";
  other.more =
      "CREATE TABLE l (k BIGINT, ts TIMESTAMP(3), v INT, x INT, WATERMARK FOR ts AS ts) WITH "
      "('connector' = 'datagen', 'number-of-rows' = '0');\n";
  const Status run = job.Run(other);
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().message,
              HasSubstr("the connector of table l was 'filesystem' when the checkpoint was made, "
                        "and is 'datagen' now"));
}

// Rows of a regular join are found again, when they are taken back, by what is stored of them.
TEST(ChangedJobTest, TheColumnsOfARegularJoin) {
  const auto join = [](const char* columns, const char* type) {
    return JobText{.select = fmt::format("SELECT {} FROM l {} JOIN r ON l.k = r.k", columns, type),
                   .left = "k BIGINT, ts TIMESTAMP(3), v INT, x INT",
                   .right = "k BIGINT, ts TIMESTAMP(3), w INT",
                   .left_options = ", 'changelog.column' = 'op'"};
  };
  const JobText before = join("l.k, l.v, l.x, r.w", "INNER");
  struct Case {
    const char* name;
    JobText now;
    std::string rows;
    std::vector<std::string> messages;
  };
  JobText wide = before;
  wide.left = "k BIGINT, ts TIMESTAMP(3), v BIGINT, x INT";
  JobText with_ttl = before;
  with_ttl.settings = {{"table.exec.state.ttl", "1 h"}};
  for (const Case& c :
       {Case{"another order", join("l.x, r.w, l.v, l.k", "INNER"), "-D 7 3 5 1, 7 3 5 1", {}},
        Case{"a column less", join("l.k, r.w", "INNER"), "-D 1 3, 1 3", {}},
        Case{"a wider type", wide, "-D 1 5 7 3, 1 5 7 3", {}},
        Case{"a time to live", with_ttl, "", {"table.exec.state.ttl was not set", "is set now"}},
        Case{"the kind", join("l.k, l.v, l.x, r.w", "LEFT"), "", {"the join type was INNER"}},
        Case{"a condition on pairs", join("l.k, l.v, l.x, r.w", "INNER"), "", {}}}) {
    ChangedJob job;
    job.Write("l", "op=+I k=1 ts=10 v=5 x=7,op=+I k=2 ts=10 v=6 x=8");
    job.Write("r", "k=99 ts=10 w=0");
    const Status first = job.Run(In(kModes[1], before));
    ASSERT_TRUE(first) << c.name << first.error().ToString();
    JobText now = c.now;
    if (std::string(c.name) == "a condition on pairs") now.select += " AND l.v < r.w";
    job.Write("r", "k=1 ts=11 w=3");
    const Status second = job.Run(In(kModes[1], now));
    if (c.rows.empty()) {
      ASSERT_FALSE(second) << c.name << job.Rows();
      for (const std::string& message : c.messages) {
        EXPECT_THAT(second.error().message, HasSubstr(message)) << c.name;
      }
      continue;
    }
    ASSERT_TRUE(second) << c.name << second.error().ToString();
    // The row that is taken back is found, so that it does not join another time.
    job.Write("l", "op=-D k=1 ts=10 v=5 x=7");
    ASSERT_TRUE(job.Run(In(kModes[1], now)));
    EXPECT_EQ(job.Rows(), c.rows) << c.name;
    job.Write("r", "k=1 ts=12 w=4");
    ASSERT_TRUE(job.Run(In(kModes[1], now)));
    EXPECT_EQ(job.Rows(), c.rows) << c.name;
  }
}

// A padded row that has gone out is taken back when a partner comes: a WHERE that drops what is
// taken back would leave it there.
TEST(ChangedJobTest, TheWhereOfARegularJoinThatPadsIsRefused) {
  const auto text = [](const std::string& where) {
    return JobText{.select = "SELECT l.k, l.v, r.w FROM l LEFT JOIN r ON l.k = r.k" + where,
                   .left = "k BIGINT, ts TIMESTAMP(3), v INT, x INT",
                   .right = "k BIGINT, ts TIMESTAMP(3), w INT"};
  };
  const std::string where = " WHERE r.w IS NULL OR r.w > l.v";
  const std::vector<std::string> modes = {kModes[1]};
  const std::string message = "what a regular join has sent out could not be taken back";
  CheckAll({
      {"more",
       text(""),
       text(where),
       "",
       {"the WHERE after the join was none when", "is r.w IS NULL OR r.w > l.v now", message},
       modes},
      {"less", text(where), text(""), "", {"was r.w IS NULL OR r.w > l.v when", message}, modes},
      {"the same",
       text(where),
       text(where),
       "-D 1 5 -, -D 3 9 -, -D 5 8 -, 1 5 -, 3 9 -, 4 7 -, 5 8 -, 8 0 -",
       {},
       modes},
  });
}

// The order of reading may change even while an epoch is planned.
TEST(ChangedJobTest, AnotherOrderOfReadingTakesAPlannedEpochOver) {
  const std::vector<std::string> orders = {"event-time", "round-robin", "left-first", "arrival"};
  for (const std::string& before : orders) {
    for (const std::string& now : orders) {
      ChangedJob job;
      job.Write("l", kLeftBefore);
      job.Write("r", kRightBefore);
      ASSERT_FALSE(job.Run(In(kModes[1], WithSettings({{"source.interleave", before}})), 0));
      job.Write("l", kLeftAfter);
      job.Write("r", kRightAfter);
      const Status run = job.Run(In(kModes[1], WithSettings({{"source.interleave", now}})));
      ASSERT_TRUE(run) << before << " " << now << ": " << run.error().ToString();
      EXPECT_EQ(job.Rows(), kUnchanged) << before << " " << now;
    }
  }
}

// Nothing of a change is kept before its first batch is planned.
TEST(ChangedJobTest, AChangeThatCannotStartHarmsNothing) {
  for (const char* mode : kModes) {
    ChangedJob job;
    job.Write("l", kLeftBefore);
    job.Write("r", kRightBefore);
    ASSERT_TRUE(job.Run(In(mode, kBase)));
    JobText broken = WithSelect(Join("l.k, r.w"));
    broken.left_options = ", 'source.max-bytes-per-trigger' = 'none'";
    ASSERT_FALSE(job.Run(In(mode, broken))) << mode;
    // Nothing to read: nothing is planned.
    ASSERT_TRUE(job.Run(In(mode, WithSelect(Join("l.k, r.w"))))) << mode;
    job.Write("l", kLeftAfter);
    job.Write("r", kRightAfter);
    const Status back = job.Run(In(mode, kBase));
    ASSERT_TRUE(back) << mode << ": " << back.error().ToString();
    EXPECT_EQ(job.Rows(), kUnchanged) << mode;
  }
}

}  // namespace
}  // namespace braid
