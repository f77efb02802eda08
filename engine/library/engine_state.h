// What an engine's queries share.
//
// Ownership: shared by the engine, its builders and its queries.
// Thread rule: read-only while queries are made; the clock from any thread.
#pragma once

#include <memory>

#include "braid/clock.h"
#include "engine/connectors/connector_registry.h"
#include "engine/session/settings.h"

namespace braid {

struct EngineState {
  SettingList defaults;  // The text's and the query's own settings win.
  ConnectorRegistry connectors;
  std::shared_ptr<Clock> clock;
};

}  // namespace braid
