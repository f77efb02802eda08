// All that a SelectBuilder has been told.
//
// Thread rule: one thread at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "braid/expr.h"
#include "braid/table.h"
#include "engine/library/engine_state.h"

namespace braid {

struct SelectDescription {
  struct Input {
    std::string join;  // "LEFT JOIN"; empty for the first table.
    Table table;
    std::string alias;
    std::vector<Expr> conditions;
  };

  std::shared_ptr<EngineState> engine;
  std::vector<Input> inputs;
  std::vector<Expr> where;
};

}  // namespace braid
