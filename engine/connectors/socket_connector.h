// 'connector' = 'socket': options to source or sink.
//
// Thread rule: immutable.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "braid/connector.h"

namespace braid {

class SocketConnector final : public Connector {
 public:
  Result<std::unique_ptr<Source>> NewSource(const TableDescription& table,
                                            const std::vector<int>& read_columns,
                                            std::vector<std::string>* notes) const override;
  Result<std::unique_ptr<Sink>> NewSink(const TableDescription& table,
                                        std::vector<std::string>* notes) const override;
};

}  // namespace braid
