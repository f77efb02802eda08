#include "engine/plan/fingerprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "engine/plan/interval_text.h"
#include "engine/plan/outer_join.h"
#include "engine/plan/plan_zone.h"

namespace braid {

namespace {

constexpr std::string_view kLabelMark = " -- ";
// They stand for the braces around a column until those of the text itself are escaped.
constexpr char kColumnBegin = '\x01';
constexpr char kColumnEnd = '\x02';

// One line, in which neither the mark before the label nor a column's braces can occur by chance.
std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char letter : text) {
    if (letter == '\n') {
      escaped += "\\n";
      continue;
    }
    const bool is_special = letter == '\\' || letter == '{' || letter == '}';
    if (is_special || (letter == '-' && escaped.ends_with('-'))) escaped += '\\';
    escaped += letter == kColumnBegin ? '{' : letter == kColumnEnd ? '}' : letter;
  }
  return escaped;
}

// A name in a part, which ends at the first colon.
std::string EscapedName(const std::string& name) {
  std::string escaped;
  for (const char letter : FormatName(name)) {
    if (letter == ':') escaped += '\\';
    escaped += letter == '\n' ? ' ' : letter;
  }
  return escaped;
}

class Fingerprint {
 public:
  explicit Fingerprint(const FingerprintSettings& settings) : settings_(settings) {}

  std::string Of(const StreamPlan& plan) {
    text_ = std::string(kFingerprintVersion) + "\n";
    Add("mode", plan.mode == Mode::kPerRecord ? "per-record" : "micro-batch");
    if (!plan.join) {
      // Only the watermark outlives a batch.
      AddSource("input", *plan.single);
      AddWatermark("input", *plan.single);
    } else {
      AddJoin("", *plan.join);
      // What it has sent must pass again when it is taken back.
      const std::optional<PerRecordPlan>& per_record = plan.join->per_record;
      if (per_record && !per_record->is_interval()) AddWhere("", plan);
    }
    if (DependsOnZone(plan)) Add("table.local-time-zone", settings_.time_zone);
    AddOutputs(plan);
    return std::move(text_);
  }

 private:
  static std::string SideName(Side side) { return side == Side::kLeft ? "left" : "right"; }

  // `prefix` says which join of a tree: "left input's ".
  void AddJoin(const std::string& prefix, const JoinPlan& join) {
    const bool is_as_written = join.type == join.written_type;
    Add(prefix + "join type", JoinTypeName(join.type),
        is_as_written ? ""
                      : fmt::format("{} ({} with a WHERE that no padded row passes)",
                                    JoinTypeName(join.type), JoinTypeName(join.written_type)));
    if (join.per_record) AddOperator(prefix, join);
    for (const Side side : kBothSides) {
      const std::string title = prefix + SideName(side);
      const InputPlan& input = join.side(side).input;
      if (join.tracks_matches(side)) Add(title + " matches", "recorded");
      input.query == nullptr ? AddTable(title, input) : AddQuery(title + " input's ", *input.query);
    }
    if (join.reports_unmatched) Add(prefix + "unmatched-rows.table", "set");
    for (const Side side : kBothSides) AddSide(prefix, join, side);
    AddCondition(prefix, join);
  }

  void AddOperator(const std::string& prefix, const JoinPlan& join) {
    const PerRecordPlan& plan = *join.per_record;
    Add(prefix + "operator", PerRecordOperatorName(plan.chosen));
    if (plan.is_interval()) {
      Add(prefix + "window",
          fmt::format("from {} to {}", FormatInterval(plan.lower), FormatInterval(plan.upper)));
      // A join above has been told by it how far it is.
      if (!prefix.empty()) {
        Add(prefix + "table.exec.interval-join.allowed-lateness",
            fmt::format("{} ms", settings_.allowed_lateness_ms));
      }
      return;
    }
    Add(prefix + "table.exec.state.ttl", settings_.has_state_ttl ? "set" : "not set");
    for (const Side side : kBothSides) {
      std::vector<std::string> columns;
      for (const int payload : plan.primary_key[Index(side)]) {
        columns.push_back(
            OverSide(prefix, join, side,
                     *join.side(side).payload_expressions[static_cast<size_t>(payload)]));
      }
      if (columns.empty()) continue;
      Add(fmt::format("{}{} primary key", prefix, SideName(side)),
          fmt::format("{}", fmt::join(columns, ", ")));
    }
  }

