// Told of a query's life. Derive from it and override what you want to hear.
//
// Thread rule: all calls come from the query's own thread, one after the other, and hold it up
// while they last. A call may ask the Query for its status or tell it to stop.
// Errors: an exception that leaves a call ends the query with kProgram.
#pragma once

#include <optional>
#include <string>

#include "braid/error.h"
#include "braid/export.h"
#include "braid/progress.h"

namespace braid {

class BRAID_EXPORT QueryListener {
 public:
  // Which query and which run of it: BatchProgress has the same ids.
  struct Identity {
    std::string id;      // Survives restarts.
    std::string run_id;  // Of this run.
    std::string name;    // pipeline.name
  };

  virtual ~QueryListener() = default;

  // Before the first batch.
  virtual void OnStarted(const Identity& /*query*/) {}
  // After the commit of each batch.
  virtual void OnProgress(const BatchProgress& /*progress*/) {}
  // At the end; `error` is why, or absent: inputs ended, or Stop.
  virtual void OnTerminated(const Identity& /*query*/, const std::optional<Error>& /*error*/) {}
};

}  // namespace braid
