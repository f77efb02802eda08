// Calls code of the embedding program. What it throws ends here, as an error.
//
// Thread rule: free function.
#pragma once

#include <exception>
#include <string>
#include <type_traits>
#include <utility>

#include "braid/error.h"

namespace braid {

// The outcome of `call()`, which gives nothing, a Status or a Result; kProgram if it throws. `what`
// names the code in the message: "the ForEachBatch function".
template <typename Call>
auto CallProgram(const std::string& what, Call&& call) {
  using Returned = decltype(call());
  using Outcome = std::conditional_t<std::is_void_v<Returned>, Status, Returned>;
  try {
    if constexpr (std::is_void_v<Returned>) {
      call();
      return Outcome();
    } else {
      return Outcome(call());
    }
  } catch (const std::exception& exception) {
    return Outcome(Fail(ErrorCode::kProgram, what + " threw: " + exception.what()));
  } catch (...) {
    return Outcome(Fail(ErrorCode::kProgram, what + " threw something that is no std::exception"));
  }
}

}  // namespace braid
