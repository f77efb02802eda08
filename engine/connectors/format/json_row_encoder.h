// Writes json: one object a line, a field a column, in the order of the table, without blanks.
//
// Numbers and booleans are written as such; NaN and the infinities, which JSON has not, and all
// other values as strings, as the csv format writes them (BYTES in base64). NULL is null, or no
// field with 'json.encode.ignore-null-fields'. Bytes of a string that are no UTF-8 become U+FFFD.
// Thread rule: immutable (RowEncoder).
#pragma once

#include <memory>

#include "braid/connector.h"
#include "engine/connectors/format/json_options.h"
#include "engine/connectors/format/row_encoder.h"

namespace braid {

std::unique_ptr<RowEncoder> NewJsonRowEncoder(const TableDescription& table,
                                              const JsonOptions& options);

// Writes debezium-json, as Flink 2.3: the object of a row that is added (+I, +U) is
// {"before":null,"after":{…},"op":"c"}, that of one taken back
// {"before":{…},"after":null,"op":"d"}.
std::unique_ptr<RowEncoder> NewDebeziumRowEncoder(const TableDescription& table,
                                                  const JsonOptions& options);

}  // namespace braid
