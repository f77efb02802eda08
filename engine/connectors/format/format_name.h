// The formats there are.
//
// Thread rule: free functions.
#pragma once

#include <cstdint>

#include "braid/connector.h"
#include "braid/error.h"

namespace braid {

class OptionReader;

enum class FormatName : uint8_t { kCsv, kJson, kDebeziumJson };

// Reads the option 'format'. Fails with kInvalidOption if it is missing or unknown.
Result<FormatName> ReadFormatName(const TableDescription& table, OptionReader* options);

}  // namespace braid
