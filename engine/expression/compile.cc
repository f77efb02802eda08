#include <algorithm>
#include <utility>

#include "braid/column_builder.h"
#include "engine/expression/arithmetic.h"
#include "engine/expression/cast.h"
#include "engine/expression/choice_nodes.h"
#include "engine/expression/comparison.h"
#include "engine/expression/evaluation_node.h"
#include "engine/expression/function_kernels.h"
#include "engine/expression/simple_nodes.h"
#include "engine/expression/time_arithmetic.h"
#include "engine/expression/zone_dependence.h"

namespace braid {

namespace {

using Nodes = std::vector<EvaluationNodePtr>;

bool IsTime(const DataType& type) { return type.is_timestamp() || type.kind == TypeKind::kDate; }

bool IsInterval(const DataType& type) {
  return type.kind == TypeKind::kIntervalDay || type.kind == TypeKind::kIntervalMonth;
}

// A kernel that also needs to know which operation it does.
using OperationKernel = Column (*)(Operation, const KernelCall&);

Kernel Bind(OperationKernel kernel, Operation operation) {
  return [kernel, operation](const KernelCall& call) { return kernel(operation, call); };
}

Kernel ArithmeticKernel(const Expression& call) {
  const Operation operation = call.operation;
  const DataType left = call.arguments[0]->type;
  if (IsTime(left)) {
    const bool difference = IsTime(call.arguments[1]->type);
    return difference ? Kernel(SubtractTimes) : Bind(ShiftTimes, operation);
  }
  if (IsInterval(left)) {
    const bool sum = operation == Operation::kAdd || operation == Operation::kSubtract;
    return Bind(sum ? AddIntervals : ScaleIntervals, operation);
  }
  const bool decimal = call.type.kind == TypeKind::kDecimal;
  return Bind(decimal ? ComputeDecimals : ComputeNumbers, operation);
}

Result<Kernel> SelectKernel(const Expression& call) {
  switch (call.operation) {
    case Operation::kAdd:
    case Operation::kSubtract:
    case Operation::kMultiply:
    case Operation::kDivide:
    case Operation::kModulo:
      return ArithmeticKernel(call);
    case Operation::kNegate:
      return IsInterval(call.type) ? Kernel(NegateIntervals) : Kernel(NegateNumbers);
    case Operation::kCast:
    case Operation::kTryCast:
      return MakeCastKernel(call.arguments[0]->type, call.type,
                            call.operation == Operation::kTryCast);
    case Operation::kLike:
      return MakeLikeKernel(call);
    default:
      return MakeFunctionKernel(call);
  }
}

// True if the value of a call over literals may differ from one evaluation to the next.
bool DependsOnContext(const Expression& call) {
  return call.operation == Operation::kProcTime || CallDependsOnZone(call);
}

// Replaces a node over literals by its value, unless that is a row error: then every row that is
// evaluated gets it.
EvaluationNodePtr Fold(EvaluationNodePtr node) {
  EvaluationContext context;
  const Operand operand = node->Evaluate({{}, &context}, {nullptr, 1});
  if (!context.row_errors.empty()) return node;
  return MakeLiteralNode(ValueAt(operand.values, 0));
}

// The arguments of an AND or OR, those of nested ones included.
void CollectArguments(const Expression& call, std::vector<ExpressionPtr>* arguments) {
  for (const ExpressionPtr& argument : call.arguments) {
    if (argument->is_call(call.operation)) {
      CollectArguments(*argument, arguments);
    } else {
      arguments->push_back(argument);
    }
  }
}

std::shared_ptr<const Expression> WithOperation(const Expression& call, Operation operation) {
  auto changed = std::make_shared<Expression>(call);
  changed->operation = operation;
  return changed;
}

ExpressionPtr NotOf(const ExpressionPtr& argument) {
  auto negation = std::make_shared<Expression>();
  negation->kind = ExpressionKind::kCall;
  negation->operation = Operation::kNot;
  negation->type = DataType::Boolean();
  negation->arguments = {argument};
  negation->place = argument->place;
  return negation;
}

// NOT argument without the NOT, where another operation says the same; else null.
ExpressionPtr PushNotDown(const ExpressionPtr& argument) {
  if (argument->kind != ExpressionKind::kCall) return nullptr;
  switch (argument->operation) {
    case Operation::kNot:
      return argument->arguments[0];
    case Operation::kIsNull:
      return WithOperation(*argument, Operation::kIsNotNull);
    case Operation::kIsNotNull:
      return WithOperation(*argument, Operation::kIsNull);
    case Operation::kIsTrue:
      return WithOperation(*argument, Operation::kIsNotTrue);
    case Operation::kIsNotTrue:
      return WithOperation(*argument, Operation::kIsTrue);
    case Operation::kIsFalse:
      return WithOperation(*argument, Operation::kIsNotFalse);
    case Operation::kIsNotFalse:
      return WithOperation(*argument, Operation::kIsFalse);
    case Operation::kEqual:
    case Operation::kNotEqual:
    case Operation::kLess:
    case Operation::kLessEqual:
    case Operation::kGreater:
    case Operation::kGreaterEqual:
    case Operation::kIsDistinctFrom:
    case Operation::kIsNotDistinctFrom:
      return WithOperation(*argument, NegatedComparison(argument->operation));
    case Operation::kAnd:
    case Operation::kOr: {
      const bool is_and = argument->operation == Operation::kAnd;
      auto opposite = std::make_shared<Expression>(*argument);
      opposite->operation = is_and ? Operation::kOr : Operation::kAnd;
      for (ExpressionPtr& each : opposite->arguments) each = NotOf(each);
      return opposite;
    }
    default:
      return nullptr;
  }
}

Result<EvaluationNodePtr> MakeCallNode(const ExpressionPtr& expression, Nodes arguments) {
  const Expression& call = *expression;
  switch (call.operation) {
    case Operation::kAnd:
    case Operation::kOr:
      return MakeLogicNode(call.operation, std::move(arguments));
    case Operation::kNot:
    case Operation::kIsNull:
    case Operation::kIsNotNull:
    case Operation::kIsTrue:
    case Operation::kIsFalse:
    case Operation::kIsNotTrue:
    case Operation::kIsNotFalse:
      return MakeTestNode(call.operation, std::move(arguments[0]));
    case Operation::kEqual:
    case Operation::kNotEqual:
    case Operation::kLess:
    case Operation::kLessEqual:
    case Operation::kGreater:
    case Operation::kGreaterEqual:
    case Operation::kIsDistinctFrom:
    case Operation::kIsNotDistinctFrom:
      return MakeComparisonNode(call.operation, std::move(arguments[0]), std::move(arguments[1]));
    case Operation::kCase:
      return MakeCaseNode(call.type, std::move(arguments));
    case Operation::kCoalesce:
      return MakeCoalesceNode(call.type, std::move(arguments));
    case Operation::kIn:
      return MakeInNode(std::move(arguments));
    case Operation::kProcTime:
      return MakeProcessingTimeNode();
    default:
      break;
  }
  Result<Kernel> kernel = SelectKernel(call);
  if (!kernel) return tl::unexpected(std::move(kernel.error()));
  return MakeKernelNode(expression, std::move(*kernel), std::move(arguments));
}

Result<EvaluationNodePtr> CompileCall(const ExpressionPtr& expression) {
  if (expression->operation == Operation::kNot) {
    const ExpressionPtr pushed = PushNotDown(expression->arguments[0]);
    if (pushed != nullptr) return CompileExpression(pushed);
  }
  std::vector<ExpressionPtr> arguments;
  const bool chain = expression->is_call(Operation::kAnd) || expression->is_call(Operation::kOr);
  if (chain) {
    CollectArguments(*expression, &arguments);
  } else {
    arguments = expression->arguments;
  }
  Nodes nodes;
  bool all_literal = true;
  for (const ExpressionPtr& argument : arguments) {
    Result<EvaluationNodePtr> node = CompileExpression(argument);
    if (!node) return node;
    all_literal &= (*node)->literal() != nullptr;
    nodes.push_back(std::move(*node));
  }
  Result<EvaluationNodePtr> node = MakeCallNode(expression, std::move(nodes));
  if (!node || !all_literal || DependsOnContext(*expression)) return node;
  return Fold(std::move(*node));
}

}  // namespace

Result<EvaluationNodePtr> CompileExpression(const ExpressionPtr& expression) {
  switch (expression->kind) {
    case ExpressionKind::kColumn:
      return MakeColumnNode(expression->column);
    case ExpressionKind::kLiteral:
      return MakeLiteralNode(expression->literal);
    case ExpressionKind::kCall:
      break;
  }
  return CompileCall(expression);
}

}  // namespace braid
