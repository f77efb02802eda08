// Rows as text, for tests: a row is its cells joined by commas, behind its kind if the batch has
// kinds: "-D 1,a".
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "braid/row_batch.h"

namespace braid {

// (id BIGINT, name STRING)
Schema IdAndName();

RowBatch MakeIdAndName(const std::vector<std::pair<int64_t, std::string>>& rows);

// A changelog of the same columns.
struct IdAndNameChange {
  ChangeKind kind;
  int64_t id;
  std::string name;
};
RowBatch MakeChanges(const std::vector<IdAndNameChange>& rows);

std::vector<std::string> RowTexts(const RowBatch& rows);
std::vector<std::string> RowTexts(const std::vector<RowBatch>& batches);

}  // namespace braid
