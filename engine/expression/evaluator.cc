#include "engine/expression/evaluator.h"

#include <algorithm>
#include <utility>

#include "braid/column_builder.h"
#include "engine/expression/evaluation_node.h"
#include "state/rows/check.h"

namespace braid {

namespace {

// Puts the errors from `first` on in order of their rows, one a row.
void OrderErrors(size_t first, std::vector<RowError>* errors) {
  if (errors->size() <= first + 1) return;
  const auto begin = errors->begin() + static_cast<std::ptrdiff_t>(first);
  std::stable_sort(begin, errors->end(), [](const RowError& left, const RowError& right) {
    return left.row < right.row;
  });
  const auto same_row = [](const RowError& left, const RowError& right) {
    return left.row == right.row;
  };
  errors->erase(std::unique(begin, errors->end(), same_row), errors->end());
}

Column ExpandConstant(Operand operand, int64_t count) {
  if (!operand.constant) return std::move(operand.values);
  return ConstantColumn(ValueAt(operand.values, 0), count);
}

Column EvaluateNode(const EvaluationNode& node, std::span<const Column> columns, RowSelection rows,
                    EvaluationContext* context) {
  const size_t first_error = context->row_errors.size();
  Operand operand = node.Evaluate({columns, context}, rows);
  OrderErrors(first_error, &context->row_errors);
  return ExpandConstant(std::move(operand), rows.count);
}

}  // namespace

struct Evaluator::Node {
  ExpressionPtr expression;
  EvaluationNodePtr node;
};

Result<Evaluator> Evaluator::Create(ExpressionPtr expression) {
  Result<EvaluationNodePtr> node = CompileExpression(expression);
  if (!node) return tl::unexpected(std::move(node.error()));
  return Evaluator(std::make_unique<Node>(Node{std::move(expression), std::move(*node)}));
}

Evaluator::Evaluator(std::unique_ptr<Node> root) : root_(std::move(root)) {}
Evaluator::Evaluator(Evaluator&&) noexcept = default;
Evaluator& Evaluator::operator=(Evaluator&&) noexcept = default;
Evaluator::~Evaluator() = default;

const DataType& Evaluator::type() const { return root_->expression->type; }

const ExpressionPtr& Evaluator::expression() const { return root_->expression; }

Column Evaluator::Evaluate(std::span<const Column> columns, int64_t num_rows,
                           EvaluationContext* context) const {
  return EvaluateNode(*root_->node, columns, {nullptr, num_rows}, context);
}

Column Evaluator::EvaluateRows(std::span<const Column> columns, std::span<const int32_t> rows,
                               EvaluationContext* context) const {
  return EvaluateNode(*root_->node, columns, {rows.data(), static_cast<int64_t>(rows.size())},
                      context);
}

void Evaluator::Filter(std::span<const Column> columns, EvaluationContext* context,
                       std::vector<int32_t>* rows) const {
  BRAID_CHECK(type().kind == TypeKind::kBoolean, "a filter is a BOOLEAN");
  const size_t first_error = context->row_errors.size();
  root_->node->Filter({columns, context}, rows);
  OrderErrors(first_error, &context->row_errors);
}

Result<Value> EvaluateConstant(const ExpressionPtr& expression, const TimeZone* zone) {
  if (!IsConstant(*expression)) {
    return Fail(ErrorCode::kInvalidQuery, "a constant is needed here, not a column",
                expression->place);
  }
  if (UsesProcessingTime(*expression)) {
    return Fail(ErrorCode::kInvalidQuery, "the time of the batch is known only when it runs",
                expression->place);
  }
  Result<EvaluationNodePtr> node = CompileExpression(expression);
  if (!node) return tl::unexpected(std::move(node.error()));
  EvaluationContext context;
  context.zone = zone;
  const Column column = EvaluateNode(**node, {}, {nullptr, 1}, &context);
  if (context.row_errors.empty()) return ValueAt(column, 0);
  const RowError& error = context.row_errors.front();
  return Fail(ErrorCode::kInvalidQuery, error.message, error.place);
}

}  // namespace braid
