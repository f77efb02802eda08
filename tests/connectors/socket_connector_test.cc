#include "engine/connectors/socket_connector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "engine/connectors/socket_options.h"
#include "tests/connectors/row_texts.h"

namespace braid {
namespace {

using testing::HasSubstr;

TableDescription Table(const std::map<std::string, std::string>& options) {
  TableDescription table;
  table.name = "t";
  table.schema = IdAndName();
  table.not_null = {0, 0};
  table.options["connector"] = {"socket", {}};
  for (const auto& [name, value] : options) table.options[name] = {value, {}};
  return table;
}

TEST(SocketConnectorTest, RefusesOptionsThatCannotBe) {
  struct Case {
    bool writes;
    std::map<std::string, std::string> options;
    const char* message;
  };
  for (const Case& c : {
           Case{false, {{"port", "1"}, {"format", "csv"}}, "'hostname'"},
           Case{false, {{"hostname", "h"}, {"format", "csv"}}, "'port' is missing"},
           Case{false, {{"hostname", "h"}, {"port", "0"}, {"format", "csv"}}, "'port'"},
           Case{false, {{"hostname", "h"}, {"port", "65536"}, {"format", "csv"}}, "'port'"},
           Case{false, {{"hostname", "h"}, {"port", "1"}}, "'format' is missing"},
           Case{false,
                {{"hostname", "h"}, {"port", "1"}, {"format", "csv"}, {"socket.mod", "listen"}},
                "'socket.mode'"},
           Case{false,
                {{"hostname", "h"}, {"port", "1"}, {"format", "csv"}, {"socket.mode", "both"}},
                "'socket.mode'"},
           Case{false,
                {{"hostname", "h"},
                 {"port", "1"},
                 {"format", "csv"},
                 {"source.max-line-bytes", "1 gb"}},
                "'source.max-line-bytes' can be 16 mb at most"},
           Case{false,
                {{"hostname", "h"},
                 {"port", "1"},
                 {"format", "csv"},
                 {"source.max-bytes-per-trigger", "1 gb"}},
                "'source.max-bytes-per-trigger' can be 256 mb at most"},
           Case{false,
                {{"socket.mode", "listen"},
                 {"port", "1"},
                 {"format", "csv"},
                 {"socket.max-connections", "100001"}},
                "'socket.max-connections'"},
           Case{true, {{"socket.mode", "listen"}, {"port", "1"}, {"format", "csv"}}, "connects"},
           Case{true,
                {{"hostname", "h"}, {"port", "1"}, {"format", "raw"}},
                "it can be csv, json or debezium-json"},
       }) {
    const TableDescription table = Table(c.options);
    std::vector<std::string> notes;
    Error error;
    if (c.writes) {
      const auto sink = SocketConnector().NewSink(table, &notes);
      ASSERT_FALSE(sink) << c.message;
      error = sink.error();
    } else {
      const auto source = SocketConnector().NewSource(table, {0, 1}, &notes);
      ASSERT_FALSE(source) << c.message;
      error = source.error();
    }
    EXPECT_EQ(error.code, ErrorCode::kInvalidOption);
    EXPECT_THAT(error.message, HasSubstr(c.message));
  }
}

TEST(SocketConnectorTest, AChangelogIsOneOnBothSides) {
  const std::pair<std::map<std::string, std::string>, bool> cases[] = {
      {{{"format", "csv"}}, false},
      {{{"format", "csv"}, {"changelog.column", "op"}}, true},
      {{{"format", "debezium-json"}}, true},
  };
  for (auto [options, is_changelog] : cases) {
    options.insert({{"hostname", "localhost"}, {"port", "9"}});
    const auto source = SocketConnector().NewSource(Table(options), {0, 1}, nullptr);
    ASSERT_TRUE(source) << source.error().ToString();
    EXPECT_EQ((*source)->gives_changes(), is_changelog);
    const auto sink = SocketConnector().NewSink(Table(options), nullptr);
    ASSERT_TRUE(sink) << sink.error().ToString();
    EXPECT_EQ((*sink)->takes_changes(), is_changelog);
  }
}

TEST(SocketConnectorTest, DelaysDoubleUpToTheLargest) {
  SocketOptions options;
  options.backoff_min = Milliseconds(100);
  options.backoff_max = Milliseconds(350);
  Backoff backoff(options);
  for (const int64_t millis : {100, 200, 350, 350}) {
    EXPECT_EQ(backoff.Next().micros, millis * 1'000);
  }
  backoff.Reset();
  EXPECT_EQ(backoff.Next().micros, 100'000);
}

}  // namespace
}  // namespace braid
