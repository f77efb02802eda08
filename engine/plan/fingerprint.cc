#include "engine/plan/fingerprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/plan/interval_text.h"
#include "engine/plan/outer_join.h"

namespace braid {

namespace {

constexpr std::string_view kVersion = "state fingerprint: 1";
constexpr std::string_view kLabelMark = " -- ";
// Absent in micro-batch mode.
constexpr std::string_view kModePart = "mode";

struct FingerprintLine {
  std::string part;
  std::string value;
  std::string label;
};

std::string Positional(const Expression& expression) {
  return FormatExpression(expression, [](int column) { return fmt::format("${}", column); });
}

// NULL stands for no expression.
std::string PositionalOrNone(const ExpressionPtr& expression) {
  return expression == nullptr ? "none" : Positional(*expression);
}

// One line, in which the mark before the label cannot occur.
std::string Escaped(const std::string& text) {
  std::string escaped;
  for (const char letter : text) {
    if (letter == '\n') {
      escaped += "\\n";
      continue;
    }
    if (letter == '\\' || (letter == '-' && escaped.ends_with('-'))) escaped += '\\';
    escaped += letter;
  }
  return escaped;
}

class Fingerprint {
 public:
  std::string Of(const StreamPlan& plan) {
    text_ = std::string(kVersion) + "\n";
    if (plan.mode == Mode::kPerRecord) Add(std::string(kModePart), "per-record");
    if (!plan.join) {
      // Only the watermark outlives a batch.
      Add("input table", plan.single->table->name);
      AddWatermark("input", *plan.single);
      return std::move(text_);
    }
    AddJoin("", *plan.join);
    return std::move(text_);
  }

 private:
  static std::string SideName(Side side) { return side == Side::kLeft ? "left" : "right"; }

  static const std::string& ColumnName(const InputPlan& input, int column) {
    return input.column_names[static_cast<size_t>(column)];
  }

  // `prefix` says which join of a tree: "left input's ".
  void AddJoin(const std::string& prefix, const JoinPlan& join) {
    Add(prefix + "join type", JoinTypeName(join.type));
    if (join.reports_unmatched) {
      Add(prefix + "record of who matched", "kept for unmatched-rows.table");
    }
    if (join.per_record) AddOperator(prefix, *join.per_record);
    for (const Side side : {Side::kLeft, Side::kRight}) {
      const std::string title = prefix + SideName(side);
      const InputPlan& input = join.side(side).input;
      input.query == nullptr ? AddTable(title, input) : AddQuery(title + " input's ", *input.query);
    }
    for (const Side side : {Side::kLeft, Side::kRight}) {
      AddSide(prefix + SideName(side), join, side);
    }
    AddCondition(prefix, join);
  }

  void AddOperator(const std::string& prefix, const PerRecordPlan& plan) {
    Add(prefix + "operator", PerRecordOperatorName(plan.chosen));
    if (plan.is_interval()) {
      Add(prefix + "window",
          fmt::format("from {} to {}", FormatInterval(plan.lower), FormatInterval(plan.upper)));
      return;
    }
    for (const Side side : {Side::kLeft, Side::kRight}) {
      const std::vector<int>& key = plan.primary_key[Index(side)];
      if (key.empty()) continue;
      std::vector<int> stored_columns;
      for (const int payload : key) stored_columns.push_back(payload + 1);
      Add(fmt::format("{}{} primary key", prefix, SideName(side)),
          fmt::format("stored column {}", fmt::join(stored_columns, ", ")));
    }
  }

  // A query that is an input: what of its joins' rows reaches the join above is in that one's
  // state.
  void AddQuery(const std::string& prefix, const StreamPlan& query) {
    const JoinPlan& join = *query.join;
    AddJoin(prefix, join);
    Add(prefix + "WHERE after the join", OverSides(join, query.where, Names::kPositions),
        OverSides(join, query.where, Names::kLabels));
    for (size_t index = 0; index < query.projections.size(); ++index) {
      const ExpressionPtr& projection = query.projections[index];
      Add(fmt::format("{}output column ${}", prefix, index),
          fmt::format("{} {}", OverSides(join, projection, Names::kPositions),
                      projection->type.ToString()),
          OverSides(join, projection, Names::kLabels));
    }
  }

  enum class Names : uint8_t { kPositions, kLabels };

