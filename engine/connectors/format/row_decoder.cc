#include "engine/connectors/format/row_decoder.h"

#include "engine/connectors/format/changelog_column.h"
#include "engine/connectors/format/csv_options.h"
#include "engine/connectors/format/csv_row_decoder.h"
#include "engine/connectors/format/debezium_options.h"
#include "engine/connectors/format/debezium_row_decoder.h"
#include "engine/connectors/format/format_name.h"
#include "engine/connectors/format/json_options.h"
#include "engine/connectors/format/json_row_decoder.h"
#include "engine/connectors/option_reader.h"
#include "state/rows/time_zone.h"

namespace braid {

Result<std::unique_ptr<RowDecoder>> NewRowDecoder(const TableDescription& table,
                                                  const std::vector<int>& read_columns,
                                                  OptionReader* options) {
  const Result<FormatName> format = ReadFormatName(table, options);
  if (!format) return tl::unexpected<Error>(format.error());
  const Result<TimeZonePtr> time_zone = TimeZone::Find(table.time_zone);
  if (!time_zone) return tl::unexpected<Error>(time_zone.error());
  switch (*format) {
    case FormatName::kCsv: {
      const CsvOptions csv = ReadCsvOptions(options);
      return std::make_unique<CsvRowDecoder>(table, read_columns, csv, *time_zone, BestCsvKernels(),
                                             ReadChangelogColumn(table, options));
    }
    case FormatName::kJson: {
      const JsonOptions json = ReadJsonOptions(options);
      return NewJsonRowDecoder(table, read_columns, json, *time_zone,
                               ReadChangelogColumn(table, options));
    }
    case FormatName::kDebeziumJson:
      return NewDebeziumRowDecoder(table, read_columns, ReadDebeziumOptions(options), *time_zone);
  }
  return Fail(ErrorCode::kInternal, "a format without a decoder");
}

}  // namespace braid
