#include "engine/connectors/datagen_connector.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/connectors/datagen_source.h"
#include "engine/connectors/generated_field.h"
#include "engine/connectors/option_reader.h"

namespace braid {

namespace {

constexpr int64_t kRowsPerSecondMax = 1'000'000'000;

std::chrono::nanoseconds SteadyNow() { return std::chrono::steady_clock::now().time_since_epoch(); }

}  // namespace

Result<std::unique_ptr<Source>> DatagenConnector::NewSource(const TableDescription& table,
                                                            const std::vector<int>& read_columns,
                                                            std::vector<std::string>* notes) const {
  OptionReader reader(table.options, "table " + table.name, table.place);
  reader.AcceptElsewhere("connector");
  reader.Alias("maxBytesPerTrigger", "source.max-bytes-per-trigger");
  DatagenSource::Options options;
  options.table = table.name;
  options.now = SteadyNow;
  options.rows_per_second =
      reader.Integer("rows-per-second", options.rows_per_second, 1, kRowsPerSecondMax);
  if (reader.Has("number-of-rows")) options.num_rows = reader.Integer("number-of-rows", 0, 0);
  options.trigger_bytes_max =
      reader.Size("source.max-bytes-per-trigger", options.trigger_bytes_max);
  const auto seed = static_cast<uint64_t>(reader.Integer("seed", 0));
  const Interval row_interval = {std::max<int64_t>(1, 1'000'000 / options.rows_per_second)};

  std::vector<GeneratedField> fields;
  for (size_t column = 0; column < table.schema.fields.size(); ++column) {
    // Far apart, so that no two columns have the same numbers.
    const uint64_t column_seed = seed * 0x9E3779B97F4A7C15U + (column + 1) * 0xD1B54A32D192ED03U;
    fields.push_back(ReadGeneratedField(&reader, table.schema.fields[column],
                                        table.not_null[column] != 0, column_seed, row_interval));
    if (const std::optional<int64_t> rows = fields.back().num_rows) {
      options.num_rows = std::min(options.num_rows.value_or(*rows), *rows);
    }
  }
  reader.AcceptWithoutEffect("scan.parallelism");
  if (Status finished = reader.Finish(notes); !finished) {
    return tl::unexpected(std::move(finished.error()));
  }
  Schema schema;
  std::vector<GeneratedField> read_fields;
  for (const int column : read_columns) {
    schema.fields.push_back(table.schema.fields[static_cast<size_t>(column)]);
    read_fields.push_back(fields[static_cast<size_t>(column)]);
  }
  return std::make_unique<DatagenSource>(std::move(options),
                                         std::make_shared<const Schema>(std::move(schema)),
                                         std::move(read_fields));
}

Result<std::unique_ptr<Sink>> DatagenConnector::NewSink(const TableDescription& table,
                                                        std::vector<std::string>* /*notes*/) const {
  return Fail(ErrorCode::kInvalidOption,
              fmt::format("table {}: 'connector' = 'datagen' makes rows and takes none; write to "
                          "'blackhole' or 'print'",
                          table.name),
              table.place);
}

}  // namespace braid
