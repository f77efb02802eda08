// What SQL text means, before any mode is chosen: tables, and a tree of relational operators over
// bound expressions. engine/sql makes it; engine/plan reads it.
//
// Thread rule: immutable after binding; shared.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "braid/error.h"
#include "braid/option.h"
#include "braid/schema.h"
#include "engine/expression/expression.h"

namespace braid {

struct ColumnDefinition {
  std::string name;
  DataType type;
  bool not_null = false;
  // Set for a computed column: over the table's columns before this one and all physical ones.
  ExpressionPtr computed;
};

struct WatermarkDefinition {
  int column = -1;  // Index into TableDefinition::columns.
  Interval delay;   // WATERMARK FOR ts AS ts - INTERVAL …; 0 for AS ts.
  Place place;
};

// CREATE TABLE, or a table that a program registered.
struct TableDefinition {
  std::string name;
  std::vector<ColumnDefinition> columns;
  std::optional<WatermarkDefinition> watermark;
  std::vector<int> primary_key;
  Options options;  // WITH (…), names as written.
  Place place;
  // FROM 'path': it was guessed from the files there are, and it ends with them.
  bool is_guessed = false;
  std::string guessed_from;  // Then: what was looked at, in words.

  Schema schema() const;
  // The columns that the connector reads or writes, as indexes into `columns`.
  std::vector<int> physical_columns() const;
  Schema physical_schema() const;
};
using TablePtr = std::shared_ptr<const TableDefinition>;

// Makes the table that FROM 'path' reads.
using FileTableMaker = std::function<Result<TableDefinition>(const std::string& path)>;

enum class JoinType : uint8_t { kInner, kLeft, kRight, kFull, kLeftSemi, kLeftAnti };
const char* JoinTypeName(JoinType type);  // "INNER", "LEFT OUTER", "LEFT SEMI" …

enum class LogicalKind : uint8_t { kScan, kFilter, kProject, kJoin };

struct LogicalColumn {
  std::string name;
  DataType type;
  // True for a watermarked column, plain, renamed or passed through a view or a subquery.
  bool is_row_time = false;
  // True for a PROCTIME() column, passed on in the same way.
  bool is_processing_time = false;
};

struct LogicalNode;
using LogicalNodePtr = std::shared_ptr<const LogicalNode>;

struct LogicalNode {
  LogicalKind kind = LogicalKind::kScan;
  Place place;
  std::vector<LogicalColumn> columns;  // Output, in order.
  std::vector<LogicalNodePtr> inputs;  // None for a scan, two for a join.

  TablePtr table;           // kScan: all columns of the table, computed ones included.
  std::string alias;        // A scan, view or subquery: the name the query uses, for messages.
  ExpressionPtr predicate;  // kFilter; kJoin: ON, USING and IN, null for none.
  std::vector<ExpressionPtr> projections;  // kProject, over the input's columns.
  JoinType join_type = JoinType::kInner;   // kJoin; its predicate is over left then right columns.
  bool is_cross_join = false;              // kJoin: written as CROSS JOIN or a comma without ON.
};

// The one INSERT or SELECT of a file.
struct BoundQuery {
  LogicalNodePtr root;
  TablePtr sink;                 // Null: a bare SELECT, printed. Its columns are cast to already.
  std::optional<int64_t> limit;  // Only of a bare SELECT.
  bool explain = false;
  std::string text;  // As written.
  Place place;
};

// One SQL file, bound.
struct Script {
  std::vector<std::pair<std::string, Option>> settings;  // SET 'key' = 'value', in order.
  std::vector<TablePtr> tables;                          // All that were created.
  std::vector<TablePtr> file_tables;                     // Of FROM 'path', one a path.
  std::optional<BoundQuery> query;
  std::vector<std::string> warnings;
};

}  // namespace braid
