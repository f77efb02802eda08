#include "engine/sql/type_name.h"

#include "tests/sql/bound_text.h"

namespace braid {
namespace {

struct Case {
  std::string written;
  DataType type;
  uint32_t length = 0;
};

TEST(TypeNameTest, KnowsFlinksSpellings) {
  const std::vector<Case> cases = {
      {"BOOLEAN", DataType::Boolean()},
      {"TINYINT", DataType::TinyInt()},
      {"SMALLINT", DataType::SmallInt()},
      {"INT", DataType::Int()},
      {"integer", DataType::Int()},
      {"BigInt", DataType::BigInt()},
      {"FLOAT", DataType::Float()},
      {"DOUBLE", DataType::Double()},
      {"DOUBLE PRECISION", DataType::Double()},
      {"DECIMAL", DataType::Decimal(10, 0)},
      {"DECIMAL(5)", DataType::Decimal(5, 0)},
      {"NUMERIC(18, 3)", DataType::Decimal(18, 3)},
      {"DEC(4,4)", DataType::Decimal(4, 4)},
      {"CHAR", DataType::String(), 1},
      {"CHAR(3)", DataType::String(), 3},
      {"VARCHAR", DataType::String()},
      {"VARCHAR(2147483647)", DataType::String(), 2147483647},
      {"STRING", DataType::String()},
      {"BINARY", DataType::Bytes(), 1},
      {"BINARY(3)", DataType::Bytes(), 3},
      {"VARBINARY", DataType::Bytes()},
      {"VARBINARY(4)", DataType::Bytes(), 4},
      {"BYTES", DataType::Bytes()},
      {"DATE", DataType::Date()},
      {"TIMESTAMP", DataType::Timestamp(6)},
      {"TIMESTAMP(0)", DataType::Timestamp(0)},
      {"TIMESTAMP(3) WITHOUT TIME ZONE", DataType::Timestamp(3)},
      {"TIMESTAMP WITH LOCAL TIME ZONE", DataType::TimestampLtz(6)},
      {"TIMESTAMP(3) WITH LOCAL TIME ZONE", DataType::TimestampLtz(3)},
      {"TIMESTAMP_LTZ", DataType::TimestampLtz(6)},
      {"TIMESTAMP_LTZ(0)", DataType::TimestampLtz(0)},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.written);
    const Result<Script> script = ParseScript("CREATE TABLE t (a " + each.written + ")", {});
    ASSERT_TRUE(script.has_value()) << script.error().ToString();
    const DataType& type = script->tables[0]->columns[0].type;
    EXPECT_EQ(type, each.type);
    EXPECT_EQ(type.length, each.length);
  }
}

TEST(TypeNameTest, RefusesOthersByName) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"BIGIN", "20: there is no type BIGIN; did you mean BIGINT?"},
      {"TIME", "20: the type TIME is not supported"},
      {"TIME(3)", "20: the type TIME is not supported"},
      {"ROW", "20: the type ROW is not supported"},
      {"DECIMAL(19, 2)", "28: the precision of DECIMAL is 1 to 18, not 19"},
      {"DECIMAL(0)", "28: the precision of DECIMAL is 1 to 18, not 0"},
      {"DECIMAL(5, 6)", "31: the scale of DECIMAL is 0 to 5, not 6"},
      {"TIMESTAMP(9)", "30: the precision of TIMESTAMP is 0 to 6, not 9"},
      {"TIMESTAMP(99999999999)", "30: the precision of TIMESTAMP is 0 to 6, not 99999999999"},
      {"VARCHAR(0)", "28: the length of VARCHAR is 1 to 2147483647, not 0"},
      {"INT(3)", "20: INT takes nothing in parentheses"},
      {"VARCHAR(3, 4)", "20: VARCHAR takes one number in parentheses"},
      {"TIMESTAMP WITH TIME ZONE",
       "20: TIMESTAMP WITH TIME ZONE is not supported; TIMESTAMP_LTZ is a moment in UTC"},
      {"INT WITHOUT TIME ZONE", "20: a TIME ZONE belongs to TIMESTAMP, not to INT"},
      {"TIMESTAMP_LTZ WITH LOCAL TIME ZONE",
       "20: a TIME ZONE belongs to TIMESTAMP, not to TIMESTAMP_LTZ"},
      {"FLOAT PRECISION", "20: FLOAT PRECISION is no type; DOUBLE PRECISION is"},
  };
  for (const auto& [written, error] : cases) {
    ExpectErrors({{"CREATE TABLE tt (a " + written + ")", "1:" + error}});
  }
}

}  // namespace
}  // namespace braid
