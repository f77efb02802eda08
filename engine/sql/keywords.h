// The words that the grammar knows, and which of them are reserved: a reserved word can be a name
// only in backticks, after a dot and after AS. This is the one list; docs/sql.md repeats it.
//
// Thread rule: free functions over constants.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace braid {

struct Keyword {
  std::string_view word;  // Upper case.
  int token = 0;          // A sql_grammar::Parser::token_kind_type.
  bool reserved = false;
};

// All of them, in alphabetical order.
std::span<const Keyword> Keywords();

// The keyword that `word` is, in any case; null for none. O(log n).
const Keyword* FindKeyword(std::string_view word);

}  // namespace braid
