#include "engine/connectors/socket_connector.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <utility>

#include "engine/connectors/finish_options.h"
#include "engine/connectors/format/row_encoder.h"
#include "engine/connectors/line_decoder.h"
#include "engine/connectors/line_sender.h"
#include "engine/connectors/option_reader.h"
#include "engine/connectors/socket_options.h"
#include "engine/connectors/socket_sink.h"
#include "engine/connectors/socket_source.h"

namespace braid {

namespace {

void Warn(const std::string& message) { spdlog::warn("{}", message); }

OptionReader NewReader(const TableDescription& table) {
  return {table.options, "table " + table.name, table.place};
}

}  // namespace

Result<std::unique_ptr<Source>> SocketConnector::NewSource(const TableDescription& table,
                                                           const std::vector<int>& read_columns,
                                                           std::vector<std::string>* notes) const {
  OptionReader reader = NewReader(table);
  SocketOptions options = ReadSocketOptions(&reader);
  Result<std::unique_ptr<LineDecoder>> decoder = LineDecoder::New(table, read_columns, &reader);
  if (Status finished = FinishOptions(decoder, &reader, notes); !finished) {
    return tl::unexpected(std::move(finished.error()));
  }
  if (notes != nullptr) {
    notes->push_back(fmt::format(
        "table {}: lines that have arrived from the socket {} and are not yet in a batch are lost "
        "when the job stops or crashes; with a checkpoint, the lines of a batch are logged with "
        "its "
        "plan, and a batch that a crash has interrupted runs again with the same lines",
        table.name, options.Address()));
  }
  return std::make_unique<SocketSource>(table.name, std::move(options), std::move(*decoder), Warn);
}

Result<std::unique_ptr<Sink>> SocketConnector::NewSink(const TableDescription& table,
                                                       std::vector<std::string>* notes) const {
  OptionReader reader = NewReader(table);
  const SocketOptions options = ReadSocketOptions(&reader);
  if (options.mode == SocketOptions::Mode::kListen) {
    reader.Refuse("socket.mode",
                  "a table that is written to a socket connects: 'socket.mode' can "
                  "only be connect");
  }
  Result<std::unique_ptr<RowEncoder>> encoder = NewRowEncoder(table, &reader);
  if (Status finished = FinishOptions(encoder, &reader, notes); !finished) {
    return tl::unexpected(std::move(finished.error()));
  }
  Result<std::unique_ptr<LineSender>> sender = NewLineSender(
      options, [name = table.name, address = options.Address()](const std::string& message) {
        spdlog::warn("table {}, socket {}: {}", name, address, message);
      });
  if (!sender) return tl::unexpected(sender.error());
  return std::make_unique<SocketSink>(options.Address(), std::move(*encoder), std::move(*sender));
}

}  // namespace braid
