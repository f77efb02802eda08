#include "engine/plan/null_rejection.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <string>
#include <vector>

#include "braid/column_builder.h"
#include "engine/expression/evaluator.h"

namespace braid {
namespace {

// Column 0 is the one that is NULL, column 1 another; both BIGINT. Column 2 is a BOOLEAN and NULL.
ExpressionPtr Null() { return MakeColumn(0, DataType::BigInt()); }
ExpressionPtr Free() { return MakeColumn(1, DataType::BigInt()); }
ExpressionPtr NullFlag() { return MakeColumn(2, DataType::Boolean()); }
ExpressionPtr Number(int64_t value) { return MakeLiteral(Value::BigInt(value)); }
ExpressionPtr Truth(bool value) { return MakeLiteral(Value::Boolean(value)); }
ExpressionPtr NullLiteral() { return MakeLiteral(Value::Null()); }

ExpressionPtr Call(Operation operation, std::vector<ExpressionPtr> arguments) {
  Result<ExpressionPtr> call = MakeCall(operation, std::move(arguments));
  EXPECT_TRUE(call.has_value()) << (call ? "" : call.error().message);
  return *call;
}

bool Rejects(const ExpressionPtr& condition) {
  return RejectsNull(*condition, [](int column) { return column != 1; });
}

TEST(NullRejectionTest, FollowsThreeValuedLogic) {
  const ExpressionPtr null_above = Call(Operation::kGreater, {Null(), Number(5)});
  const ExpressionPtr free_above = Call(Operation::kGreater, {Free(), Number(5)});
  const ExpressionPtr is_null = Call(Operation::kIsNull, {Null()});
  const ExpressionPtr is_not_null = Call(Operation::kIsNotNull, {Null()});
  struct Case {
    const char* name;
    ExpressionPtr condition;
    bool rejects;
  };
  const Case cases[] = {
      {"n > 5", null_above, true},
      {"x > 5", free_above, false},
      {"n = x", Call(Operation::kEqual, {Null(), Free()}), true},
      {"n <> x", Call(Operation::kNotEqual, {Null(), Free()}), true},
      {"n + 1 < x", Call(Operation::kLess, {Call(Operation::kAdd, {Null(), Number(1)}), Free()}),
       true},
      {"-n < x", Call(Operation::kLess, {Call(Operation::kNegate, {Null()}), Free()}), true},
      {"n IS NULL", is_null, false},
      {"n IS NOT NULL", is_not_null, true},
      {"x IS NOT NULL", Call(Operation::kIsNotNull, {Free()}), false},
      {"NOT n IS NULL", Call(Operation::kNot, {is_null}), true},
      {"NOT n > 5", Call(Operation::kNot, {null_above}), true},
      {"n > 5 AND x > 5", Call(Operation::kAnd, {null_above, free_above}), true},
      {"n > 5 OR x > 5", Call(Operation::kOr, {null_above, free_above}), false},
      {"n > 5 OR n IS NOT NULL", Call(Operation::kOr, {null_above, is_not_null}), true},
      {"n IS NULL OR n > 5", Call(Operation::kOr, {is_null, null_above}), false},
      {"(n > 5) IS TRUE", Call(Operation::kIsTrue, {null_above}), true},
      {"(n > 5) IS NOT TRUE", Call(Operation::kIsNotTrue, {null_above}), false},
      {"(n > 5) IS FALSE", Call(Operation::kIsFalse, {null_above}), true},
      {"(n > 5) IS NOT FALSE", Call(Operation::kIsNotFalse, {null_above}), false},
      {"n IS DISTINCT FROM 5", Call(Operation::kIsDistinctFrom, {Null(), Number(5)}), false},
      {"n IS NOT DISTINCT FROM 5", Call(Operation::kIsNotDistinctFrom, {Null(), Number(5)}), true},
      {"n IS NOT DISTINCT FROM x", Call(Operation::kIsNotDistinctFrom, {Null(), Free()}), false},
      {"n IS DISTINCT FROM n", Call(Operation::kIsDistinctFrom, {Null(), Null()}), true},
      {"COALESCE(n, 0) > 5",
       Call(Operation::kGreater, {Call(Operation::kCoalesce, {Null(), Number(0)}), Number(5)}),
       false},
      {"COALESCE(n, n) > 5",
       Call(Operation::kGreater, {Call(Operation::kCoalesce, {Null(), Null()}), Number(5)}), true},
      {"CASE WHEN n > 5 THEN TRUE ELSE FALSE END",
       Call(Operation::kCase, {null_above, Truth(true), Truth(false)}), true},
      {"CASE WHEN n > 5 THEN FALSE ELSE x > 5 END",
       Call(Operation::kCase, {null_above, Truth(false), free_above}), false},
      {"n IN (1, 2)", Call(Operation::kIn, {Null(), Number(1), Number(2)}), true},
      {"x IN (1, n)", Call(Operation::kIn, {Free(), Number(1), Null()}), false},
      {"x IN (n)", Call(Operation::kIn, {Free(), Null()}), true},
      {"NOT x IN (1, n)",
       Call(Operation::kNot, {Call(Operation::kIn, {Free(), Number(1), Null()})}), true},
      {"flag", NullFlag(), true},
      {"NOT flag", Call(Operation::kNot, {NullFlag()}), true},
      {"TRUE", Truth(true), false},
      {"FALSE", Truth(false), true},
      {"NULL", NullLiteral(), true},
  };
  for (const Case& c : cases) EXPECT_EQ(Rejects(c.condition), c.rejects) << c.name;
}

ExpressionPtr AnyNumber(int depth) {
  switch (*rc::gen::inRange(0, depth > 0 ? 6 : 4)) {
    case 0:
      return Null();
    case 1:
      return Free();
    case 2:
      return Number(*rc::gen::inRange(0, 2));
    case 3:
      return MakeLiteral(Value::Null(DataType::BigInt()));
    case 4:
      return Call(Operation::kAdd, {AnyNumber(depth - 1), AnyNumber(depth - 1)});
    default:
      return Call(Operation::kCoalesce, {AnyNumber(depth - 1), AnyNumber(depth - 1)});
  }
}

ExpressionPtr AnyCondition(int depth) {
  const std::vector<Operation> comparisons{
      Operation::kEqual,        Operation::kNotEqual,       Operation::kLess,
      Operation::kGreaterEqual, Operation::kIsDistinctFrom, Operation::kIsNotDistinctFrom};
  const std::vector<Operation> tests{
      Operation::kNot,     Operation::kIsNull,    Operation::kIsNotNull, Operation::kIsTrue,
      Operation::kIsFalse, Operation::kIsNotTrue, Operation::kIsNotFalse};
  switch (*rc::gen::inRange(0, depth > 0 ? 7 : 2)) {
    case 0:
      return Call(*rc::gen::elementOf(comparisons), {AnyNumber(1), AnyNumber(1)});
    case 1:
      return *rc::gen::elementOf(std::vector<ExpressionPtr>{NullFlag(), Truth(true), Truth(false)});
    case 2:
      return Call(*rc::gen::elementOf(tests), {AnyCondition(depth - 1)});
    case 3:
      return Call(Operation::kAnd, {AnyCondition(depth - 1), AnyCondition(depth - 1)});
    case 4:
      return Call(Operation::kOr, {AnyCondition(depth - 1), AnyCondition(depth - 1)});
    case 5:
      return Call(Operation::kCase,
                  {AnyCondition(depth - 1), AnyCondition(depth - 1), AnyCondition(depth - 1)});
    default:
      return Call(Operation::kIn, {AnyNumber(1), AnyNumber(1), AnyNumber(1)});
  }
}

// All combinations of {NULL, 0, 1} in three columns.
std::vector<Column> AllRows() {
  std::array<ColumnBuilder, 3> builders{ColumnBuilder(DataType::BigInt()),
                                        ColumnBuilder(DataType::BigInt()),
                                        ColumnBuilder(DataType::Boolean())};
  for (int row = 0; row < 27; ++row) {
    const std::array<int, 3> digits{row % 3, row / 3 % 3, row / 9};
    for (size_t column = 0; column < 3; ++column) {
      const Value value{builders[column].type(), int64_t{digits[column]} - 1};
      builders[column].AppendValue(digits[column] == 0 ? Value::Null(value.type) : value);
    }
  }
  return {builders[0].Finish(), builders[1].Finish(), builders[2].Finish()};
}

TEST(NullRejectionTest, NeverRejectsWhatIsTrueForSomeRow) {
  const std::vector<Column> columns = AllRows();
  EXPECT_TRUE(rc::check([&columns] {
    const ExpressionPtr condition = AnyCondition(3);
    RC_LOG() << FormatExpression(*condition, [](int column) {
      return "c" + std::to_string(column);
    }) << '\n';
    const std::array<bool, 3> null{*rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>(),
                                   *rc::gen::arbitrary<bool>()};
    const auto is_null = [&null](int column) { return null[static_cast<size_t>(column)]; };
    if (!RejectsNull(*condition, is_null)) return;
    Result<Evaluator> evaluator = Evaluator::Create(condition);
    RC_ASSERT(evaluator.has_value());
    EvaluationContext context;
    const Column values = evaluator->Evaluate(columns, 27, &context);
    for (int64_t row = 0; row < 27; ++row) {
      bool fits = true;
      for (int column = 0; column < 3; ++column) {
        fits = fits && (!is_null(column) || columns[static_cast<size_t>(column)].IsNull(row));
      }
      const bool is_true =
          values.IsValid(row) && values.Values<uint8_t>()[static_cast<size_t>(row)] != 0;
      RC_ASSERT(!(fits && is_true));
    }
  }));
}

}  // namespace
}  // namespace braid
