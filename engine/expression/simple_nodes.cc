#include "engine/expression/simple_nodes.h"

#include <utility>

#include "braid/column_builder.h"
#include "engine/expression/comparison.h"
#include "engine/expression/result_column.h"
#include "engine/expression/time_unit.h"
#include "state/rows/check.h"

namespace braid {

// The way of every node that has no better one.
void EvaluationNode::Filter(const EvaluationScope& scope, std::vector<int32_t>* rows) const {
  if (rows->empty()) return;
  const Operand operand = Evaluate(scope, RowSelection::Of(*rows));
  const uint8_t* values = operand.values.Values<uint8_t>().data();
  if (operand.constant) {
    if (operand.values.IsNull(0) || values[0] == 0) rows->clear();
    return;
  }
  const bool has_nulls = operand.values.null_count() > 0;
  int32_t* kept = rows->data();
  for (size_t i = 0; i < rows->size(); ++i) {
    *kept = (*rows)[i];
    const bool valid = !has_nulls || operand.values.IsValid(static_cast<int64_t>(i));
    kept += static_cast<int>(valid && values[i] != 0);
  }
  rows->resize(static_cast<size_t>(kept - rows->data()));
}

namespace {

bool IsEveryRow(const Column& column, RowSelection rows) {
  if (column.length() != rows.count) return false;
  if (rows.rows == nullptr) return true;
  for (int64_t i = 0; i < rows.count; ++i) {
    if (rows.rows[i] != i) return false;
  }
  return true;
}

class ColumnNode final : public EvaluationNode {
 public:
  explicit ColumnNode(int column) : column_(column) {}

  Operand Evaluate(const EvaluationScope& scope, RowSelection rows) const override {
    BRAID_CHECK(static_cast<size_t>(column_) < scope.columns.size(), "a column of the input");
    const Column& column = scope.columns[static_cast<size_t>(column_)];
    if (IsEveryRow(column, rows)) return {column, false};
    BRAID_CHECK(rows.rows != nullptr || rows.count == 0, "a column with a value for each row");
    return {Gather(column, {rows.rows, static_cast<size_t>(rows.count)}), false};
  }

  int column() const override { return column_; }

 private:
  int column_;
};

class LiteralNode final : public EvaluationNode {
 public:
  explicit LiteralNode(Value value)
      : value_(std::move(value)), column_(ConstantColumn(value_, 1)) {}

  Operand Evaluate(const EvaluationScope&, RowSelection) const override { return {column_, true}; }
  const Value* literal() const override { return &value_; }

 private:
  Value value_;
  Column column_;
};

class ProcessingTimeNode final : public EvaluationNode {
 public:
  Operand Evaluate(const EvaluationScope& scope, RowSelection) const override {
    const DataType type = DataType::TimestampLtz(3);
    const int64_t micros =
        FloorToUnit(scope.context->processing_time.micros, MicrosPerUnit(type.precision));
    return {ConstantColumn({type, micros}, 1), true};
  }
};

class KernelNode final : public EvaluationNode {
 public:
  KernelNode(ExpressionPtr expression, Kernel kernel, std::vector<EvaluationNodePtr> arguments)
      : expression_(std::move(expression)),
        kernel_(std::move(kernel)),
        arguments_(std::move(arguments)) {}

  Operand Evaluate(const EvaluationScope& scope, RowSelection rows) const override {
    std::vector<Operand> operands;
    operands.reserve(arguments_.size());
    bool constant = true;
    for (const EvaluationNodePtr& argument : arguments_) {
      operands.push_back(argument->Evaluate(scope, rows));
      constant &= operands.back().constant;
    }
    RowErrors errors(scope.context, rows, &expression_->place);
    if (constant) errors.SetForAllRows();
    const KernelCall call = {expression_->type, operands, constant ? 1 : rows.count, &errors,
                             scope.context};
    return {kernel_(call), constant};
  }

 private:
  ExpressionPtr expression_;
  Kernel kernel_;
  std::vector<EvaluationNodePtr> arguments_;
};

class ComparisonNode final : public EvaluationNode {
 public:
  ComparisonNode(Operation operation, EvaluationNodePtr left, EvaluationNodePtr right)
      : operation_(operation), left_(std::move(left)), right_(std::move(right)) {}

  Operand Evaluate(const EvaluationScope& scope, RowSelection rows) const override {
    const Operand operands[2] = {left_->Evaluate(scope, rows), right_->Evaluate(scope, rows)};
    const bool constant = operands[0].constant && operands[1].constant;
    return {Compare(operation_, {DataType::Boolean(), operands, constant ? 1 : rows.count}),
            constant};
  }

