// The conditions over both tables that are neither keys nor time bounds, for pairs of rows whose
// columns stand in record files.
//
// Thread rule: one thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "braid/error.h"
#include "engine/advise/record_file.h"
#include "engine/expression/evaluator.h"
#include "engine/microbatch/arrival_stage.h"
#include "engine/plan/stream_plan.h"

namespace braid {

struct CandidatePair {
  std::array<int64_t, 2> records = {-1, -1};  // In the left and the right record file.
  int64_t left_row = 0;
  Interval difference;
};

class PairFilter {
 public:
  // Absent when the join has no such condition.
  static Result<std::optional<PairFilter>> Create(const JoinPlan& plan, const TimeZone* zone,
                                                  OnRowError on_error);

  RecordFile& records(Side side) { return records_[Index(side)]; }
  const RecordFile& records(Side side) const { return records_[Index(side)]; }

  // Keeps the pairs for which the conditions are TRUE; order is kept.
  Status Filter(std::vector<CandidatePair>* pairs);

  // Pairs that were dropped because the condition could not be computed.
  int64_t num_row_errors() const { return num_row_errors_; }

 private:
  PairFilter(Evaluator filter, std::array<RecordFile, 2> records)
      : filter_(std::move(filter)), records_(std::move(records)) {}

  Evaluator filter_;
  std::array<RecordFile, 2> records_;
  // Per side, where a column stands among the joined ones, and its type.
  std::array<std::vector<int>, 2> positions_;
  std::array<std::vector<DataType>, 2> types_;
  int num_columns_ = 0;
  EvaluationContext context_;
  OnRowError on_error_ = OnRowError::kFail;
  int64_t num_row_errors_ = 0;
};

}  // namespace braid
