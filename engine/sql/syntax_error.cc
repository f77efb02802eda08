#include "engine/sql/syntax_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/sql/keywords.h"
#include "engine/sql/name_match.h"
#include "state/rows/nearest_name.h"

namespace braid::sql_grammar {

namespace {

using Kind = Parser::symbol_kind;
using KindType = Parser::symbol_kind_type;

// A part of SQL that Braid leaves out, by the token that begins it.
struct LeftOut {
  KindType token;
  std::string_view message;
};

constexpr LeftOut kLeftOutTokens[] = {
    {Kind::S_GROUP, "GROUP BY is not supported: Braid joins streams, it does not aggregate them"},
    {Kind::S_HAVING, "HAVING is not supported: Braid joins streams, it does not aggregate them"},
    {Kind::S_ORDER, "ORDER BY is not supported: a stream has no end to be sorted at"},
    {Kind::S_UNION, "UNION is not supported: a query is one SELECT"},
    {Kind::S_INTERSECT,
     "INTERSECT is not supported: a query is one SELECT; LEFT SEMI JOIN keeps the "
     "rows with a partner"},
    {Kind::S_EXCEPT,
     "EXCEPT is not supported: a query is one SELECT; LEFT ANTI JOIN keeps the rows "
     "without a partner"},
    {Kind::S_OVER, "window functions (OVER) are not supported"},
    {Kind::S_DISTINCT, "DISTINCT is not supported: it would keep every row seen, for ever"},
    {Kind::S_LATERAL, "LATERAL is not supported"},
    {Kind::S_MATCH_RECOGNIZE, "MATCH_RECOGNIZE is not supported"},
    {Kind::S_NATURAL, "NATURAL JOIN is not supported; name the columns: JOIN … USING (…)"},
    {Kind::S_FOR, "FOR SYSTEM_TIME AS OF (temporal and lookup joins) is not supported"},
};

// The same for what is an ordinary word to the grammar.
struct LeftOutWord {
  std::string_view word;
  std::string_view message;
};

constexpr LeftOutWord kLeftOutWords[] = {
    {"VALUES", "VALUES is not supported: rows come from tables"},
    {"OVERWRITE",
     "INSERT OVERWRITE is not supported; it is INSERT INTO, and the option "
     "'sink.existing' = 'overwrite' of the table"},
    {"PARTITIONED", "PARTITIONED BY is not supported"},
    {"METADATA", "METADATA columns are not supported"},
    {"OFFSET", "OFFSET is not supported"},
    {"FETCH", "FETCH is not supported; write LIMIT"},
};

constexpr std::string_view kLeftOutStatements[] = {
    "ADD",      "ALTER", "ANALYZE",  "BEGIN",  "CALL",   "COMPILE", "DELETE", "DESC",
    "DESCRIBE", "DROP",  "EXECUTE",  "LOAD",   "MERGE",  "REFRESH", "REMOVE", "RESET",
    "SHOW",     "STOP",  "TRUNCATE", "UNLOAD", "UPDATE", "USE",     "VALUES",
};

constexpr KindType kOperators[] = {
    Kind::S_EQUAL,
    Kind::S_NOT_EQUAL,
    Kind::S_LESS,
    Kind::S_LESS_EQUAL,
    Kind::S_GREATER,
    Kind::S_GREATER_EQUAL,
    Kind::S_NULL_SAFE_EQUAL,
    Kind::S_IS,
    Kind::S_IN,
    Kind::S_LIKE,
    Kind::S_BETWEEN,
    Kind::S_NOT,
    Kind::S_AND,
    Kind::S_OR,
};

constexpr KindType kArithmetic[] = {
    Kind::S_PLUS, Kind::S_MINUS, Kind::S_STAR, Kind::S_SLASH, Kind::S_PERCENT, Kind::S_CONCATENATE,
};

// What may stand in front of JOIN.
constexpr KindType kJoinWords[] = {
    Kind::S_ANTI, Kind::S_CROSS, Kind::S_FULL, Kind::S_INNER,
    Kind::S_LEFT, Kind::S_RIGHT, Kind::S_SEMI,
};

constexpr KindType kValueStarts[] = {
    Kind::S_INTEGER, Kind::S_DECIMAL, Kind::S_DOUBLE, Kind::S_STRING,   Kind::S_BYTES,
    Kind::S_TRUE_,   Kind::S_FALSE_,  Kind::S_NULL_,  Kind::S_INTERVAL, Kind::S_CASE,
    Kind::S_LEFT,    Kind::S_RIGHT,   Kind::S_PLUS,   Kind::S_MINUS,    Kind::S_LEFT_PARENTHESIS,
    Kind::S_NOT,
};

class Expected {
 public:
  explicit Expected(std::span<const KindType> kinds) : kinds_(kinds.begin(), kinds.end()) {}

