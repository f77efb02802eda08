#include "engine/plan/predicate_split.h"

#include <algorithm>
#include <utility>

#include "engine/plan/null_rejection.h"
#include "engine/plan/outer_join.h"

namespace braid {

namespace {

// The conjunct as a key: an equality whose two operands refer to one side each, not the same.
Result<std::optional<EquiKey>> EquiKeyOf(const Expression& conjunct, const JoinedColumns& columns) {
  const bool null_safe = conjunct.is_call(Operation::kIsNotDistinctFrom);
  if (!null_safe && !conjunct.is_call(Operation::kEqual)) return std::nullopt;
  ExpressionPtr left = conjunct.arguments[0];
  ExpressionPtr right = conjunct.arguments[1];
  if (SidesOf(*left, columns).only(Side::kRight)) std::swap(left, right);
  if (!SidesOf(*left, columns).only(Side::kLeft)) return std::nullopt;
  if (!SidesOf(*right, columns).only(Side::kRight)) return std::nullopt;

  // The comparison has brought both to one kind; only digits behind the point may still differ.
  if (left->type.kind == TypeKind::kDecimal && !(left->type == right->type)) {
    const Result<DataType> common = CommonType(left->type, right->type);
    if (!common) return tl::unexpected(common.error());
    for (ExpressionPtr* operand : {&left, &right}) {
      Result<ExpressionPtr> cast = MakeCast(*operand, *common, conjunct.place);
      if (!cast) return tl::unexpected(cast.error());
      *operand = std::move(*cast);
    }
  }
  return EquiKey{{left, right}, null_safe, nullptr, std::nullopt};
}

void AddNullRejectingColumns(const Expression& conjunct, const JoinedColumns& columns,
                             PredicateSplit* split) {
  for (const int column : ReferencedColumns(conjunct)) {
    if (!RejectsNull(conjunct, [column](int other) { return other == column; })) continue;
    std::vector<int>& rejecting = split->null_rejecting[Index(columns.side_of(column))];
    const int on_side = columns.on_side(column);
    const auto place = std::lower_bound(rejecting.begin(), rejecting.end(), on_side);
    if (place == rejecting.end() || *place != on_side) rejecting.insert(place, on_side);
  }
}

Status AddTwoSided(const ExpressionPtr& conjunct, const JoinedColumns& columns,
                   PredicateSplit* split) {
  const Result<std::optional<TimeBound>> bound = TimeBoundOf(*conjunct, columns);
  if (!bound) return tl::unexpected(bound.error());
  Result<std::optional<EquiKey>> key = EquiKeyOf(*conjunct, columns);
  if (!key) return tl::unexpected(key.error());
  if (*bound) split->bounds.push_back(**bound);
  if (*key) {
    (*key)->conjunct = conjunct;
    (*key)->bound = *bound;
    split->keys.push_back(std::move(**key));
  } else {
    split->post.push_back({conjunct, *bound});
  }
  AddNullRejectingColumns(*conjunct, columns, split);
  return {};
}

Status SplitOn(const std::vector<ExpressionPtr>& on, const JoinedColumns& columns,
               PredicateSplit* split) {
  for (const ExpressionPtr& conjunct : on) {
    const SidesUsed used = SidesOf(*conjunct, columns);
    if (used.both()) {
      if (Status added = AddTwoSided(conjunct, columns, split); !added) return added;
      continue;
    }
    for (const Side side : {Side::kLeft, Side::kRight}) {
      if (used.none() || used.only(side)) split->pre[Index(side)].push_back(conjunct);
    }
  }
  return {};
}

void SplitWhere(JoinType type, const std::vector<ExpressionPtr>& where,
                const JoinedColumns& columns, PredicateSplit* split) {
  for (const ExpressionPtr& conjunct : where) {
    const SidesUsed used = SidesOf(*conjunct, columns);
    bool before = false;
    for (const Side side : {Side::kLeft, Side::kRight}) {
      if (!used.only(side) || !IsPreserved(type, side)) continue;
      split->where_before[Index(side)].push_back(conjunct);
      before = true;
    }
    if (!before) split->where_after.push_back(conjunct);
  }
}

}  // namespace

Result<PredicateSplit> SplitPredicates(JoinType type, std::vector<ExpressionPtr> on,
                                       const std::vector<ExpressionPtr>& where,
                                       const JoinedColumns& columns) {
  PredicateSplit split;
  const bool where_is_on = type == JoinType::kInner;
  if (where_is_on) on.insert(on.end(), where.begin(), where.end());
  if (Status status = SplitOn(on, columns, &split); !status) {
    return tl::unexpected(status.error());
  }
  if (!where_is_on) SplitWhere(type, where, columns, &split);
  return split;
}

}  // namespace braid