  // A query that is an input: what of its joins' rows reaches the join above is in that one's
  // state.
  void AddQuery(const std::string& prefix, const StreamPlan& query) {
    AddJoin(prefix, *query.join);
    AddWhere(prefix, query);
  }

  void AddWhere(const std::string& prefix, const StreamPlan& query) {
    const JoinPlan& join = *query.join;
    Add(prefix + "WHERE after the join", OverBoth(prefix, join, query.where),
        LabelOverBoth(join, query.where));
  }

  // Column `column` of a side, as made of table columns.
  static std::string Column(const std::string& title, const InputPlan& input, int column) {
    const size_t index = static_cast<size_t>(column);
    if (input.query != nullptr) {
      const StreamPlan& query = *input.query;
      return Nested(OverBoth(title + " input's ", *query.join, query.projections[index]),
                    *query.projections[index]);
    }
    for (const TransformStep& step : input.steps) {
      if (step.projection.empty()) continue;
      return Nested(OverTable(title, input, *step.projection[index]), *step.projection[index]);
    }
    return TableColumn(title, input, column);
  }

  static std::string Nested(const std::string& text, const Expression& expression) {
    return expression.kind == ExpressionKind::kCall ? "(" + text + ")" : text;
  }

  static std::string TableColumn(const std::string& title, const InputPlan& input, int column) {
    const std::string& name = input.table->columns[static_cast<size_t>(column)].name;
    return kColumnBegin + title + "." + FormatName(name) + kColumnEnd;
  }

  static std::string OverTable(const std::string& title, const InputPlan& input,
                               const Expression& expression) {
    return FormatExpression(expression,
                            [&](int column) { return TableColumn(title, input, column); });
  }

  static std::string OverSide(const std::string& prefix, const JoinPlan& join, Side side,
                              const Expression& expression) {
    return FormatExpression(expression, [&](int column) {
      return Column(prefix + SideName(side), join.side(side).input, column);
    });
  }

  static std::string OverBoth(const std::string& prefix, const JoinPlan& join,
                              const ExpressionPtr& expression) {
    if (expression == nullptr) return "none";
    const int num_left = join.side(Side::kLeft).input.schema.num_columns();
    return FormatExpression(*expression, [&](int column) {
      const Side side = column < num_left ? Side::kLeft : Side::kRight;
      return Column(prefix + SideName(side), join.side(side).input,
                    side == Side::kLeft ? column : column - num_left);
    });
  }

  static std::string LabelOverBoth(const JoinPlan& join, const ExpressionPtr& expression) {
    if (expression == nullptr) return "";
    const int num_left = join.side(Side::kLeft).input.schema.num_columns();
    return FormatExpression(*expression, [&](int column) {
      const bool is_left = column < num_left;
      return ColumnName(join.side(is_left ? Side::kLeft : Side::kRight).input,
                        is_left ? column : column - num_left);
    });
  }

  static const std::string& ColumnName(const InputPlan& input, int column) {
    return input.column_names[static_cast<size_t>(column)];
  }

  static std::string Label(const Expression& expression, const InputPlan& input) {
    return FormatExpression(expression, [&input](int column) { return ColumnName(input, column); });
  }

  void Add(const std::string& part, const std::string& value, const std::string& label = "") {
    text_ += part + ": " + Escaped(value);
    if (!label.empty()) text_ += std::string(kLabelMark) + Escaped(label);
    text_ += "\n";
  }

  static std::string OptionOf(const TableDefinition& table, const char* key) {
    const auto found = table.options.find(key);
    return found == table.options.end() ? "" : found->second.value;
  }

  // Where reading stands is kept by the table's name, as the connector counts. Files are known by
  // their names below the table's folder, which may move.
  void AddSource(const std::string& title, const InputPlan& input) {
    const TableDefinition& table = *input.table;
    Add(title + " table", table.name);
    Add(title + " connector", OptionOf(table, "connector"), fmt::format("table {}", table.name));
  }

