#include "engine/connectors/console_connectors.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <set>
#include <utility>

#include "engine/connectors/blackhole_sink.h"
#include "engine/connectors/console_stream.h"
#include "engine/connectors/encoded_print_sink.h"
#include "engine/connectors/format/changelog_column.h"
#include "engine/connectors/format/row_encoder.h"
#include "engine/connectors/option_reader.h"
#include "engine/connectors/print_sink.h"
#include "engine/connectors/table_print_sink.h"

namespace braid {

namespace {

tl::unexpected<Error> FailAsSource(const TableDescription& table, std::string_view connector) {
  return Fail(ErrorCode::kInvalidQuery,
              fmt::format("table {}: the connector '{}' can only be written to, not read from",
                          table.name, connector),
              table.place);
}

enum class PrintFormat : uint8_t { kRow, kTable, kCsv, kJson };

PrintFormat ReadPrintFormat(std::FILE* stream, OptionReader* reader) {
  const PrintFormat automatic = IsTerminal(stream) ? PrintFormat::kTable : PrintFormat::kCsv;
  return reader->Choice("print.format", PrintFormat::kRow,
                        {{"row", PrintFormat::kRow},
                         {"table", PrintFormat::kTable},
                         {"csv", PrintFormat::kCsv},
                         {"json", PrintFormat::kJson},
                         {"auto", automatic}});
}

// The output of a join may have a name twice, an object may not.
TableDescription WithDistinctNames(TableDescription table) {
  std::set<std::string> taken;
  for (Field& field : table.schema.fields) {
    const std::string base = field.name;
    for (int number = 1; !taken.insert(field.name).second; ++number) {
      field.name = fmt::format("{}_{}", base, number);
    }
  }
  return table;
}

// `options`: of the format; 'changelog.column' is kept.
Result<std::unique_ptr<Sink>> NewEncodedPrintSink(TableDescription table, Options options,
                                                  std::FILE* stream) {
  const auto changelog = table.options.find(std::string(kChangelogColumnOption));
  if (changelog != table.options.end()) options.insert(*changelog);
  table.options = std::move(options);
  OptionReader reader(table.options, "table " + table.name, table.place);
  Result<std::unique_ptr<RowEncoder>> encoder = NewRowEncoder(table, &reader);
  if (!encoder) return tl::unexpected(std::move(encoder.error()));
  return std::make_unique<EncodedPrintSink>(std::move(*encoder), stream);
}

OptionReader NewReader(const TableDescription& table) {
  OptionReader reader(table.options, "table " + table.name, table.place);
  reader.AcceptElsewhere("connector");
  reader.AcceptWithoutEffect("sink.parallelism");
  return reader;
}

}  // namespace

Result<std::unique_ptr<Source>> PrintConnector::NewSource(
    const TableDescription& table, const std::vector<int>& /*read_columns*/,
    std::vector<std::string>* /*notes*/) const {
  return FailAsSource(table, "print");
}

Result<std::unique_ptr<Sink>> PrintConnector::NewSink(const TableDescription& table,
                                                      std::vector<std::string>* notes) const {
  OptionReader reader = NewReader(table);
  const std::string identifier = reader.Text("print-identifier", "");
  std::FILE* const stream = reader.Boolean("standard-error", false) ? stderr : stdout;
  const PrintFormat format = ReadPrintFormat(stream, &reader);
  const std::optional<ChangelogColumn> changelog = ReadChangelogColumn(table, &reader);
  if (!identifier.empty() && format != PrintFormat::kRow) {
    reader.Refuse("print-identifier", "'print-identifier' needs 'print.format' = 'row'");
  }
  if (Status read = reader.Finish(notes); !read) return tl::unexpected(std::move(read.error()));
  switch (format) {
    case PrintFormat::kRow:
      return std::make_unique<PrintSink>(identifier, stream, changelog);
    case PrintFormat::kTable:
      return std::make_unique<TablePrintSink>(table.schema, stream, TakesColours(stream),
                                              changelog);
    case PrintFormat::kCsv:
      return NewEncodedPrintSink(table, {{"format", {"csv", {}}}, {"csv.header", {"true", {}}}},
                                 stream);
    case PrintFormat::kJson:
      return NewEncodedPrintSink(WithDistinctNames(table), {{"format", {"json", {}}}}, stream);
  }
  return Fail(ErrorCode::kInternal, "a way to print that nobody knows");
}

Result<std::unique_ptr<Source>> BlackholeConnector::NewSource(
    const TableDescription& table, const std::vector<int>& /*read_columns*/,
    std::vector<std::string>* /*notes*/) const {
  return FailAsSource(table, "blackhole");
}

Result<std::unique_ptr<Sink>> BlackholeConnector::NewSink(const TableDescription& table,
                                                          std::vector<std::string>* notes) const {
  OptionReader reader = NewReader(table);
  if (Status read = reader.Finish(notes); !read) return tl::unexpected(std::move(read.error()));
  return std::make_unique<BlackholeSink>();
}

}  // namespace braid
