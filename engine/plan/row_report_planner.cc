#include "engine/plan/row_report_planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "engine/expression/type_rules.h"
#include "engine/sql/name_match.h"

namespace braid {

const char* ReportFactName(ReportFact fact) {
  switch (fact) {
    case ReportFact::kTableName:
      return "table_name";
    case ReportFact::kRowTime:
      return "row_time";
    case ReportFact::kWatermark:
      return "watermark";
    case ReportFact::kBatchId:
      return "batch_id";
  }
  return "";
}

namespace {

constexpr ReportFact kFacts[] = {ReportFact::kTableName, ReportFact::kRowTime,
                                 ReportFact::kWatermark, ReportFact::kBatchId};

// What a report can read of an input: names, and where each stands in the row that is reported
// (-1: the row does not hold it, since the report does not ask for it).
struct ReadableColumns {
  std::vector<std::string> names;
  std::vector<int> positions;
  std::vector<DataType> types;
};

std::vector<std::string> ColumnNames(const TableDefinition& table) {
  std::vector<std::string> names;
  for (const ColumnDefinition& column : table.columns) names.push_back(column.name);
  return names;
}

std::optional<ReportFact> FactNamed(const std::string& name) {
  const auto found = std::find_if(std::begin(kFacts), std::end(kFacts), [&](ReportFact fact) {
    return EqualsIgnoringCase(name, ReportFactName(fact));
  });
  return found == std::end(kFacts) ? std::nullopt : std::optional(*found);
}

// The columns of `table` that `report` asks for.
std::set<int> ColumnsAskedFor(const TableDefinition& report, const TableDefinition& table) {
  const std::vector<std::string> names = ColumnNames(table);
  std::set<int> columns;
  for (const int physical : report.physical_columns()) {
    const std::string& name = report.columns[static_cast<size_t>(physical)].name;
    const std::vector<size_t> found = MatchName(name, names);
    for (const size_t column : found) columns.insert(static_cast<int>(column));
    if (found.empty() && FactNamed(name) == ReportFact::kRowTime && table.watermark) {
      columns.insert(table.watermark->column);
    }
  }
  return columns;
}

// Of a row before the late filter: the columns of the table.
ReadableColumns ColumnsOfTable(const TableDefinition& table) {
  ReadableColumns readable;
  for (size_t column = 0; column < table.columns.size(); ++column) {
    readable.names.push_back(table.columns[column].name);
    readable.positions.push_back(static_cast<int>(column));
    readable.types.push_back(table.columns[column].type);
  }
  return readable;
}

// Of a row at the join: what of the table's columns the side holds, under the table's names. Of the
// result of another join: its columns.
ReadableColumns ColumnsOfSide(const PlannedInput& input) {
  ReadableColumns readable;
  if (input.plan.table == nullptr) {
    for (size_t column = 0; column < input.plan.schema.fields.size(); ++column) {
      readable.names.push_back(input.plan.schema.fields[column].name);
      readable.positions.push_back(static_cast<int>(column));
      readable.types.push_back(input.plan.schema.fields[column].type);
    }
    return readable;
  }
  readable = ColumnsOfTable(*input.plan.table);
  for (size_t column = 0; column < readable.positions.size(); ++column) {
    const auto found = std::find_if(input.columns.begin(), input.columns.end(),
                                    [column](const SideColumn& side_column) {
                                      return side_column.table_column == static_cast<int>(column);
                                    });
    readable.positions[column] =
        found == input.columns.end() ? -1 : static_cast<int>(found - input.columns.begin());
  }
  return readable;
}

class ReportPlanner {
 public:
  ReportPlanner(const TablePtr& table, std::string kind,
                const std::vector<const TableDefinition*>& tables)
      : kind_(std::move(kind)), tables_(tables) {
    report_.table = table;
    for (const int physical : table->physical_columns()) {
      const ColumnDefinition& column = table->columns[static_cast<size_t>(physical)];
      report_.schema.fields.push_back({column.name, column.type});
      not_null_.push_back(column.not_null);
    }
  }

