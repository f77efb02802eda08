// Writes names and constants the way SQL text takes them, whatever is in them.
//
// Thread rule: free functions.
#pragma once

#include <string>
#include <string_view>

#include "braid/error.h"
#include "braid/time.h"

namespace braid {

// `name`, in backticks.
std::string QuoteName(std::string_view name);
// 'text', in single quotes.
std::string QuoteText(std::string_view text);
// INTERVAL '1 02:03:04.500000' DAY TO SECOND
std::string IntervalSql(Interval interval);

// For text that the reader of the error did not write: the line that the error is at stands in the
// message instead of its number.
Error WithLineOf(const std::string& text, Error error);

}  // namespace braid
