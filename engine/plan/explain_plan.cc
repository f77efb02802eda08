#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "engine/plan/interval_text.h"
#include "engine/plan/outer_join.h"
#include "engine/plan/stream_plan.h"
#include "state/rows/entry_bytes.h"

namespace braid {

namespace {

const char* SideName(Side side) { return side == Side::kLeft ? "left" : "right"; }

std::string Joined(const std::vector<std::string>& parts, const std::string& separator) {
  return parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, separator));
}

const std::string& ColumnName(const InputPlan& input, int column) {
  return input.column_names[static_cast<size_t>(column)];
}

std::string TableColumnName(const InputPlan& input, int column) {
  return FormatName(input.table->name) + "." +
         FormatName(input.table->columns[static_cast<size_t>(column)].name);
}

std::string OverInput(const ExpressionPtr& expression, const InputPlan& input) {
  if (expression == nullptr) return "none";
  return FormatExpression(*expression, [&input](int column) { return ColumnName(input, column); });
}

std::string OverTable(const Expression& expression, const InputPlan& input) {
  return FormatExpression(expression,
                          [&input](int column) { return TableColumnName(input, column); });
}

// Of a query, and of those that are its inputs: these are indented.
class Explanation {
 public:
  Explanation(const StreamPlan& plan, size_t depth) : plan_(plan), depth_(depth) {}

  std::string Text(Mode mode) {
    Line(0, fmt::format("mode: {}", mode == Mode::kMicroBatch ? "micro-batch" : "per-record"));
    AddRows();
    AddOutput();
    AddSink();
    AddWarnings();
    return std::move(text_);
  }

 private:
  std::string InputText() {
    AddRows();
    AddOutput();
    return std::move(text_);
  }

  void AddRows() {
    if (plan_.join) {
      for (const Side side : {Side::kLeft, Side::kRight}) {
        AddInput(fmt::format("{} input", SideName(side)), plan_.join->side(side).input);
      }
      AddJoin(*plan_.join);
      plan_.join->per_record ? AddPerRecord(*plan_.join->per_record) : AddState(*plan_.join);
    } else {
      AddInput("input", *plan_.single);
      Line(0, "WHERE: " + OverAll(plan_.where));
    }
  }

  void Line(size_t depth, const std::string& line) {
    text_.append((depth_ + depth) * 2, ' ');
    text_ += line + "\n";
  }

  // Over the joined (or the single input's) columns.
  std::string NameOfAny(int column) const {
    if (!plan_.join) return ColumnName(*plan_.single, column);
    const InputPlan& left = plan_.join->side(Side::kLeft).input;
    const int num_left = left.schema.num_columns();
    if (column < num_left) return ColumnName(left, column);
    return ColumnName(plan_.join->side(Side::kRight).input, column - num_left);
  }

  std::string OverAll(const ExpressionPtr& expression) const {
    if (expression == nullptr) return "none";
    return FormatExpression(*expression, [this](int column) { return NameOfAny(column); });
  }

  void AddInput(const std::string& title, const InputPlan& input) {
    const std::string alias = FormatName(input.alias);
    if (input.query != nullptr) {
      Line(0, fmt::format("{}: {}, a join", title, alias));
      text_ += Explanation(*input.query, depth_ + 1).InputText();
      return;
    }
    const std::string table = FormatName(input.table->name);
    Line(0, fmt::format("{}: {}", title, table == alias ? table : table + " AS " + alias));
    std::vector<std::string> read;
    for (const int column : input.read_columns) {
      read.push_back(FormatName(input.table->columns[static_cast<size_t>(column)].name));
    }
    Line(1, "columns read: " + Joined(read, ", "));
    if (input.watermark) {
      const std::string name =
          FormatName(input.table->columns[static_cast<size_t>(input.watermark->column)].name);
      Line(1, fmt::format("row time: {}, watermark: the largest {} so far{}", name, name,
                          FormatOffset(-input.watermark->delay)));
    } else {
      Line(1, "row time: none (the table has no watermark, so no row is late)");
    }
    for (const TransformStep& step : input.steps) AddStep(step, input);
  }

  void AddStep(const TransformStep& step, const InputPlan& input) {
    if (step.filter != nullptr) {
      Line(1, "filter: " + OverTable(*step.filter, input));
      return;
    }
    std::vector<std::string> columns;
    for (size_t column = 0; column < step.projection.size(); ++column) {
      columns.push_back(fmt::format("{} AS {}", OverTable(*step.projection[column], input),
                                    FormatName(input.schema.fields[column].name)));
    }
    Line(1, "columns computed: " + Joined(columns, ", "));
  }

