// What SQL text may not exceed, each with its reason.
#pragma once

#include <cstddef>
#include <cstdint>

namespace braid {

// A job is written by people or by a small program; more is most likely a data file by mistake. It
// also keeps every offset in 32 bits and bounds the parser's stack.
constexpr size_t kMaxScriptBytes = 8U << 20;

// How deep expressions, joins, subqueries and views may be nested: binding, planning and evaluation
// recurse, and this keeps them well inside a thread's stack. AND, OR, IN and CASE lists are flat.
constexpr int kMaxNesting = 300;

// Columns of one table or one intermediate result; `SELECT *` over views that join themselves would
// double them with each view.
constexpr size_t kMaxColumns = 4'096;

// Nodes of one query's plan; views that join themselves would double them with each view.
constexpr int64_t kMaxPlanNodes = 10'000;

}  // namespace braid
