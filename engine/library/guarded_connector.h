// A program's connector: what it throws, and what its sources and sinks throw, is an error.
//
// Thread rule: as braid/connector.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "braid/connector.h"

namespace braid {

class GuardedConnector final : public Connector {
 public:
  // REQUIRES: connector is not null.
  explicit GuardedConnector(std::shared_ptr<const Connector> connector);

  Result<std::unique_ptr<Source>> NewSource(const TableDescription& table,
                                            const std::vector<int>& read_columns,
                                            std::vector<std::string>* notes) const override;
  Result<std::unique_ptr<Sink>> NewSink(const TableDescription& table,
                                        std::vector<std::string>* notes) const override;

 private:
  std::shared_ptr<const Connector> connector_;
};

}  // namespace braid
