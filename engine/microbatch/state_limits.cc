#include "engine/microbatch/state_limits.h"

#include <fmt/format.h>

#include <algorithm>

namespace braid {

namespace {

// "the state holds 12 rows (l 10, r 2) in 4096 bytes, more than state.max-rows = 10"
std::string SizeText(const StateLimits& limits, const StateSize& size) {
  std::vector<std::string> sides;
  for (const StateSize::Side& side : size.sides) {
    sides.push_back(fmt::format("{} {}", side.name, side.rows));
  }
  std::string text =
      fmt::format("the state holds {} rows ({})", size.rows(), fmt::join(sides, ", "));
  if (limits.bytes_max) text += fmt::format(" in {} bytes", size.bytes);
  std::vector<std::string> exceeded;
  if (limits.rows_max && size.rows() > *limits.rows_max) {
    exceeded.push_back(fmt::format("state.max-rows = {}", *limits.rows_max));
  }
  if (limits.bytes_max && size.bytes > *limits.bytes_max) {
    exceeded.push_back(fmt::format("state.max-bytes = {} bytes", *limits.bytes_max));
  }
  return text + fmt::format(", more than {}", fmt::join(exceeded, " and "));
}

constexpr const char* kAdvice =
    "Raise the limit, bound the join more closely in time, or make the watermark's delay smaller";

}  // namespace

int64_t StateSize::rows() const {
  int64_t rows = 0;
  for (const Side& side : sides) rows += side.rows;
  return rows;
}

bool IsExceeded(const StateLimits& limits, const StateSize& size) {
  return (limits.rows_max && size.rows() > *limits.rows_max) ||
         (limits.bytes_max && size.bytes > *limits.bytes_max);
}

tl::unexpected<Error> RefuseState(const StateLimits& limits, const StateSize& size,
                                  const std::string& held_back_by) {
  std::string waits;
  if (!held_back_by.empty()) {
    waits = fmt::format(". The watermark waits for table {}", held_back_by);
  }
  return Fail(ErrorCode::kInvalidInput,
              fmt::format("{}{}. What was committed stands. {}, or let reading wait for room: SET "
                          "'state.on-limit' = 'pause'",
                          SizeText(limits, size), waits, kAdvice));
}

tl::unexpected<Error> RefuseToWait(const StateLimits& limits, const StateSize& size,
                                   const std::vector<std::string>& paused,
                                   const std::string& reason) {
  return Fail(ErrorCode::kInvalidInput,
              fmt::format("{}. Reading {} is paused, and nothing can shrink the state any more: "
                          "{}. What was committed stands. {}",
                          SizeText(limits, size), fmt::join(paused, " and "), reason, kAdvice));
}

}  // namespace braid
