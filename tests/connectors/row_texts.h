// Rows as text, for tests: a row is its cells joined by commas.
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

std::vector<std::string> RowTexts(const RowBatch& rows);
std::vector<std::string> RowTexts(const std::vector<RowBatch>& batches);

}  // namespace braid
