// 'connector' = 'filesystem': a source of files (file_source.h) and a sink into a folder
// (file_sink.h). docs/connectors.md lists the options.
//
// Thread rule: as connector.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "braid/connector.h"

namespace braid {

class FilesystemConnector final : public Connector {
 public:
  Result<std::unique_ptr<Source>> NewSource(const TableDescription& table,
                                            const std::vector<int>& read_columns,
                                            std::vector<std::string>* notes) const override;
  Result<std::unique_ptr<Sink>> NewSink(const TableDescription& table,
                                        std::vector<std::string>* notes) const override;
};

}  // namespace braid
