#include "braid/engine.h"

#include <fmt/format.h>

#include <utility>

#include "engine/library/engine_state.h"
#include "engine/library/guarded_connector.h"
#include "engine/library/query_description.h"
#include "engine/library/select_description.h"

namespace braid {

Result<Engine> Engine::Create(EngineOptions options) {
  auto state = std::make_shared<EngineState>();
  state->defaults.emplace_back("parallelism", Option{fmt::format("{}", options.parallelism), {}});
  if (!options.checkpoint_directory.empty()) {
    state->defaults.emplace_back("execution.checkpoint", Option{options.checkpoint_directory, {}});
  }
  for (const auto& [key, value] : options.settings) {
    state->defaults.emplace_back(key, Option{value, {}});
  }
  if (const Result<Settings> read = ReadSettings(state->defaults); !read) {
    return tl::unexpected(read.error());
  }
  state->connectors = BuiltInConnectors();
  state->clock = options.clock != nullptr ? options.clock : std::make_shared<SystemClock>();
  return Engine(std::move(state));
}

void Engine::AddConnector(std::string name, std::shared_ptr<const Connector> connector) {
  state_->connectors.Add(std::move(name), std::make_shared<GuardedConnector>(std::move(connector)));
}

QueryBuilder Engine::Sql(std::string text) const {
  auto description = std::make_unique<QueryDescription>();
  description->engine = state_;
  description->text = std::move(text);
  return QueryBuilder(std::move(description));
}

SelectBuilder Engine::From(Table table, std::string alias) const {
  auto description = std::make_unique<SelectDescription>();
  description->engine = state_;
  description->inputs.push_back({"", std::move(table), std::move(alias), {}, {}});
  return SelectBuilder(std::move(description));
}

}  // namespace braid
