#include "engine/connectors/format/row_decoder.h"

#include "engine/connectors/format/csv_options.h"
#include "engine/connectors/format/csv_row_decoder.h"
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
    case FormatName::kCsv:
      return std::make_unique<CsvRowDecoder>(table, read_columns, ReadCsvOptions(options),
                                             *time_zone);
    case FormatName::kJson:
      return NewJsonRowDecoder(table, read_columns, ReadJsonOptions(options), *time_zone);
  }
  return Fail(ErrorCode::kInternal, "a format without a decoder");
}

}  // namespace braid
