// Intervals and offsets as SQL text, for messages and explain.
//
// Thread rule: free functions.
#pragma once

#include <string>

#include "braid/time.h"

namespace braid {

// "INTERVAL '10' SECOND", "INTERVAL '1' HOUR", "-INTERVAL '0.500' SECOND".
std::string FormatInterval(Interval interval);

// "" for 0, otherwise " + INTERVAL …" or " - INTERVAL …": to stand after a column or the watermark.
std::string FormatOffset(Interval offset);

// A column or table name as SQL reads it back: in backticks unless it is a plain identifier.
std::string FormatName(const std::string& name);

}  // namespace braid
