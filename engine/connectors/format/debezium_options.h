// The options of the debezium-json format (docs/formats.md lists them).
//
// Thread rule: values.
#pragma once

#include "engine/connectors/format/json_options.h"

namespace braid {

struct DebeziumOptions {
  JsonOptions json;             // How the rows in a record are read and written.
  bool schema_include = false;  // Reading only: a record is {"schema": …, "payload": …}.
};

// Errors are kept in `options`.
DebeziumOptions ReadDebeziumOptions(OptionReader* options);

}  // namespace braid
