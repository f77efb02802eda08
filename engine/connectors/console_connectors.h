// 'connector' = 'print' and 'connector' = 'blackhole'. Both are sinks only.
//
// Thread rule: as connector.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "braid/connector.h"

namespace braid {

// Options: 'print.format', 'print-identifier', 'standard-error'.
class PrintConnector final : public Connector {
 public:
  Result<std::unique_ptr<Source>> NewSource(const TableDescription& table,
                                            const std::vector<int>& read_columns,
                                            std::vector<std::string>* notes) const override;
  Result<std::unique_ptr<Sink>> NewSink(const TableDescription& table,
                                        std::vector<std::string>* notes) const override;
};

class BlackholeConnector final : public Connector {
 public:
  Result<std::unique_ptr<Source>> NewSource(const TableDescription& table,
                                            const std::vector<int>& read_columns,
                                            std::vector<std::string>* notes) const override;
  Result<std::unique_ptr<Sink>> NewSink(const TableDescription& table,
                                        std::vector<std::string>* notes) const override;
};

}  // namespace braid
