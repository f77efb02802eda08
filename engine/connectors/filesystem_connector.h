// 'connector' = 'filesystem': a source of files (file_source.h) and a sink into a folder
// (file_sink.h); with the path '-' standard input and output. docs/connectors.md lists the options.
//
// Thread rule: as connector.h.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "braid/connector.h"
#include "engine/connectors/standard_input.h"

namespace braid {

class FilesystemConnector final : public Connector {
 public:
  // `standard_input`: what 'path' = '-' reads; null: nothing.
  explicit FilesystemConnector(std::shared_ptr<StandardInput> standard_input = nullptr)
      : standard_input_(std::move(standard_input)) {}

  Result<std::unique_ptr<Source>> NewSource(const TableDescription& table,
                                            const std::vector<int>& read_columns,
                                            std::vector<std::string>* notes) const override;
  Result<std::unique_ptr<Sink>> NewSink(const TableDescription& table,
                                        std::vector<std::string>* notes) const override;

 private:
  std::shared_ptr<StandardInput> standard_input_;
};

}  // namespace braid
