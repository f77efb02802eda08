// Makes sources and sinks from a table's WITH options: what 'connector' = 'name' stands for. A
// program adds its own with Engine::AddConnector.
//
// Thread rule: NewSource and NewSink from any thread, also at the same time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "braid/error.h"
#include "braid/export.h"
#include "braid/option.h"
#include "braid/schema.h"
#include "braid/sink.h"
#include "braid/source.h"

namespace braid {

// What a connector is told about a table.
struct TableDescription {
  std::string name;
  Schema schema;                  // The physical columns.
  std::vector<uint8_t> not_null;  // One byte a column.
  Options options;                // With 'connector' itself.
  Place place;
  std::string time_zone = "UTC";  // table.local-time-zone
  bool is_guessed = false;        // FROM 'path': the types were guessed.
};

class BRAID_EXPORT Connector {
 public:
  virtual ~Connector() = default;

  // `read_columns`: which physical columns the slices hold, rising. Messages about options that are
  // accepted without effect go to `notes`. Fails with kInvalidOption for what it cannot take.
  virtual Result<std::unique_ptr<Source>> NewSource(const TableDescription& table,
                                                    const std::vector<int>& read_columns,
                                                    std::vector<std::string>* notes) const = 0;
  virtual Result<std::unique_ptr<Sink>> NewSink(const TableDescription& table,
                                                std::vector<std::string>* notes) const = 0;
};

// The source of one table, or the sink of one query, made by a program when the query starts.
// `read_columns` as above; it is called once for each time the query reads the table.
using SourceFactory = std::function<Result<std::unique_ptr<Source>>(
    const TableDescription& table, const std::vector<int>& read_columns)>;
using SinkFactory = std::function<Result<std::unique_ptr<Sink>>(const TableDescription& table)>;

}  // namespace braid
