#include "engine/connectors/format/row_encoder.h"

#include "engine/connectors/format/csv_options.h"
#include "engine/connectors/format/csv_row_encoder.h"
#include "engine/connectors/format/format_name.h"
#include "engine/connectors/format/json_options.h"
#include "engine/connectors/format/json_row_encoder.h"

namespace braid {

Result<std::unique_ptr<RowEncoder>> NewRowEncoder(const TableDescription& table,
                                                  OptionReader* options) {
  const Result<FormatName> format = ReadFormatName(table, options);
  if (!format) return tl::unexpected<Error>(format.error());
  switch (*format) {
    case FormatName::kCsv:
      return std::make_unique<CsvRowEncoder>(table, ReadCsvOptions(options));
    case FormatName::kJson:
      return NewJsonRowEncoder(table, ReadJsonOptions(options));
  }
  return Fail(ErrorCode::kInternal, "a format without an encoder");
}

}  // namespace braid
