// What is advised, as the SQL to write; and lengths of time as people read them.
//
// Thread rule: free functions.
#pragma once

#include <string>

#include "engine/advise/advice.h"

namespace braid {

// "c.ts BETWEEN i.ts - INTERVAL '5' SECOND AND i.ts + INTERVAL '1' MINUTE". With `indent` the part
// from AND on stands on a line of its own, after so many blanks, if the whole is wider than
// `width`.
std::string BoundText(const Advice& advice, Interval lower, Interval upper);
std::string BoundText(const Advice& advice, Interval lower, Interval upper, size_t indent,
                      size_t width);

// "WATERMARK FOR ts AS ts - INTERVAL '5' SECOND"; empty if the time is no column of the table.
std::string WatermarkText(const SideAdvice& side, Interval delay);

// "0 s", "-2.5 s", "1 h 3 min", "1 d 0.001 s": exact.
std::string LengthText(Interval length);

// "2024-01-01 10:00:00.000", UTC.
std::string TimeText(EventTime time);

}  // namespace braid
