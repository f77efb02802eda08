#include "engine/connectors/filesystem_connector.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <utility>

#include "engine/connectors/file_location.h"
#include "engine/connectors/file_sink.h"
#include "engine/connectors/file_source.h"
#include "engine/connectors/filesystem_options.h"
#include "engine/connectors/finish_options.h"
#include "engine/connectors/format/row_decoder.h"
#include "engine/connectors/format/row_encoder.h"

namespace braid {

namespace {

EventTime TimeOfDay() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::microseconds>(since_epoch).count()};
}

void Warn(const std::string& message) { spdlog::warn("{}", message); }

OptionReader NewReader(const TableDescription& table) {
  return {table.options, "table " + table.name, table.place};
}

}  // namespace

Result<std::unique_ptr<Source>> FilesystemConnector::NewSource(
    const TableDescription& table, const std::vector<int>& read_columns,
    std::vector<std::string>* notes) const {
  OptionReader reader = NewReader(table);
  FilesystemOptions read = ReadFilesystemOptions(&reader);
  Result<std::unique_ptr<RowDecoder>> decoder = NewRowDecoder(table, read_columns, &reader);
  Result<FileFinder> finder = FileFinder::Create(read.path, read.path_regex);
  if (!finder) reader.Refuse("source.path.regex-pattern", finder.error().message);
  if (Status finished = FinishOptions(decoder, &reader, notes); !finished) {
    return tl::unexpected(std::move(finished.error()));
  }

  FileSource::Options options;
  options.table = table.name;
  options.monitor_interval = read.monitor_interval;
  options.settle_time = read.settle_time;
  options.trigger_limits = read.trigger_limits;
  options.ignore_missing_files = read.ignore_missing_files;
  options.bad_records_folder = read.bad_records_folder;
  options.now = TimeOfDay;
  options.warn = Warn;
  return std::make_unique<FileSource>(std::move(options), std::move(*finder), std::move(*decoder),
                                      NewPosixFileOperations());
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
  FileSink::Options options;
  options.path = read.path;
  while (options.path.size() > 1 && options.path.back() == '/') options.path.pop_back();
  options.extension = reader.Text("format", "");
  options.overwrite = read.overwrite;
  return std::make_unique<FileSink>(std::move(options), std::move(*encoder),
                                    NewPosixFileOperations());
}

}  // namespace braid
