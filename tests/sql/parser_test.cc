#include "engine/sql/parser.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/sql/logical_plan_printer.h"

namespace braid {
namespace {

constexpr char kTables[] =
    "CREATE TABLE l (id BIGINT, ts TIMESTAMP(3), v BIGINT, WATERMARK FOR ts AS ts - INTERVAL '5' "
    "SECOND);"
    "CREATE TABLE r (id BIGINT, ts TIMESTAMP(3), w BIGINT, pt AS PROCTIME(), WATERMARK FOR ts AS "
    "ts);";

std::string Plan(const std::string& text) {
  const Result<Script> script = ParseScript(kTables + text, {});
  if (!script) return script.error().ToString();
  if (!script->query) return "no query";
  return PrintLogicalPlan(*script->query->root);
}

TEST(ParserTest, BindsAJoin) {
  EXPECT_EQ(
      Plan("SELECT l.id, r.ts AS rts, r.pt FROM l LEFT JOIN r ON l.id = r.id AND r.ts BETWEEN "
           "l.ts - INTERVAL '10' SECOND AND l.ts + INTERVAL '1 00:00:00.5' DAY TO SECOND "
           "WHERE v > 1"),
      "Project l.id AS id, r.ts AS rts (row time), r.pt AS pt (processing time)\n"
      "  Filter l.v > 1\n"
      "    Join LEFT OUTER ON l.id = r.id AND r.ts >= l.ts - INTERVAL '10' SECOND AND r.ts <= "
      "l.ts + INTERVAL '86400.5' SECOND\n"
      "      Scan l\n"
      "      Scan r\n");
}

}  // namespace
}  // namespace braid
