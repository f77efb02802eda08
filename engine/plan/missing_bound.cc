#include "engine/plan/missing_bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engine/plan/interval_text.h"

namespace braid {

namespace {

struct Findings {
  Side side;
  const InputShape& own;
  const InputShape& other;
  const std::vector<SideColumn>& own_columns;
  const std::vector<SideColumn>& other_columns;
  // Bounds that would let rows of this side go if the other column were row time, and the rest.
  std::vector<TimeBound> useful;
  std::vector<TimeBound> opposite;
};

int OwnColumn(const Findings& findings, const TimeBound& bound) {
  return findings.side == Side::kLeft ? bound.left : bound.right;
}

int OtherColumn(const Findings& findings, const TimeBound& bound) {
  return findings.side == Side::kLeft ? bound.right : bound.left;
}

const SideColumn* RowTime(const std::vector<SideColumn>& columns) {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [](const SideColumn& column) { return column.is_row_time; });
  return found == columns.end() ? nullptr : &*found;
}

// The row time if it is of `kind`, otherwise the first timestamp that is: only times of one kind
// can be compared without a cast, which makes no bound.
const SideColumn* TimeOfKind(const std::vector<SideColumn>& columns, TypeKind kind) {
  const SideColumn* row_time = RowTime(columns);
  if (row_time != nullptr && row_time->type.kind == kind) return row_time;
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const SideColumn& column) {
    return column.type.kind == kind && !column.is_processing_time;
  });
  return found == columns.end() ? nullptr : &*found;
}

std::string ConditionLine(const std::string& other_time, const std::string& own_time) {
  return fmt::format(
      "add to the join condition: AND {} <= {} + INTERVAL '1' HOUR (or whatever is "
      "the longest wait)",
      other_time, own_time);
}

// The column of the other table that the watermark would be on.
const ColumnDefinition* WatermarkCandidate(const Findings& findings, const JoinedColumns& columns) {
  const TableDefinition& table = *findings.other.table;
  for (const TimeBound& bound : findings.useful) {
    const int column = columns.at(OtherColumn(findings, bound)).table_column;
    if (column >= 0) return &table.columns[static_cast<size_t>(column)];
  }
  for (const ColumnDefinition& column : table.columns) {
    const bool processing_time =
        column.computed != nullptr && column.computed->is_call(Operation::kProcTime);
    if (column.type.is_timestamp() && !processing_time) return &column;
  }
  return nullptr;
}

std::string MissingWatermark(const Findings& findings, const JoinedColumns& columns) {
  const std::string table = FormatName(findings.other.table->name);
  const ColumnDefinition* candidate = WatermarkCandidate(findings, columns);
  if (candidate == nullptr) {
    return fmt::format("table {} has no watermark, and no TIMESTAMP column that one could be on",
                       table);
  }
  const std::string name = FormatName(candidate->name);
  std::string text = fmt::format(
      "table {} has no watermark; add to CREATE TABLE {}: WATERMARK FOR {} AS {} - INTERVAL '5' "
      "SECOND",
      table, table, name, name);
  if (!findings.useful.empty()) return text;
  const SideColumn* own = TimeOfKind(findings.own_columns, candidate->type.kind);
  const SideColumn* other = TimeOfKind(findings.other_columns, candidate->type.kind);
  if (own != nullptr && other != nullptr) {
    text += "; and " + ConditionLine(other->name, own->name);
  }
  return text;
}

std::string MissingCondition(const Findings& findings, const SideColumn& row_time,
                             const JoinedColumns& columns) {
  std::string own_name;
  for (const TimeBound& bound : findings.opposite) {
    if (columns.at(OtherColumn(findings, bound)).is_row_time && own_name.empty()) {
      own_name = columns.at(OwnColumn(findings, bound)).name;
    }
  }
  const bool has_opposite = !own_name.empty();
  if (!has_opposite) {
    const SideColumn* own = TimeOfKind(findings.own_columns, row_time.type.kind);
    if (own == nullptr) {
      return fmt::format(
          "{} has no {} column that {} could be compared with (a CAST gives no "
          "bound)",
          FormatName(findings.own.alias), row_time.type.ToString(), row_time.name);
    }
    own_name = own->name;
  }
  std::string text = fmt::format("the join condition does not say how far {} may be after {}",
                                 row_time.name, own_name);
  if (has_opposite) text += ", only how far before it";
  if (!findings.useful.empty()) {
    text += fmt::format(", and {} is not row time",
                        columns.at(OtherColumn(findings, findings.useful[0])).name);
    if (findings.other.table != nullptr) {
      text += fmt::format(" (the watermark of table {} is on {})",
                          FormatName(findings.other.table->name), row_time.name);
    }
  }
  return text + "; " + ConditionLine(row_time.name, own_name);
}

}  // namespace

std::string MissingForEviction(Side side, const QueryShape& shape, const PredicateSplit& split,
                               const JoinedColumns& columns) {
  const InputShape& own = shape.inputs[Index(side)];
  const InputShape& other = shape.inputs[Index(Other(side))];
  Findings findings{side, own, other, own.visible, other.visible, {}, {}};
  for (const TimeBound& bound : split.bounds) {
    const bool useful = side == Side::kLeft ? bound.is_upper() : bound.is_lower();
    (useful ? findings.useful : findings.opposite).push_back(bound);
  }
  if (other.table != nullptr && !other.table->watermark) {
    return MissingWatermark(findings, columns);
  }
  const SideColumn* row_time = RowTime(findings.other_columns);
  if (row_time != nullptr) return MissingCondition(findings, *row_time, columns);
  if (other.table == nullptr) return other.lost_row_time;
  const auto column = static_cast<size_t>(other.table->watermark->column);
  return fmt::format(
      "the row time {} of table {} does not reach the join: a view or subquery drops "
      "it or computes with it; select it unchanged there and compare it with a time "
      "of {} in the join condition",
      FormatName(other.table->columns[column].name), FormatName(other.table->name),
      FormatName(own.alias));
}

}  // namespace braid