  void AddWatermark(const std::string& title, const InputPlan& input) {
    const TableDefinition& table = *input.table;
    if (!input.watermark) {
      Add(title + " watermark", "none", fmt::format("table {}", table.name));
      return;
    }
    Add(title + " watermark", TableColumn(title, input, input.watermark->column),
        table.columns[static_cast<size_t>(input.watermark->column)].name);
  }

  // Late rows leave nothing behind.
  static bool IsLateOnly(const InputPlan& input, size_t column) {
    const std::vector<int>& late = input.late_only_columns;
    return std::binary_search(late.begin(), late.end(), static_cast<int>(column));
  }

  void AddTable(const std::string& title, const InputPlan& input) {
    const TableDefinition& table = *input.table;
    AddSource(title, input);
    for (size_t index = 0; index < table.columns.size(); ++index) {
      const ColumnDefinition& column = table.columns[index];
      const bool is_used = input.table_columns[index] != nullptr && !IsLateOnly(input, index);
      const std::string label = fmt::format("column {} of table {}", column.name, table.name);
      const std::string name = EscapedName(column.name);
      Add(fmt::format("{} {} {}", title, is_used ? "column" : "unused column", name),
          column.type.ToString(), label);
      if (!is_used) continue;
      if (column.computed != nullptr) {
        Add(fmt::format("{} computed column {}", title, name),
            OverTable(title, input, *column.computed), label);
      }
    }
    AddWatermark(title, input);
  }

  // Which rows can get into state: those for which all of these are TRUE.
  void AddFilter(const std::string& prefix, const JoinPlan& join, Side side) {
    const JoinSidePlan& plan = join.side(side);
    const std::string title = prefix + SideName(side);
    std::vector<std::string> conjuncts;
    std::vector<std::string> labels;
    for (const TransformStep& step : plan.input.steps) {
      if (step.filter == nullptr) continue;
      conjuncts.push_back(OverTable(title, plan.input, *step.filter));
      labels.push_back(FormatExpression(*step.filter, [&](int column) {
        return FormatName(plan.input.table->columns[static_cast<size_t>(column)].name);
      }));
    }
    for (const ExpressionPtr& filter : {plan.where, plan.pre_join_filter}) {
      if (filter == nullptr) continue;
      for (const ExpressionPtr& conjunct : SplitConjuncts(filter)) {
        conjuncts.push_back(OverSide(prefix, join, side, *conjunct));
        labels.push_back(Label(*conjunct, plan.input));
      }
    }
    std::sort(conjuncts.begin(), conjuncts.end());
    std::sort(labels.begin(), labels.end());
    Add(title + " filter",
        conjuncts.empty() ? "none" : fmt::format("{}", fmt::join(conjuncts, " AND ")),
        fmt::format("{}", fmt::join(labels, " AND ")));
  }

  void AddKeys(const std::string& prefix, const JoinPlan& join, Side side) {
    const JoinSidePlan& plan = join.side(side);
    const std::string title = prefix + SideName(side);
    for (size_t key = 0; key < plan.keys.size(); ++key) {
      const Expression& expression = *plan.keys[key];
      const std::string part = fmt::format("{} key {}", title, key + 1);
      const std::string label = Label(expression, plan.input);
      Add(part,
          OverSide(prefix, join, side, expression) +
              (join.null_safe_keys[key] != 0 ? " NULL-safe" : ""),
          label);
      Add(part + " type", expression.type.ToString(), label);
    }
    const bool is_value = plan.keys.size() == 1 && join.null_safe_keys[0] == 0 &&
                          (plan.keys[0]->type.is_integer() || plan.keys[0]->type.is_timestamp());
    if (is_value) {
      Add(title + " key word", OverSide(prefix, join, side, *plan.keys[0]),
          plan.keys[0]->type.ToString());
    }
  }

