// SQL text bound over three standard tables, as text or as an error, for tables of cases.
//
//   l (id BIGINT, ts TIMESTAMP(3), v BIGINT, name STRING), watermark 5 s
//   r (id BIGINT, ts TIMESTAMP(3), w BIGINT, pt AS PROCTIME()), watermark without delay
//   s (a BIGINT NOT NULL, b INT, c STRING, t TIMESTAMP(3), d AS b + 1)
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "engine/sql/parser.h"

namespace braid {

ParseOptions FileOptions(std::string file_name, std::map<std::string, std::string> defines = {});

// The text that makes them, one line each.
std::string StandardTables();

// Parses `text` behind the standard tables; places count from the text's own begin.
Result<Script> BindBehindTables(const std::string& text);

// The plan of the one query; or "LINE:COLUMN: message" of the error.
std::string BoundPlan(const std::string& text);

// The bound SELECT list of "SELECT `expression` FROM l", as SQL; or "COLUMN: message", the column
// counting from the expression.
std::string BoundExpression(const std::string& expression);

struct BadText {
  std::string text;
  std::string error;  // "LINE:COLUMN: message"
};

// Expects that each text fails as it says.
void ExpectErrors(const std::vector<BadText>& cases);

}  // namespace braid
