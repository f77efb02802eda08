#include "engine/connectors/host_lookup.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <system_error>
#include <thread>
#include <utility>

namespace braid {

namespace {

bool IsInDigits(const std::string& host) {
  in6_addr address = {};
  return inet_pton(AF_INET, host.c_str(), &address) == 1 ||
         inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

}  // namespace

Result<HostAddresses> LookUpHostNow(const std::string& host) {
  if (IsInDigits(host)) return HostAddresses{host};
  addrinfo hints = {};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int failure = getaddrinfo(host.c_str(), nullptr, &hints, &found);
  HostAddresses addresses;
  for (const int family : {AF_INET, AF_INET6}) {
    for (const addrinfo* entry = failure == 0 ? found : nullptr; entry != nullptr;
         entry = entry->ai_next) {
      char text[NI_MAXHOST] = {};
      if (entry->ai_family != family) continue;
      if (getnameinfo(entry->ai_addr, entry->ai_addrlen, text, sizeof(text), nullptr, 0,
                      NI_NUMERICHOST) != 0) {
        continue;
      }
      if (std::find(addresses.begin(), addresses.end(), text) == addresses.end()) {
        addresses.emplace_back(text);
      }
    }
  }
  if (failure == 0) freeaddrinfo(found);
  if (!addresses.empty()) return addresses;
  return Fail(ErrorCode::kIo,
              fmt::format("cannot find the host '{}': {}", host,
                          failure != 0 ? gai_strerror(failure) : "it has no address"));
}

void LookUpHost(const std::string& host, std::function<void(Result<HostAddresses>)> callback) {
  if (IsInDigits(host)) return callback(HostAddresses{host});
  try {
    std::thread([host, callback] { callback(LookUpHostNow(host)); }).detach();
  } catch (const std::system_error& failure) {
    callback(Fail(ErrorCode::kIo,
                  fmt::format("cannot look up the host '{}': {}", host, failure.code().message())));
  }
}

}  // namespace braid