  // Over the joined columns. Positions are by side, so that a column that the left table gains does
  // not move the right ones.
  static std::string OverSides(const JoinPlan& join, const ExpressionPtr& expression, Names names) {
    if (expression == nullptr) return names == Names::kPositions ? "none" : "";
    const InputPlan& left = join.side(Side::kLeft).input;
    const InputPlan& right = join.side(Side::kRight).input;
    const int num_left = left.schema.num_columns();
    return FormatExpression(*expression, [&](int column) {
      const bool is_left = column < num_left;
      const int on_side = is_left ? column : column - num_left;
      if (names == Names::kLabels) return ColumnName(is_left ? left : right, on_side);
      return fmt::format("{} ${}", is_left ? "left" : "right", on_side);
    });
  }

  static std::string Named(const ExpressionPtr& expression, const InputPlan& input) {
    if (expression == nullptr) return "";
    return FormatExpression(*expression,
                            [&input](int column) { return ColumnName(input, column); });
  }

  static std::string NamedOverTable(const Expression& expression, const InputPlan& input) {
    return FormatExpression(expression, [&input](int column) {
      return FormatName(input.table->columns[static_cast<size_t>(column)].name);
    });
  }

  void Add(const std::string& part, const std::string& value, const std::string& label = "") {
    text_ += part + ": " + Escaped(value);
    if (!label.empty()) text_ += std::string(kLabelMark) + Escaped(label);
    text_ += "\n";
  }

  void AddWatermark(const std::string& title, const InputPlan& input) {
    const TableDefinition& table = *input.table;
    if (!input.watermark) {
      Add(title + " watermark column", "none");
      return;
    }
    const int column = input.watermark->column;
    Add(title + " watermark column", fmt::format("${}", column),
        table.columns[static_cast<size_t>(column)].name);
  }

  // Late rows leave nothing behind.
  static bool IsLateOnly(const InputPlan& input, size_t column) {
    const std::vector<int>& late = input.late_only_columns;
    return std::binary_search(late.begin(), late.end(), static_cast<int>(column));
  }

  void AddTable(const std::string& title, const InputPlan& input) {
    const TableDefinition& table = *input.table;
    Add(title + " table", table.name);
    for (size_t index = 0; index < table.columns.size(); ++index) {
      if (input.table_columns[index] == nullptr || IsLateOnly(input, index)) continue;
      const ColumnDefinition& column = table.columns[index];
      std::string type = column.type.ToString();
      if (column.computed != nullptr) type += " AS " + Positional(*column.computed);
      Add(fmt::format("{} table column ${}", title, index), type,
          fmt::format("column {} of table {}", column.name, table.name));
    }
    AddWatermark(title, input);
    for (const TransformStep& step : input.steps) {
      if (step.filter != nullptr) {
        Add(title + " filter", Positional(*step.filter), NamedOverTable(*step.filter, input));
      }
      for (size_t index = 0; index < step.projection.size(); ++index) {
        Add(fmt::format("{} computed column ${}", title, index),
            fmt::format("{} {}", Positional(*step.projection[index]),
                        step.projection[index]->type.ToString()),
            input.schema.fields[index].name);
      }
    }
  }

  void AddSide(const std::string& title, const JoinPlan& join, Side side) {
    const JoinSidePlan& plan = join.side(side);
    Add(title + " WHERE", PositionalOrNone(plan.where), Named(plan.where, plan.input));
    Add(title + " preJoinFilter", PositionalOrNone(plan.pre_join_filter),
        Named(plan.pre_join_filter, plan.input));
    for (size_t key = 0; key < plan.keys.size(); ++key) {
      Add(fmt::format("{} key {}", title, key + 1),
          fmt::format("{} {}{}", Positional(*plan.keys[key]), plan.keys[key]->type.ToString(),
                      join.null_safe_keys[key] != 0 ? " NULL-safe" : ""),
          Named(plan.keys[key], plan.input));
    }
    std::vector<std::string> terms;
    std::vector<std::string> names;
    for (const TimeTerm& term : plan.time) {
      terms.push_back(fmt::format("${}{}", term.column, FormatOffset(term.offset)));
      names.push_back(ColumnName(plan.input, term.column));
    }
    Add(title + " stored time", terms.empty() ? "none" : fmt::format("{}", fmt::join(terms, ", ")),
        fmt::format("{}", fmt::join(names, ", ")));
    Add(title + " eviction",
        plan.eviction_offset
            ? fmt::format("time < watermark{}", FormatOffset(*plan.eviction_offset))
            : "never",
        plan.eviction_offset ? plan.eviction_text : "");
    for (size_t index = 0; index < plan.payload_expressions.size(); ++index) {
      const Expression& expression = *plan.payload_expressions[index];
      Add(fmt::format("{} stored column {}", title, index + 1),
          fmt::format("{} {}", Positional(expression), expression.type.ToString()),
          Named(plan.payload_expressions[index], plan.input));
    }
  }

