#include "engine/connectors/console_connectors.h"

#include <fmt/format.h>

#include <cstdio>

#include "engine/connectors/blackhole_sink.h"
#include "engine/connectors/option_reader.h"
#include "engine/connectors/print_sink.h"

namespace braid {

namespace {

tl::unexpected<Error> FailAsSource(const TableDescription& table, std::string_view connector) {
  return Fail(ErrorCode::kInvalidQuery,
              fmt::format("table {}: the connector '{}' can only be written to, not read from",
                          table.name, connector),
              table.place);
}

OptionReader NewReader(const TableDescription& table) {
  OptionReader reader(table.options, "table " + table.name, table.place);
  reader.AcceptElsewhere("connector");
  reader.AcceptWithoutEffect("sink.parallelism");
  return reader;
}

}  // namespace

Result<std::unique_ptr<Source>> PrintConnector::NewSource(
    const TableDescription& table, const std::vector<int>& /*read_columns*/,
    std::vector<std::string>* /*notes*/) const {
  return FailAsSource(table, "print");
}

Result<std::unique_ptr<Sink>> PrintConnector::NewSink(const TableDescription& table,
                                                      std::vector<std::string>* notes) const {
  OptionReader reader = NewReader(table);
  const std::string identifier = reader.Text("print-identifier", "");
  const bool to_standard_error = reader.Boolean("standard-error", false);
  if (Status read = reader.Finish(notes); !read) return tl::unexpected(std::move(read.error()));
  return std::make_unique<PrintSink>(identifier, to_standard_error ? stderr : stdout);
}

Result<std::unique_ptr<Source>> BlackholeConnector::NewSource(
    const TableDescription& table, const std::vector<int>& /*read_columns*/,
    std::vector<std::string>* /*notes*/) const {
  return FailAsSource(table, "blackhole");
}

Result<std::unique_ptr<Sink>> BlackholeConnector::NewSink(const TableDescription& table,
                                                          std::vector<std::string>* notes) const {
  OptionReader reader = NewReader(table);
  if (Status read = reader.Finish(notes); !read) return tl::unexpected(std::move(read.error()));
  return std::make_unique<BlackholeSink>();
}

}  // namespace braid
