#include "engine/expression/json_value.h"

#include <gmock/gmock.h>

#include "tests/expression/expression_text.h"

namespace braid {
namespace {

TEST(JsonValueTest, GivesTheTextOfAScalar) {
  const TestTable table(
      {{"j",
        DataType::String(),
        {R"({"a": 1, "b": {"c d": [true, "x\u00e9", null, 1.50]}, "n": 18446744073709551615})",
         R"([10, {"a": "é"}])", "NULL", "no json", "", R"("text")"}}});
  ExpectValues(
      table,
      {
          {"JSON_VALUE(j, '$.a')", {"1", "NULL", "NULL", "NULL", "NULL", "NULL"}},
          {"JSON_VALUE(j, '$')", {"NULL", "NULL", "NULL", "NULL", "NULL", "text"}},
          {"JSON_VALUE(j, '$[1].a')", {"NULL", "é", "NULL", "NULL", "NULL", "NULL"}},
          {"JSON_VALUE(j, '$[2]')", {"NULL", "NULL", "NULL", "NULL", "NULL", "NULL"}},
          {"JSON_VALUE(j, 'lax $.b[''c d''][0]')",
           {"true", "NULL", "NULL", "NULL", "NULL", "NULL"}},
          {"JSON_VALUE(j, '$.b[\"c d\"][1]')", {"xé", "NULL", "NULL", "NULL", "NULL", "NULL"}},
          {"JSON_VALUE(j, '$.b[''c d''][2]')", {"NULL", "NULL", "NULL", "NULL", "NULL", "NULL"}},
          {"JSON_VALUE(j, '$.b[''c d''][3]')", {"1.50", "NULL", "NULL", "NULL", "NULL", "NULL"}},
          {"JSON_VALUE(j, '$.b')", {"NULL", "NULL", "NULL", "NULL", "NULL", "NULL"}},
          {"JSON_VALUE(j, '$.n')",
           {"18446744073709551615", "NULL", "NULL", "NULL", "NULL", "NULL"}},
          {"CAST(JSON_VALUE(j, '$[0]') AS INT)", {"NULL", "10", "NULL", "NULL", "NULL", "NULL"}},
          {"JSON_VALUE(j, j)", {"#the path of JSON_VALUE must be a literal text"}},
      });
}

TEST(JsonValueTest, TextsThatAreNoJsonGiveNull) {
  const auto nested = [](size_t depth) {
    return R"({"a": 1, "b": )" + std::string(depth, '[') + std::string(depth, ']') + "}";
  };
  std::vector<std::string> texts = {nested(999),
                                    nested(1'000),
                                    nested(1'000'000),
                                    R"({"a": 1)",
                                    R"({"a": 1, "b": })",
                                    R"({"a": 1, "b": 01})",
                                    R"({"a": 1, "b": tru})",
                                    R"({"a": 1, "b": nul})",
                                    R"({"a": 1, "b": "\x"})",
                                    R"({"a": 1 "b": 2})",
                                    R"({"a": 1, "b": 1e9999999999})",
                                    R"([1)",
                                    std::string(1'000'000, '['),
                                    R"({"a": 1})"};
  std::vector<std::string> values(texts.size(), "NULL");
  values.front() = "1";
  values.back() = "1";
  const TestTable table({{"j", DataType::String(), std::move(texts)}});
  EXPECT_THAT(table.Evaluate("JSON_VALUE(j, '$.a')"), testing::ElementsAreArray(values));
}

TEST(JsonValueTest, RefusesPathsThatItDoesNotKnow) {
  const TestTable table({{"j", DataType::String(), {"{}"}}});
  for (const std::string path : {"", "a", "$a", "$.", "$..a", "$.*", "$[*]", "$[-1]", "$[1", "$[]",
                                 "$[''a]", "$.a ", "$[1]x", "$[9999999999]"}) {
    std::string quoted;
    for (const char letter : path) quoted += letter == '\'' ? "''" : std::string(1, letter);
    EXPECT_THAT(table.Evaluate("JSON_VALUE(j, '" + quoted + "')"),
                testing::ElementsAre(
                    "#'" + path + "' is no path of JSON_VALUE; it is written $.name['name'][0]"));
  }
}

}  // namespace
}  // namespace braid
