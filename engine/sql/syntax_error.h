// What a user reads when the text does not follow the grammar: what was found, and what could stand
// there; or, for a part of SQL that Braid leaves out, its name and the reason.
//
// Thread rule: free functions.
#pragma once

#include <span>

#include "engine/sql/parse_context.h"
#include "grammar.h"

namespace braid::sql_grammar {

// Records the error in `context`. `found` stands at `place`; `expected` are all tokens that fit
// there.
void ReportSyntaxError(Parser::symbol_kind_type found, SourceRange place,
                       std::span<const Parser::symbol_kind_type> expected, ParseContext* context);

}  // namespace braid::sql_grammar
