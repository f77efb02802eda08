// From text to syntax: runs the lexer (lexer.ll) and the grammar (grammar.yy).
//
// Thread rule: free function; any number of threads.
#pragma once

#include "braid/error.h"
#include "engine/sql/source_text.h"
#include "engine/sql/syntax.h"

namespace braid {

// Fails with kInvalidQuery at the first token that does not fit.
Result<ScriptSyntax> ParseSyntax(const SourceText& source);

}  // namespace braid
