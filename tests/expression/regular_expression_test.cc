#include "engine/expression/regular_expression.h"

#include <gmock/gmock.h>

#include "tests/expression/expression_text.h"

namespace braid {
namespace {

TEST(RegularExpressionTest, LikeFindsThePatternAnywhere) {
  const TestTable table({{"s", DataType::String(), {"foo123", "", "NULL", "äöü", "bar"}},
                         {"p", DataType::String(), {"[0-9]+$", "^$", "a", "^.ö", "("}}});
  ExpectValues(
      table, {
                 {"REGEXP_LIKE(s, '[0-9]')", {"true", "false", "NULL", "false", "false"}},
                 {"REGEXP_LIKE(s, '^...$')", {"false", "false", "NULL", "true", "true"}},
                 {"REGEXP_LIKE(s, '')", {"true", "true", "NULL", "true", "true"}},
                 {"REGEXP_LIKE(s, '(?i)FOO')", {"true", "false", "NULL", "false", "false"}},
                 {"REGEXP_LIKE(s, p)",
                  {"true", "true", "NULL", "true", "!'(' is no regular expression: missing ): ("}},
                 {"REGEXP_LIKE(s, NULL)", {"NULL", "NULL", "NULL", "NULL", "NULL"}},
                 {"REGEXP_LIKE(s, '(')", {"#'(' is no regular expression: missing ): ("}},
                 {"REGEXP_LIKE(s, 1)", {"#REGEXP_LIKE takes STRING, got INT"}},
             });
}

TEST(RegularExpressionTest, ExtractGivesAGroupOfTheFirstMatch) {
  const TestTable table({{"s", DataType::String(), {"a=1;b=22", "b=", "NULL", "ä=ö", ""}},
                         {"i", DataType::Int(), {"2", "1", "0", "0", "1"}}});
  ExpectValues(table,
               {
                   {"REGEXP_EXTRACT(s, '([^=]+)=([^;]*)')", {"a=1", "b=", "NULL", "ä=ö", "NULL"}},
                   {"REGEXP_EXTRACT(s, '([^=]+)=([^;]*)', 2)", {"1", "", "NULL", "ö", "NULL"}},
                   {"REGEXP_EXTRACT(s, '([^=]+)=([^;]*)', i)", {"1", "b", "NULL", "ä=ö", "NULL"}},
                   {"REGEXP_EXTRACT(s, '(x)?=', 1)", {"NULL", "NULL", "NULL", "NULL", "NULL"}},
                   {"REGEXP_EXTRACT(s, '=', 1)", {"NULL", "NULL", "NULL", "NULL", "NULL"}},
                   {"REGEXP_EXTRACT(s, '=', -1)", {"NULL", "NULL", "NULL", "NULL", "NULL"}},
                   {"REGEXP_EXTRACT(s, '^$')", {"NULL", "NULL", "NULL", "NULL", ""}},
               });
}

TEST(RegularExpressionTest, ReplaceReplacesEveryMatchAsJavaFindsThem) {
  const TestTable table({{"s", DataType::String(), {"abc", "b1b22", "NULL", "äbé", ""}}});
  ExpectValues(
      table,
      {
          {"REGEXP_REPLACE(s, '[0-9]+', '#')", {"abc", "b#b#", "NULL", "äbé", ""}},
          {"REGEXP_REPLACE(s, 'b*', '-')", {"-a--c-", "--1--2-2-", "NULL", "-ä--é-", "-"}},
          {"REGEXP_REPLACE(s, '', '-')", {"-a-b-c-", "-b-1-b-2-2-", "NULL", "-ä-b-é-", "-"}},
          {"REGEXP_REPLACE(s, '(b)', '$1\\')", {"a$1\\c", "$1\\1$1\\22", "NULL", "ä$1\\é", ""}},
          {"REGEXP_REPLACE(s, '^.', '')", {"bc", "1b22", "NULL", "bé", ""}},
          {"REGEXP_REPLACE(s, 'b', NULL)", {"NULL", "NULL", "NULL", "NULL", "NULL"}},
      });
}

}  // namespace
}  // namespace braid
