// How a connector ends the reading of a table's options, once the format has read its own.
//
// Thread rule: free function.
#pragma once

#include <string>
#include <vector>

#include "braid/error.h"
#include "engine/connectors/option_reader.h"

namespace braid {

// What Finish finds, else what the format has failed with. Without a format nobody has read its
// options, which are therefore not to blame.
template <typename Format>
Status FinishOptions(const Result<Format>& format, OptionReader* reader,
                     std::vector<std::string>* notes) {
  if (!format) {
    reader->AcceptWithoutEffect("csv.*");
    reader->AcceptWithoutEffect("json.*");
    reader->AcceptWithoutEffect("debezium-json.*");
    reader->AcceptWithoutEffect("changelog.*");
  }
  Status finished = reader->Finish(format ? notes : nullptr);
  if (finished && !format) return tl::unexpected(format.error());
  return finished;
}

}  // namespace braid
