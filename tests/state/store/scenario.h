// A fixed course of commits, and whether a store stands where some commit of it left it.
//
// Thread rule: values and free functions.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "state/versioned_store.h"
#include "tests/state/store/model_store.h"

namespace braid {

struct ScenarioCommit {
  BatchCommit commit;
  std::vector<SideDelta> deltas;
  BatchPlan next_plan;
};

// `count` commits of `rows` rows a side with matches, removals, timers and a rising threshold;
// batch ids from 0.
std::vector<ScenarioCommit> MakeScenario(int count, int rows);

// What a store must say after each of the commits: element i after i of them.
std::vector<ModelStore> ModelsOf(const std::vector<ScenarioCommit>& scenario, int retain_versions);

// Whether all retained versions of the store read as the model's.
testing::AssertionResult Agrees(VersionedStore* store, const ModelStore& model);

// After how many commits the store's newest version came; 0 = none.
int64_t CommitsIn(VersionedStore* store);

}  // namespace braid