  void AddInput(const InputPlan& input, ReadableColumns readable, int num_columns) {
    RowReport::Input& report = report_.inputs.emplace_back();
    report.table_name = input.alias;
    report.num_columns = num_columns;
    report.row_time_type = DataType::Timestamp(6);
    if (input.table != nullptr && input.watermark) {
      const auto column = static_cast<size_t>(input.watermark->column);
      report.row_time_column = readable.positions[column];
      report.row_time_type = readable.types[column];
    }
    report.watermark_type = report.row_time_type.kind == TypeKind::kTimestampLtz
                                ? DataType::TimestampLtz(3)
                                : DataType::Timestamp(3);
    readable_.push_back(std::move(readable));
  }

  Result<RowReport> Make() {
    for (size_t column = 0; column < report_.schema.fields.size(); ++column) {
      if (Status made = MakeColumn(column); !made) return tl::unexpected(made.error());
    }
    for (RowReport::Input& input : report_.inputs) {
      std::set<int> needed;
      for (const ExpressionPtr& expression : input.columns) {
        for (const int column : ReferencedColumns(*expression)) {
          if (column < input.num_columns) needed.insert(column);
          const bool is_time = column == input.num_columns + static_cast<int>(ReportFact::kRowTime);
          if (is_time && input.row_time_column >= 0) needed.insert(input.row_time_column);
        }
      }
      input.needed.assign(needed.begin(), needed.end());
    }
    return std::move(report_);
  }

 private:
  tl::unexpected<Error> Refuse(const std::string& message) const {
    return Fail(ErrorCode::kInvalidQuery,
                fmt::format("{} = {}: {}", kind_, report_.table->name, message),
                report_.table->place);
  }

  // The value of the column for rows of one input; null where the input has no such column.
  Result<ExpressionPtr> ValueOf(size_t input, const std::string& name) const {
    const ReadableColumns& readable = readable_[input];
    const std::vector<size_t> found = MatchName(name, readable.names);
    if (found.empty()) return nullptr;
    if (found.size() > 1) {
      return Refuse(fmt::format("the column {} is ambiguous: {} has {} and {}", name,
                                report_.inputs[input].table_name, readable.names[found[0]],
                                readable.names[found[1]]));
    }
    return braid::MakeColumn(readable.positions[found[0]], readable.types[found[0]]);
  }

  static ExpressionPtr FactOf(const RowReport::Input& input, ReportFact fact) {
    const int column = input.num_columns + static_cast<int>(fact);
    switch (fact) {
      case ReportFact::kTableName:
        return braid::MakeColumn(column, DataType::String());
      case ReportFact::kRowTime:
        return braid::MakeColumn(column, input.row_time_type);
      case ReportFact::kWatermark:
        return braid::MakeColumn(column, input.watermark_type);
      case ReportFact::kBatchId:
        break;
    }
    return braid::MakeColumn(column, DataType::BigInt());
  }

  Status MakeColumn(size_t column) {
    const std::string& name = report_.schema.fields[column].name;
    std::vector<ExpressionPtr> values;
    bool any = false;
    for (size_t input = 0; input < report_.inputs.size(); ++input) {
      Result<ExpressionPtr> value = ValueOf(input, name);
      if (!value) return tl::unexpected(value.error());
      any = any || *value != nullptr;
      values.push_back(std::move(*value));
    }
    if (!any && !IsColumnOfAnyTable(name)) {
      const std::optional<ReportFact> fact = FactNamed(name);
      if (!fact) return RefuseUnknown(name);
      for (size_t input = 0; input < report_.inputs.size(); ++input) {
        values[input] = FactOf(report_.inputs[input], *fact);
      }
    }
    for (size_t input = 0; input < report_.inputs.size(); ++input) {
      Result<ExpressionPtr> stored = Store(input, column, values[input]);
      if (!stored) return tl::unexpected(stored.error());
      report_.inputs[input].columns.push_back(std::move(*stored));
    }
    return {};
  }

