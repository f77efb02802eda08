// What the grammar makes of SQL text: the statements as they stand there, before any name is looked
// up or any type is known.
//
// Ownership: a tree of values and unique_ptrs. Nesting is bounded by kMaxNesting.
// Thread rule: immutable after parsing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/expression/expression.h"
#include "engine/sql/logical_plan.h"
#include "engine/sql/source_text.h"

namespace braid {

// A name as written, without its backticks.
struct NameSyntax {
  std::string text;
  SourceRange range;
};

// A text literal without its quotes.
struct TextSyntax {
  std::string text;
  SourceRange range;
};

// A type as written: DECIMAL(10, 2), TIMESTAMP(3) WITH LOCAL TIME ZONE.
struct TypeSyntax {
  enum class Suffix : uint8_t {
    kNone,
    kPrecision,
    kWithoutTimeZone,
    kWithLocalTimeZone,
    kWithTimeZone,
  };
  std::string name;
  std::vector<TextSyntax> arguments;
  Suffix suffix = Suffix::kNone;
  SourceRange range;
};

// DAY(3) TO SECOND(6); without `to` a single unit.
struct IntervalUnitsSyntax {
  NameSyntax from;
  std::optional<TextSyntax> from_precision;
  std::optional<NameSyntax> to;
  std::optional<TextSyntax> to_precision;
};

// INTERVAL [-] '…' [units], or INTERVAL [-] 5 MINUTES 30 SECONDS.
struct IntervalSyntax {
  struct Part {
    TextSyntax number;
    NameSyntax unit;
  };
  bool negated = false;
  std::optional<TextSyntax> text;
  std::optional<IntervalUnitsSyntax> units;
  std::vector<Part> parts;
};

struct QuerySyntax;
using QuerySyntaxPtr = std::unique_ptr<QuerySyntax>;
struct ExpressionSyntax;
using ExpressionSyntaxPtr = std::unique_ptr<ExpressionSyntax>;

enum class SyntaxKind : uint8_t {
  // Literals, with `text`.
  kInteger,
  kDecimal,
  kDouble,
  kString,
  kBytes,
  kDate,
  kTimestamp,
  kTrue,
  kFalse,
  kNull,
  kInterval,
  // column, table.column: `names`.
  kName,
  // An operator of `operation` over `arguments`. kAnd and kOr have any number of them.
  kOperator,
  // a || b
  kConcatenation,
  // IS [NOT] UNKNOWN
  kIsUnknown,
  // [NOT] BETWEEN, [NOT] IN (list), [NOT] LIKE [ESCAPE]; `negated`.
  kBetween,
  kIn,
  kLike,
  // CASE: `has_operand`, then condition and value in turn, then ELSE if `has_else`.
  kCase,
  // name(arguments): `names` has the one name.
  kFunction,
  // COUNT(*)
  kFunctionOfStar,
  // name(argument AS type): CAST and TRY_CAST.
  kFunctionAs,
  // name(argument TO unit): CEIL and FLOOR; `names` has the name and the unit.
  kFunctionTo,
  // name(query): EXISTS.
  kFunctionOfQuery,
  // arguments[0] [NOT] IN (query).
  kInQuery,
  // (a, b)
  kRow,
  // (SELECT …) as a value.
  kScalarQuery,
};

struct ExpressionSyntax {
  SyntaxKind kind = SyntaxKind::kNull;
  SourceRange range;
  uint32_t anchor = 0;  // Where its errors are shown: the operator, or else the begin.
  int depth = 1;
  std::string text;
  std::vector<NameSyntax> names;
  Operation operation = Operation::kAnd;
  bool negated = false;
  bool has_operand = false;
  bool has_else = false;
  std::vector<ExpressionSyntaxPtr> arguments;
  std::optional<TypeSyntax> type;
  std::optional<IntervalSyntax> interval;
  QuerySyntaxPtr query;
};

struct AliasSyntax {
  std::optional<NameSyntax> name;
  std::vector<NameSyntax> columns;
};

struct FromSyntax;
using FromSyntaxPtr = std::unique_ptr<FromSyntax>;

// A table, a file, a subquery or a join in FROM.
struct FromSyntax {
  enum class Kind : uint8_t { kTable, kFile, kQuery, kJoin };
  Kind kind = Kind::kTable;
  SourceRange range;
  int depth = 1;
  std::vector<NameSyntax> names;  // kTable
  TextSyntax file;                // kFile: 'clicks.csv'
  QuerySyntaxPtr query;           // kQuery
  AliasSyntax alias;              // kTable, kFile, kQuery
  // kJoin
  JoinType join_type = JoinType::kInner;
  bool is_cross_join = false;
  SourceRange join_range;  // The words LEFT OUTER JOIN, or the comma.
  FromSyntaxPtr left;
  FromSyntaxPtr right;
  ExpressionSyntaxPtr condition;  // ON; null for none.
  std::vector<NameSyntax> using_columns;
};

// An element of a SELECT list.
struct SelectItemSyntax {
  bool is_star = false;
  std::vector<NameSyntax> star_of;  // t in t.*
  ExpressionSyntaxPtr expression;
  std::optional<NameSyntax> alias;
  SourceRange range;
};

// name [(columns)] AS (query) of a WITH.
struct CommonTableSyntax {
  NameSyntax name;
  std::vector<NameSyntax> columns;
  QuerySyntaxPtr query;
};

struct LimitSyntax {
  TextSyntax count;
  SourceRange range;
};

struct QuerySyntax {
  SourceRange range;
  int depth = 1;
  std::vector<CommonTableSyntax> common_tables;
  std::vector<SelectItemSyntax> items;
  FromSyntaxPtr from;
  ExpressionSyntaxPtr where;  // Null for none.
  std::optional<LimitSyntax> limit;
};

struct ColumnSyntax {
  NameSyntax name;
  std::optional<TypeSyntax> type;  // Absent for a computed column.
  ExpressionSyntaxPtr computed;
  bool not_null = false;
  std::optional<SourceRange> primary_key;
};

struct WatermarkSyntax {
  std::vector<NameSyntax> column;
  ExpressionSyntaxPtr expression;
  SourceRange range;
};

struct PrimaryKeySyntax {
  std::vector<NameSyntax> columns;
  SourceRange range;
};

using TableElementSyntax = std::variant<ColumnSyntax, WatermarkSyntax, PrimaryKeySyntax>;

// 'key' = 'value'
struct OptionSyntax {
  TextSyntax key;
  TextSyntax value;
};

// The name of what CREATE makes.
struct NewNameSyntax {
  std::vector<NameSyntax> parts;
  bool if_not_exists = false;
};

struct CreateTableSyntax {
  NewNameSyntax name;
  std::vector<TableElementSyntax> elements;
  std::vector<OptionSyntax> options;
};

struct CreateViewSyntax {
  NewNameSyntax name;
  bool or_replace = false;
  std::vector<NameSyntax> columns;
  QuerySyntaxPtr query;
};

struct InsertSyntax {
  std::vector<NameSyntax> table;
  std::vector<NameSyntax> columns;
  QuerySyntaxPtr query;
};

// INSERT or SELECT, perhaps behind EXPLAIN.
struct RunSyntax {
  bool explain = false;
  std::optional<InsertSyntax> insert;
  QuerySyntaxPtr query;
  SourceRange range;
};

struct SetSyntax {
  OptionSyntax option;
};

struct StatementSyntax {
  std::variant<CreateTableSyntax, CreateViewSyntax, RunSyntax, SetSyntax> statement;
  SourceRange range;
};

struct ScriptSyntax {
  std::vector<StatementSyntax> statements;
};

}  // namespace braid
