#include "engine/connectors/connector_registry.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "engine/connectors/console_connectors.h"
#include "engine/connectors/datagen_connector.h"
#include "engine/connectors/filesystem_connector.h"
#include "engine/connectors/option_reader.h"
#include "engine/connectors/socket_connector.h"
#include "engine/connectors/standard_input.h"
#include "state/rows/nearest_name.h"

namespace braid {

void ConnectorRegistry::Add(std::string name, std::shared_ptr<const Connector> connector) {
  connectors_[std::move(name)] = std::move(connector);
}

Result<const Connector*> ConnectorRegistry::Find(const TableDescription& table) const {
  std::vector<std::string_view> names;
  for (const auto& [name, connector] : connectors_) names.push_back(name);
  const auto option = table.options.find("connector");
  if (option == table.options.end()) {
    return Fail(ErrorCode::kInvalidOption,
                fmt::format("table {}: the option 'connector' is missing; known connectors: {}",
                            table.name, fmt::join(names, ", ")),
                table.place);
  }
  const auto connector = connectors_.find(option->second.value);
  if (connector != connectors_.end()) return connector->second.get();
  const std::string nearest = NearestName(option->second.value, names);
  return Fail(ErrorCode::kInvalidOption,
              fmt::format("table {}: unknown connector '{}'{}; known connectors: {}", table.name,
                          option->second.value,
                          nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest),
                          fmt::join(names, ", ")),
              option->second.place.known() ? option->second.place : table.place);
}

ConnectorRegistry BuiltInConnectors() {
  ConnectorRegistry registry;
  const auto standard_input = std::make_shared<StandardInput>(STDIN_FILENO);
  registry.SetStandardInput(standard_input);
  registry.Add("filesystem", std::make_shared<FilesystemConnector>(standard_input));
  registry.Add("socket", std::make_shared<SocketConnector>());
  registry.Add("datagen", std::make_shared<DatagenConnector>());
  registry.Add("print", std::make_shared<PrintConnector>());
  registry.Add("blackhole", std::make_shared<BlackholeConnector>());
  return registry;
}

}  // namespace braid