  bool IsColumnOfAnyTable(const std::string& name) const {
    return std::any_of(tables_.begin(), tables_.end(), [&name](const TableDefinition* table) {
      return !MatchName(name, ColumnNames(*table)).empty();
    });
  }

  // As an INSERT stores it.
  Result<ExpressionPtr> Store(size_t input, size_t column, const ExpressionPtr& value) const {
    const Field& field = report_.schema.fields[column];
    const std::string& table = report_.inputs[input].table_name;
    if (value == nullptr) {
      if (!not_null_[column]) return MakeLiteral(Value::Null(field.type));
      return Refuse(
          fmt::format("the column {} is NOT NULL, but {} has no such column, so that it "
                      "is NULL for its rows",
                      field.name, table));
    }
    if (!StoresImplicitly(value->type, field.type)) {
      return Refuse(fmt::format("the column {} is {}, but that of {} is {}; declare it so",
                                field.name, field.type.ToString(), table, value->type.ToString()));
    }
    return MakeImplicitCast(value, field.type);
  }

  Status RefuseUnknown(const std::string& name) const {
    std::vector<std::string> known;
    for (size_t input = 0; input < report_.inputs.size(); ++input) {
      known.push_back(fmt::format("those of {} ({})", report_.inputs[input].table_name,
                                  fmt::join(readable_[input].names, ", ")));
    }
    return Refuse(
        fmt::format("nothing is known for the column {}. Its columns may be called like "
                    "{}, and table_name STRING, row_time TIMESTAMP, watermark "
                    "TIMESTAMP(3), batch_id BIGINT",
                    name, fmt::join(known, " and ")));
  }

  std::string kind_;
  const std::vector<const TableDefinition*>& tables_;
  RowReport report_;
  std::vector<uint8_t> not_null_;          // One a column of the schema.
  std::vector<ReadableColumns> readable_;  // One an input.
};

}  // namespace

ReportedColumns ReportedColumnsOf(const ReportTables& reports, const TableDefinition& table,
                                  Mode mode) {
  ReportedColumns reported;
  if (reports.late_rows != nullptr) {
    std::set<int>& columns = mode == Mode::kMicroBatch ? reported.of_table : reported.of_side;
    columns.merge(ColumnsAskedFor(*reports.late_rows, table));
  }
  if (reports.unmatched_rows != nullptr) {
    reported.of_side.merge(ColumnsAskedFor(*reports.unmatched_rows, table));
  }
  return reported;
}

Status PlanReports(const ReportTables& reports, Mode mode,
                   const std::vector<const TableDefinition*>& tables,
                   std::vector<PlannedInput>* inputs, StreamPlan* plan) {
  if (reports.late_rows != nullptr) {
    ReportPlanner planner(reports.late_rows, "late-rows.table", tables);
    for (PlannedInput& input : *inputs) {
      const TablePtr& table = input.plan.table;
      if (mode == Mode::kMicroBatch) {
        planner.AddInput(input.plan, ColumnsOfTable(*table),
                         static_cast<int>(table->columns.size()));
        input.plan.reports_late = true;
      } else {
        planner.AddInput(input.plan, ColumnsOfSide(input), input.plan.schema.num_columns());
      }
    }
    Result<RowReport> report = planner.Make();
    if (!report) return tl::unexpected(report.error());
    plan->late_rows = std::move(*report);
  }
  if (reports.unmatched_rows == nullptr) return {};
  if (inputs->size() != 2) {
    return Fail(ErrorCode::kInvalidQuery,
                fmt::format("unmatched-rows.table = {}: the query has no join",
                            reports.unmatched_rows->name),
                reports.unmatched_rows->place);
  }
  ReportPlanner planner(reports.unmatched_rows, "unmatched-rows.table", tables);
  for (const PlannedInput& input : *inputs) {
    planner.AddInput(input.plan, ColumnsOfSide(input), input.plan.schema.num_columns());
  }
  Result<RowReport> report = planner.Make();
  if (!report) return tl::unexpected(report.error());
  plan->unmatched_rows = std::move(*report);
  return {};
}

}  // namespace braid
