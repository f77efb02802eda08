#include "engine/connectors/format/debezium_row_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "engine/connectors/format/row_encoder.h"
#include "engine/connectors/option_reader.h"
#include "tests/connectors/format/decoding.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;

TableDescription Table(const char* columns = "id BIGINT, name STRING",
                       const std::vector<std::pair<const char*, const char*>>& options = {}) {
  TableDescription table = TableOf(columns, {{"format", "debezium-json"}});
  for (const auto& [name, value] : options) table.options[name] = {value, {}};
  return table;
}

TEST(DebeziumRowDecoderTest, AnOperationGivesTheRowsOfFlink) {
  const std::string text =
      "{\"before\":null,\"after\":{\"id\":1,\"name\":\"a\"},\"source\":{\"db\":\"x\",\"pos\":[1]},"
      "\"op\":\"c\",\"ts_ms\":1589362330904,\"transaction\":null}\n"
      "{\"op\":\"r\",\"after\":{\"name\":\"b\",\"id\":2}}\n"
      "\n"
      "{\"before\":{\"id\":1,\"name\":\"a\"},\"after\":{\"id\":1,\"name\":null},\"op\":\"u\"}\n"
      " null \n"
      "{\"before\":{\"id\":2,\"name\":\"b\",\"more\":{}},\"after\":null,\"op\":\"d\"}";
  const std::vector<std::string> rows = {"+I 1|a", "+I 2|b", "-U 1|a", "+U 1|NULL", "-D 2|b"};
  for (const size_t bytes : {0, 1, 50}) {
    const Decoded decoded = DecodeText(Table(), text, {bytes, bytes == 1, {}, nullptr});
    EXPECT_THAT(decoded.rows, ElementsAreArray(rows)) << bytes;
    EXPECT_THAT(decoded.error, IsEmpty());
  }
  EXPECT_TRUE(DecoderOf(Table(), {0})->gives_changes());
  DecodeSettings settings;
  settings.read_columns = {1};
  EXPECT_THAT(DecodeText(Table(), text, settings).rows,
              ElementsAre("+I a", "+I b", "-U a", "+U NULL", "-D b"));
}

TEST(DebeziumRowDecoderTest, ARecordWithASchemaHoldsItsPayload) {
  const TableDescription table = Table("id BIGINT", {{"debezium-json.schema-include", "true"}});
  const Decoded decoded =
      DecodeText(table,
                 "{\"schema\":{\"type\":\"struct\",\"fields\":[{\"op\":1}]},\"payload\":{"
                 "\"before\":{\"id\":1},"
                 "\"after\":{\"id\":2},\"op\":\"u\"}}\n"
                 "null\n"
                 "{\"payload\":{\"after\":{\"id\":3},\"op\":\"c\"},\"schema\":null}\n");
  EXPECT_THAT(decoded.rows, ElementsAre("-U 1", "+U 2", "+I 3"));
  EXPECT_THAT(decoded.error, IsEmpty());
  EXPECT_THAT(DecodeText(table, "{\"after\":{\"id\":3},\"op\":\"c\"}").error,
              HasSubstr("payload is missing"));
  EXPECT_THAT(DecodeText(table, "{\"schema\":null,\"payload\":null}").error,
              HasSubstr("payload is no object"));
}

TEST(DebeziumRowDecoderTest, ARecordThatIsNoneIsBadAsAWhole) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"before":null,"after":{"id":1},"op":"u"})",
       "before is null in a record of op 'u'; a table of PostgreSQL needs REPLICA IDENTITY FULL"},
      {R"({"after":null,"op":"d"})",
       "before is null in a record of op 'd'; a table of PostgreSQL needs REPLICA IDENTITY FULL"},
      {R"({"before":{"id":1},"after":null,"op":"u"})", "after is null in a record of op 'u'"},
      {R"({"before":{"id":1},"op":"c"})", "after is null in a record of op 'c'"},
      {R"({"after":{"id":1},"op":"t"})", "op 't' is not c, r, u or d"},
      {R"({"after":{"id":1},"op":null})", "op is no string"},
      {R"({"after":{"id":1}})", "op is missing"},
      {R"({"schema":null,"payload":{"after":{"id":1},"op":"c"}})",
       "op is missing; a record with a schema is read with 'debezium-json.schema-include' = "
       "'true'"},
      {R"({"after":[1],"op":"c"})", "after is no object"},
      {R"([{"after":{"id":1},"op":"c"}])", "not an object"},
      {R"({"after":{"id":1},"op":"c"} x)", "not valid JSON"},
      {R"({"after":{"id":1},"op":"c")", "not valid JSON"},
      {R"(nul)", "not valid JSON"},
      {R"({"after":{"id":1,},"op":"c"})", "not valid JSON"},
  };
  for (const auto& [text, reason] : cases) {
    SCOPED_TRACE(text);
    const std::string file = "{\"after\":{\"id\":1},\"op\":\"c\"}\n" + std::string(text) +
                             "\n{\"before\":{\"id\":1},\"op\":\"d\"}\n";
    EXPECT_THAT(DecodeText(Table("id BIGINT"), file).error,
                HasSubstr(std::string("2: bad record: ") + reason));
    for (const char* policy : {"drop", "null"}) {
      const Decoded decoded = DecodeText(Table("id BIGINT", {{"bad-records", policy}}), file);
      EXPECT_THAT(decoded.rows, ElementsAre("+I 1", "-D 1"));
      EXPECT_THAT(decoded.bad, ElementsAre(HasSubstr(std::string("2: ") + reason)));
    }
  }
}

