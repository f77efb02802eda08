#include "engine/expression/text_functions.h"

#include <gmock/gmock.h>

#include "tests/expression/expression_text.h"

namespace braid {
namespace {

TestTable Texts() {
  return TestTable({{"s", DataType::String(), {"abc", "äöü€", "", "NULL", " a b ", "😀x"}}});
}

std::vector<std::string> All(const std::string& value) {
  std::vector<std::string> values(6, value);
  values[3] = "NULL";
  return values;
}

TEST(TextFunctionsTest, SubstringsCountCharacters) {
  ExpectValues(Texts(), {
                            {"SUBSTRING(s, 2)", {"bc", "öü€", "", "NULL", "a b ", "x"}},
                            {"SUBSTR(s, 1, 2)", {"ab", "äö", "", "NULL", " a", "😀x"}},
                            {"SUBSTRING(s, 0, 1)", {"a", "ä", "", "NULL", " ", "😀"}},
                            {"SUBSTRING(s, -2)", {"bc", "ü€", "", "NULL", "b ", "😀x"}},
                            {"SUBSTRING(s, -3, 2)", {"ab", "öü", "", "NULL", " b", ""}},
                            {"SUBSTRING(s, 9)", All("")},
                            {"SUBSTRING(s, -2147483647)", All("")},
                            {"SUBSTRING(s, 2147483647, 2147483647)", All("")},
                            {"SUBSTRING(s, 1, 0)", All("")},
                            {"SUBSTRING(s, 2, -1)", All("NULL")},
                            {"SUBSTRING(s, NULL)", All("NULL")},
                            {"SUBSTRING(s, CHAR_LENGTH(s))", {"c", "€", "", "NULL", " ", "x"}},
                            {"SUBSTRING(s, '1')", {"#SUBSTRING takes INT, got STRING"}},
                            {"SUBSTRING(1, 1)", {"#SUBSTRING takes STRING, got INT"}},
                        });
}

TEST(TextFunctionsTest, ConcatIsNullIfAPartIs) {
  ExpectValues(Texts(), {
                            {"CONCAT(s, '-', s)",
                             {"abc-abc", "äöü€-äöü€", "-", "NULL", " a b - a b ", "😀x-😀x"}},
                            {"CONCAT(s)", {"abc", "äöü€", "", "NULL", " a b ", "😀x"}},
                            {"CONCAT(s, NULL)", All("NULL")},
                            {"CONCAT('a', 'b')", {"ab", "ab", "ab", "ab", "ab", "ab"}},
                            {"CONCAT(s, 1)", {"#CONCAT takes STRING, got INT"}},
                        });
}

TEST(TextFunctionsTest, PositionsAndReplacements) {
  ExpectValues(Texts(), {
                            {"POSITION('b', s)", {"2", "0", "0", "NULL", "4", "0"}},
                            {"POSITION('€', s)", {"0", "4", "0", "NULL", "0", "0"}},
                            {"POSITION('', s)", All("1")},
                            {"POSITION(s, 'abc')", {"1", "0", "1", "NULL", "0", "0"}},
                            {"POSITION(NULL, s)", All("NULL")},
                            {"REPLACE(s, 'b', 'XX')", {"aXXc", "äöü€", "", "NULL", " a XX ", "😀x"}},
                            {"REPLACE(s, ' ', '')", {"abc", "äöü€", "", "NULL", "ab", "😀x"}},
                            {"REPLACE(s, '', '-')",
                             {"-a-b-c-", "-ä-ö-ü-€-", "-", "NULL", "- -a- -b- -", "-😀-x-"}},
                            {"REPLACE(s, s, 'é')", All("é")},
                            {"REPLACE('aaa', 'aa', 'b')", {"ba", "ba", "ba", "ba", "ba", "ba"}},
                            {"REPLACE(s, 'a', NULL)", All("NULL")},
                        });
}

TEST(TextFunctionsTest, Padding) {
  ExpectValues(Texts(),
               {
                   {"LPAD(s, 5, 'xy')", {"xyabc", "xäöü€", "xyxyx", "NULL", " a b ", "xyx😀x"}},
                   {"RPAD(s, 5, 'xy')", {"abcxy", "äöü€x", "xyxyx", "NULL", " a b ", "😀xxyx"}},
                   {"LPAD(s, 2, '.')", {"ab", "äö", "..", "NULL", " a", "😀x"}},
                   {"RPAD(s, 2, '.')", {"ab", "äö", "..", "NULL", " a", "😀x"}},
                   {"RPAD(s, 4, 'é')", {"abcé", "äöü€", "éééé", "NULL", " a b", "😀xéé"}},
                   {"LPAD(s, 0, 'x')", All("")},
                   {"LPAD(s, -1, 'x')", All("NULL")},
                   {"RPAD(s, 9, '')", All("NULL")},
                   {"LPAD(s, 2000000000, 'x')", All("!the text grows beyond 64 MiB")},
               });
}

TEST(TextFunctionsTest, TrimmingTakesAnyOfTheCharacters) {
  ExpectValues(Texts(), {
                            {"TRIM(s)", {"abc", "äöü€", "", "NULL", "a b", "😀x"}},
                            {"LTRIM(s)", {"abc", "äöü€", "", "NULL", "a b ", "😀x"}},
                            {"RTRIM(s)", {"abc", "äöü€", "", "NULL", " a b", "😀x"}},
                            {"TRIM(s, 'a€ 😀x')", {"bc", "äöü", "", "NULL", "b", ""}},
                            {"LTRIM(s, 'ba')", {"c", "äöü€", "", "NULL", " a b ", "😀x"}},
                            {"RTRIM(s, 'cx€')", {"ab", "äöü", "", "NULL", " a b ", "😀"}},
                            {"TRIM(s, '')", {"abc", "äöü€", "", "NULL", " a b ", "😀x"}},
                            {"TRIM(s, NULL)", All("NULL")},
                        });
}

TEST(TextFunctionsTest, SplitIndexCountsFromZero) {
  const TestTable table({{"s", DataType::String(), {"a,b,,c", "", ",", "a", "NULL", "a b\tc"}},
                         {"i", DataType::Int(), {"3", "0", "1", "-1", "0", "0"}}});
  ExpectValues(table,
               {
                   {"SPLIT_INDEX(s, ',', 0)", {"a", "NULL", "", "a", "NULL", "a b\tc"}},
                   {"SPLIT_INDEX(s, ',', 1)", {"b", "NULL", "", "NULL", "NULL", "NULL"}},
                   {"SPLIT_INDEX(s, ',', 2)", {"", "NULL", "NULL", "NULL", "NULL", "NULL"}},
                   {"SPLIT_INDEX(s, ',', i)", {"c", "NULL", "", "NULL", "NULL", "a b\tc"}},
                   {"SPLIT_INDEX(s, ',,', 1)", {"c", "NULL", "NULL", "NULL", "NULL", "NULL"}},
                   {"SPLIT_INDEX(s, '', 2)", {"NULL", "NULL", "NULL", "NULL", "NULL", "c"}},
                   {"SPLIT_INDEX(s, NULL, 0)", {"NULL", "NULL", "NULL", "NULL", "NULL", "NULL"}},
               });
}

}  // namespace
}  // namespace braid
