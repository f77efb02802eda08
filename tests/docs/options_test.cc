// Every option, alias, setting and flag that the code knows stands in the documents. What the code
// knows is asked for where it runs: it lists its options when it meets one that is like none.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "engine/connectors/connector_registry.h"
#include "engine/session/settings.h"
#include "engine/session/watermark_reader.h"
#include "tests/cli/command_runner.h"
#include "tests/docs/document.h"

namespace braid {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;

constexpr const char* kUnknown = "zzzzzzzzzzzz";

// "…; known are a, b, c" -> a, b, c.
std::set<std::string> KnownNames(const Error& error) {
  const std::string mark = "known are ";
  const size_t begin = error.message.find(mark);
  EXPECT_NE(begin, std::string::npos) << error.message;
  std::set<std::string> names;
  if (begin == std::string::npos) return names;
  std::istringstream words(error.message.substr(begin + mark.size()));
  for (std::string name; std::getline(words, name, ',');) {
    name.erase(0, name.find_first_not_of(' '));
    names.insert(name);
  }
  return names;
}

// A table with a column of every type.
TableDescription Table(const std::vector<std::pair<std::string, std::string>>& options) {
  TableDescription table;
  table.name = "t";
  table.schema.fields = {{"b", DataType::Boolean()},    {"i", DataType::Int()},
                         {"d", DataType::Double()},     {"n", DataType::Decimal(10, 2)},
                         {"s", DataType::String()},     {"day", DataType::Date()},
                         {"ts", DataType::Timestamp(3)}};
  table.not_null.assign(table.schema.fields.size(), 0);
  for (const auto& [name, value] : options) table.options[name] = Option{value, {}};
  table.options[kUnknown] = Option{"", {}};
  return table;
}

// The options of a table that is read and of one that is written; nothing for what is not there.
std::set<std::string> KnownOptions(
    const std::vector<std::pair<std::string, std::string>>& options) {
  const ConnectorRegistry registry = BuiltInConnectors();
  const TableDescription table = Table(options);
  const Result<const Connector*> connector = registry.Find(table);
  if (!connector) {
    ADD_FAILURE() << connector.error().ToString();
    return {};
  }
  std::set<std::string> names;
  const auto add = [&names](const Error& error) {
    if (error.message.find(kUnknown) != std::string::npos) names.merge(KnownNames(error));
  };
  const auto source = (*connector)->NewSource(table, {0}, nullptr);
  if (!source) add(source.error());
  const auto sink = (*connector)->NewSink(table, nullptr);
  if (!sink) add(sink.error());
  EXPECT_FALSE(names.empty());
  return names;
}

// "fields.i.min" is documented as an option of a column: `min`.
std::string DocumentedName(const std::string& name) {
  static const std::regex of_column(R"(fields\.[a-z]+\.(.*))");
  std::smatch match;
  return std::regex_match(name, match, of_column) ? match[1].str() : name;
}

std::vector<std::string> Missing(const std::set<std::string>& names,
                                 const std::vector<std::string>& pages) {
  const std::set<std::string> documented = CodeTexts(pages);
  std::vector<std::string> missing;
  for (const std::string& name : names) {
    const std::string wanted = DocumentedName(name);
    if (documented.contains(wanted) || documented.contains("fields.<column>." + wanted)) continue;
    missing.push_back(name);
  }
  return missing;
}

// Those of all connectors and formats.
std::set<std::string> OptionsOfTables() {
  std::set<std::string> names;
  const auto add = [&names](const std::vector<std::pair<std::string, std::string>>& options) {
    names.merge(KnownOptions(options));
  };
  for (const char* format : {"csv", "json", "debezium-json"}) {
    add({{"connector", "filesystem"}, {"path", "p"}, {"format", format}});
  }
  for (const char* format : {"csv", "json", "debezium-json", "raw"}) {
    for (const char* mode : {"connect", "listen"}) {
      add({{"connector", "socket"}, {"port", "9"}, {"format", format}, {"socket.mode", mode}});
    }
  }
  for (const char* kind : {"sequence", "random"}) {
    add({{"connector", "datagen"},
         {"fields.i.kind", kind},
         {"fields.d.kind", kind},
         {"fields.n.kind", kind},
         {"fields.s.kind", kind},
         {"fields.day.kind", kind},
         {"fields.ts.kind", kind}});
  }
  add({{"connector", "print"}});
  add({{"connector", "blackhole"}});
  return names;
}

TEST(OptionsTest, EveryOptionOfATableIsDocumented) {
  const std::set<std::string> names = OptionsOfTables();
  EXPECT_GT(names.size(), 50U);
  EXPECT_THAT(Missing(names, {"docs/connectors.md", "docs/formats.md"}), IsEmpty());
}

// Given by SET or --set, each is said to belong to a table.
TEST(OptionsTest, EveryOptionOfATableIsRefusedAsASettingByWhatItIs) {
  std::set<std::string> names = OptionsOfTables();
  // A setting, too; and what Spark calls the mode of bad records is the flag --mode here.
  names.erase("print.format");
  names.erase("mode");
  names.insert("scan.watermark.idle-timeout");
  for (const std::string& name : names) {
    const Result<Settings> settings = ReadSettings({{name, Option{"1", {}}}});
    ASSERT_FALSE(settings.has_value()) << name;
    EXPECT_EQ(settings.error().message,
              "SET: '" + name +
                  "' is an option of a table; it stands in the WITH (…) of its CREATE TABLE");
  }
}

TEST(OptionsTest, EveryOptionOfAWatermarkIsDocumented) {
  TableDefinition table;
  table.watermark.emplace();
  table.options[std::string("scan.watermark.") + kUnknown + kUnknown] = Option{"", {}};
  const Result<WatermarkOptions> read = ReadWatermarkOptions(table, Settings(), nullptr);
  ASSERT_FALSE(read.has_value());
  const std::set<std::string> names = KnownNames(read.error());
  EXPECT_THAT(names, Contains("scan.watermark.idle-timeout"));
  EXPECT_THAT(Missing(names, {"docs/connectors.md"}), IsEmpty());
}

TEST(OptionsTest, EverySettingIsDocumented) {
  const Result<Settings> settings = ReadSettings({{kUnknown, Option{"", {}}}});
  ASSERT_FALSE(settings.has_value());
  const std::set<std::string> names = KnownNames(settings.error());
  EXPECT_GT(names.size(), 10U);
  EXPECT_THAT(Missing(names, {"docs/operations.md"}), IsEmpty());
}

TEST(OptionsTest, EveryConnectorIsDocumented) {
  const Result<const Connector*> connector =
      BuiltInConnectors().Find(Table({{"connector", kUnknown}}));
  ASSERT_FALSE(connector.has_value());
  const std::string& message = connector.error().message;
  const std::string mark = "known connectors: ";
  std::istringstream words(message.substr(message.find(mark) + mark.size()));
  const std::set<std::string> documented = CodeTexts({"docs/connectors.md"});
  for (std::string name; std::getline(words, name, ',');) {
    name.erase(0, name.find_first_not_of(' '));
    EXPECT_THAT(documented, Contains(name));
  }
}

// What is accepted without effect is known as patterns, which no message lists: they are read from
// the sources.
TEST(OptionsTest, EveryNameWithoutEffectIsDocumented) {
  const std::vector<std::string> of_tables = {
      "engine/connectors/console_connectors.cc",     "engine/connectors/datagen_connector.cc",
      "engine/connectors/filesystem_options.cc",     "engine/connectors/socket_options.cc",
      "engine/connectors/format/csv_options.cc",     "engine/connectors/format/json_options.cc",
      "engine/connectors/format/debezium_options.cc"};
  const auto patterns = [](const std::string& file) {
    std::ifstream stream(std::string(BRAID_SOURCE_DIR) + "/" + file);
    std::stringstream text;
    text << stream.rdbuf();
    std::string source = text.str();
    // Direct calls, and the lists that loops pass on.
    static const std::regex place(
        R"((AcceptWithoutEffect\("[^)]*\))|(kWithoutEffect\[\] = \{[^}]*\})|(pattern : \{[^}]*\}))");
    static const std::regex quoted(R"re("([^"]+)")re");
    std::set<std::string> names;
    for (std::sregex_iterator found(source.begin(), source.end(), place), end; found != end;
         ++found) {
      const std::string list = found->str();
      for (std::sregex_iterator name(list.begin(), list.end(), quoted); name != end; ++name) {
        names.insert((*name)[1].str());
      }
    }
    EXPECT_THAT(names, ::testing::Not(IsEmpty())) << file;
    return names;
  };
  std::set<std::string> names;
  for (const std::string& file : of_tables) names.merge(patterns(file));
  EXPECT_THAT(Missing(names, {"docs/connectors.md", "docs/formats.md"}), IsEmpty());
  EXPECT_THAT(Missing(patterns("engine/session/settings.cc"), {"docs/operations.md"}), IsEmpty());
}

TEST(OptionsTest, EveryCommandAndItsFlagsAreDocumented) {
  const auto matches = [](const std::string& text, const char* pattern) {
    const std::regex regex(pattern);
    std::set<std::string> found;
    for (std::sregex_iterator match(text.begin(), text.end(), regex), end; match != end; ++match) {
      found.insert((*match)[1].str());
    }
    return found;
  };
  std::string documented;
  for (const std::string& line : DocumentLines("docs/operations.md")) documented += line + "\n";
  const std::string help = testing::RunBraid({"--help"}).output;
  const std::set<std::string> commands =
      matches(help.substr(help.find("Subcommands")), R"(\n  ([a-z]+)  )");
  EXPECT_THAT(commands, Contains("run"));
  for (const std::string& command : commands) {
    EXPECT_THAT(documented, ::testing::HasSubstr("braid " + command));
    const std::string flags = testing::RunBraid({command, "--help"}).output;
    for (const std::string& flag : matches(flags, R"((--[a-z][a-z-]*))")) {
      EXPECT_THAT(documented, ::testing::HasSubstr(flag)) << command;
    }
  }
}

}  // namespace
}  // namespace braid
