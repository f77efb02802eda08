#include <algorithm>

#include "engine/plan/stream_plan.h"
#include "state/rows/check.h"

namespace braid {

namespace {

void AddTables(const StreamPlan& plan, std::vector<const InputPlan*>* tables) {
  if (!plan.join) {
    tables->push_back(&*plan.single);
    return;
  }
  for (const JoinSidePlan& side : plan.join->sides) {
    if (side.input.query == nullptr) {
      tables->push_back(&side.input);
    } else {
      AddTables(*side.input.query, tables);
    }
  }
}

void AddJoins(const StreamPlan& plan, std::vector<const JoinPlan*>* joins) {
  if (!plan.join) return;
  for (const JoinSidePlan& side : plan.join->sides) {
    if (side.input.query != nullptr) AddJoins(*side.input.query, joins);
  }
  joins->push_back(&*plan.join);
}

}  // namespace

std::vector<int> InputPlan::ReadPositions() const {
  const std::vector<int> physical = table->physical_columns();
  std::vector<int> positions;
  for (const int column : read_columns) {
    const auto found = std::find(physical.begin(), physical.end(), column);
    BRAID_CHECK(found != physical.end(), "only physical columns are read");
    positions.push_back(static_cast<int>(found - physical.begin()));
  }
  return positions;
}

std::vector<const InputPlan*> TableInputs(const StreamPlan& plan) {
  std::vector<const InputPlan*> tables;
  AddTables(plan, &tables);
  return tables;
}

std::vector<const JoinPlan*> Joins(const StreamPlan& plan) {
  std::vector<const JoinPlan*> joins;
  AddJoins(plan, &joins);
  return joins;
}

}  // namespace braid