  bool Has(KindType kind) const { return kinds_.contains(kind); }
  bool IsOnly(KindType kind) const { return kinds_.size() == 1 && Has(kind); }

  // "A, B or C": the tokens, with whole classes of them under one name.
  std::string Describe();

  // The keywords among them.
  std::vector<std::string> Words() const;

 private:
  void Drop(std::span<const KindType> kinds) {
    for (const KindType kind : kinds) kinds_.erase(kind);
  }
  void NameClasses();
  void DropNames(bool reserved);
  static bool IsWord(KindType kind) {
    return kind >= Kind::S_AND && kind <= Kind::S_WORD && kind != Kind::S_WORD &&
           kind != Kind::S_UNIT;
  }
  static bool IsFreeWord(KindType kind) { return kind >= Kind::S_BOTH && kind <= Kind::S_WORD; }

  std::set<KindType> kinds_;
  std::vector<std::string> classes_;
};

void Expected::DropNames(bool reserved) {
  std::erase_if(kinds_, [reserved](KindType kind) {
    return IsFreeWord(kind) || kind == Kind::S_QUOTED_NAME || (reserved && IsWord(kind));
  });
}

void Expected::NameClasses() {
  const bool name = Has(Kind::S_QUOTED_NAME);
  if (Has(Kind::S_CREATE) && Has(Kind::S_SET) && !name) {
    kinds_ = {};
    classes_.emplace_back(
        "a statement (CREATE TABLE, CREATE VIEW, INSERT INTO, SELECT, WITH, "
        "EXPLAIN, SET)");
    return;
  }
  if (name && Has(Kind::S_INTEGER) && Has(Kind::S_CASE)) {
    classes_.emplace_back("an expression");
    DropNames(false);
    Drop(kValueStarts);
  } else if (name) {
    classes_.emplace_back("a name");
    DropNames(Has(Kind::S_OVER));
  } else if (Has(Kind::S_WORD)) {
    classes_.emplace_back("a type");
    DropNames(false);
  }
  if (Has(Kind::S_SLASH)) {
    classes_.emplace_back("an operator");
    Drop(kArithmetic);
    Drop(std::to_array({Kind::S_DOT, Kind::S_LEFT_PARENTHESIS}));
  }
  if (Has(Kind::S_JOIN)) Drop(kJoinWords);
  if (Has(Kind::S_YYEOF)) kinds_.erase(Kind::S_SEMICOLON);
  if (Has(Kind::S_OR) && Has(Kind::S_IS)) {
    if (std::find(classes_.begin(), classes_.end(), "an operator") == classes_.end()) {
      classes_.emplace_back("an operator");
    }
    Drop(kOperators);
  }
}

std::string TokenName(KindType kind) {
  const std::string name = Parser::symbol_name(kind);
  const bool is_sign = kind >= Kind::S_NULL_SAFE_EQUAL && kind <= Kind::S_SEMICOLON;
  return is_sign ? "'" + name + "'" : name;
}

std::string Expected::Describe() {
  NameClasses();
  std::vector<std::string> parts = classes_;
  for (const KindType kind : kinds_) {
    if (kind != Kind::S_YYEOF) parts.push_back(TokenName(kind));
  }
  if (Has(Kind::S_YYEOF)) parts.push_back(TokenName(Kind::S_YYEOF));
  std::string text;
  for (size_t index = 0; index < parts.size(); ++index) {
    if (index > 0) text += index + 1 == parts.size() ? " or " : ", ";
    text += parts[index];
  }
  return text;
}

std::vector<std::string> Expected::Words() const {
  std::vector<std::string> words;
  for (const KindType kind : kinds_) {
    if (IsWord(kind)) words.emplace_back(Parser::symbol_name(kind));
  }
  return words;
}

// Reserved words that hold a statement together; nobody means them as names.
constexpr KindType kStructure[] = {
    Kind::S_FROM, Kind::S_WHERE, Kind::S_ON,   Kind::S_SELECT, Kind::S_JOIN, Kind::S_AS,
    Kind::S_AND,  Kind::S_OR,    Kind::S_NOT,  Kind::S_IS,     Kind::S_IN,   Kind::S_WITH,
    Kind::S_THEN, Kind::S_ELSE,  Kind::S_WHEN, Kind::S_USING,  Kind::S_LIKE, Kind::S_BETWEEN,
};

// A reserved word where a name could stand, and most likely was meant.
bool IsMeantAsName(KindType found, std::string_view word, const Expected& expected) {
  const Keyword* keyword = FindKeyword(word);
  const bool structure =
      std::find(std::begin(kStructure), std::end(kStructure), found) != std::end(kStructure);
  return keyword != nullptr && keyword->reserved && !structure && expected.Has(Kind::S_QUOTED_NAME);
}

bool IsWordStart(std::string_view text) {
  return !text.empty() &&
         (text[0] == '_' || std::isalpha(static_cast<unsigned char>(text[0])) != 0);
}

// "; did you mean FROM?" if `word` is no keyword and near one that fits.
std::string SuggestKeyword(std::string_view word, const Expected& expected) {
  if (!IsWordStart(word) || word.size() < 3 || FindKeyword(word) != nullptr) return "";
  const std::vector<std::string> words = expected.Words();
  const std::string nearest =
      NearestName(word, std::vector<std::string_view>(words.begin(), words.end()));
  return nearest.empty() ? "" : "; did you mean " + nearest + "?";
}

// The name of a table function whose '(' was found, if that is what it is.
std::optional<std::string> LeftOutTableFunction(const ParseContext& context,
                                                const Expected& expected) {
  const bool behind_table = expected.Has(Kind::S_JOIN) && expected.Has(Kind::S_AS);
  if (!behind_table) return std::nullopt;
  const std::string function = UpperCase(context.token_before());
  if (!IsWordStart(function)) return std::nullopt;
  if (function == "TABLE") {
    return "table functions (TUMBLE, HOP, SESSION, CUMULATE and others) are not supported";
  }
  return fmt::format("the table function {} is not supported in FROM", function);
}

std::optional<std::string> LeftOutPart(KindType found, const ParseContext& context,
                                       const Expected& expected) {
  const bool statement = expected.Has(Kind::S_CREATE) && !expected.Has(Kind::S_QUOTED_NAME);
  const std::string word = UpperCase(context.last_token());
  if (statement) {
    const auto* end = std::end(kLeftOutStatements);
    if (std::find(std::begin(kLeftOutStatements), end, word) == end) return std::nullopt;
    return fmt::format(
        "{} is not supported; the statements are CREATE TABLE, CREATE VIEW, "
        "INSERT INTO, SELECT, EXPLAIN and SET",
        word);
  }
  if (found == Kind::S_LEFT_PARENTHESIS) return LeftOutTableFunction(context, expected);
  const std::string before = UpperCase(context.token_before());
  if (found == Kind::S_LESS && expected.Has(Kind::S_PRECISION)) {
    return fmt::format("the type {}<…> is not supported", before);
  }
  if (before == "RECURSIVE" && expected.Has(Kind::S_AS)) return "WITH RECURSIVE is not supported";
  if (found == Kind::S_STRING && before == "TIME") return "the type TIME is not supported";
  // A name alone fits here: then the word is meant as one.
  const bool alias = expected.Has(Kind::S_AS) || expected.Has(Kind::S_COMMA);
  const bool only_name = expected.Has(Kind::S_QUOTED_NAME) && !alias;
  if (only_name && found != Kind::S_DISTINCT && found != Kind::S_LATERAL) return std::nullopt;
  for (const LeftOut& part : kLeftOutTokens) {
    if (part.token == found) return std::string(part.message);
  }
  for (const LeftOutWord& part : kLeftOutWords) {
    if (found == Kind::S_WORD && part.word == word) return std::string(part.message);
  }
  return std::nullopt;
}

// What a path without quotes runs into, where a table can stand or behind what was read as its
// name.
bool IsOfPath(KindType found, const Expected& expected) {
  const bool is_sign = found == Kind::S_SLASH || found == Kind::S_MINUS || found == Kind::S_DOT;
  const bool instead_of_table = expected.Has(Kind::S_STRING) && expected.Has(Kind::S_QUOTED_NAME) &&
                                expected.Has(Kind::S_LEFT_PARENTHESIS) &&
                                !expected.Has(Kind::S_INTEGER);
  const bool behind_table = expected.Has(Kind::S_AS) && expected.Has(Kind::S_DOT) &&
                            (expected.Has(Kind::S_JOIN) || expected.Has(Kind::S_USING));
  return is_sign && (instead_of_table || behind_table);
}

bool EndsStatement(KindType kind) {
  return kind == Kind::S_YYEOF || kind == Kind::S_SEMICOLON || kind == Kind::S_RIGHT_PARENTHESIS ||
         kind == Kind::S_WHERE || kind == Kind::S_LIMIT;
}

std::string FoundText(KindType found, const ParseContext& context) {
  if (found == Kind::S_YYEOF) return "the end of the text";
  constexpr size_t kLongest = 40;
  std::string text(context.last_token().substr(0, kLongest));
  // Not half a character.
  while (!text.empty() && text.size() == kLongest && (text.back() & 0x80) != 0) text.pop_back();
  if (text.size() < context.last_token().size()) text += "…";
  return text.starts_with('\'') || text.starts_with('`') ? text : "'" + text + "'";
}

}  // namespace

void ReportSyntaxError(KindType found, SourceRange place, std::span<const KindType> expected_kinds,
                       ParseContext* context) {
  Expected expected(expected_kinds);
  if (EndsStatement(found) && expected.Has(Kind::S_FROM) && expected.Has(Kind::S_COMMA)) {
    context->Fail(place.begin, "SELECT needs FROM: a query reads at least one table");
    return;
  }
  if (std::optional<std::string> part = LeftOutPart(found, *context, expected)) {
    context->Fail(place.begin, std::move(*part));
    return;
  }
  const bool of_path = IsOfPath(found, expected);
  if (expected.Has(Kind::S_ON) && expected.Has(Kind::S_USING)) {
    context->Fail(place.begin,
                  fmt::format("found {}, but JOIN needs ON or USING; a join of all rows with all "
                              "is written CROSS JOIN{}",
                              FoundText(found, *context), of_path ? kPathHint : ""));
    return;
  }
  if (expected.IsOnly(Kind::S_NOT)) {
    context->Fail(place.begin, fmt::format("found {}, expected NOT ENFORCED: nobody checks a "
                                           "PRIMARY KEY",
                                           FoundText(found, *context)));
    return;
  }
  const std::string word(context->last_token());
  std::string hint(of_path ? kPathHint : "");
  if (IsMeantAsName(found, word, expected)) {
    hint = fmt::format("; {} is a reserved word: as a name it stands in backticks, `{}`",
                       UpperCase(word), word);
  } else if (found == Kind::S_WORD) {
    hint = SuggestKeyword(word, expected);
  }
  // A mistyped keyword may have been taken for an alias: then the word before is the wrong one.
  if (hint.empty()) hint = SuggestKeyword(context->token_before(), expected);
  const std::string fitting = expected.Describe();
  context->Fail(place.begin,
                fmt::format("found {}, expected {}{}", FoundText(found, *context), fitting, hint));
}

}  // namespace braid::sql_grammar
