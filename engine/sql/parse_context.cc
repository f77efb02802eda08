#include "engine/sql/parse_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/sql/keywords.h"
#include "state/rows/limits.h"
#include "state/rows/utf8.h"

namespace braid {

namespace {

using Parser = sql_grammar::Parser;
using Kind = Parser::symbol_kind;

// The inside of a quoted token, with each doubled quote as one.
std::string Unquote(std::string_view matched, char quote) {
  const std::string_view inside = matched.substr(1, matched.size() - 2);
  std::string text;
  text.reserve(inside.size());
  for (size_t index = 0; index < inside.size(); ++index) {
    text += inside[index];
    if (inside[index] == quote) ++index;
  }
  return text;
}

int HexDigit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

bool IsPrefix(Parser::symbol_kind_type kind) {
  return kind == Kind::S_NOT || kind == Kind::S_MINUS || kind == Kind::S_PLUS;
}

}  // namespace

void ParseContext::Fail(uint32_t offset, std::string message) {
  if (error_) return;
  error_ = Error{ErrorCode::kInvalidQuery, std::move(message), source_->PlaceAt(offset)};
}

SourceRange ParseContext::Take(std::string_view matched) {
  const uint32_t begin = position_;
  position_ += static_cast<uint32_t>(matched.size());
  return {begin, position_};
}

ParseContext::Symbol ParseContext::RefuseToken(SourceRange range, std::string message) {
  Fail(range.begin, std::move(message));
  return Parser::make_END_OF_TEXT(range);
}

ParseContext::Symbol ParseContext::UnclosedComment(std::string_view matched) {
  const SourceRange range = Take(matched);
  const bool is_behind_word = range.begin > 0 && last_token_.end == range.begin;
  return RefuseToken(range, fmt::format("this comment is not closed; */ is missing{}",
                                        is_behind_word ? kPathHint : ""));
}

bool ParseContext::IsText(std::string_view bytes, SourceRange range) {
  if (IsUtf8(bytes)) return true;
  Fail(range.begin, "this is not UTF-8 text");
  return false;
}

ParseContext::Symbol ParseContext::StringToken(std::string_view matched) {
  const SourceRange range = Take(matched);
  IsText(matched, range);
  return Parser::make_STRING(Unquote(matched, '\''), range);
}

ParseContext::Symbol ParseContext::QuotedNameToken(std::string_view matched) {
  const SourceRange range = Take(matched);
  IsText(matched, range);
  if (matched == "``") return RefuseToken(range, "a name has at least one character");
  return Parser::make_QUOTED_NAME(Unquote(matched, '`'), range);
}

ParseContext::Symbol ParseContext::BytesToken(std::string_view matched) {
  const SourceRange range = Take(matched);
  const std::string_view digits = matched.substr(2, matched.size() - 3);
  const bool all_digits =
      std::all_of(digits.begin(), digits.end(), [](char digit) { return HexDigit(digit) >= 0; });
  if (!all_digits || digits.size() % 2 != 0) {
    return RefuseToken(range, "X'…' takes two digits 0-9 A-F for each byte");
  }
  std::string bytes;
  for (size_t index = 0; index < digits.size(); index += 2) {
    bytes += static_cast<char>(HexDigit(digits[index]) * 16 + HexDigit(digits[index + 1]));
  }
  return Parser::make_BYTES(std::move(bytes), range);
}

ParseContext::Symbol ParseContext::NumberToken(int token, std::string_view matched) {
  const SourceRange range = Take(matched);
  return Symbol(token, source_->Slice(range), range);
}

ParseContext::Symbol ParseContext::WordToken(std::string_view matched) {
  const SourceRange range = Take(matched);
  IsText(matched, range);
  const Keyword* keyword = FindKeyword(matched);
  const int token = keyword == nullptr ? Parser::token::WORD : keyword->token;
  return Symbol(token, source_->Slice(range), range);
}

ParseContext::Symbol ParseContext::Pass(Symbol symbol) {
  if (failed()) return Parser::make_END_OF_TEXT(symbol.location);
  token_before_ = std::exchange(last_token_, symbol.location);
  const Parser::symbol_kind_type kind = symbol.kind();
  const Parser::symbol_kind_type before = std::exchange(last_kind_, kind);
  const bool is_name = before == Kind::S_DOT || before == Kind::S_AS;
  if (kind == Kind::S_LEFT_PARENTHESIS) ++open_parentheses_;
  if (kind == Kind::S_RIGHT_PARENTHESIS) --open_parentheses_;
  if (kind == Kind::S_CASE && !is_name) ++open_cases_;
  if (kind == Kind::S_END && !is_name) open_cases_ = std::max(0, open_cases_ - 1);
  prefix_run_ = IsPrefix(kind) ? prefix_run_ + 1 : 0;
  if (!MayNest(std::max({open_parentheses_, open_cases_, prefix_run_}), symbol.location)) {
    return Parser::make_END_OF_TEXT(symbol.location);
  }
  return symbol;
}

bool ParseContext::MayNest(int depth, SourceRange range) {
  if (depth <= kMaxNesting) return true;
  Fail(range.begin, fmt::format("nested more than {} deep", kMaxNesting));
  return false;
}

ExpressionSyntaxPtr ParseContext::Literal(SyntaxKind kind, std::string text, SourceRange range) {
  ExpressionSyntaxPtr node = Node(kind, range, range.begin, {});
  node->text = std::move(text);
  return node;
}

ExpressionSyntaxPtr ParseContext::Name(std::vector<NameSyntax> names, SourceRange range) {
  ExpressionSyntaxPtr node = Node(SyntaxKind::kName, range, range.begin, {});
  node->names = std::move(names);
  return node;
}

ExpressionSyntaxPtr ParseContext::Node(SyntaxKind kind, SourceRange range, uint32_t anchor,
                                       std::vector<ExpressionSyntaxPtr> arguments) {
  auto node = std::make_unique<ExpressionSyntax>();
  node->kind = kind;
  node->range = range;
  node->anchor = anchor;
  for (const ExpressionSyntaxPtr& argument : arguments) {
    node->depth = std::max(node->depth, argument->depth + 1);
  }
  if (!MayNest(node->depth, range)) {
    node->depth = 1;
    return node;
  }
  node->arguments = std::move(arguments);
  return node;
}

ExpressionSyntaxPtr ParseContext::Call(Operation operation, SourceRange range, uint32_t anchor,
                                       ExpressionSyntaxPtr left, ExpressionSyntaxPtr right) {
  std::vector<ExpressionSyntaxPtr> arguments;
  arguments.push_back(std::move(left));
  if (right != nullptr) arguments.push_back(std::move(right));
  ExpressionSyntaxPtr node = Node(SyntaxKind::kOperator, range, anchor, std::move(arguments));
  node->operation = operation;
  return node;
}

ExpressionSyntaxPtr ParseContext::Chain(Operation operation, SourceRange range, uint32_t anchor,
                                        ExpressionSyntaxPtr left, ExpressionSyntaxPtr right) {
  if (left->kind != SyntaxKind::kOperator || left->operation != operation) {
    return Call(operation, range, anchor, std::move(left), std::move(right));
  }
  return Append(std::move(left), std::move(right), range);
}

ExpressionSyntaxPtr ParseContext::Concatenation(SourceRange range, uint32_t anchor,
                                                ExpressionSyntaxPtr left,
                                                ExpressionSyntaxPtr right) {
  if (left->kind != SyntaxKind::kConcatenation) {
    std::vector<ExpressionSyntaxPtr> arguments;
    arguments.push_back(std::move(left));
    arguments.push_back(std::move(right));
    return Node(SyntaxKind::kConcatenation, range, anchor, std::move(arguments));
  }
  return Append(std::move(left), std::move(right), range);
}

ExpressionSyntaxPtr ParseContext::Append(ExpressionSyntaxPtr chain, ExpressionSyntaxPtr argument,
                                         SourceRange range) {
  if (!MayNest(argument->depth + 1, range)) return chain;
  chain->range = range;
  chain->depth = std::max(chain->depth, argument->depth + 1);
  chain->arguments.push_back(std::move(argument));
  return chain;
}

ExpressionSyntaxPtr ParseContext::Negated(ExpressionSyntaxPtr node, bool negated) {
  node->negated = negated;
  return node;
}

ExpressionSyntaxPtr ParseContext::Interval(IntervalSyntax interval, SourceRange range) {
  ExpressionSyntaxPtr node = Node(SyntaxKind::kInterval, range, range.begin, {});
  node->interval = std::move(interval);
  return node;
}

ExpressionSyntaxPtr ParseContext::OfQuery(SyntaxKind kind, SourceRange range, uint32_t anchor,
                                          ExpressionSyntaxPtr needle, QuerySyntaxPtr query) {
  std::vector<ExpressionSyntaxPtr> arguments;
  if (needle != nullptr) arguments.push_back(std::move(needle));
  ExpressionSyntaxPtr node = Node(kind, range, anchor, std::move(arguments));
  if (!MayNest(query->depth + 1, range)) return node;
  node->depth = std::max(node->depth, query->depth + 1);
  node->query = std::move(query);
  return node;
}

FromSyntaxPtr ParseContext::Join(FromSyntaxPtr left, FromSyntaxPtr right, JoinType type,
                                 SourceRange range, SourceRange join_range) {
  auto join = std::make_unique<FromSyntax>();
  join->kind = FromSyntax::Kind::kJoin;
  join->join_type = type;
  join->range = range;
  join->join_range = join_range;
  join->depth = std::max(left->depth, right->depth) + 1;
  if (!MayNest(join->depth, join_range)) {
    join->depth = 1;
    return join;
  }
  join->left = std::move(left);
  join->right = std::move(right);
  return join;
}

FromSyntaxPtr ParseContext::Subquery(QuerySyntaxPtr query, AliasSyntax alias, SourceRange range) {
  auto from = std::make_unique<FromSyntax>();
  from->kind = FromSyntax::Kind::kQuery;
  from->range = range;
  from->alias = std::move(alias);
  if (!MayNest(query->depth + 1, range)) return from;
  from->depth = query->depth + 1;
  from->query = std::move(query);
  return from;
}

QuerySyntaxPtr ParseContext::Query(std::vector<SelectItemSyntax> items, FromSyntaxPtr from,
                                   ExpressionSyntaxPtr where, SourceRange range) {
  auto query = std::make_unique<QuerySyntax>();
  query->range = range;
  query->depth = from->depth + 1;
  for (const SelectItemSyntax& item : items) {
    if (item.expression) query->depth = std::max(query->depth, item.expression->depth + 1);
  }
  if (where) query->depth = std::max(query->depth, where->depth + 1);
  if (!MayNest(query->depth, range)) {
    query->depth = 1;
    return query;
  }
  query->items = std::move(items);
  query->from = std::move(from);
  query->where = std::move(where);
  return query;
}

std::string UnexpectedCharacter(std::string_view matched) {
  const auto byte = static_cast<unsigned char>(matched.empty() ? 0 : matched[0]);
  if (byte >= 0x20 && byte < 0x7F) return fmt::format("'{}' begins nothing here", matched);
  return fmt::format("the byte 0x{:02X} begins nothing here", byte);
}

}  // namespace braid
