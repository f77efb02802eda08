#include "engine/microbatch/query_identity.h"

#include <fmt/format.h>

#include <random>

#include "engine/plan/fingerprint.h"
#include "state/rows/key_word.h"

namespace braid {

namespace {

SideLayout LayoutOf(const JoinPlan& join, Side side, const std::string& name) {
  const JoinSidePlan& side_plan = join.side(side);
  std::vector<DataType> key_types;
  for (const ExpressionPtr& key : side_plan.keys) key_types.push_back(key->type);
  SideLayout layout;
  layout.name = name;
  layout.hashed_key = KeyWordKindOf(key_types, join.null_safe_keys) == KeyWordKind::kHash;
  layout.has_time = !side_plan.time.empty();
  const auto column_name = [&](int column) {
    return side_plan.input.schema.fields[static_cast<size_t>(column)].name;
  };
  if (!layout.hashed_key && !side_plan.keys.empty()) {
    layout.key = {FormatExpression(*side_plan.keys[0], column_name), side_plan.keys[0]->type};
  }
  if (layout.has_time) {
    layout.time = side_plan.input.schema.fields[static_cast<size_t>(side_plan.time[0].column)];
  }
  for (const ExpressionPtr& payload : side_plan.payload_expressions) {
    layout.payload.fields.push_back({FormatExpression(*payload, column_name), payload->type});
  }
  return layout;
}

}  // namespace

std::string NewIdentifier() {
  std::random_device random;
  const auto bits = [&random] { return random(); };
  const uint32_t version = (bits() & 0x0fffU) | 0x4000U;
  const uint32_t variant = (bits() & 0x3fffU) | 0x8000U;
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:08x}{:04x}", bits(), bits() & 0xffffU, version,
                     variant, bits(), bits() & 0xffffU);
}

std::vector<std::string> TableNames(const StreamPlan& plan) {
  if (!plan.join) return {plan.single->table->name};
  const InputPlan& left = plan.join->side(Side::kLeft).input;
  const InputPlan& right = plan.join->side(Side::kRight).input;
  if (left.table->name != right.table->name) return {left.table->name, right.table->name};
  return {left.table->name + " (left)", right.table->name + " (right)"};
}

StoreIdentity MakeIdentity(const StreamPlan& plan) {
  StoreIdentity identity;
  identity.query_id = NewIdentifier();
  identity.fingerprint = StateFingerprint(plan);
  if (plan.join) {
    const std::vector<std::string> names = TableNames(plan);
    for (const Side side : {Side::kLeft, Side::kRight}) {
      identity.sides.push_back(LayoutOf(*plan.join, side, names[Index(side)]));
    }
  }
  return identity;
}

Status CheckIdentity(const StoreIdentity& stored, const StreamPlan& plan) {
  const std::optional<std::string> change =
      ExplainFingerprintChange(stored.fingerprint, StateFingerprint(plan));
  if (!change) return {};
  return Fail(ErrorCode::kConflict,
              "the checkpoint belongs to another query: " + *change +
                  "; go on with the query as it was, or name another checkpoint directory");
}

}  // namespace braid
