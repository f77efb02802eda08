// The tables of an example, made real: whatever their options say, files lie in a folder of the
// test and hold a few generated rows, a socket's peer is a server of the test, and a table that
// would make up rows for long makes a few.
//
// Rows of all tables have the same keys and close times, so that joins find matches.
// Thread rule: one thread; must outlive the jobs that use the registry.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <thread>

#include "engine/connectors/connector_registry.h"
#include "tests/connectors/tcp_peer.h"

namespace braid {

class ExampleTables {
 public:
  // Files lie below `folder`.
  explicit ExampleTables(std::string folder);
  ~ExampleTables();
  ExampleTables(const ExampleTables&) = delete;
  ExampleTables& operator=(const ExampleTables&) = delete;

  const ConnectorRegistry& connectors() const { return connectors_; }

  // A table that is to be read, with its options changed to where the rows are.
  TableDescription ForReading(TableDescription table);
  // A table that is to be written.
  TableDescription ForWriting(TableDescription table);

 private:
  // Sends `text` to whoever connects, or takes what is sent.
  uint16_t Serve(std::string text);

  std::string folder_;
  ConnectorRegistry built_in_;
  ConnectorRegistry connectors_;
  std::list<TcpServer> servers_;
  std::list<std::thread> peers_;
};

}  // namespace braid
