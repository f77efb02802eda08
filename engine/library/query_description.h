// All that a QueryBuilder has been told.
//
// Ownership: a value that shares what the program gave.
// Thread rule: one thread at a time.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "braid/connector.h"
#include "braid/error.h"
#include "braid/query_listener.h"
#include "braid/trigger.h"
#include "engine/library/engine_state.h"
#include "engine/session/job.h"

namespace braid {

struct QueryDescription {
  std::shared_ptr<EngineState> engine;
  std::string text;
  bool made_by_builder = false;  // The text is a SelectBuilder's: no places of it in errors.
  std::optional<Error> error;    // Of a builder: what was wrong before there was a text.
  std::map<std::string, std::string> defines;
  SettingList settings;
  std::optional<Trigger> trigger;
  std::map<std::string, SourceFactory, std::less<>> sources;
  SinkFactory sink;
  std::map<std::string, SinkFactory, std::less<>> report_sinks;
  std::vector<std::shared_ptr<QueryListener>> listeners;

  // The job, planned.
  Result<std::unique_ptr<Job>> Prepare() const;
};

}  // namespace braid
