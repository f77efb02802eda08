// The columns of both sides next to each other, as ON, WHERE and SELECT see them: first all left
// columns, then all right ones.
//
// Thread rule: a value; immutable after it is built.
#pragma once

#include <string>
#include <vector>

#include "engine/expression/expression.h"
#include "engine/plan/stream_plan.h"

namespace braid {

struct SideColumn {
  std::string name;  // "l.ts"
  DataType type;
  // A watermarked column, plain, renamed or passed through a view.
  bool is_row_time = false;
  bool is_processing_time = false;
  int table_column = -1;  // Index into the table's columns of a column passed on unchanged.
};

class JoinedColumns {
 public:
  JoinedColumns() = default;
  JoinedColumns(std::vector<SideColumn> left, const std::vector<SideColumn>& right);

  // Whether the mode takes bounds between PROCTIME() columns; micro-batch does not.
  bool allows_processing_time() const { return allows_processing_time_; }
  void AllowProcessingTime() { allows_processing_time_ = true; }

  int num_left() const { return num_left_; }
  int size() const { return static_cast<int>(columns_.size()); }
  const SideColumn& at(int joined) const { return columns_[static_cast<size_t>(joined)]; }

  Side side_of(int joined) const { return joined < num_left_ ? Side::kLeft : Side::kRight; }
  // The index of a joined column among its side's columns.
  int on_side(int joined) const { return joined < num_left_ ? joined : joined - num_left_; }
  int joined(Side side, int column) const {
    return side == Side::kLeft ? column : column + num_left_;
  }

  // The same expression over the columns of one side. REQUIRES: it refers to no other.
  ExpressionPtr OverSide(const ExpressionPtr& expression) const;

  // As SQL, with the names of the columns.
  std::string Format(const Expression& expression) const;

 private:
  std::vector<SideColumn> columns_;
  int num_left_ = 0;
  bool allows_processing_time_ = false;
};

// Which sides an expression over joined columns refers to.
struct SidesUsed {
  bool left = false;
  bool right = false;

  bool none() const { return !left && !right; }
  bool both() const { return left && right; }
  bool only(Side side) const { return side == Side::kLeft ? left && !right : right && !left; }
};
SidesUsed SidesOf(const Expression& expression, const JoinedColumns& columns);

}  // namespace braid
