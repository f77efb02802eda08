#include "engine/connectors/filesystem_connector.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <cstdio>
#include <utility>

#include "engine/connectors/encoded_print_sink.h"
#include "engine/connectors/file_location.h"
#include "engine/connectors/file_sink.h"
#include "engine/connectors/file_source.h"
#include "engine/connectors/filesystem_options.h"
#include "engine/connectors/finish_options.h"
#include "engine/connectors/format/row_decoder.h"
#include "engine/connectors/format/row_encoder.h"
#include "engine/connectors/standard_input_source.h"

namespace braid {

namespace {

EventTime TimeOfDay() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::microseconds>(since_epoch).count()};
}

void Warn(const std::string& message) { spdlog::warn("{}", message); }

// Stands behind an error in the data of a table that nobody declared.
std::string HintFor(const TableDescription& table) {
  if (!table.is_guessed) return {};
  return fmt::format(
      "; the columns of {} were guessed from the beginning of the input: declare the "
      "table (the CREATE TABLE that was printed, changed) to say what they are",
      table.name);
}

// Options that say how to find and follow files mean nothing for '-'.
void RefuseForStandardInput(OptionReader* reader) {
  for (const char* name : {"source.monitor-interval", "source.path.regex-pattern",
                           "source.max-files-per-trigger", "bad-records-path"}) {
    if (reader->Has(name)) {
      reader->Refuse(name, fmt::format("'{}' is for files; 'path' = '-' is standard input", name));
    }
  }
}

OptionReader NewReader(const TableDescription& table) {
  return {table.options, "table " + table.name, table.place};
}

// What records look like follows from this; so may more than that.
std::string LayoutOf(const TableDescription& table) {
  std::string layout = fmt::format("{}\n{}", table.schema.ToString(), table.time_zone);
  for (const auto& [name, option] : table.options) {
    const bool is_of_folder = name == "path" || name.starts_with("sink.");
    if (!is_of_folder) layout += fmt::format("\n{}={}", name, option.value);
  }
  return layout;
}

}  // namespace

// `use` as NewPosixFileOperations says.
std::shared_ptr<FileOperations> FilesystemConnector::Operations(std::string_view use) const {
  return operations_ == nullptr ? NewPosixFileOperations(use) : operations_;
}

Result<std::unique_ptr<Source>> FilesystemConnector::NewSource(
    const TableDescription& table, const std::vector<int>& read_columns,
    std::vector<std::string>* notes) const {
  OptionReader reader = NewReader(table);
  FilesystemOptions read = ReadFilesystemOptions(&reader);
  Result<std::unique_ptr<RowDecoder>> decoder = NewRowDecoder(table, read_columns, &reader);
  if (read.path == kStandardStreamPath) RefuseForStandardInput(&reader);
  Result<FileFinder> finder = FileFinder::Create(read.path, read.path_regex);
  if (!finder) reader.Refuse("source.path.regex-pattern", finder.error().message);
  if (Status finished = FinishOptions(decoder, &reader, notes); !finished) {
    return tl::unexpected(std::move(finished.error()));
  }

  if (read.path == kStandardStreamPath) {
    if (standard_input_ == nullptr || !standard_input_->Claim()) {
      return Fail(
          ErrorCode::kInvalidQuery,
          fmt::format("table {}: standard input can be read once, by one table", table.name),
          table.place);
    }
    StandardInputSource::Options options;
    options.trigger_limits = read.trigger_limits;
    options.hint = HintFor(table);
    options.warn = Warn;
    return std::make_unique<StandardInputSource>(std::move(options), standard_input_,
                                                 std::move(*decoder));
  }

  FileSource::Options options;
  options.table = table.name;
  options.place = table.place;
  options.hint = HintFor(table);
  options.monitor_interval = read.monitor_interval;
  options.settle_time = read.settle_time;
  options.trigger_limits = read.trigger_limits;
  options.ignore_missing_files = read.ignore_missing_files;
  options.bad_records_folder = read.bad_records_folder;
  options.now = TimeOfDay;
  options.warn = Warn;
  return std::make_unique<FileSource>(std::move(options), std::move(*finder), std::move(*decoder),
                                      Operations("list"));
}

Result<std::unique_ptr<Sink>> FilesystemConnector::NewSink(const TableDescription& table,
                                                           std::vector<std::string>* notes) const {
  OptionReader reader = NewReader(table);
  FilesystemOptions read = ReadFilesystemOptions(&reader);
  Result<std::unique_ptr<RowEncoder>> encoder = NewRowEncoder(table, &reader);
  if (IsPattern(read.path)) {
    reader.Refuse("path", fmt::format("'path' = '{}' is a pattern; a table that is written needs "
                                      "the path of a folder",
                                      read.path));
  }
  if (Status finished = FinishOptions(encoder, &reader, notes); !finished) {
    return tl::unexpected(std::move(finished.error()));
  }
  if (read.path == kStandardStreamPath) {
    return std::make_unique<EncodedPrintSink>(std::move(*encoder), stdout);
  }
  FileSink::Options options;
  options.path = read.path;
  while (options.path.size() > 1 && options.path.back() == '/') options.path.pop_back();
  const std::string format = reader.Text("format", "");
  options.extension = format == "debezium-json" ? "json" : format;
  options.overwrite = read.overwrite;
  options.file_size_min = read.file_size_min;
  options.layout = LayoutOf(table);
  return std::make_unique<FileSink>(std::move(options), std::move(*encoder), Operations("sink"));
}

}  // namespace braid
