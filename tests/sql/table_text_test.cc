#include "engine/sql/table_text.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/sql/parser.h"

namespace braid {
namespace {

TEST(TableTextTest, IsAStatementOverSeveralLines) {
  TableDefinition table;
  table.name = "clicks";
  table.columns = {{"ad_id", DataType::BigInt(), true, nullptr},
                   {"timestamp", DataType::Timestamp(3), false, nullptr}};
  table.options = {{"csv.header", {"true", {}}},
                   {"connector", {"filesystem", {}}},
                   {"format", {"csv", {}}},
                   {"path", {"it's.csv", {}}}};
  EXPECT_EQ(CreateTableText(table),
            "CREATE TABLE clicks (\n"
            "  ad_id BIGINT NOT NULL,\n"
            "  `timestamp` TIMESTAMP(3)\n"
            ") WITH ('connector' = 'filesystem', 'path' = 'it''s.csv', 'format' = 'csv', "
            "'csv.header' = 'true');\n");
}

TEST(TableTextTest, ReadsBackAsTheSameTable) {
  TableDefinition table;
  for (const char* name : {"plain", "select", "Date", "with blank", "1st", "a`b", "dash-dot.csv",
                           "größe", "a'b\"c", "-- x", "/* y", "\\N", "a;b"}) {
    table.name = name;
    table.columns.push_back({name, DataType::String(), false, nullptr});
  }
  for (const DataType& type :
       {DataType::Boolean(), DataType::BigInt(), DataType::Double(), DataType::Date(),
        DataType::Timestamp(3), DataType::Timestamp(6), DataType::TimestampLtz(3),
        DataType::TimestampLtz(6), DataType::Decimal(10, 2), DataType::Bytes()}) {
    table.columns.push_back({"c " + type.ToString(), type, false, nullptr});
  }
  table.options = {{"connector", {"filesystem", {}}}, {"path", {"a'b\\t;--", {}}}};
  const Result<Script> script = ParseScript("-- a comment\n" + CreateTableText(table), {});
  ASSERT_TRUE(script) << script.error().ToString();
  ASSERT_EQ(script->tables.size(), 1U);
  const TableDefinition& read = *script->tables[0];
  EXPECT_EQ(read.name, table.name);
  EXPECT_EQ(read.schema(), table.schema());
  EXPECT_EQ(read.options.at("path").value, table.options.at("path").value);
}

}  // namespace
}  // namespace braid
