#include "tests/expression/functions/evaluated_text.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "engine/expression/evaluator.h"
#include "engine/expression/time_zone.h"
#include "engine/sql/parser.h"
#include "state/rows/value.h"

namespace braid {
namespace {

constexpr EventTime kProcessingTime{1'795'953'600'123'000};

std::string Hexadecimal(const std::string& bytes) {
  std::string text = "0x";
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<uint8_t>(byte));
  return text;
}

Result<ExpressionPtr> Bind(const std::string& expression) {
  const std::string table = "CREATE TABLE one (x INT) WITH ('connector' = 'memory');\n";
  Result<Script> script = ParseScript(table + "SELECT " + expression + " FROM one", {});
  if (!script) return tl::unexpected(std::move(script.error()));
  return script->query->root->projections.at(0);
}

}  // namespace

EvaluatedText EvaluateText(const std::string& expression, const std::string& zone) {
  Result<ExpressionPtr> bound = Bind(expression);
  if (!bound) return {"", {}, bound.error().message};
  Result<Evaluator> evaluator = Evaluator::Create(*bound);
  if (!evaluator) return {"", {}, evaluator.error().message};
  Result<std::shared_ptr<const TimeZone>> session = TimeZone::Find(zone);
  if (!session) return {"", {}, session.error().message};
  EvaluationContext context;
  context.processing_time = kProcessingTime;
  context.zone = session->get();
  const std::vector<Column> no_columns(1);
  const Column column = evaluator->Evaluate(no_columns, 1, &context);
  EvaluatedText evaluated{column.type().ToString(), {}, ""};
  if (!context.row_errors.empty()) {
    evaluated.error = context.row_errors.front().message;
    return evaluated;
  }
  const Value value = ValueAt(column, 0);
  if (value.is_null()) return evaluated;
  evaluated.value =
      value.type.kind == TypeKind::kBytes ? Hexadecimal(value.text()) : FormatValue(value);
  return evaluated;
}

}  // namespace braid
