// Finds the addresses of a host. The system's look-up of a name cannot be interrupted and may take
// many seconds, so it runs on a thread of its own that nobody waits for.
//
// Thread rule: free function; the callback is called once, on the calling thread for addresses
// written in digits, else on the other one.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "braid/error.h"

namespace braid {

// Addresses in digits, those of IPv4 first; never none. kIo if there are none.
using HostAddresses = std::vector<std::string>;

void LookUpHost(const std::string& host, std::function<void(Result<HostAddresses>)> callback);

// The same on the calling thread.
Result<HostAddresses> LookUpHostNow(const std::string& host);

}  // namespace braid
