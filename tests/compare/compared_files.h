// Compares both modes of a query over two tables of a test, in one call.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "braid/error.h"
#include "engine/compare/comparer.h"
#include "engine/compare/comparison.h"

namespace braid::testing {

struct ComparedRow {
  std::optional<int64_t> id;
  std::optional<double> seconds;  // Since 2024-01-01 00:00.
  int64_t value = 0;
};

// One entry a file; a micro-batch reads one file of each table.
using ComparedFiles = std::vector<std::vector<ComparedRow>>;

// Both tables, l and r, have columns id BIGINT, ts TIMESTAMP(3), v BIGINT, and a watermark of 5 s.
// `query` is a SELECT of them, perhaps with SET before it.
Result<Comparison> CompareFiles(const std::string& query, const ComparedFiles& left,
                                const ComparedFiles& right, int64_t num_rows = kAllRows);

// The same with the tables declared as `tables` says, which names ${FOLDER}/l and ${FOLDER}/r.
Result<Comparison> CompareTables(const std::string& tables, const std::string& query,
                                 const ComparedFiles& left, const ComparedFiles& right,
                                 int64_t num_rows = kAllRows);

}  // namespace braid::testing
