// A bound expression: names are resolved, types are known, implicit casts are written out. The
// tree is immutable and shared; engine/sql makes it, engine/plan takes it apart, Evaluator runs it.
//
// Thread rule: immutable after it is made.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "braid/data_type.h"
#include "braid/error.h"
#include "braid/value.h"

namespace braid {

enum class ExpressionKind : uint8_t {
  kColumn,   // The input column `column`.
  kLiteral,  // The constant `literal`.
  kCall,     // `operation` over `arguments`.
};

// What a call does. The types an operation takes and gives are decided in operation_rules.h.
enum class Operation : uint8_t {
  // Logic: NULL is unknown (three-valued).
  kAnd,
  kOr,
  kNot,
  kIsNull,
  kIsNotNull,
  kIsTrue,
  kIsFalse,
  kIsNotTrue,
  kIsNotFalse,
  // Comparison: NULL if an argument is NULL, but for the two DISTINCT ones.
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kIsDistinctFrom,
  kIsNotDistinctFrom,
  // Arithmetic: numbers, timestamps and intervals; overflow is a row error.
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,
  kNegate,
  // Text.
  kLike,  // (text, pattern[, escape])
  // Choice: an argument is evaluated only for the rows that need it.
  kCase,      // (condition, value, condition, value, …, else)
  kCoalesce,  // The first that is not NULL.
  kIn,        // (needle, candidate, …)
  // Conversion to `type`.
  kCast,     // A value that cannot be converted is a row error.
  kTryCast,  // … is NULL.
  // Time.
  kProcTime,        // PROCTIME(): the trigger time of the batch.
  kToTimestamp,     // (text[, format]) -> TIMESTAMP(3); NULL if it cannot be read.
  kToTimestampLtz,  // (number, precision 0 or 3) -> TIMESTAMP_LTZ(3).
  // A function found by name in the registry.
  kFunction,
};

struct Expression;
using ExpressionPtr = std::shared_ptr<const Expression>;

struct Expression {
  ExpressionKind kind = ExpressionKind::kLiteral;
  DataType type;
  int column = -1;
  Value literal;
  Operation operation = Operation::kAnd;
  std::string function;  // Upper-case name, for kFunction only.
  std::vector<ExpressionPtr> arguments;
  bool implicit = false;  // A kCast that a type rule added; FormatExpression does not print it.
  Place place;            // Where it stands in the SQL text: the place of its row errors.

  bool is_call(Operation wanted) const {
    return kind == ExpressionKind::kCall && operation == wanted;
  }
};

ExpressionPtr MakeColumn(int column, DataType type, Place place = {});
ExpressionPtr MakeLiteral(Value value, Place place = {});

// Makes the call after checking the arguments' types; adds the implicit casts. Fails with
// kInvalidQuery, the place, what was given and what fits.
Result<ExpressionPtr> MakeCall(Operation operation, std::vector<ExpressionPtr> arguments,
                               Place place = {});

// A function by its SQL name (any case). An unknown name fails and names the nearest known one.
Result<ExpressionPtr> MakeFunction(const std::string& name, std::vector<ExpressionPtr> arguments,
                                   Place place = {});

// CAST (or TRY_CAST) to `type`; the argument itself if it has that type already.
Result<ExpressionPtr> MakeCast(ExpressionPtr argument, DataType type, Place place = {},
                               bool try_cast = false);

// The cast that a type rule adds: as MakeCast, but not printed, and done at once for a literal (but
// for one whose value depends on the session zone). A literal that cannot be converted fails.
Result<ExpressionPtr> MakeImplicitCast(ExpressionPtr argument, DataType type);

// The type that two sides of a comparison, the branches of a CASE … are both cast to.
Result<DataType> CommonType(const DataType& left, const DataType& right);

// All conjuncts of `expression`, left to right; BETWEEN was already taken apart by the binder.
std::vector<ExpressionPtr> SplitConjuncts(const ExpressionPtr& expression);

// The AND of all; null for none.
ExpressionPtr JoinConjuncts(const std::vector<ExpressionPtr>& conjuncts);

// The columns that occur, rising, each once.
std::vector<int> ReferencedColumns(const Expression& expression);

// The same expression with every column index replaced by map(index).
ExpressionPtr RemapColumns(const ExpressionPtr& expression, const std::function<int(int)>& map);

// The same expression with column i replaced by replacements[i].
ExpressionPtr SubstituteColumns(const ExpressionPtr& expression,
                                const std::vector<ExpressionPtr>& replacements);

// True if it has the same value for every row of a batch (no column in it).
bool IsConstant(const Expression& expression);

// True if its value depends on when the batch runs: PROCTIME() is in it.
bool UsesProcessingTime(const Expression& expression);

// As SQL, for messages and explain; `column_name(i)` names the columns.
std::string FormatExpression(const Expression& expression,
                             const std::function<std::string(int)>& column_name);

}  // namespace braid
