// The options of a filesystem table, but for those of its format. A table may be read and written,
// so that the options of both sides are known on both.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "braid/source.h"
#include "braid/time.h"
#include "engine/connectors/option_reader.h"

namespace braid {

struct FilesystemOptions {
  // What one trigger takes from a table unless it says otherwise: about 100,000 rows of 40 bytes. A
  // batch of that size stays in the cache and is long enough for its commit to cost little.
  static constexpr int64_t kBytesPerTrigger = int64_t{4} << 20;

  std::string path;  // Local (file_location.h).
  std::string path_regex;
  std::optional<Interval> monitor_interval;
  Interval settle_time;
  TriggerLimits trigger_limits;
  bool ignore_missing_files = false;
  std::string bad_records_folder;
  bool overwrite = false;
  int64_t file_size_min = 0;
};

// Option errors are kept in `reader`.
FilesystemOptions ReadFilesystemOptions(OptionReader* reader);

}  // namespace braid
