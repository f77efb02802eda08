// What an expression is compiled to: a tree of nodes, each of which gives a column of values for
// the rows that are asked for. Kernels (comparison.h, arithmetic.h, cast.h …) do the work of a node
// once its arguments are columns.
//
// Thread rule: nodes are immutable; a scope belongs to one evaluation.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "braid/row_batch.h"
#include "engine/expression/evaluator.h"

namespace braid {

// The rows to evaluate: `count` row numbers, or the first `count` rows if `rows` is null.
struct RowSelection {
  const int32_t* rows = nullptr;  // Borrowed.
  int64_t count = 0;

  int32_t row(int64_t position) const {
    return rows == nullptr ? static_cast<int32_t>(position) : rows[position];
  }
  static RowSelection Of(const std::vector<int32_t>& rows) {
    return {rows.data(), static_cast<int64_t>(rows.size())};
  }
};

// Values for a selection: one for each of its rows (dense), or a single one that holds for all.
struct Operand {
  Column values;
  bool constant = false;

  int64_t index(int64_t position) const { return constant ? 0 : position; }
  bool IsNull(int64_t position) const { return values.IsNull(index(position)); }
};

// Takes the row errors of one node.
class RowErrors {
 public:
  RowErrors(EvaluationContext* context, RowSelection rows, const Place* place)
      : context_(context), rows_(rows), place_(place) {}

  // The value is the same for all rows: an error counts for each of them.
  void SetForAllRows() { for_all_rows_ = true; }

  void Add(int64_t position, const std::string& message) {
    if (!for_all_rows_) return AddAt(position, message);
    for (int64_t each = 0; each < rows_.count; ++each) AddAt(each, message);
  }

 private:
  void AddAt(int64_t position, const std::string& message) {
    context_->row_errors.push_back({rows_.row(position), message, *place_});
  }

  EvaluationContext* context_;
  RowSelection rows_;
  const Place* place_;
  bool for_all_rows_ = false;
};

// One run of a kernel: `count` values from the arguments.
struct KernelCall {
  DataType type;                       // Of the result.
  std::span<const Operand> arguments;  // Dense or constant.
  int64_t count = 0;
  RowErrors* errors = nullptr;
  const EvaluationContext* context = nullptr;
};

using Kernel = std::function<Column(const KernelCall&)>;

// The columns and the context of one evaluation.
struct EvaluationScope {
  std::span<const Column> columns;
  EvaluationContext* context;
};

class EvaluationNode {
 public:
  virtual ~EvaluationNode() = default;

  virtual Operand Evaluate(const EvaluationScope& scope, RowSelection rows) const = 0;

  // Keeps of `rows` those for which the value is TRUE. REQUIRES: a BOOLEAN.
  virtual void Filter(const EvaluationScope& scope, std::vector<int32_t>* rows) const;

  // The column that the node hands on as it is, or -1.
  virtual int column() const { return -1; }

  // The value if it is known before any row; else null.
  virtual const Value* literal() const { return nullptr; }
};

using EvaluationNodePtr = std::unique_ptr<const EvaluationNode>;

// Compiles `expression`: folds what is constant, chooses kernels, compiles patterns. Fails with
// kInvalidQuery, for instance for a LIKE pattern that ends in its escape character.
Result<EvaluationNodePtr> CompileExpression(const ExpressionPtr& expression);

}  // namespace braid
