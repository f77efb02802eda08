#include "engine/plan/joined_columns.h"

#include <utility>

namespace braid {

JoinedColumns::JoinedColumns(std::vector<SideColumn> left, const std::vector<SideColumn>& right)
    : columns_(std::move(left)), num_left_(static_cast<int>(columns_.size())) {
  columns_.insert(columns_.end(), right.begin(), right.end());
}

ExpressionPtr JoinedColumns::OverSide(const ExpressionPtr& expression) const {
  return RemapColumns(expression, [this](int joined) { return on_side(joined); });
}

std::string JoinedColumns::Format(const Expression& expression) const {
  return FormatExpression(expression, [this](int joined) { return at(joined).name; });
}

SidesUsed SidesOf(const Expression& expression, const JoinedColumns& columns) {
  SidesUsed used;
  for (const int column : ReferencedColumns(expression)) {
    (columns.side_of(column) == Side::kLeft ? used.left : used.right) = true;
  }
  return used;
}

}  // namespace braid
