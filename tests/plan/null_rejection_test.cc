#include "engine/plan/null_rejection.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

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

}  // namespace
}  // namespace braid
