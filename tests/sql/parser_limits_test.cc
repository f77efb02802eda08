// Text that is made to break a parser: very deep, very long, random.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "state/rows/limits.h"
#include "tests/sql/bound_text.h"

namespace braid {
namespace {

std::string Repeated(const std::string& part, int count) {
  std::string text;
  for (int index = 0; index < count; ++index) text += part;
  return text;
}

std::string ErrorOf(const std::string& text) {
  const Result<Script> script = BindBehindTables(text);
  return script ? "accepted" : script.error().message;
}

// Texts that nest `depth` times.
std::vector<std::string> NestedTexts(int depth) {
  std::string views = "CREATE VIEW v0 AS SELECT id FROM l;";
  for (int index = 1; index < depth; ++index) {
    views += "CREATE VIEW v" + std::to_string(index) + " AS SELECT id FROM v" +
             std::to_string(index - 1) + ";";
  }
  return {
      "SELECT " + Repeated("(", depth) + "1" + Repeated(")", depth) + " AS x FROM l",
      "SELECT " + Repeated("- ", depth) + "v AS x FROM l",
      "SELECT " + Repeated("NOT ", depth) + "TRUE AS x FROM l",
      "SELECT v" + Repeated(" + 1", depth) + " AS x FROM l",
      "SELECT v = 1" + Repeated(" = TRUE", depth) + " AS x FROM l",
      "SELECT v" + Repeated(" IS NULL", depth) + " AS x FROM l",
      "SELECT " + Repeated("COALESCE(", depth) + "v" + Repeated(")", depth) + " AS x FROM l",
      "SELECT " + Repeated("CASE WHEN TRUE THEN ", depth) + "1" + Repeated(" END", depth) +
          " AS x FROM l",
      "SELECT " + Repeated("CAST(", depth) + "v" + Repeated(" AS STRING)", depth) + " AS x FROM l",
      "SELECT * FROM " + Repeated("(SELECT id FROM ", depth) + "l" + Repeated(")", depth),
      "SELECT * FROM " + Repeated("(", depth) + "l" + Repeated(")", depth),
      "SELECT id FROM l WHERE " + Repeated("EXISTS (SELECT 1 FROM r WHERE ", depth) + "TRUE" +
          Repeated(")", depth),
      Repeated("WITH x AS (", depth) + "SELECT id FROM l" + Repeated(") SELECT id FROM x", depth),
      views,
  };
}

TEST(ParserLimitsTest, DeepNestingIsRefusedAndNotRecursedInto) {
  for (const int depth : {kMaxNesting + 1, 5'000}) {
    for (const std::string& text : NestedTexts(depth)) {
      const std::string error = ErrorOf(text);
      EXPECT_NE(error.find("nested more than 300 deep"), std::string::npos)
          << text.substr(0, 80) << ": " << error;
    }
  }
}

TEST(ParserLimitsTest, NestingBelowTheLimitIsBound) {
  for (const std::string& text : NestedTexts(kMaxNesting / 3)) {
    EXPECT_EQ(ErrorOf(text), "accepted") << text.substr(0, 80);
  }
}

TEST(ParserLimitsTest, NestingJustBelowTheLimitIsBoundOrRefused) {
  // Some of the texts nest two things at once.
  for (const std::string& text : NestedTexts(kMaxNesting - 2)) {
    const std::string error = ErrorOf(text);
    EXPECT_TRUE(error == "accepted" || error.find("nested more than") != std::string::npos)
        << error;
  }
}

TEST(ParserLimitsTest, LongChainsOfJoinsAreRefused) {
  std::string text = "SELECT l.id FROM l";
  for (int index = 0; index < kMaxNesting + 1; ++index) {
    const std::string alias = "t" + std::to_string(index);
    text += " JOIN r " + alias + " ON TRUE";
  }
  EXPECT_EQ(ErrorOf(text), "nested more than 300 deep");
}

TEST(ParserLimitsTest, FlatListsMayBeLong) {
  constexpr int kLength = 5'000;
  EXPECT_EQ(ErrorOf("SELECT id FROM l WHERE v IN (0" + Repeated(", 1", kLength) + ")"), "accepted");
  EXPECT_EQ(ErrorOf("SELECT id FROM l WHERE v = 0" + Repeated(" OR v = 1", kLength)), "accepted");
  EXPECT_EQ(ErrorOf("SELECT id FROM l WHERE v = 0" + Repeated(" AND v = 1", kLength)), "accepted");
  EXPECT_EQ(ErrorOf("SELECT CASE" + Repeated(" WHEN v = 1 THEN 2", kLength) + " END AS x FROM l"),
            "accepted");
  EXPECT_EQ(ErrorOf("SELECT 'a'" + Repeated(" || 'b'", kLength) + " AS x FROM l"), "accepted");
  EXPECT_EQ(ErrorOf(Repeated("SET 'a' = 'b';", kLength)), "accepted");
  EXPECT_EQ(ErrorOf("SELECT t.case FROM (SELECT v AS case FROM l) t WHERE t.case = 1" +
                    Repeated(" OR t.case = 2", kLength)),
            "accepted");
}

TEST(ParserLimitsTest, ColumnsAndStepsDoNotDoubleForEver) {
  const std::string wide = "SELECT l.*" + Repeated(", l.*", 500);
  EXPECT_EQ(ErrorOf("CREATE VIEW v0 AS " + wide + " FROM l; SELECT 1 AS x FROM v0 a, v0 b, v0 c"),
            "6012 columns; there may be 4096");
  std::string views = "CREATE VIEW v0 AS SELECT id FROM l;";
  for (int index = 1; index < 60; ++index) {
    const std::string before = "v" + std::to_string(index - 1);
    views += "CREATE VIEW v" + std::to_string(index) + " AS SELECT a.id FROM " + before + " a, " +
             before + " b;";
  }
  EXPECT_EQ(ErrorOf(views), "the query has more than 10000 steps, those of its views included");
  EXPECT_EQ(ErrorOf("SELECT *" + Repeated(", *", 2000) + " FROM l"),
            "the SELECT list has more than 4096 columns");
}

TEST(ParserLimitsTest, RandomBytesNeverCrashIt) {
  std::mt19937 random(20240131);
  for (int round = 0; round < 2'000; ++round) {
    std::string text(random() % 60, ' ');
    for (char& byte : text) byte = static_cast<char>(random() % 256);
    const Result<Script> script = ParseScript(text, {});
    EXPECT_TRUE(script || !script.error().message.empty());
  }
}

// Words, numbers and signs in any order: deeper into the grammar than bytes come.
TEST(ParserLimitsTest, RandomTokensNeverCrashIt) {
  const std::vector<std::string> tokens = {
      "SELECT", "FROM",  "l",      "r",    "id",      "ts",       "WHERE",     "JOIN",   "LEFT",
      "ON",     "USING", "(",      ")",    ",",       ".",        "*",         "+",      "-",
      "=",      "<",     "1",      "1.5",  "'a'",     "INTERVAL", "SECOND",    "DAY",    "TO",
      "AND",    "OR",    "NOT",    "IS",   "NULL",    "IN",       "BETWEEN",   "LIKE",   "CASE",
      "WHEN",   "THEN",  "END",    "CAST", "AS",      "BIGINT",   "TIMESTAMP", "CREATE", "TABLE",
      "VIEW",   "WITH",  "INSERT", "INTO", "s",       "EXISTS",   "WATERMARK", "FOR",    "PRIMARY",
      "KEY",    ";",     "LIMIT",  "SET",  "EXPLAIN", "`x`",      "${N}"};
  std::mt19937 random(20240201);
  for (int round = 0; round < 1'000; ++round) {
    std::string text;
    for (size_t count = random() % 25; count > 0; --count) {
      text += tokens[random() % tokens.size()] + " ";
    }
    const Result<Script> script =
        ParseScript(StandardTables() + text, FileOptions("", {{"N", "5"}}));
    EXPECT_TRUE(script || script.error().place.line > 0);
  }
}

// One change at a time to text that is right.
TEST(ParserLimitsTest, ChangedTextNeverCrashesIt) {
  const std::string right =
      StandardTables() +
      "CREATE VIEW x (k, t) AS SELECT id, ts FROM l WHERE v BETWEEN 1 AND 2 OR name LIKE 'a%';\n"
      "INSERT INTO s (a, c) WITH q AS (SELECT * FROM x) SELECT q.k, CASE WHEN r.w > 1 THEN 'a' "
      "ELSE "
      "CAST(r.w AS STRING) END FROM q LEFT JOIN r ON q.k = r.id AND r.ts >= q.t - INTERVAL '1 "
      "02:03' "
      "DAY TO MINUTE WHERE EXISTS (SELECT 1 FROM s WHERE s.a = q.k) AND q.k IN (1, 2, -3.5e2);";
  ASSERT_TRUE(ParseScript(right, {}).has_value()) << ParseScript(right, {}).error().ToString();
  std::mt19937 random(20240202);
  for (int round = 0; round < 1'000; ++round) {
    std::string text = right;
    const size_t at = random() % text.size();
    switch (random() % 4) {
      case 0:
        text.erase(at, 1 + random() % 8);
        break;
      case 1:
        text.insert(at, 1, static_cast<char>(random() % 128));
        break;
      case 2:
        text[at] = static_cast<char>(random() % 256);
        break;
      default:
        text.insert(at, text.substr(random() % text.size(), random() % 20));
        break;
    }
    const Result<Script> script = ParseScript(text, {});
    EXPECT_TRUE(script || !script.error().message.empty());
  }
}

}  // namespace
}  // namespace braid
