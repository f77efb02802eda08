// One mode's run of a comparison: prepares the job with a ComparePlan, runs it into memory, and
// keeps how it stood on the way.
//
// Thread rule: one thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "braid/error.h"
#include "braid/progress.h"
#include "engine/compare/collected_rows.h"
#include "engine/compare/compare_plan.h"
#include "engine/compare/comparison.h"
#include "engine/compare/late_rows.h"
#include "engine/compare/result_rows.h"
#include "engine/compare/sample_series.h"
#include "engine/session/job.h"

namespace braid {

class ModeRun {
 public:
  // Errors name the mode. `options` as the job would run, but nothing that it writes to is opened.
  static Result<std::unique_ptr<ModeRun>> Prepare(Mode mode, std::string_view text,
                                                  JobOptions options);
  ~ModeRun();
  ModeRun(const ModeRun&) = delete;
  ModeRun& operator=(const ModeRun&) = delete;

  // Fails with kInvalidOption for input that does not end, or that cannot be read twice.
  Status CheckInput();
  // Once. The state is freed.
  Status Run();

  // Before Run.
  const Job& job() const { return *job_; }
  int num_columns() const { return plan_.num_columns; }  // Of the job's own output.

  // After Run.
  const ModeFigures& figures() const { return figures_; }
  ResultRows TakeResult();
  LateRows TakeLateRows();

 private:
  explicit ModeRun(Mode mode) : mode_(mode) {}

  void TakeProgress(const BatchProgress& progress);
  void TakeBlock(const BlockNews& news);
  // The same with the mode in front.
  tl::unexpected<Error> InMode(const Error& error) const;

  Mode mode_;
  ComparePlan plan_;
  std::shared_ptr<CollectedRows> rows_ = std::make_shared<CollectedRows>();
  std::shared_ptr<CollectedRows> late_rows_ = std::make_shared<CollectedRows>();
  std::unique_ptr<Job> job_;
  ModeFigures figures_;
  SampleSeries samples_;
  BatchTimes batch_times_;
  std::optional<EventTime> event_time_;  // The largest row time of the batches so far.
};

}  // namespace braid