  void AddJoin(const JoinPlan& join) {
    std::string type = fmt::format("join: {} JOIN", JoinTypeName(join.type));
    if (join.type != join.written_type) {
      type += fmt::format(" (written {}; WHERE rejects the rows padded with NULLs)",
                          JoinTypeName(join.written_type));
    }
    Line(0, type);
    std::vector<std::string> keys;
    for (size_t key = 0; key < join.null_safe_keys.size(); ++key) {
      const JoinSidePlan& left = join.side(Side::kLeft);
      const JoinSidePlan& right = join.side(Side::kRight);
      keys.push_back(fmt::format("{} {} {}", OverInput(left.keys[key], left.input),
                                 join.null_safe_keys[key] != 0 ? "IS NOT DISTINCT FROM" : "=",
                                 OverInput(right.keys[key], right.input)));
    }
    Line(1, "equi-join keys: " + Joined(keys, ", "));
    if (join.per_record) {
      Line(1, "other conditions: " + OverAll(join.post_join_filter));
    } else {
      AddFilters(join);
    }
    for (const Side side : {Side::kLeft, Side::kRight}) {
      const JoinSidePlan& plan = join.side(side);
      if (plan.where == nullptr) continue;
      Line(1, fmt::format("WHERE before the join, {}: {}", SideName(side),
                          OverInput(plan.where, plan.input)));
    }
    Line(1, "WHERE after the join: " + OverAll(plan_.where));
    if (join.per_record) return;
    Line(1, keys.empty() ? "partitions: one (there is no equality to split rows by)"
                         : "partitions: by hash of the keys, as many as parallelism says");
  }

  void AddFilters(const JoinPlan& join) {
    for (const Side side : {Side::kLeft, Side::kRight}) {
      const JoinSidePlan& plan = join.side(side);
      Line(1, fmt::format("preJoinFilter {}: {}", SideName(side),
                          OverInput(plan.pre_join_filter, plan.input)));
    }
    Line(1, "time range: " + TimeRangeText(join));
    Line(1, "postJoinFilter: " + OverAll(join.post_join_filter));
  }

  static std::string TimeRangeText(const JoinPlan& join) {
    const TimeRange& range = join.time_range;
    if (!range.lower && !range.upper) return "none";
    const JoinSidePlan& left = join.side(Side::kLeft);
    const JoinSidePlan& right = join.side(Side::kRight);
    const std::string distance =
        fmt::format("{} - {}", ColumnName(right.input, right.time[0].column),
                    ColumnName(left.input, left.time[0].column));
    if (range.lower && range.upper && *range.lower > *range.upper) {
      return distance + " is in an empty range: nothing matches";
    }
    if (range.lower == range.upper) {
      return fmt::format("{} = {}", distance, FormatInterval(*range.lower));
    }
    std::string text = distance;
    if (range.lower) text = fmt::format("{} <= {}", FormatInterval(*range.lower), text);
    if (range.upper) text += fmt::format(" <= {}", FormatInterval(*range.upper));
    return text;
  }

  void AddPerRecord(const PerRecordPlan& plan) {
    Line(0, fmt::format("operator: {}: {}", PerRecordOperatorName(plan.chosen), plan.reason));
    if (!plan.missing_line.empty()) Line(1, "what would bound its state: " + plan.missing_line);
    if (plan.is_empty_window()) Line(1, "the window is empty: nothing matches");
  }

  void AddState(const JoinPlan& join) {
    Line(0, "state");
    for (const Side side : {Side::kLeft, Side::kRight}) {
      const JoinSidePlan& plan = join.side(side);
      if (plan.eviction_offset) {
        Line(1, fmt::format("{} rows are removed when {}", SideName(side), plan.eviction_text));
        AddRetention(join, plan);
      } else {
        Line(1,
             fmt::format("the {} side is never evicted: {}", SideName(side), plan.eviction_text));
      }
      if (plan.pads) Line(2, PaddingText(join.type));
      Line(2, "stored: " + StoredText(plan));
      Line(2, CostText(plan));
      if (!plan.report_only_columns.empty()) {
        Line(2, "stored for unmatched-rows.table alone: " +
                    ColumnNames(plan.input, plan.report_only_columns));
      }
    }
    if (join.reports_unmatched) AddMatchMarks(join);
  }

  static std::string ColumnNames(const InputPlan& input, const std::vector<int>& columns) {
    std::vector<std::string> names;
    for (const int column : columns) names.push_back(ColumnName(input, column));
    return Joined(names, ", ");
  }

