#include "engine/sql/logical_plan_printer.h"

#include <string>
#include <vector>

namespace braid {

namespace {

// The names of a node's columns as the lines above it write them.
std::vector<std::string> ColumnNames(const LogicalNode& node) {
  std::vector<std::string> names;
  switch (node.kind) {
    case LogicalKind::kScan:
      for (const LogicalColumn& column : node.columns) {
        names.push_back(node.alias + "." + column.name);
      }
      return names;
    case LogicalKind::kFilter:
      return ColumnNames(*node.inputs[0]);
    case LogicalKind::kProject:
      for (const LogicalColumn& column : node.columns) names.push_back(column.name);
      return names;
    case LogicalKind::kJoin:
      break;
  }
  for (const LogicalNodePtr& input : node.inputs) {
    for (std::string& name : ColumnNames(*input)) names.push_back(std::move(name));
  }
  return names;
}

std::string Format(const ExpressionPtr& expression, const std::vector<std::string>& names) {
  return FormatExpression(*expression,
                          [&](int column) { return names[static_cast<size_t>(column)]; });
}

std::string DescribeProject(const LogicalNode& node) {
  const std::vector<std::string> names = ColumnNames(*node.inputs[0]);
  std::string text = "Project ";
  for (size_t index = 0; index < node.projections.size(); ++index) {
    const LogicalColumn& column = node.columns[index];
    if (index > 0) text += ", ";
    text += Format(node.projections[index], names) + " AS " + column.name;
    if (column.is_row_time) text += " (row time)";
    if (column.is_processing_time) text += " (processing time)";
  }
  return text;
}

std::string Describe(const LogicalNode& node) {
  switch (node.kind) {
    case LogicalKind::kScan:
      return "Scan " + node.table->name +
             (node.alias == node.table->name ? "" : " AS " + node.alias);
    case LogicalKind::kFilter:
      return "Filter " + Format(node.predicate, ColumnNames(*node.inputs[0]));
    case LogicalKind::kProject:
      return DescribeProject(node);
    case LogicalKind::kJoin:
      break;
  }
  const std::string type = node.is_cross_join ? "CROSS" : std::string(JoinTypeName(node.join_type));
  return "Join " + type +
         (node.predicate == nullptr ? "" : " ON " + Format(node.predicate, ColumnNames(node)));
}

void Print(const LogicalNode& node, size_t indent, std::string* text) {
  *text += std::string(indent * 2, ' ') + Describe(node) + "\n";
  for (const LogicalNodePtr& input : node.inputs) Print(*input, indent + 1, text);
}

}  // namespace

std::string PrintLogicalPlan(const LogicalNode& node) {
  std::string text;
  Print(node, 0, &text);
  return text;
}

}  // namespace braid
