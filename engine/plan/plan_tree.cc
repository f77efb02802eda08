#include "engine/plan/stream_plan.h"

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
