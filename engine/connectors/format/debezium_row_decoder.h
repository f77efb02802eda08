// Reads debezium-json: one record of Debezium a line, as Flink 2.3 does.
//
//   {"before": row or null, "after": row or null, "op": "c", …}   with a schema:
//   {"schema": …, "payload": {"before": …, "after": …, "op": …, …}}
//
//   op      rows
//   c r     +I after
//   u       -U before, +U after
//   d       -D before
//
// A row is an object, read as json_row_decoder.h says. An empty line and null (a tombstone) are no
// records. A record without its op, with another one, or without a row that its op needs is bad as
// a whole and gives no row under any policy. Of the two rows of an update both stay or none.
// Thread rule: one thread at a time (RowDecoder).
#pragma once

#include <memory>
#include <vector>

#include "braid/connector.h"
#include "engine/connectors/format/debezium_options.h"
#include "engine/connectors/format/row_decoder.h"
#include "state/rows/time_zone.h"

namespace braid {

std::unique_ptr<RowDecoder> NewDebeziumRowDecoder(const TableDescription& table,
                                                  const std::vector<int>& read_columns,
                                                  const DebeziumOptions& options,
                                                  const TimeZonePtr& time_zone);

}  // namespace braid
