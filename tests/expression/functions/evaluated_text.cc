#include "tests/expression/functions/evaluated_text.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "braid/column_builder.h"
#include "braid/value.h"
#include "engine/expression/evaluator.h"
#include "engine/sql/parser.h"
#include "state/rows/time_zone.h"

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

// Arguments that are part of the call: units, formats, paths, numbers of digits.
bool MustBeLiteral(const Expression& call, size_t index) {
  static const std::map<std::string, size_t, std::less<>> of_function = {
      {"CEIL", 1},       {"DATE_FORMAT", 1}, {"DATE_TRUNC", 0},   {"EXTRACT", 0},      {"FLOOR", 1},
      {"JSON_VALUE", 1}, {"ROUND", 1},       {"TIMESTAMPADD", 0}, {"TIMESTAMPDIFF", 0}};
  if (call.operation == Operation::kFunction) {
    const auto found = of_function.find(call.function);
    return found != of_function.end() && found->second == index;
  }
  const bool is_to_time =
      call.operation == Operation::kToTimestamp || call.operation == Operation::kToTimestampLtz;
  return index > 0 && (is_to_time || call.operation == Operation::kLike);
}

// The expression with columns in place of its literals; a column holds the value, NULL, the value.
ExpressionPtr WithColumns(const ExpressionPtr& expression, std::vector<Column>* columns) {
  if (expression->kind == ExpressionKind::kLiteral) {
    const Value& value = expression->literal;
    const TypeKind kind = expression->type.kind;
    const bool is_interval = kind == TypeKind::kIntervalDay || kind == TypeKind::kIntervalMonth;
    if (kind == TypeKind::kNull || is_interval) return expression;
    ColumnBuilder builder(expression->type);
    builder.AppendValue(value);
    builder.AppendNull();
    builder.AppendValue(value);
    columns->push_back(builder.Finish());
    return MakeColumn(static_cast<int>(columns->size()) - 1, expression->type, expression->place);
  }
  auto changed = std::make_shared<Expression>(*expression);
  for (size_t index = 0; index < changed->arguments.size(); ++index) {
    if (MustBeLiteral(*expression, index)) continue;
    changed->arguments[index] = WithColumns(changed->arguments[index], columns);
  }
  return changed;
}

// The outcome of one row.
EvaluatedText OutcomeOf(const Column& column, int64_t row, const EvaluationContext& context) {
  EvaluatedText outcome{column.type().ToString(), {}, ""};
  for (const RowError& error : context.row_errors) {
    if (error.row == row) outcome.error = error.message;
  }
  const Value value = ValueAt(column, row);
  if (!outcome.error.empty() || value.is_null()) return outcome;
  outcome.value =
      value.type.kind == TypeKind::kBytes ? Hexadecimal(value.text()) : FormatValue(value);
  return outcome;
}

}  // namespace

EvaluatedText EvaluateText(const std::string& expression, const std::string& zone,
                           Operands operands) {
  Result<ExpressionPtr> bound = Bind(expression);
  if (!bound) return {"", {}, bound.error().message};
  std::vector<Column> columns(1);
  if (operands == Operands::kColumns) bound = WithColumns(*bound, &columns);
  Result<Evaluator> evaluator = Evaluator::Create(*bound);
  if (!evaluator) return {"", {}, evaluator.error().message};
  Result<std::shared_ptr<const TimeZone>> session = TimeZone::Find(zone);
  if (!session) return {"", {}, session.error().message};
  EvaluationContext context;
  context.processing_time = kProcessingTime;
  context.zone = session->get();
  const int64_t num_rows = columns.size() > 1 ? 3 : 1;
  const Column column = evaluator->Evaluate(columns, num_rows, &context);
  const EvaluatedText first = OutcomeOf(column, 0, context);
  const EvaluatedText last = OutcomeOf(column, num_rows - 1, context);
  return first == last ? first : EvaluatedText{first.type, {}, "equal rows have two outcomes"};
}

}  // namespace braid