  void AddSide(const std::string& prefix, const JoinPlan& join, Side side) {
    const JoinSidePlan& plan = join.side(side);
    const std::string title = prefix + SideName(side);
    AddFilter(prefix, join, side);
    AddKeys(prefix, join, side);
    std::vector<std::string> terms;
    std::vector<std::string> names;
    for (const TimeTerm& term : plan.time) {
      terms.push_back(Column(title, plan.input, term.column) + FormatOffset(term.offset));
      names.push_back(ColumnName(plan.input, term.column) + FormatOffset(term.offset));
    }
    Add(title + " stored time", terms.empty() ? "none" : fmt::format("{}", fmt::join(terms, ", ")),
        fmt::format("{}", fmt::join(names, ", ")));
    if (!join.per_record) {
      // Of a side that pads, such rows have gone out with NULLs.
      const char* part = plan.pads ? "rows padded for NULL" : "rows without NULL";
      for (size_t index = 0; index < plan.null_rejecting_columns.size(); ++index) {
        const int column = plan.null_rejecting_columns[index];
        Add(fmt::format("{} {} {}", title, part, index + 1), Column(title, plan.input, column),
            ColumnName(plan.input, column));
      }
    }
    Add(title + " eviction",
        plan.eviction_offset ? fmt::format("{}", plan.eviction_offset->micros) : "never",
        plan.eviction_offset ? plan.eviction_text : "");
    for (size_t index = 0; index < plan.payload_expressions.size(); ++index) {
      const ExpressionPtr& expression = plan.payload_expressions[index];
      const std::string part = fmt::format("{} stored column {}", title, index + 1);
      const std::string label = Label(*expression, plan.input);
      Add(part, OverSide(prefix, join, side, *expression), label);
      Add(part + " type", expression->type.ToString(), label);
    }
  }

  void AddCondition(const std::string& prefix, const JoinPlan& join) {
    if (!join.per_record) {
      const std::array<const char*, 2> parts = {"time range from", "time range to"};
      const std::array<const std::optional<Interval>*, 2> ends = {&join.time_range.lower,
                                                                  &join.time_range.upper};
      for (size_t end = 0; end < parts.size(); ++end) {
        const std::optional<Interval>& bound = *ends[end];
        Add(prefix + parts[end], bound ? fmt::format("{}", bound->micros) : "none",
            bound ? FormatInterval(*bound) : "");
      }
    }
    std::vector<std::string> conjuncts;
    if (join.post_join_filter != nullptr) {
      for (const ExpressionPtr& conjunct : SplitConjuncts(join.post_join_filter)) {
        conjuncts.push_back(OverBoth(prefix, join, conjunct));
      }
    }
    std::sort(conjuncts.begin(), conjuncts.end());
    Add(prefix + "postJoinFilter",
        conjuncts.empty() ? "none" : fmt::format("{}", fmt::join(conjuncts, " AND ")),
        LabelOverBoth(join, join.post_join_filter));
  }

  // Where a batch may be that was published and not committed.
  void AddOutputs(const StreamPlan& plan) {
    AddOutput("output", plan.sink.get());
    if (plan.late_rows) AddOutput("output late rows", plan.late_rows->table.get());
    if (plan.unmatched_rows) AddOutput("output unmatched rows", plan.unmatched_rows->table.get());
  }

  void AddOutput(const std::string& part, const TableDefinition* table) {
    if (table == nullptr) return;
    const std::string path = OptionOf(*table, "path");
    if (path.empty()) return;
    const std::string place = settings_.output_place ? settings_.output_place(path) : path;
    Add(part, place, fmt::format("table {}", table->name));
  }

  const FingerprintSettings& settings_;
  std::string text_;
};

}  // namespace

std::string StateFingerprint(const StreamPlan& plan, const FingerprintSettings& settings) {
  return Fingerprint(settings).Of(plan);
}

std::vector<FingerprintLine> ParseFingerprint(const std::string& text) {
  std::vector<FingerprintLine> lines;
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    FingerprintLine parsed;
    const size_t colon = line.find(": ");
    parsed.part = line.substr(0, colon);
    if (colon != std::string::npos) parsed.value = line.substr(colon + 2);
    if (const size_t mark = parsed.value.rfind(kLabelMark); mark != std::string::npos) {
      parsed.label = parsed.value.substr(mark + kLabelMark.size());
      parsed.value.resize(mark);
    }
    lines.push_back(std::move(parsed));
  }
  return lines;
}

std::string FingerprintColumn(std::string_view title, std::string_view name) {
  return fmt::format("{{{}}}", Escaped(fmt::format("{}.{}", title, name)));
}

}  // namespace braid
