// Rows that a query writes beside its result: those that were dropped for being late
// (late-rows.table), and those that left without ever having had a partner (unmatched-rows.table).
// Here: how the columns of such a table are made of a row. Who decides that a row is late or
// unmatched is the operator; docs/semantics.md has the rules.
//
// Thread rule: immutable after MakeStreamPlan.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "braid/schema.h"
#include "engine/expression/expression.h"
#include "engine/sql/logical_plan.h"

namespace braid {

// The tables that a job names for them; null for none.
struct ReportTables {
  TablePtr late_rows = nullptr;
  TablePtr unmatched_rows = nullptr;
};

// What the engine knows of a reported row beside its columns. In this order they stand behind the
// columns of the row that the expressions of a report are over.
enum class ReportFact : uint8_t { kTableName, kRowTime, kWatermark, kBatchId };
constexpr int kNumReportFacts = 4;
const char* ReportFactName(ReportFact fact);  // "table_name" … as a column is called.

struct RowReport {
  // The rows of one input of the query.
  struct Input {
    std::string table_name;  // ReportFact::kTableName: the alias in the query.
    // Columns of the row that is reported: of a late row in micro-batch mode those of the table
    // (InputPlan::table), otherwise those of the side (InputPlan::schema).
    int num_columns = 0;
    std::vector<int> needed;   // Which of them the expressions read, rising.
    int row_time_column = -1;  // Which of them is the row's time; -1: none, then it is given.
    DataType row_time_type;    // ReportFact::kRowTime.
    DataType watermark_type;   // ReportFact::kWatermark.
    // One a column of RowReport::schema, over num_columns columns and then the facts.
    std::vector<ExpressionPtr> columns;
  };

  TablePtr table;
  Schema schema;              // Its physical columns: what its sink is given.
  std::vector<Input> inputs;  // Left and right, or the only one.
};

}  // namespace braid
