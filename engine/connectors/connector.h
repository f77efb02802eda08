// Makes sources and sinks from a table's WITH options. There is no global registry: the session
// builds one ConnectorRegistry, adds the built-in connectors and whatever a program brings.
//
// Option errors: kInvalidOption naming the option, its place in the SQL text, and the nearest known
// option; Flink's options without effect here are accepted and listed once in `notes`.
// Thread rule: build it, then share it read-only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "braid/error.h"
#include "braid/option.h"
#include "braid/schema.h"
#include "engine/connectors/sink.h"
#include "engine/connectors/source.h"

namespace braid {

// What a connector is told about a table.
struct TableDescription {
  std::string name;
  Schema schema;                  // The physical columns.
  std::vector<uint8_t> not_null;  // One byte a column.
  Options options;                // With 'connector' itself.
  Place place;
  std::string time_zone = "UTC";  // table.local-time-zone
};

class Connector {
 public:
  virtual ~Connector() = default;

  // `read_columns`: which physical columns the slices hold, rising.
  virtual Result<std::unique_ptr<Source>> NewSource(const TableDescription& table,
                                                    const std::vector<int>& read_columns,
                                                    std::vector<std::string>* notes) const = 0;
  virtual Result<std::unique_ptr<Sink>> NewSink(const TableDescription& table,
                                                std::vector<std::string>* notes) const = 0;
};

class ConnectorRegistry {
 public:
  void Add(std::string name, std::shared_ptr<const Connector> connector);

  // Fails with kInvalidOption naming the known connectors.
  Result<const Connector*> Find(const TableDescription& table) const;

 private:
  std::map<std::string, std::shared_ptr<const Connector>, std::less<>> connectors_;
};

// filesystem, socket, datagen, print, blackhole.
ConnectorRegistry BuiltInConnectors();

}  // namespace braid
