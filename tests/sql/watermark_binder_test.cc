#include "engine/sql/watermark_binder.h"

#include "tests/sql/bound_text.h"

namespace braid {
namespace {

struct Case {
  std::string expression;
  int64_t delay_micros;
};

TEST(WatermarkBinderTest, TheDelayIsWhatIsSubtracted) {
  const std::vector<Case> cases = {
      {"ts", 0},
      {"TS", 0},
      {"t.ts", 0},
      {"ts - INTERVAL '5' SECOND", 5'000'000},
      {"(ts - INTERVAL '0.000001' SECOND)", 1},
      {"ts - INTERVAL '1 00:00:01' DAY TO SECOND", 86'401'000'000},
      {"ts - INTERVAL 3 MILLISECONDS", 3'000},
      {"ts - INTERVAL '1' SECOND * 2", 2'000'000},
      {"ts - (INTERVAL '3' SECOND - INTERVAL '1' SECOND)", 2'000'000},
      {"ts - INTERVAL '3' SECOND - INTERVAL '1' SECOND", 4'000'000},
      {"ts - INTERVAL '3' SECOND + INTERVAL '1' SECOND", 2'000'000},
      {"ts - INTERVAL '0' SECOND", 0},
      {"ts + INTERVAL '-5' SECOND", 5'000'000},
  };
  for (const char* type : {"TIMESTAMP(3)", "TIMESTAMP(6)", "TIMESTAMP_LTZ(3)", "TIMESTAMP(0)"}) {
    for (const Case& each : cases) {
      SCOPED_TRACE(each.expression);
      const Result<Script> script =
          ParseScript("CREATE TABLE t (id INT, ts " + std::string(type) +
                          ",\n  WATERMARK FOR ts AS " + each.expression + ")",
                      {});
      ASSERT_TRUE(script.has_value()) << script.error().ToString();
      const std::optional<WatermarkDefinition>& watermark = script->tables[0]->watermark;
      ASSERT_TRUE(watermark.has_value());
      EXPECT_EQ(watermark->column, 1);
      EXPECT_EQ(watermark->delay.micros, each.delay_micros);
      EXPECT_EQ(watermark->place.line, 2);
      EXPECT_EQ(watermark->place.column, 3);
    }
  }
}

TEST(WatermarkBinderTest, AComputedColumnMayHaveOne) {
  const Result<Script> script = ParseScript(
      "CREATE TABLE t (ms BIGINT, ts AS TO_TIMESTAMP_LTZ(ms, 3), WATERMARK FOR ts AS ts)", {});
  ASSERT_TRUE(script.has_value()) << script.error().ToString();
  EXPECT_EQ(script->tables[0]->watermark->column, 1);
}

TEST(WatermarkBinderTest, Errors) {
  const std::string form =
      "a watermark is the column, or the column minus a constant interval: WATERMARK FOR ts AS ts "
      "- "
      "INTERVAL '5' SECOND";
  const std::string months =
      "months and years are no delay for a watermark: they have no fixed length; write days, as in "
      "INTERVAL '30' DAY";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"ts - INTERVAL '1' MONTH", months},
      {"ts - INTERVAL '1' YEAR", months},
      {"ts + INTERVAL '1' SECOND", "a watermark cannot be ahead of its column"},
      {"ts - INTERVAL '-1' SECOND", "a watermark cannot be ahead of its column"},
      {"u", "the watermark for ts is made of ts itself, not of u"},
      {"u - INTERVAL '1' SECOND", "the watermark for ts is made of ts itself, not of u"},
      {"CAST(ts AS TIMESTAMP(3))", form},
      {"COALESCE(ts, u)", form},
      {"TIMESTAMP '2024-01-01 00:00:00'", form},
      {"ts - INTERVAL '1' SECOND * n", form},
      {"ts - (ts - u)", form},
      {"ts - (PROCTIME() - TIMESTAMP_LTZ_CONSTANT)", ""},
  };
  for (const auto& [expression, message] : cases) {
    SCOPED_TRACE(expression);
    const Result<Script> script = ParseScript(
        "CREATE TABLE t (ts TIMESTAMP(3), u TIMESTAMP(3), n INT,\nWATERMARK FOR ts AS " +
            expression + ")",
        {});
    ASSERT_FALSE(script.has_value());
    if (message.empty()) continue;
    EXPECT_EQ(script.error().message, message);
    EXPECT_EQ(script.error().place.line, 2);
    EXPECT_EQ(script.error().place.column, 21);
  }
  ExpectErrors({
      {"CREATE TABLE t (x BIGINT, WATERMARK FOR x AS x)",
       "1:41: WATERMARK FOR takes a TIMESTAMP or TIMESTAMP_LTZ column; x is BIGINT"},
      {"CREATE TABLE t (ts TIMESTAMP(3), WATERMARK FOR tz AS ts)",
       "1:48: there is no column tz; there is ts"},
      {"CREATE TABLE t (a INT, pt AS PROCTIME(), WATERMARK FOR pt AS pt)",
       "1:56: pt is a processing time; it needs no watermark"},
      {"CREATE TABLE t (a INT, ts AS CAST(PROCTIME() AS TIMESTAMP(3)), WATERMARK FOR ts AS ts)",
       "1:78: ts is made of PROCTIME(), which is the batch's; a watermark is made of times that "
       "rows "
       "bring"},
      {"CREATE TABLE t (ts TIMESTAMP(3), WATERMARK FOR ts AS ts, WATERMARK FOR ts AS ts)",
       "1:58: a table has at most one WATERMARK"},
  });
}

}  // namespace
}  // namespace braid
