#include "engine/sql/syntax_parser.h"

#include <utility>

#include "engine/sql/parse_context.h"
#include "grammar.h"
#include "lexer.h"

namespace braid {

Result<ScriptSyntax> ParseSyntax(const SourceText& source) {
  ParseContext context(&source);
  yyscan_t scanner = nullptr;
  if (braid_sql_lex_init(&scanner) != 0) {
    return Fail(ErrorCode::kInternal, "no memory for the lexer");
  }
  braid_sql__scan_bytes(source.text().data(), static_cast<int>(source.text().size()), scanner);
  sql_grammar::Parser parser(scanner, context);
  const int outcome = parser.parse();
  braid_sql_lex_destroy(scanner);
  if (context.error()) return tl::unexpected(*context.error());
  if (outcome != 0) return Fail(ErrorCode::kInternal, "the parser stopped without a reason");
  return std::move(context.script);
}

}  // namespace braid
