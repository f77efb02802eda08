// Evaluation on a selection gives what evaluation on all rows gives there; a filter keeps what the
// values say.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "braid/column_builder.h"
#include "engine/expression/evaluator.h"
#include "tests/expression/expression_text.h"

namespace braid {
namespace {

constexpr const char* kExpressions[] = {
    "a",
    "a + b",
    "a * 3 - b",
    "a / b",
    "a % 5 = b % 3",
    "CAST(a AS TINYINT)",
    "TRY_CAST(s AS INT)",
    "CAST(s AS INT)",
    "a > b",
    "a > 10",
    "10 >= a",
    "NOT (a > b OR s = '1')",
    "a > b AND s <> 'x' AND d < 0.5",
    "a > b OR a IS NULL OR 10 / a > 2",
    "CASE WHEN a > b THEN s WHEN a < 0 THEN UPPER(s) ELSE 'else' END",
    "CASE WHEN a <> 0 THEN 100 / a END",
    "COALESCE(a, b, -1)",
    "COALESCE(s, CAST(a AS STRING))",
    "a IN (1, 2, b, NULL)",
    "s IN ('1', 'x', 'abc')",
    "s LIKE '%1%'",
    "m * 2 + a",
    "m / a",
    "d * a",
    "d IS DISTINCT FROM 0.0",
    "ts + INTERVAL '1' DAY > u",
    "u - ts",
    "ts + INTERVAL '1' MONTH",
    "ts + INTERVAL '1' HOUR * a",
    "CAST(ts AS STRING)",
    "CAST(ts AS DATE)",
    "TIMESTAMPDIFF(HOUR, ts, u)",
    "CHAR_LENGTH(s) + a",
    "(a > b) IS NOT TRUE",
    "-a",
    "ABS(a)",
    "NULLIF(a, b)",
    "5",
    "NULL",
    "1 / 0",
};

std::vector<std::string> Generate(int64_t rows, const std::function<std::string()>& value) {
  std::vector<std::string> values;
  for (int64_t row = 0; row < rows; ++row) {
    values.push_back(*rc::gen::inRange(0, 5) == 0 ? "NULL" : value());
  }
  return values;
}

TestTable RandomTable(int64_t rows) {
  const auto number = [] { return std::to_string(*rc::gen::inRange(-20, 200)); };
  const auto text = [] { return *rc::gen::element<std::string>("1", "x", "abc", "", "77", "a1b"); };
  const auto time = [] {
    return "2024-0" + std::to_string(*rc::gen::inRange(1, 9)) + "-28 0" +
           std::to_string(*rc::gen::inRange(0, 9)) + ":00:00.5";
  };
  return TestTable({{"a", DataType::Int(), Generate(rows, number)},
                    {"b", DataType::Int(), Generate(rows, number)},
                    {"d", DataType::Double(), Generate(rows, number)},
                    {"m", DataType::Decimal(8, 2), Generate(rows, number)},
                    {"s", DataType::String(), Generate(rows, text)},
                    {"ts", DataType::Timestamp(3), Generate(rows, time)},
                    {"u", DataType::Timestamp(6), Generate(rows, time)}});
}

RC_GTEST_PROP(SelectionPropertyTest, ASelectionGivesTheValuesOfItsRows, ()) {
  const int64_t rows = *rc::gen::inRange<int64_t>(0, 40);
  const TestTable table = RandomTable(rows);
  std::vector<int32_t> selection;
  for (int32_t row = 0; row < rows; ++row) {
    if (*rc::gen::inRange(0, 3) > 0) selection.push_back(row);
  }
  if (*rc::gen::arbitrary<bool>()) std::reverse(selection.begin(), selection.end());
  for (const char* text : kExpressions) {
    const Result<ExpressionPtr> expression = table.Parse(text);
    RC_ASSERT(expression.has_value());
    const Result<Evaluator> evaluator = Evaluator::Create(*expression);
    EvaluationContext all_context;
    EvaluationContext some_context;
    const Column all = evaluator->Evaluate(table.columns(), rows, &all_context);
    const Column some = evaluator->EvaluateRows(table.columns(), selection, &some_context);
    RC_ASSERT(FormatColumn(some) == FormatColumn(Gather(all, selection)));

    std::vector<std::string> wanted_errors;
    std::vector<std::string> errors;
    std::vector<int32_t> rising = selection;
    std::sort(rising.begin(), rising.end());
    for (const RowError& error : all_context.row_errors) {
      if (std::binary_search(rising.begin(), rising.end(), static_cast<int32_t>(error.row))) {
        wanted_errors.push_back(std::to_string(error.row) + error.message);
      }
    }
    for (const RowError& error : some_context.row_errors) {
      errors.push_back(std::to_string(error.row) + error.message);
    }
    RC_ASSERT(errors == wanted_errors);

    if ((*expression)->type.kind != TypeKind::kBoolean) continue;
    std::vector<int32_t> kept = selection;
    EvaluationContext filter_context;
    evaluator->Filter(table.columns(), &filter_context, &kept);
    std::vector<int32_t> wanted;
    for (size_t i = 0; i < selection.size(); ++i) {
      const auto position = static_cast<int64_t>(i);
      if (some.IsValid(position) && some.Values<uint8_t>()[i] != 0) wanted.push_back(selection[i]);
    }
    RC_ASSERT(kept == wanted);
  }
}

}  // namespace
}  // namespace braid
