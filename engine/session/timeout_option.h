// An option that is a length of time of which 0 means never, as Flink's timeouts are written.
//
// Thread rule: as OptionReader.
#pragma once

#include <optional>
#include <string_view>

#include "braid/time.h"
#include "engine/connectors/option_reader.h"

namespace braid {

// Absent if the option was not given, is 0, or is no length of time (which Finish reports).
std::optional<Interval> ReadTimeout(OptionReader* reader, std::string_view name);

}  // namespace braid
