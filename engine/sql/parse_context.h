// What the lexer, the grammar and its error messages share while one text is parsed: where in the
// text they are, the first error, and the makers of syntax nodes that watch over nesting.
//
// After an error every further token is the end of the text, so that the parser stops soon; what
// it says then is not kept.
//
// Ownership: borrows the SourceText. Thread rule: one thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "braid/error.h"
#include "engine/sql/syntax.h"
#include "grammar.h"

namespace braid {

class ParseContext {
 public:
  using Symbol = sql_grammar::Parser::symbol_type;

  explicit ParseContext(const SourceText* source) : source_(source) {}
  ParseContext(const ParseContext&) = delete;
  ParseContext& operator=(const ParseContext&) = delete;

  // Errors: the first one counts.
  void Fail(uint32_t offset, std::string message);
  bool failed() const { return error_.has_value(); }
  const std::optional<Error>& error() const { return error_; }
  const SourceText& source() const { return *source_; }

  // For the lexer: the place of the matched text, which must follow what was taken before.
  SourceRange Take(std::string_view matched);
  // A token that cannot be: records the error and ends the text.
  Symbol RefuseToken(SourceRange range, std::string message);
  // "/*" that nothing closes; right behind a word, as in data/*.csv, it was meant as a path.
  Symbol UnclosedComment(std::string_view matched);
  Symbol StringToken(std::string_view matched);
  Symbol BytesToken(std::string_view matched);
  Symbol QuotedNameToken(std::string_view matched);
  Symbol NumberToken(int token, std::string_view matched);
  Symbol WordToken(std::string_view matched);

  // Between lexer and parser: keeps the last two tokens for messages, counts how deep they are
  // nested, and ends the text after an error.
  Symbol Pass(Symbol symbol);

  // The text of the last token and of the one before it.
  std::string_view last_token() const { return source_->Slice(last_token_); }
  std::string_view token_before() const { return source_->Slice(token_before_); }

  // For the grammar: nodes. A node nested too deeply records an error and drops its children.
  ExpressionSyntaxPtr Literal(SyntaxKind kind, std::string text, SourceRange range);
  ExpressionSyntaxPtr Name(std::vector<NameSyntax> names, SourceRange range);
  ExpressionSyntaxPtr Node(SyntaxKind kind, SourceRange range, uint32_t anchor,
                           std::vector<ExpressionSyntaxPtr> arguments);
  ExpressionSyntaxPtr Call(Operation operation, SourceRange range, uint32_t anchor,
                           ExpressionSyntaxPtr left, ExpressionSyntaxPtr right = nullptr);
  // AND and OR: chains of one of them become one flat node.
  ExpressionSyntaxPtr Chain(Operation operation, SourceRange range, uint32_t anchor,
                            ExpressionSyntaxPtr left, ExpressionSyntaxPtr right);
  // ||: a chain is one flat node, too.
  ExpressionSyntaxPtr Concatenation(SourceRange range, uint32_t anchor, ExpressionSyntaxPtr left,
                                    ExpressionSyntaxPtr right);
  ExpressionSyntaxPtr Negated(ExpressionSyntaxPtr node, bool negated);
  ExpressionSyntaxPtr Interval(IntervalSyntax interval, SourceRange range);
  // EXISTS (query), x IN (query), (query).
  ExpressionSyntaxPtr OfQuery(SyntaxKind kind, SourceRange range, uint32_t anchor,
                              ExpressionSyntaxPtr needle, QuerySyntaxPtr query);
  FromSyntaxPtr Join(FromSyntaxPtr left, FromSyntaxPtr right, JoinType type, SourceRange range,
                     SourceRange join_range);
  FromSyntaxPtr Subquery(QuerySyntaxPtr query, AliasSyntax alias, SourceRange range);
  QuerySyntaxPtr Query(std::vector<SelectItemSyntax> items, FromSyntaxPtr from,
                       ExpressionSyntaxPtr where, SourceRange range);

  ScriptSyntax script;

 private:
  // True if a node of this depth may stand at `range`; otherwise records the error.
  bool MayNest(int depth, SourceRange range);
  // One more argument of a flat node, which then ends at the end of `range`.
  ExpressionSyntaxPtr Append(ExpressionSyntaxPtr chain, ExpressionSyntaxPtr argument,
                             SourceRange range);
  bool IsText(std::string_view bytes, SourceRange range);

  const SourceText* source_;
  std::optional<Error> error_;
  uint32_t position_ = 0;
  SourceRange last_token_;
  SourceRange token_before_;
  sql_grammar::Parser::symbol_kind_type last_kind_ = sql_grammar::Parser::symbol_kind::S_YYEMPTY;
  int open_parentheses_ = 0;
  int open_cases_ = 0;
  int prefix_run_ = 0;
};

inline constexpr std::string_view kPathHint = "; a path stands in quotes: 'folder/file.csv'";

// "found 'é'"-like text for a character that begins no token.
std::string UnexpectedCharacter(std::string_view matched);

}  // namespace braid