  void Filter(const EvaluationScope& scope, std::vector<int32_t>* rows) const override {
    const bool direct = IsOrderedComparison(operation_) && IsPlain(*left_) && IsPlain(*right_) &&
                        (left_->column() >= 0 || right_->column() >= 0);
    if (!direct) return EvaluationNode::Filter(scope, rows);
    if (left_->column() < 0) {
      FilterPlain(FlippedComparison(operation_), *right_, *left_, scope, rows);
    } else {
      FilterPlain(operation_, *left_, *right_, scope, rows);
    }
  }

 private:
  static bool IsPlain(const EvaluationNode& node) {
    return node.column() >= 0 || node.literal() != nullptr;
  }

  // REQUIRES: `left` is a column, `right` a column or a literal.
  static void FilterPlain(Operation operation, const EvaluationNode& left,
                          const EvaluationNode& right, const EvaluationScope& scope,
                          std::vector<int32_t>* rows) {
    const Column& column = scope.columns[static_cast<size_t>(left.column())];
    if (right.column() >= 0) {
      const Column& other = scope.columns[static_cast<size_t>(right.column())];
      return FilterByComparison(operation, column, other, false, rows);
    }
    const Operand literal = right.Evaluate(scope, {});
    FilterByComparison(operation, column, literal.values, true, rows);
  }

  Operation operation_;
  EvaluationNodePtr left_;
  EvaluationNodePtr right_;
};

class TestNode final : public EvaluationNode {
 public:
  TestNode(Operation operation, EvaluationNodePtr argument)
      : operation_(operation), argument_(std::move(argument)) {}

  Operand Evaluate(const EvaluationScope& scope, RowSelection rows) const override {
    const Operand operand = argument_->Evaluate(scope, rows);
    const int64_t count = operand.constant ? 1 : rows.count;
    ResultColumn result(DataType::Boolean(), count);
    auto* out = result.values<uint8_t>();
    if (operation_ == Operation::kIsNull || operation_ == Operation::kIsNotNull) {
      const bool is_null = operation_ == Operation::kIsNull;
      for (int64_t i = 0; i < count; ++i) {
        out[i] = static_cast<uint8_t>(operand.values.IsNull(i) == is_null);
      }
      return {result.Finish(), operand.constant};
    }
    const uint8_t* values = operand.values.Values<uint8_t>().data();
    if (operation_ == Operation::kNot) {
      result.TakeNulls(operand);
      for (int64_t i = 0; i < count; ++i) out[i] = static_cast<uint8_t>(values[i] ^ 1);
      return {result.Finish(), operand.constant};
    }
    const bool about_true = operation_ == Operation::kIsTrue || operation_ == Operation::kIsNotTrue;
    const bool negated =
        operation_ == Operation::kIsNotTrue || operation_ == Operation::kIsNotFalse;
    for (int64_t i = 0; i < count; ++i) {
      const bool holds = operand.values.IsValid(i) && (values[i] != 0) == about_true;
      out[i] = static_cast<uint8_t>(holds != negated);
    }
    return {result.Finish(), operand.constant};
  }

  void Filter(const EvaluationScope& scope, std::vector<int32_t>* rows) const override {
    const bool about_null = operation_ == Operation::kIsNull || operation_ == Operation::kIsNotNull;
    if (about_null && argument_->column() >= 0) {
      return FilterByValidity(scope.columns[static_cast<size_t>(argument_->column())],
                              operation_ == Operation::kIsNull, rows);
    }
    if (operation_ == Operation::kIsTrue) return argument_->Filter(scope, rows);
    EvaluationNode::Filter(scope, rows);
  }

 private:
  Operation operation_;
  EvaluationNodePtr argument_;
};

}  // namespace

EvaluationNodePtr MakeColumnNode(int column) { return std::make_unique<ColumnNode>(column); }

EvaluationNodePtr MakeLiteralNode(Value value) {
  return std::make_unique<LiteralNode>(std::move(value));
}

EvaluationNodePtr MakeProcessingTimeNode() { return std::make_unique<ProcessingTimeNode>(); }

EvaluationNodePtr MakeKernelNode(ExpressionPtr expression, Kernel kernel,
                                 std::vector<EvaluationNodePtr> arguments) {
  return std::make_unique<KernelNode>(std::move(expression), std::move(kernel),
                                      std::move(arguments));
}

EvaluationNodePtr MakeComparisonNode(Operation operation, EvaluationNodePtr left,
                                     EvaluationNodePtr right) {
  return std::make_unique<ComparisonNode>(operation, std::move(left), std::move(right));
}

EvaluationNodePtr MakeTestNode(Operation operation, EvaluationNodePtr argument) {
  return std::make_unique<TestNode>(operation, std::move(argument));
}

}  // namespace braid
