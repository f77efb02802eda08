// The functions that SQL text may call by name. One row a function: its name, how it is written,
// how many arguments it takes, and what makes the call out of them.
//
// Thread rule: the table is constant.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "braid/error.h"
#include "engine/expression/expression.h"

namespace braid {

struct FunctionCall {
  std::string name;  // Upper case.
  std::vector<ExpressionPtr> arguments;
  Place place;
};

struct FunctionRule {
  std::string_view name;   // Upper case.
  std::string_view usage;  // "NULLIF(value, value)"
  size_t least_arguments;
  size_t most_arguments;
  // Checks types and makes the expression: an operation, or a kFunction with its implicit casts.
  Result<ExpressionPtr> (*make)(FunctionCall call);
};

// All functions, by rising name.
std::span<const FunctionRule> FunctionRules();

// True for COUNT, SUM, ROW_NUMBER, TUMBLE …: names that Braid knows and refuses (SEMANTICS D17).
// REQUIRES: upper case.
bool IsAggregateOrWindowFunction(std::string_view name);

}  // namespace braid
