#include "engine/plan/outer_join.h"

#include "engine/plan/null_rejection.h"

namespace braid {

namespace {

// Padded rows have their NULLs on `side` no more.
JoinType WithoutNullsOn(JoinType type, Side side) {
  if (type == JoinType::kLeft && side == Side::kRight) return JoinType::kInner;
  if (type == JoinType::kRight && side == Side::kLeft) return JoinType::kInner;
  if (type == JoinType::kFull) return side == Side::kLeft ? JoinType::kLeft : JoinType::kRight;
  return type;
}

}  // namespace

bool Pads(JoinType type, Side side) {
  switch (type) {
    case JoinType::kLeft:
    case JoinType::kLeftAnti:
      return side == Side::kLeft;
    case JoinType::kRight:
      return side == Side::kRight;
    case JoinType::kFull:
      return true;
    case JoinType::kInner:
    case JoinType::kLeftSemi:
      return false;
  }
  return false;
}

bool MustDecide(JoinType type, Side side) {
  return Pads(type, side) || (type == JoinType::kLeftSemi && side == Side::kLeft);
}

bool IsPreserved(JoinType type, Side side) {
  return type != JoinType::kFull && MustDecide(type, side);
}

bool IsInOutput(JoinType type, Side side) {
  const bool left_only = type == JoinType::kLeftSemi || type == JoinType::kLeftAnti;
  return side == Side::kLeft || !left_only;
}

JoinType SimplifyOuterJoin(JoinType type, const std::vector<ExpressionPtr>& where,
                           const JoinedColumns& columns) {
  for (const ExpressionPtr& conjunct : where) {
    for (const Side side : {Side::kLeft, Side::kRight}) {
      const auto is_on_side = [&](int column) { return columns.side_of(column) == side; };
      if (RejectsNull(*conjunct, is_on_side)) type = WithoutNullsOn(type, side);
    }
  }
  return type;
}

}  // namespace braid