  // What unmatched-rows.table costs beside the columns.
  void AddMatchMarks(const JoinPlan& join) {
    Line(1,
         "unmatched-rows.table: every stored row carries a mark that says whether it has matched");
    if (join.type == JoinType::kLeftSemi || join.type == JoinType::kLeftAnti) {
      Line(1,
           "unmatched-rows.table: a left row that has matched stays until it is evicted, for the "
           "right rows that match it later");
    }
  }

  static std::string PaddingText(JoinType type) {
    return type == JoinType::kLeftAnti
               ? "a removed row that never matched is emitted"
               : "a removed row that never matched is emitted with NULLs for the other side";
  }

  // How long a row stays, in event time: its range plus what the watermark lies behind.
  void AddRetention(const JoinPlan& join, const JoinSidePlan& plan) {
    if (plan.time.size() != 1) return;
    Interval delay;
    for (const JoinSidePlan& side : join.sides) {
      if (side.input.watermark) delay = std::max(delay, side.input.watermark->delay);
    }
    // Up to a millisecond, the resolution of watermarks.
    const int64_t exact = (-*plan.eviction_offset).micros;
    const Interval range{SaturatingAdd(exact, 999) / 1'000 * 1'000};
    const std::string name = ColumnName(plan.input, plan.time[0].column);
    const Interval kept = std::max(Interval{0}, range + delay);
    Line(2, fmt::format("a row stays until event time is {} past its {}, of which the watermark "
                        "delay is {}",
                        FormatInterval(kept), name, FormatInterval(delay)));
  }

  static std::string StoredText(const JoinSidePlan& plan) {
    std::vector<std::string> parts;
    std::vector<bool> named(plan.payload_expressions.size(), false);
    for (size_t column = 0; column < plan.stored.size(); ++column) {
      if (!plan.stored[column]) continue;
      std::string part = ColumnName(plan.input, static_cast<int>(column));
      switch (plan.stored[column]->from) {
        case StoredColumn::From::kPayload:
          named[static_cast<size_t>(plan.stored[column]->payload)] = true;
          break;
        case StoredColumn::From::kKeyWord:
          part += " (as the key)";
          break;
        case StoredColumn::From::kTime:
          part += " (as the time)";
          break;
      }
      parts.push_back(std::move(part));
    }
    for (size_t index = 0; index < named.size(); ++index) {
      if (named[index]) continue;
      parts.push_back(OverInput(plan.payload_expressions[index], plan.input) +
                      " (to compare keys)");
    }
    return parts.empty() ? "no columns" : Joined(parts, ", ");
  }

  // What a stored row takes in memory, as far as it can be said before one was seen.
  static std::string CostText(const JoinSidePlan& plan) {
    int64_t bytes = kEntryBytes;
    bool has_texts = false;
    for (const ExpressionPtr& column : plan.payload_expressions) {
      const bool is_text = column->type.is_variable_width();
      bytes += is_text ? static_cast<int64_t>(sizeof(int32_t)) : column->type.byte_width();
      has_texts |= is_text;
    }
    return fmt::format("a row takes about {} bytes of memory{}", bytes,
                       has_texts ? " and its texts" : "");
  }

  void AddOutput() {
    std::vector<std::string> columns;
    for (size_t column = 0; column < plan_.projections.size(); ++column) {
      std::string text = OverAll(plan_.projections[column]);
      text += " AS " + FormatName(plan_.output.fields[column].name);
      if (plan_.output_is_row_time[column] != 0) text += " (row time)";
      columns.push_back(std::move(text));
    }
    Line(0, "output: " + Joined(columns, ", "));
  }

  void AddSink() {
    std::string sink = plan_.sink == nullptr ? "print" : "table " + FormatName(plan_.sink->name);
    if (plan_.limit) sink += fmt::format(", at most {} rows", *plan_.limit);
    Line(0, "sink: " + sink);
    if (plan_.late_rows) AddReport("late rows", *plan_.late_rows);
    if (plan_.unmatched_rows) AddReport("unmatched rows", *plan_.unmatched_rows);
  }

  void AddReport(const std::string& title, const RowReport& report) {
    std::vector<std::string> columns;
    for (const Field& field : report.schema.fields) columns.push_back(FormatName(field.name));
    Line(0, fmt::format("{}: table {} ({})", title, FormatName(report.table->name),
                        Joined(columns, ", ")));
  }

  void AddWarnings() {
    for (const std::string& warning : plan_.warnings) Line(0, "warning: " + warning);
  }

  const StreamPlan& plan_;
  const size_t depth_;
  std::string text_;
};

}  // namespace

std::string ExplainPlan(const StreamPlan& plan, Mode mode) {
  return Explanation(plan, /*depth=*/0).Text(mode);
}

}  // namespace braid
