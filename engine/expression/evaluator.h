// Runs a bound expression over columns, a batch at a time.
//
// A row error (overflow, division by zero, a CAST that fails) does not stop the evaluation: the row
// gets NULL and is noted, and the caller decides (execution.on-row-error). Only rows whose value is
// asked for are evaluated: CASE, COALESCE, AND and OR narrow the rows before they go on, so that
// `CASE WHEN x <> 0 THEN 1 / x END` never divides by zero.
//
// Thread rule: an Evaluator is immutable; each thread brings its own EvaluationContext.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "braid/error.h"
#include "braid/row_batch.h"
#include "engine/expression/expression.h"

namespace braid {

class TimeZone;

struct RowError {
  int64_t row = 0;  // Row of the input.
  std::string message;
  Place place;  // Of the expression in the SQL text.
};

struct EvaluationContext {
  EventTime processing_time;         // What PROCTIME() gives.
  const TimeZone* zone = nullptr;    // The session zone; null = UTC. Borrowed.
  std::vector<RowError> row_errors;  // Appended to, rising by row within one Evaluate.
};

class Evaluator {
 public:
  // Prepares the expression (folds constants, compiles patterns). Fails with kInvalidQuery, for
  // instance for a LIKE pattern that ends in its escape character.
  static Result<Evaluator> Create(ExpressionPtr expression);

  Evaluator(Evaluator&&) noexcept;
  Evaluator& operator=(Evaluator&&) noexcept;
  ~Evaluator();

  const DataType& type() const;
  const ExpressionPtr& expression() const;

  // One value for each of the `num_rows` rows of `columns`. Columns that the expression does not
  // refer to may be empty. A plain column is returned as it is, without a copy.
  Column Evaluate(std::span<const Column> columns, int64_t num_rows,
                  EvaluationContext* context) const;

  // One value for each of `rows`, in that order.
  Column EvaluateRows(std::span<const Column> columns, std::span<const int32_t> rows,
                      EvaluationContext* context) const;

  // Keeps of `rows` those for which the expression is TRUE; order is kept.
  // REQUIRES: the type is BOOLEAN.
  void Filter(std::span<const Column> columns, EvaluationContext* context,
              std::vector<int32_t>* rows) const;

 private:
  struct Node;
  explicit Evaluator(std::unique_ptr<Node> root);

  std::unique_ptr<Node> root_;
};

// Evaluates an expression without columns once, in the session zone `zone` (null = UTC). Fails with
// kInvalidQuery for a row error, and for PROCTIME(), which only a running batch knows.
Result<Value> EvaluateConstant(const ExpressionPtr& expression, const TimeZone* zone = nullptr);

}  // namespace braid
