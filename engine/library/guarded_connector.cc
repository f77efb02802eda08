#include "engine/library/guarded_connector.h"

#include <utility>

#include "engine/library/guarded_sink.h"
#include "engine/library/guarded_source.h"

namespace braid {

namespace {

tl::unexpected<Error> NoConnector(const TableDescription& table) {
  return Fail(ErrorCode::kProgram, "the connector of the table " + table.name + " is null",
              table.place);
}

}  // namespace

GuardedConnector::GuardedConnector(std::shared_ptr<const Connector> connector)
    : connector_(std::move(connector)) {}

Result<std::unique_ptr<Source>> GuardedConnector::NewSource(const TableDescription& table,
                                                            const std::vector<int>& read_columns,
                                                            std::vector<std::string>* notes) const {
  if (connector_ == nullptr) return NoConnector(table);
  const SourceFactory guarded =
      GuardSource([&](const TableDescription& description, const std::vector<int>& columns) {
        return connector_->NewSource(description, columns, notes);
      });
  return guarded(table, read_columns);
}

Result<std::unique_ptr<Sink>> GuardedConnector::NewSink(const TableDescription& table,
                                                        std::vector<std::string>* notes) const {
  if (connector_ == nullptr) return NoConnector(table);
  const SinkFactory guarded = GuardSink(
      [&](const TableDescription& description) { return connector_->NewSink(description, notes); });
  return guarded(table);
}

}  // namespace braid
