#include "engine/connectors/filesystem_options.h"

#include <utility>

#include "engine/connectors/file_location.h"

namespace braid {

namespace {

// Options of Flink and Spark for things that are done otherwise here, or not needed.
constexpr std::string_view kWithoutEffect[] = {
    "auto-compaction",
    "compaction.*",
    "decode.json-parser.enabled",
    "json.decode.json-parser.enabled",
    "partition.default-name",
    "partition.time-extractor.*",
    "scan.parallelism",
    "sink.parallelism",
    "sink.partition-commit.*",
    "sink.rolling-policy.*",
    "sink.shuffle-by-partition.enable",
    "source.report-statistics",
};

std::string ReadPath(OptionReader* reader) {
  const std::string text = reader->RequiredText("path");
  Result<std::string> path = LocalPath(text);
  if (path) return std::move(*path);
  reader->Refuse("path", path.error().message);
  return {};
}

}  // namespace

FilesystemOptions ReadFilesystemOptions(OptionReader* reader) {
  reader->AcceptElsewhere("connector");
  reader->Alias("maxFilesPerTrigger", "source.max-files-per-trigger");
  reader->Alias("maxBytesPerTrigger", "source.max-bytes-per-trigger");
  reader->Alias("ignoreMissingFiles", "source.ignore-missing-files");
  reader->Alias("badRecordsPath", "bad-records-path");
  FilesystemOptions options;
  options.path = ReadPath(reader);
  options.path_regex = reader->Text("source.path.regex-pattern", "");
  options.monitor_interval = reader->OptionalDuration("source.monitor-interval");
  options.settle_time = reader->Duration("source.settle-time", Seconds(5));
  options.trigger_limits.files_max = reader->Integer("source.max-files-per-trigger", 0, 1);
  options.trigger_limits.bytes_max =
      reader->Size("source.max-bytes-per-trigger", FilesystemOptions::kBytesPerTrigger);
  options.ignore_missing_files = reader->Boolean("source.ignore-missing-files", false);
  options.bad_records_folder = reader->Text("bad-records-path", "");
  options.overwrite =
      reader->Choice<bool>("sink.existing", false, {{"refuse", false}, {"overwrite", true}});
  options.file_size_min = reader->Size("sink.min-file-size", 0, 0);
  for (const std::string_view pattern : kWithoutEffect) reader->AcceptWithoutEffect(pattern);
  return options;
}

}  // namespace braid
