// Advice on two tables of a test, in one call.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "braid/error.h"
#include "engine/advise/advice.h"
#include "engine/advise/advisor.h"

namespace braid::testing {

struct AdvisedRow {
  std::optional<int64_t> id;
  std::optional<int64_t> time_millis;
  int64_t value = 0;
  std::string name = "x";
};

// Both tables, l and r, have columns id BIGINT, ts TIMESTAMP(3), v BIGINT, name STRING, and a
// watermark of 5 s. `query` is a SELECT of them, perhaps with SET before it.
Result<Advice> AdviseRows(const std::string& query, const std::vector<AdvisedRow>& left,
                          const std::vector<AdvisedRow>& right,
                          std::optional<Interval> max = std::nullopt,
                          const AdvisorOptions& options = {});

}  // namespace braid::testing
