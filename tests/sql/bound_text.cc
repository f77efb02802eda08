#include "tests/sql/bound_text.h"

#include <algorithm>
#include <utility>

#include "engine/sql/logical_plan_printer.h"

namespace braid {
namespace {

std::string PlacedMessage(Error error) {
  return std::to_string(error.place.line) + ":" + std::to_string(error.place.column) + ": " +
         error.message;
}

}  // namespace

ParseOptions FileOptions(std::string file_name, std::map<std::string, std::string> defines) {
  ParseOptions options;
  options.file_name = std::move(file_name);
  options.defines = std::move(defines);
  return options;
}

std::string StandardTables() {
  return "CREATE TABLE l (id BIGINT, ts TIMESTAMP(3), v BIGINT, name STRING, "
         "WATERMARK FOR ts AS ts - INTERVAL '5' SECOND);\n"
         "CREATE TABLE r (id BIGINT, ts TIMESTAMP(3), w BIGINT, pt AS PROCTIME(), "
         "WATERMARK FOR ts AS ts);\n"
         "CREATE TABLE s (a BIGINT NOT NULL, b INT, c STRING, t TIMESTAMP(3), d AS b + 1);\n";
}

Result<Script> BindBehindTables(const std::string& text) {
  const std::string tables = StandardTables();
  Result<Script> script = ParseScript(tables + text, {});
  if (!script) script.error().place.line -= std::count(tables.begin(), tables.end(), '\n');
  return script;
}

std::string BoundPlan(const std::string& text) {
  const Result<Script> script = BindBehindTables(text);
  if (!script) return PlacedMessage(script.error());
  return script->query ? PrintLogicalPlan(*script->query->root) : "no query";
}

std::string BoundExpression(const std::string& expression) {
  const std::string select = "SELECT ";
  const Result<Script> script = BindBehindTables(select + expression + " FROM l");
  if (!script) {
    Error error = script.error();
    return std::to_string(error.place.column - static_cast<int64_t>(select.size())) + ": " +
           error.message;
  }
  const LogicalNode& root = *script->query->root;
  std::string text;
  for (const ExpressionPtr& projection : root.projections) {
    if (!text.empty()) text += ", ";
    text += FormatExpression(*projection, [&](int column) {
      return root.inputs[0]->columns[static_cast<size_t>(column)].name;
    });
  }
  return text;
}

void ExpectErrors(const std::vector<BadText>& cases) {
  for (const BadText& bad : cases) {
    SCOPED_TRACE(bad.text);
    const Result<Script> script = BindBehindTables(bad.text);
    if (script) {
      ADD_FAILURE() << "is accepted";
      continue;
    }
    EXPECT_EQ(script.error().code, ErrorCode::kInvalidQuery);
    EXPECT_EQ(PlacedMessage(script.error()), bad.error);
  }
}

}  // namespace braid