  void AddCondition(const std::string& prefix, const JoinPlan& join) {
    const auto end = [](const std::optional<Interval>& interval) {
      return interval ? FormatInterval(*interval) : std::string("none");
    };
    if (!join.per_record) {
      Add(prefix + "time range",
          fmt::format("from {} to {}", end(join.time_range.lower), end(join.time_range.upper)));
    }
    Add(prefix + "postJoinFilter", OverSides(join, join.post_join_filter, Names::kPositions),
        OverSides(join, join.post_join_filter, Names::kLabels));
  }

  std::string text_;
};

std::vector<FingerprintLine> Parse(const std::string& text) {
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

const FingerprintLine* Find(const std::vector<FingerprintLine>& lines, const std::string& part) {
  const auto found = std::find_if(lines.begin(), lines.end(),
                                  [&](const FingerprintLine& line) { return line.part == part; });
  return found == lines.end() ? nullptr : &*found;
}

std::string ModeOf(const std::vector<FingerprintLine>& lines) {
  const FingerprintLine* mode = Find(lines, std::string(kModePart));
  return mode == nullptr ? "micro-batch" : mode->value;
}

bool IsTableColumn(const FingerprintLine& line) { return line.label.starts_with("column "); }

std::string Subject(const FingerprintLine& line) {
  return IsTableColumn(line) ? line.label : fmt::format("the {} ({})", line.part, line.value);
}

// The value as a person calls it.
std::string Spoken(const FingerprintLine& line) {
  return line.label.empty() ? line.value : fmt::format("{} [{}]", line.label, line.value);
}

std::string Change(const FingerprintLine& before, const FingerprintLine& now) {
  // A table column that kept its name has changed its type; otherwise another column is there now.
  const bool same_column = IsTableColumn(before) && before.label == now.label;
  return fmt::format("{} was {} when the checkpoint was made, and is {} now",
                     same_column ? before.label : "the " + before.part,
                     same_column ? before.value : Spoken(before),
                     same_column ? now.value : Spoken(now));
}

std::string Disappearance(const FingerprintLine& line,
                          const std::vector<FingerprintLine>& new_lines) {
  for (const FingerprintLine& other : new_lines) {
    if (!IsTableColumn(line) || other.label != line.label) continue;
    return fmt::format("{} was the {} when the checkpoint was made, and is the {} now", line.label,
                       line.part, other.part);
  }
  return fmt::format("{} was used when the checkpoint was made, and is not used now",
                     Subject(line));
}

}  // namespace

std::string StateFingerprint(const StreamPlan& plan) { return Fingerprint().Of(plan); }

std::optional<std::string> ExplainFingerprintChange(const std::string& before,
                                                    const std::string& now) {
  const std::vector<FingerprintLine> old_lines = Parse(before);
  const std::vector<FingerprintLine> new_lines = Parse(now);
  const std::string old_mode = ModeOf(old_lines);
  const std::string new_mode = ModeOf(new_lines);
  if (old_mode != new_mode) {
    return fmt::format("the mode was {} when the checkpoint was made, and is {} now", old_mode,
                       new_mode);
  }
  for (const FingerprintLine& line : old_lines) {
    const FingerprintLine* other = Find(new_lines, line.part);
    if (other == nullptr) return Disappearance(line, new_lines);
    if (other->value != line.value) return Change(line, *other);
  }
  for (const FingerprintLine& line : new_lines) {
    if (Find(old_lines, line.part) != nullptr) continue;
    return fmt::format("{} is used now, and was not when the checkpoint was made", Subject(line));
  }
  return std::nullopt;
}

}  // namespace braid
