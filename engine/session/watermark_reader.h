// Reads the options of a table that say how its watermark moves (scan.watermark.*) and the settings
// that stand in for them. They are the engine's own: no connector sees them, so that they work for
// every source. docs/connectors.md lists them.
//
// Errors: kInvalidOption with the place of the option.
// Thread rule: any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "braid/error.h"
#include "engine/microbatch/watermark_options.h"
#include "engine/session/settings.h"
#include "engine/sql/logical_plan.h"

namespace braid {

// True for the options that ReadWatermarkOptions reads, by their prefix.
bool IsWatermarkOption(std::string_view name);

// Refuses the options on a table without WATERMARK. What is accepted without effect in the mode of
// `settings` goes to `notes`, which may be null.
Result<WatermarkOptions> ReadWatermarkOptions(const TableDefinition& table,
                                              const Settings& settings,
                                              std::vector<std::string>* notes);

}  // namespace braid
