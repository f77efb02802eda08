#include "engine/connectors/socket_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "state/rows/limits.h"

namespace braid {

namespace {

int64_t SizeUpTo(OptionReader* reader, std::string_view name, int64_t otherwise, int64_t largest) {
  const int64_t size = reader->Size(name, otherwise);
  if (size <= largest) return size;
  reader->Refuse(name, fmt::format("'{}' can be {} mb at most", name, largest >> 20));
  return largest;
}

}  // namespace

std::string SocketOptions::Address() const {
  const bool is_v6 = host.find(':') != std::string::npos;
  return is_v6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

SocketOptions ReadSocketOptions(OptionReader* reader) {
  reader->AcceptElsewhere("connector");
  reader->Alias("host", "hostname");
  reader->Alias("maxBytesPerTrigger", "source.max-bytes-per-trigger");
  SocketOptions options;
  options.mode = reader->Choice(
      "socket.mode", options.mode,
      {{"connect", SocketOptions::Mode::kConnect}, {"listen", SocketOptions::Mode::kListen}});
  const bool listens = options.mode == SocketOptions::Mode::kListen;
  options.host = listens ? reader->Text("hostname", "localhost") : reader->RequiredText("hostname");
  if (!reader->Has("port")) {
    reader->Refuse("port", "the option 'port' is missing");
  } else {
    options.port = static_cast<uint16_t>(reader->Integer("port", 1, listens ? 0 : 1, 65'535));
  }
  options.reconnect = reader->Boolean("socket.reconnect", options.reconnect);
  options.backoff_min = reader->Duration("socket.reconnect-backoff", options.backoff_min);
  options.backoff_max = reader->Duration("socket.reconnect-backoff-max", options.backoff_max);
  options.backoff_max = std::max(options.backoff_max, options.backoff_min);
  options.connections_max =
      reader->Integer("socket.max-connections", options.connections_max, 1, kConnectionsMax);
  constexpr int64_t kLineBytesLargest = static_cast<int64_t>(kRecordBytesMax);
  options.line_bytes_max =
      SizeUpTo(reader, "source.max-line-bytes", options.line_bytes_max, kLineBytesLargest);
  options.queue_bytes_max = reader->Size("source.queue-bytes", options.queue_bytes_max);
  options.trigger_bytes_max = SizeUpTo(reader, "source.max-bytes-per-trigger",
                                       options.trigger_bytes_max, kSocketTriggerBytesMax);
  options.idle_timeout = reader->Duration("source.idle-timeout", options.idle_timeout);
  for (const std::string_view pattern : {"scan.parallelism", "sink.parallelism"}) {
    reader->AcceptWithoutEffect(pattern);
  }
  return options;
}

}  // namespace braid
