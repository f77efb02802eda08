// 'connector' = 'filesystem': a source of files (file_source.h) and a sink into a folder
// (file_sink.h); with the path '-' standard input and output. docs/connectors.md lists the options.
//
// Thread rule: as connector.h.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "braid/connector.h"
#include "engine/connectors/file_operations.h"
#include "engine/connectors/standard_input.h"

namespace braid {

class FilesystemConnector final : public Connector {
 public:
  // `standard_input`: what 'path' = '-' reads; null: nothing. `operations`: where lists of sources
  // and output go; null: to the machine's disk.
  explicit FilesystemConnector(std::shared_ptr<StandardInput> standard_input = nullptr,
                               std::shared_ptr<FileOperations> operations = nullptr)
      : standard_input_(std::move(standard_input)), operations_(std::move(operations)) {}

  Result<std::unique_ptr<Source>> NewSource(const TableDescription& table,
                                            const std::vector<int>& read_columns,
                                            std::vector<std::string>* notes) const override;
  Result<std::unique_ptr<Sink>> NewSink(const TableDescription& table,
                                        std::vector<std::string>* notes) const override;

 private:
  std::shared_ptr<FileOperations> Operations(std::string_view use) const;

  std::shared_ptr<StandardInput> standard_input_;
  std::shared_ptr<FileOperations> operations_;
};

}  // namespace braid
