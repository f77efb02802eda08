#include "engine/expression/number_functions.h"

#include <gmock/gmock.h>

#include "tests/expression/expression_text.h"

namespace braid {
namespace {

TEST(NumberFunctionsTest, FloorAndCeil) {
  const TestTable table({
      {"x", DataType::Double(), {"1.5", "-1.5", "2", "NULL", "NaN"}},
      {"f", DataType::Float(), {"1.5", "-1.5", "2", "NULL", "1e30"}},
      {"d", DataType::Decimal(4, 2), {"1.01", "-1.01", "99.99", "NULL", "-99.99"}},
      {"n", DataType::Int(), {"1", "-1", "0", "NULL", "2147483647"}},
  });
  ExpectValues(table, {
                          {"FLOOR(x)", {"1.0", "-2.0", "2.0", "NULL", "NaN"}},
                          {"CEIL(x)", {"2.0", "-1.0", "2.0", "NULL", "NaN"}},
                          {"CEILING(f)", {"2.0", "-1.0", "2.0", "NULL", "1e+30"}},
                          {"FLOOR(d)", {"1", "-2", "99", "NULL", "-100"}},
                          {"CEIL(d)", {"2", "-1", "100", "NULL", "-99"}},
                          {"FLOOR(n)", {"1", "-1", "0", "NULL", "2147483647"}},
                          {"FLOOR(2.5)", {"2", "2", "2", "2", "2"}},
                          {"CEIL(n + 1)", {"2", "0", "1", "NULL", "!INT overflow: 2147483647 + 1"}},
                          {"CEIL(NULL)", {"NULL", "NULL", "NULL", "NULL", "NULL"}},
                          {"CEIL('1')", {"#CEIL takes a number, got STRING"}},
                      });
}

TEST(NumberFunctionsTest, RoundIsHalfAwayFromZeroInDecimal) {
  const TestTable table({
      {"x", DataType::Double(), {"2.675", "-2.5", "0.5", "NULL", "1e300", "-1234.567"}},
      {"f", DataType::Float(), {"2.675", "-2.5", "0.1", "NULL", "1e30", "NaN"}},
      {"d", DataType::Decimal(5, 2), {"2.67", "-2.50", "999.99", "NULL", "0.05", "-0.05"}},
      {"n", DataType::Int(), {"15", "-15", "2147483647", "NULL", "4", "-44"}},
      {"i", DataType::Int(), {"2", "0", "-1", "1", "NULL", "-3"}},
  });
  ExpectValues(table,
               {
                   {"ROUND(x)", {"3.0", "-3.0", "1.0", "NULL", "1e+300", "-1235.0"}},
                   {"ROUND(x, 2)", {"2.68", "-2.5", "0.5", "NULL", "1e+300", "-1234.57"}},
                   {"ROUND(x, -2)", {"0.0", "-0.0", "0.0", "NULL", "1e+300", "-1200.0"}},
                   {"ROUND(x, i)", {"2.68", "-3.0", "0.0", "NULL", "NULL", "-1000.0"}},
                   {"ROUND(x, -2147483647)", {"0.0", "-0.0", "0.0", "NULL", "0.0", "-0.0"}},
                   {"ROUND(f, 2)", {"2.68", "-2.5", "0.1", "NULL", "1e+30", "NaN"}},
                   {"ROUND(d)", {"3", "-3", "1000", "NULL", "0", "0"}},
                   {"ROUND(d, 1)", {"2.7", "-2.5", "1000.0", "NULL", "0.1", "-0.1"}},
                   {"ROUND(d, 5)", {"2.67", "-2.50", "999.99", "NULL", "0.05", "-0.05"}},
                   {"ROUND(d, -1)", {"0", "0", "1000", "NULL", "0", "0"}},
                   {"ROUND(d, -1000)", {"0", "0", "0", "NULL", "0", "0"}},
                   {"ROUND(d, NULL)", {"NULL", "NULL", "NULL", "NULL", "NULL", "NULL"}},
                   {"ROUND(n, -1)",
                    {"20", "-20", "!INT overflow: ROUND(2147483647, -1)", "NULL", "0", "-40"}},
                   {"ROUND(n, 3)", {"15", "-15", "2147483647", "NULL", "4", "-44"}},
                   {"ROUND(n, -30)", {"0", "0", "0", "NULL", "0", "0"}},
                   {"ROUND(d, i)", {"#the digits of ROUND of a DECIMAL are a constant number"}},
                   {"ROUND(TRUE)", {"#ROUND takes a number, got BOOLEAN"}},
               });
  EXPECT_EQ((*table.Parse("ROUND(d, 1)"))->type, DataType::Decimal(5, 1));
  EXPECT_EQ((*table.Parse("ROUND(d)"))->type, DataType::Decimal(4, 0));
  EXPECT_EQ((*table.Parse("ROUND(d, 2)"))->type, DataType::Decimal(5, 2));
}

TEST(NumberFunctionsTest, DoubleFunctions) {
  const TestTable table({
      {"x", DataType::Double(), {"4", "0", "-1", "NULL", "1"}},
      {"n", DataType::Int(), {"2", "0", "3", "1", "NULL"}},
  });
  ExpectValues(
      table,
      {
          {"SQRT(x)", {"2.0", "0.0", "NaN", "NULL", "1.0"}},
          {"POWER(x, n)", {"16.0", "1.0", "-1.0", "NULL", "NULL"}},
          {"POWER(n, 0.5)", {"1.4142135623730951", "0.0", "1.7320508075688772", "1.0", "NULL"}},
          {"EXP(x - 4)",
           {"1.0", "0.01831563888873418", "0.006737946999085467", "NULL", "0.049787068367863944"}},
          {"LN(x)", {"1.3862943611198906", "-Infinity", "NaN", "NULL", "0.0"}},
          {"EXP(1000)", {"Infinity", "Infinity", "Infinity", "Infinity", "Infinity"}},
          {"LN('e')", {"#LN takes a number, got STRING"}},
      });
}

TEST(NumberFunctionsTest, SignKeepsTheType) {
  const TestTable table({
      {"x", DataType::Double(), {"4", "0", "-0.5", "NULL", "NaN"}},
      {"d", DataType::Decimal(3, 1), {"4.5", "0", "-0.5", "NULL", "99.9"}},
      {"u", DataType::Decimal(1, 1), {"0.5", "0", "-0.5", "NULL", "0.9"}},
      {"n", DataType::TinyInt(), {"2", "0", "-128", "NULL", "127"}},
  });
  ExpectValues(table, {
                          {"SIGN(x)", {"1.0", "0.0", "-1.0", "NULL", "NaN"}},
                          {"SIGN(d)", {"1.0", "0.0", "-1.0", "NULL", "1.0"}},
                          {"SIGN(u)", {"1.0", "0.0", "-1.0", "NULL", "1.0"}},
                          {"SIGN(n)", {"1", "0", "-1", "NULL", "1"}},
                          {"SIGN(NULL)", {"NULL", "NULL", "NULL", "NULL", "NULL"}},
                      });
}

TEST(NumberFunctionsTest, GreatestAndLeastOfAnyType) {
  const TestTable table({
      {"n", DataType::Int(), {"1", "5", "NULL", "-3"}},
      {"m", DataType::BigInt(), {"2", "4", "1", "-3"}},
      {"x", DataType::Double(), {"NaN", "4.5", "1", "-3.5"}},
      {"s", DataType::String(), {"b", "", "NULL", "é"}},
      {"t",
       DataType::Timestamp(3),
       {"2024-01-01 00:00:00.5", "NULL", "1970-01-01 00:00:00", "0001-01-01 00:00:00"}},
      {"day", DataType::Date(), {"2024-01-01", "2024-01-02", "1970-01-01", "2000-02-29"}},
  });
  ExpectValues(table,
               {
                   {"GREATEST(n, m)", {"2", "5", "NULL", "-3"}},
                   {"LEAST(n, m, 0)", {"0", "0", "NULL", "-3"}},
                   {"GREATEST(n, x)", {"NaN", "5.0", "NULL", "-3.0"}},
                   {"LEAST(n, x)", {"1.0", "4.5", "NULL", "-3.5"}},
                   {"GREATEST(s, 'a')", {"b", "a", "NULL", "é"}},
                   {"LEAST(s, 'a', 'b')", {"a", "", "NULL", "a"}},
                   {"GREATEST(t, TIMESTAMP '2024-01-01 00:00:00')",
                    {"2024-01-01 00:00:00.500", "NULL", "2024-01-01 00:00:00.000",
                     "2024-01-01 00:00:00.000"}},
                   {"LEAST(day, DATE '2000-01-01')",
                    {"2000-01-01", "2000-01-01", "1970-01-01", "2000-01-01"}},
                   {"GREATEST(n > 0, TRUE)", {"true", "true", "NULL", "true"}},
                   {"GREATEST(1, 2.5)", {"2.5", "2.5", "2.5", "2.5"}},
                   {"GREATEST(n, NULL)", {"NULL", "NULL", "NULL", "NULL"}},
                   {"GREATEST(n)", {"1", "5", "NULL", "-3"}},
                   {"GREATEST(n, s)", {"#GREATEST cannot compare INT with STRING; write a CAST"}},
               });
}

}  // namespace
}  // namespace braid
