#include "braid/expr.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "braid/value.h"
#include "engine/library/sql_text.h"

namespace braid {

namespace {

// A DOUBLE constant: 17 digits bring every value back. Infinities and NaN have no literal.
std::string DoubleSql(double value) {
  if (std::isnan(value)) return "CAST('NaN' AS DOUBLE)";
  if (std::isinf(value)) return fmt::format("CAST('{}Infinity' AS DOUBLE)", value < 0 ? "-" : "");
  return fmt::format("{:.16e}", value);
}

std::string IntegerSql(int64_t value) {
  // The smallest BIGINT is no literal: its digits without the sign are out of range.
  if (value == std::numeric_limits<int64_t>::min()) {
    return fmt::format("({} - 1)", value + 1);
  }
  return value < 0 ? fmt::format("({})", value) : fmt::format("{}", value);
}

std::string List(const std::vector<Expr>& values) {
  std::string list;
  for (const Expr& value : values) list += (list.empty() ? "" : ", ") + value.ToSql();
  return list;
}

}  // namespace

Expr::Expr(bool value) : sql_(value ? "TRUE" : "FALSE") {}
Expr::Expr(int value) : sql_(IntegerSql(value)) {}
Expr::Expr(int64_t value) : sql_(IntegerSql(value)) {}
Expr::Expr(double value) : sql_(DoubleSql(value)) {}
Expr::Expr(const char* text) : sql_(QuoteText(text)) {}
Expr::Expr(const std::string& text) : sql_(QuoteText(text)) {}
Expr::Expr(std::string_view text) : sql_(QuoteText(text)) {}
Expr::Expr(Interval interval) : sql_(IntervalSql(interval)) {}
Expr::Expr(EventTime time)
    : sql_(fmt::format("TIMESTAMP '{}'", FormatValue({DataType::Timestamp(6), time.micros}))) {}

Expr Expr::Between(const Expr& low, const Expr& high) const {
  return Expr(Text(), fmt::format("({} BETWEEN {} AND {})", sql_, low.sql_, high.sql_));
}

Expr Expr::In(const std::vector<Expr>& values) const {
  return Expr(Text(), fmt::format("({} IN ({}))", sql_, List(values)));
}

Expr Expr::Like(const Expr& pattern) const {
  return Expr(Text(), fmt::format("({} LIKE {})", sql_, pattern.sql_));
}

Expr Expr::IsNull() const { return Expr(Text(), fmt::format("({} IS NULL)", sql_)); }

Expr Expr::IsNotNull() const { return Expr(Text(), fmt::format("({} IS NOT NULL)", sql_)); }

Expr Expr::IsNotDistinctFrom(const Expr& other) const {
  return Expr(Text(), fmt::format("({} IS NOT DISTINCT FROM {})", sql_, other.sql_));
}

Expr Expr::Cast(DataType type) const {
  return Expr(Text(), fmt::format("CAST({} AS {})", sql_, type.ToString()));
}

Expr Expr::As(std::string_view name) const {
  return Expr(Text(), fmt::format("{} AS {}", sql_, QuoteName(name)));
}

Expr Col(std::string_view name) {
  const size_t dot = name.find('.');
  if (dot == std::string_view::npos) return Expr(Expr::Text(), QuoteName(name));
  return Expr(Expr::Text(), QuoteName(name.substr(0, dot)) + "." + QuoteName(name.substr(dot + 1)));
}

Expr Null() { return Expr(Expr::Text(), "NULL"); }

Expr Call(std::string_view function, const std::vector<Expr>& arguments) {
  return Expr(Expr::Text(), fmt::format("{}({})", function, List(arguments)));
}

Expr SqlExpr(std::string_view sql) { return Expr(Expr::Text(), fmt::format("({})", sql)); }

Expr Binary(const Expr& left, std::string_view symbol, const Expr& right) {
  return Expr(Expr::Text(), fmt::format("({} {} {})", left.sql_, symbol, right.sql_));
}

Expr operator==(const Expr& left, const Expr& right) { return Binary(left, "=", right); }
Expr operator!=(const Expr& left, const Expr& right) { return Binary(left, "<>", right); }
Expr operator<(const Expr& left, const Expr& right) { return Binary(left, "<", right); }
Expr operator<=(const Expr& left, const Expr& right) { return Binary(left, "<=", right); }
Expr operator>(const Expr& left, const Expr& right) { return Binary(left, ">", right); }
Expr operator>=(const Expr& left, const Expr& right) { return Binary(left, ">=", right); }
Expr operator&&(const Expr& left, const Expr& right) { return Binary(left, "AND", right); }
Expr operator||(const Expr& left, const Expr& right) { return Binary(left, "OR", right); }
Expr operator+(const Expr& left, const Expr& right) { return Binary(left, "+", right); }
Expr operator-(const Expr& left, const Expr& right) { return Binary(left, "-", right); }
Expr operator*(const Expr& left, const Expr& right) { return Binary(left, "*", right); }
Expr operator/(const Expr& left, const Expr& right) { return Binary(left, "/", right); }
Expr operator%(const Expr& left, const Expr& right) { return Binary(left, "%", right); }
Expr operator!(const Expr& operand) {
  return Expr(Expr::Text(), fmt::format("(NOT {})", operand.sql_));
}
Expr operator-(const Expr& operand) {
  return Expr(Expr::Text(), fmt::format("(- {})", operand.sql_));
}

}  // namespace braid
