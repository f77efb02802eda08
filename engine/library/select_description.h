// All that a SelectBuilder has been told.
//
// Thread rule: one thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "braid/error.h"
#include "braid/expr.h"
#include "braid/table.h"
#include "braid/time.h"
#include "engine/library/engine_state.h"

namespace braid {

// SelectBuilder::DataStreamInterval.
struct DataStreamBounds {
  Interval lower;
  Interval upper;
  bool lower_exclusive = false;
  bool upper_exclusive = false;
};

struct SelectDescription {
  struct Input {
    std::string join;  // "LEFT JOIN"; empty for the first table.
    Table table;
    std::string alias;
    std::vector<Expr> conditions;
    std::optional<DataStreamBounds> interval = {};
  };

  std::shared_ptr<EngineState> engine;
  std::vector<Input> inputs;
  std::vector<Expr> where;
  std::optional<Error> error = {};  // The first call that made no sense.
};

}  // namespace braid
