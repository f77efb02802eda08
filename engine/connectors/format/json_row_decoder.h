// Reads json: one object a line, a field a column; a line that holds an array gives a row for each
// object in it.
//
//   A field finds its column by its exact name, else without regard to case if only one column
//   fits so. Of two fields for one column the exact one counts, else the last. Fields without a
//   column are skipped. A missing field and null are NULL.
//
//   What stands in a field      and what becomes of it
//   a number                    a number; in STRING its text; an integer column takes 1.0 too
//   a string                    read like a csv field (text_value.h), for all types
//   true, false                 BOOLEAN; in STRING its text
//   an object or an array       in STRING its text as it stands in the line
//   Anything else is bad.
//
// A line that is no JSON is bad as a whole and gives no row under any policy. Of fields that are
// skipped only the structure is checked.
// Thread rule: one thread at a time (RowDecoder).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "braid/connector.h"
#include "engine/connectors/format/changelog_column.h"
#include "engine/connectors/format/json_options.h"
#include "engine/connectors/format/row_decoder.h"
#include "state/rows/time_zone.h"

namespace braid {

std::unique_ptr<RowDecoder> NewJsonRowDecoder(
    const TableDescription& table, const std::vector<int>& read_columns, const JsonOptions& options,
    const TimeZonePtr& time_zone, const std::optional<ChangelogColumn>& changelog = std::nullopt);

}  // namespace braid
