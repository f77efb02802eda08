#include "tests/state/store/scenario.h"

#include <map>
#include <string>

#include "tests/state/store/test_rows.h"

namespace braid {

namespace {

PersistentId IdOf(uint8_t side, int commit, int rows, int row) {
  const int number = commit * rows + row + 1;
  return MakePersistentId(side, static_cast<uint64_t>(number));
}

SideDelta MakeDelta(uint8_t side, int commit, int rows) {
  SideDelta delta;
  delta.side = side;
  std::vector<TestRow> added(static_cast<size_t>(rows));
  for (int i = 0; i < rows; ++i) {
    TestRow& row = added[static_cast<size_t>(i)];
    row.id = IdOf(side, commit, rows, i);
    row.word = row.id * 0x9e3779b97f4a7c15ULL;
    row.time = commit * 1'000 + i;
    row.number = i;
    row.text = "row " + std::to_string(row.id);
  }
  delta.rows.push_back(MakeRun(added));
  for (int i = 0; commit > 1 && i < rows; i += 3) {
    delta.matched.push_back(IdOf(side, commit - 2, rows, i));
  }
  for (int i = 1; commit > 2 && i < rows; i += 4) {
    delta.removed.push_back(IdOf(side, commit - 3, rows, i));
  }
  delta.timers = {{static_cast<uint64_t>(commit % 5), {1}, commit}};
  if (commit % 4 == 3) delta.timers[0].time_ms.reset();
  delta.counts = {{IdOf(side, commit, rows, 0), commit}};
  return delta;
}

testing::AssertionResult SideAgrees(VersionedStore* store, const ModelStore& model, int64_t version,
                                    uint8_t side) {
  std::vector<TestRow> rows;
  const Status status = store->ReadSide(version, side, [&](StateRows run) -> Status {
    const std::vector<TestRow> read = RowsOf(run);
    rows.insert(rows.end(), read.begin(), read.end());
    return {};
  });
  if (!status) return testing::AssertionFailure() << status.error().ToString();
  if (rows != model.Rows(version, side)) {
    return testing::AssertionFailure() << "other rows in version " << version;
  }
  const Result<std::vector<TimerChange>> read = store->ReadTimers(version, side);
  if (!read) return testing::AssertionFailure() << read.error().ToString();
  std::map<ModelStore::TimerKey, int64_t> timers;
  for (const TimerChange& timer : *read) timers[{timer.word, timer.key}] = timer.time_ms.value();
  if (timers != model.Timers(version, side)) {
    return testing::AssertionFailure() << "other timers in version " << version;
  }
  return testing::AssertionSuccess();
}

}  // namespace

std::vector<ScenarioCommit> MakeScenario(int count, int rows) {
  std::vector<ScenarioCommit> scenario;
  for (int i = 0; i < count; ++i) {
    ScenarioCommit& step = scenario.emplace_back();
    step.commit.batch_id = i;
    step.commit.watermark = Watermark{i};
    for (uint8_t side = 0; side < 2; ++side) {
      if (i > 5) step.commit.thresholds[side] = EventTime{(i - 5) * 1'000};
      step.deltas.push_back(MakeDelta(side, i, rows));
    }
    step.next_plan.batch_id = i + 1;
    step.next_plan.sources = {{"clicks", std::to_string(i), std::to_string(i + 1), ""}};
  }
  return scenario;
}

std::vector<ModelStore> ModelsOf(const std::vector<ScenarioCommit>& scenario, int retain_versions) {
  std::vector<ModelStore> models(1, ModelStore(retain_versions));
  for (const ScenarioCommit& step : scenario) {
    models.push_back(models.back());
    models.back().Commit(step.commit, step.deltas);
  }
  return models;
}

testing::AssertionResult Agrees(VersionedStore* store, const ModelStore& model) {
  const Result<std::vector<VersionInfo>> versions = store->Versions();
  if (!versions) return testing::AssertionFailure() << versions.error().ToString();
  if (versions->size() != model.versions().size()) {
    return testing::AssertionFailure()
           << versions->size() << " versions instead of " << model.versions().size();
  }
  for (const VersionInfo& info : *versions) {
    if (!model.versions().contains(info.version)) {
      return testing::AssertionFailure() << "version " << info.version;
    }
    for (uint8_t side = 0; side < 2; ++side) {
      testing::AssertionResult agrees = SideAgrees(store, model, info.version, side);
      if (!agrees) return agrees;
    }
  }
  return testing::AssertionSuccess();
}

int64_t CommitsIn(VersionedStore* store) {
  const Result<std::optional<VersionInfo>> latest = store->LatestVersion();
  return latest && *latest ? (*latest)->version + 1 : 0;
}

}  // namespace braid