TEST(DebeziumRowDecoderTest, TheTwoRowsOfAnUpdateStayOrGoTogether) {
  const std::string text =
      "{\"before\":{\"id\":1,\"n\":1},\"after\":{\"id\":2,\"n\":\"x\"},\"op\":\"u\"}\n"
      "{\"before\":{\"id\":3,\"n\":3},\"after\":{\"n\":4},\"op\":\"u\"}\n"
      "{\"before\":{\"id\":5,\"n\":5},\"after\":{\"id\":6,\"n\":6},\"op\":\"u\"}\n";
  const char* columns = "id BIGINT NOT NULL, n BIGINT";
  const Decoded dropped = DecodeText(Table(columns, {{"bad-records", "drop"}}), text);
  EXPECT_THAT(dropped.rows, ElementsAre("-U 5|5", "+U 6|6"));
  EXPECT_EQ(dropped.num_bad, 2);
  const Decoded null =
      DecodeText(Table(columns, {{"debezium-json.ignore-parse-errors", "true"}}), text);
  EXPECT_THAT(null.rows, ElementsAre("-U 1|1", "+U 2|NULL", "-U 5|5", "+U 6|6"));
  EXPECT_THAT(null.bad, ElementsAre(HasSubstr("1: column n: 'x' is not a BIGINT"),
                                    HasSubstr("2: column id is NOT NULL, but the value is NULL")));
}

TEST(DebeziumRowDecoderTest, AnUpdateIsWrittenAsADeletionAndACreation) {
  const TableDescription table = Table("id BIGINT, ts TIMESTAMP(3)");
  const RowBatch rows =
      DecodeRows(table,
                 "{\"after\":{\"id\":1,\"ts\":\"2024-01-01 00:00:00\"},\"op\":\"c\"}\n"
                 "{\"before\":{\"id\":1},\"after\":{\"id\":2},\"op\":\"u\"}\n{\"before\":{\"id\":2}"
                 ",\"op\":\"d\"}");
  const std::string text = EncodeRows(table, rows);
  EXPECT_EQ(
      text,
      "{\"before\":null,\"after\":{\"id\":1,\"ts\":\"2024-01-01 00:00:00.000\"},\"op\":\"c\"}\n"
      "{\"before\":{\"id\":1,\"ts\":null},\"after\":null,\"op\":\"d\"}\n"
      "{\"before\":null,\"after\":{\"id\":2,\"ts\":null},\"op\":\"c\"}\n"
      "{\"before\":{\"id\":2,\"ts\":null},\"after\":null,\"op\":\"d\"}\n");
  EXPECT_EQ(EncodeRows(table, DecodeRows(table, text)), text);
  EXPECT_EQ(EncodeRows(Table("id BIGINT, ts TIMESTAMP(3)",
                             {{"debezium-json.encode.ignore-null-fields", "true"},
                              {"debezium-json.timestamp-format.standard", "ISO-8601"}}),
                       rows),
            "{\"after\":{\"id\":1,\"ts\":\"2024-01-01T00:00:00.000\"},\"op\":\"c\"}\n"
            "{\"before\":{\"id\":1},\"op\":\"d\"}\n{\"after\":{\"id\":2},\"op\":\"c\"}\n"
            "{\"before\":{\"id\":2},\"op\":\"d\"}\n");
}

TEST(DebeziumRowDecoderTest, OptionsAreThoseOfFlink) {
  EXPECT_THAT(
      OptionErrorOf(Table("id BIGINT", {{"debezium-json.map-null-key.mode", "DROP"},
                                        {"debezium-json.map-null-key.literal", "null"},
                                        {"debezium-json.encode.decimal-as-plain-number", "true"}})),
      IsEmpty());
  EXPECT_THAT(OptionErrorOf(Table("id BIGINT", {{"debezium-json.fail-on-missing-field", "true"}})),
              HasSubstr("unknown option 'debezium-json.fail-on-missing-field'"));
  EXPECT_THAT(
      EncodeRows(Table("id BIGINT", {{"debezium-json.schema-include", "true"}}), RowBatch()),
      HasSubstr("records are written without a schema, as in Flink"));
  const TableDescription table = Table();
  OptionReader options(table.options, "table t", table.place);
  const auto encoder = NewRowEncoder(table, &options);
  ASSERT_TRUE(encoder);
  EXPECT_TRUE((*encoder)->takes_changes());
}

}  // namespace
}  // namespace braid
