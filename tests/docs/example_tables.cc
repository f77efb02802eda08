#include "tests/docs/example_tables.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

namespace braid {
namespace {

constexpr int kRows = 20;
constexpr int kConnectMilliseconds = 30'000;

std::string TextOption(const TableDescription& table, const std::string& name) {
  const auto option = table.options.find(name);
  return option == table.options.end() ? "" : option->second.value;
}

std::string FieldText(TypeKind kind, int row) {
  switch (kind) {
    case TypeKind::kBoolean:
      return row % 2 == 0 ? "true" : "false";
    case TypeKind::kString:
      return fmt::format("spring-{}", row % 5);
    case TypeKind::kBytes:
      return "AAEC";
    case TypeKind::kDate:
      return fmt::format("2026-11-{:02}", row + 1);
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz:
      return fmt::format("2026-11-29 12:00:{:02}", row);
    case TypeKind::kFloat:
    case TypeKind::kDouble:
    case TypeKind::kDecimal:
      return fmt::format("{}.5", row % 5);
    default:
      return fmt::format("{}", row % 5);
  }
}

bool IsQuotedInJson(TypeKind kind) {
  return kind == TypeKind::kString || kind == TypeKind::kBytes || kind == TypeKind::kDate ||
         kind == TypeKind::kTimestamp || kind == TypeKind::kTimestampLtz;
}

std::string Line(const TableDescription& table, int row) {
  const bool json = TextOption(table, "format") == "json";
  std::vector<std::string> fields;
  for (const Field& field : table.schema.fields) {
    const std::string text = FieldText(field.type.kind, row);
    if (!json) {
      fields.push_back(text);
    } else if (IsQuotedInJson(field.type.kind)) {
      fields.push_back(fmt::format("\"{}\":\"{}\"", field.name, text));
    } else {
      fields.push_back(fmt::format("\"{}\":{}", field.name, text));
    }
  }
  const std::string joined = fmt::format("{}", fmt::join(fields, ","));
  return json ? "{" + joined + "}\n" : joined + "\n";
}

std::string Lines(const TableDescription& table) {
  std::string text;
  if (TextOption(table, "csv.header") == "true") {
    std::vector<std::string> names;
    for (const Field& field : table.schema.fields) names.push_back(field.name);
    text = fmt::format("{}\n", fmt::join(names, ","));
  }
  for (int row = 0; row < kRows; ++row) text += Line(table, row);
  return text;
}

// The built-in connector of this name over the changed options.
class ExampleConnector final : public Connector {
 public:
  ExampleConnector(const ConnectorRegistry* built_in, ExampleTables* tables)
      : built_in_(built_in), tables_(tables) {}

  Result<std::unique_ptr<Source>> NewSource(const TableDescription& table,
                                            const std::vector<int>& read_columns,
                                            std::vector<std::string>* notes) const override {
    Result<const Connector*> connector = built_in_->Find(table);
    if (!connector) return tl::unexpected(connector.error());
    return (*connector)->NewSource(tables_->ForReading(table), read_columns, notes);
  }
  Result<std::unique_ptr<Sink>> NewSink(const TableDescription& table,
                                        std::vector<std::string>* notes) const override {
    Result<const Connector*> connector = built_in_->Find(table);
    if (!connector) return tl::unexpected(connector.error());
    return (*connector)->NewSink(tables_->ForWriting(table), notes);
  }

 private:
  const ConnectorRegistry* built_in_;
  ExampleTables* tables_;
};

}  // namespace

ExampleTables::ExampleTables(std::string folder)
    : folder_(std::move(folder)), built_in_(BuiltInConnectors()) {
  const auto connector = std::make_shared<ExampleConnector>(&built_in_, this);
  for (const char* name : {"filesystem", "socket", "datagen", "print", "blackhole"}) {
    connectors_.Add(name, connector);
  }
}

ExampleTables::~ExampleTables() {
  for (std::thread& peer : peers_) peer.join();
}

uint16_t ExampleTables::Serve(std::string text) {
  TcpServer& server = servers_.emplace_back();
  peers_.emplace_back([&server, text = std::move(text)] {
    if (!server.HasVisitor(kConnectMilliseconds)) return;
    TcpPeer peer = server.Accept();
    if (text.empty()) {
      peer.Receive();
    } else {
      peer.Send(text);
      peer.Close();
    }
  });
  return server.port();
}

TableDescription ExampleTables::ForReading(TableDescription table) {
  const std::string connector = TextOption(table, "connector");
  if (connector == "datagen") {
    table.options["number-of-rows"].value = fmt::format("{}", kRows);
    table.options["rows-per-second"].value = "10000";
  }
  if (connector == "socket") {
    table.options["port"].value = fmt::format("{}", Serve(Lines(table)));
  }
  if (connector == "filesystem") {
    const std::string path = folder_ + "/" + table.name;
    std::filesystem::create_directories(path);
    std::ofstream(path + "/rows") << Lines(table);
    table.options["path"].value = path;
  }
  return table;
}

TableDescription ExampleTables::ForWriting(TableDescription table) {
  const std::string connector = TextOption(table, "connector");
  if (connector == "socket") table.options["port"].value = fmt::format("{}", Serve(""));
  if (connector == "filesystem") table.options["path"].value = folder_ + "/written/" + table.name;
  return table;
}

}  // namespace braid
