// Expressions for queries that are built without SQL text. An Expr stands for a value of a row:
//
//   Col("i.ad_id") == Col("c.ad_id") &&
//       Col("c.ts").Between(Col("i.ts"), Col("i.ts") + Seconds(60))
//
// An Expr is checked when its query starts, by the same rules as SQL text (docs/sql.md).
// Thread rule: values.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "braid/data_type.h"
#include "braid/export.h"
#include "braid/time.h"

namespace braid {

class BRAID_EXPORT Expr {
 public:
  // Constants. A double is a DOUBLE, text a STRING, an Interval an INTERVAL DAY TO SECOND.
  Expr(bool value);               // NOLINT(google-explicit-constructor)
  Expr(int value);                // NOLINT(google-explicit-constructor)
  Expr(int64_t value);            // NOLINT(google-explicit-constructor)
  Expr(double value);             // NOLINT(google-explicit-constructor)
  Expr(const char* text);         // NOLINT(google-explicit-constructor)
  Expr(const std::string& text);  // NOLINT(google-explicit-constructor)
  Expr(std::string_view text);    // NOLINT(google-explicit-constructor)
  Expr(Interval interval);        // NOLINT(google-explicit-constructor)
  // A TIMESTAMP(6) constant.
  Expr(EventTime time);  // NOLINT(google-explicit-constructor)

  // As SQL writes it, in parentheses where it has parts.
  const std::string& ToSql() const { return sql_; }

  Expr Between(const Expr& low, const Expr& high) const;
  Expr In(const std::vector<Expr>& values) const;
  Expr Like(const Expr& pattern) const;
  Expr IsNull() const;
  Expr IsNotNull() const;
  // Equal, or both NULL: <=>.
  Expr IsNotDistinctFrom(const Expr& other) const;
  Expr Cast(DataType type) const;
  // In Select: the name of the column.
  Expr As(std::string_view name) const;

 private:
  friend BRAID_EXPORT Expr Col(std::string_view name);
  friend BRAID_EXPORT Expr SqlExpr(std::string_view sql);
  friend BRAID_EXPORT Expr Null();
  friend BRAID_EXPORT Expr Call(std::string_view function, const std::vector<Expr>& arguments);
  friend BRAID_EXPORT Expr operator!(const Expr& operand);
  friend BRAID_EXPORT Expr operator-(const Expr& operand);
  friend Expr Binary(const Expr& left, std::string_view symbol, const Expr& right);
  struct Text {};
  Expr(Text, std::string sql) : sql_(std::move(sql)) {}

  std::string sql_;
};

// "column", or "table.column" where `table` is the alias, or the name, of a table of the query.
BRAID_EXPORT Expr Col(std::string_view name);
// NULL, which goes with every type.
BRAID_EXPORT Expr Null();
// A function of docs/sql.md: Call("UPPER", {Col("name")}).
BRAID_EXPORT Expr Call(std::string_view function, const std::vector<Expr>& arguments = {});
// Any expression of the dialect, as text.
BRAID_EXPORT Expr SqlExpr(std::string_view sql);

BRAID_EXPORT Expr operator==(const Expr& left, const Expr& right);
BRAID_EXPORT Expr operator!=(const Expr& left, const Expr& right);
BRAID_EXPORT Expr operator<(const Expr& left, const Expr& right);
BRAID_EXPORT Expr operator<=(const Expr& left, const Expr& right);
BRAID_EXPORT Expr operator>(const Expr& left, const Expr& right);
BRAID_EXPORT Expr operator>=(const Expr& left, const Expr& right);
BRAID_EXPORT Expr operator&&(const Expr& left, const Expr& right);
BRAID_EXPORT Expr operator||(const Expr& left, const Expr& right);
BRAID_EXPORT Expr operator!(const Expr& operand);
BRAID_EXPORT Expr operator+(const Expr& left, const Expr& right);
BRAID_EXPORT Expr operator-(const Expr& left, const Expr& right);
BRAID_EXPORT Expr operator*(const Expr& left, const Expr& right);
BRAID_EXPORT Expr operator/(const Expr& left, const Expr& right);
BRAID_EXPORT Expr operator%(const Expr& left, const Expr& right);
BRAID_EXPORT Expr operator-(const Expr& operand);

}  // namespace braid
