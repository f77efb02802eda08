// A function of the program that is called with rows. It may give void or Status back.
//
// Ownership: a value; copies share what the function refers to.
// Thread rule: called on the thread that makes the call it belongs to.
#pragma once

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

#include "braid/error.h"
#include "braid/row_batch.h"

namespace braid {

class RowFunction {
 public:
  RowFunction() = default;

  template <typename Function>
  requires(!std::same_as<std::remove_cvref_t<Function>, RowFunction> &&
           std::invocable<Function&, const RowBatch&>)
      RowFunction(Function function) {  // NOLINT(google-explicit-constructor)
    using Returned = std::invoke_result_t<Function&, const RowBatch&>;
    if constexpr (std::is_void_v<Returned>) {
      function_ = [function = std::move(function)](const RowBatch& rows) mutable -> Status {
        function(rows);
        return {};
      };
    } else {
      function_ = std::move(function);
    }
  }

  explicit operator bool() const { return function_ != nullptr; }
  // REQUIRES: there is a function.
  Status operator()(const RowBatch& rows) const { return function_(rows); }

 private:
  std::function<Status(const RowBatch&)> function_;
};

}  // namespace braid
