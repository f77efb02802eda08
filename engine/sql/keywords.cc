#include "engine/sql/keywords.h"

#include <algorithm>
#include <array>
#include <string>

#include "engine/sql/name_match.h"
#include "grammar.h"

namespace braid {

namespace {

using Token = sql_grammar::Parser::token;

constexpr bool kReserved = true;
constexpr bool kFree = false;

constexpr auto kKeywords = std::to_array<Keyword>({
    {"AND", Token::AND, kReserved},
    {"ANTI", Token::ANTI, kReserved},
    {"AS", Token::AS, kReserved},
    {"BETWEEN", Token::BETWEEN, kReserved},
    {"BOTH", Token::BOTH, kFree},
    {"CASE", Token::CASE, kReserved},
    {"COMMENT", Token::COMMENT, kFree},
    {"CONSTRAINT", Token::CONSTRAINT, kReserved},
    {"CREATE", Token::CREATE, kFree},
    {"CROSS", Token::CROSS, kReserved},
    {"DATE", Token::DATE, kFree},
    {"DAY", Token::UNIT, kFree},
    {"DAYS", Token::UNIT, kFree},
    {"DISTINCT", Token::DISTINCT, kReserved},
    {"ELSE", Token::ELSE, kReserved},
    {"END", Token::END, kFree},
    {"ENFORCED", Token::ENFORCED, kFree},
    {"ESCAPE", Token::ESCAPE, kReserved},
    {"EXCEPT", Token::EXCEPT, kReserved},
    {"EXISTS", Token::EXISTS, kFree},
    {"EXPLAIN", Token::EXPLAIN, kFree},
    {"EXTRACT", Token::EXTRACT, kFree},
    {"FALSE", Token::FALSE_, kReserved},
    {"FOR", Token::FOR, kReserved},
    {"FROM", Token::FROM, kReserved},
    {"FULL", Token::FULL, kReserved},
    {"GROUP", Token::GROUP, kReserved},
    {"HAVING", Token::HAVING, kReserved},
    {"HOUR", Token::UNIT, kFree},
    {"HOURS", Token::UNIT, kFree},
    {"IF", Token::IF, kFree},
    {"IN", Token::IN, kReserved},
    {"INNER", Token::INNER, kReserved},
    {"INSERT", Token::INSERT, kFree},
    {"INTERSECT", Token::INTERSECT, kReserved},
    {"INTERVAL", Token::INTERVAL, kReserved},
    {"INTO", Token::INTO, kFree},
    {"IS", Token::IS, kReserved},
    {"JOIN", Token::JOIN, kReserved},
    {"KEY", Token::KEY, kFree},
    {"LATERAL", Token::LATERAL, kReserved},
    {"LEADING", Token::LEADING, kFree},
    {"LEFT", Token::LEFT, kReserved},
    {"LIKE", Token::LIKE, kReserved},
    {"LIMIT", Token::LIMIT, kReserved},
    {"LOCAL", Token::LOCAL, kFree},
    {"MATCH_RECOGNIZE", Token::MATCH_RECOGNIZE, kReserved},
    {"MICROSECOND", Token::UNIT, kFree},
    {"MICROSECONDS", Token::UNIT, kFree},
    {"MILLISECOND", Token::UNIT, kFree},
    {"MILLISECONDS", Token::UNIT, kFree},
    {"MINUTE", Token::UNIT, kFree},
    {"MINUTES", Token::UNIT, kFree},
    {"MONTH", Token::UNIT, kFree},
    {"MONTHS", Token::UNIT, kFree},
    {"NATURAL", Token::NATURAL, kReserved},
    {"NOT", Token::NOT, kReserved},
    {"NULL", Token::NULL_, kReserved},
    {"ON", Token::ON, kReserved},
    {"OR", Token::OR, kReserved},
    {"ORDER", Token::ORDER, kReserved},
    {"OUTER", Token::OUTER, kReserved},
    {"OVER", Token::OVER, kReserved},
    {"PLAN", Token::PLAN, kFree},
    {"POSITION", Token::POSITION, kFree},
    {"PRECISION", Token::PRECISION, kFree},
    {"PRIMARY", Token::PRIMARY, kFree},
    {"QUARTER", Token::UNIT, kFree},
    {"QUARTERS", Token::UNIT, kFree},
    {"REPLACE", Token::REPLACE, kFree},
    {"RIGHT", Token::RIGHT, kReserved},
    {"SECOND", Token::UNIT, kFree},
    {"SECONDS", Token::UNIT, kFree},
    {"SELECT", Token::SELECT, kReserved},
    {"SEMI", Token::SEMI, kReserved},
    {"SET", Token::SET, kFree},
    {"TABLE", Token::TABLE, kFree},
    {"TEMPORARY", Token::TEMPORARY, kFree},
    {"THEN", Token::THEN, kReserved},
    {"TIME", Token::TIME, kFree},
    {"TIMESTAMP", Token::TIMESTAMP, kFree},
    {"TO", Token::TO, kFree},
    {"TRAILING", Token::TRAILING, kFree},
    {"TRIM", Token::TRIM, kFree},
    {"TRUE", Token::TRUE_, kReserved},
    {"UNION", Token::UNION, kReserved},
    {"UNKNOWN", Token::UNKNOWN, kFree},
    {"USING", Token::USING, kReserved},
    {"VIEW", Token::VIEW, kFree},
    {"WATERMARK", Token::WATERMARK, kFree},
    {"WEEK", Token::UNIT, kFree},
    {"WEEKS", Token::UNIT, kFree},
    {"WHEN", Token::WHEN, kReserved},
    {"WHERE", Token::WHERE, kReserved},
    {"WITH", Token::WITH, kReserved},
    {"WITHOUT", Token::WITHOUT, kFree},
    {"YEAR", Token::UNIT, kFree},
    {"YEARS", Token::UNIT, kFree},
    {"ZONE", Token::ZONE, kFree},
});

constexpr size_t kLongestWord = 16;

}  // namespace

std::span<const Keyword> Keywords() { return kKeywords; }

const Keyword* FindKeyword(std::string_view word) {
  if (word.size() > kLongestWord) return nullptr;
  const std::string upper = UpperCase(word);
  const auto found = std::lower_bound(
      kKeywords.begin(), kKeywords.end(), std::string_view(upper),
      [](const Keyword& keyword, std::string_view wanted) { return keyword.word < wanted; });
  return found != kKeywords.end() && found->word == upper ? &*found : nullptr;
}

}  // namespace braid
