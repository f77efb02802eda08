#include "engine/connectors/format/row_encoder.h"

#include <utility>

#include "engine/connectors/format/changelog_column.h"
#include "engine/connectors/format/csv_options.h"
#include "engine/connectors/format/csv_row_encoder.h"
#include "engine/connectors/format/debezium_options.h"
#include "engine/connectors/format/format_name.h"
#include "engine/connectors/format/json_options.h"
#include "engine/connectors/format/json_row_encoder.h"
#include "engine/connectors/option_reader.h"

namespace braid {

namespace {

// Writes the kinds of rows into the column that 'changelog.column' names.
class ChangelogRowEncoder final : public RowEncoder {
 public:
  // `encoder`: of the columns as they stand in the data.
  ChangelogRowEncoder(ChangelogColumn column, std::unique_ptr<RowEncoder> encoder)
      : column_(std::move(column)), encoder_(std::move(encoder)) {}

  bool takes_changes() const override { return true; }
  void AppendHeader(std::string* bytes) const override { encoder_->AppendHeader(bytes); }
  Status Encode(const RowBatch& rows, std::string* bytes) const override {
    return encoder_->Encode(ShowChangeKinds(rows, column_), bytes);
  }

 private:
  const ChangelogColumn column_;
  const std::unique_ptr<RowEncoder> encoder_;
};

Result<std::unique_ptr<RowEncoder>> NewFormatEncoder(FormatName format,
                                                     const TableDescription& table,
                                                     OptionReader* options) {
  switch (format) {
    case FormatName::kCsv:
      return std::make_unique<CsvRowEncoder>(table, ReadCsvOptions(options));
    case FormatName::kJson:
      return NewJsonRowEncoder(table, ReadJsonOptions(options));
    case FormatName::kDebeziumJson: {
      const DebeziumOptions debezium = ReadDebeziumOptions(options);
      if (debezium.schema_include) {
        options->Refuse("debezium-json.schema-include",
                        "records are written without a schema, as in Flink: leave out "
                        "'debezium-json.schema-include' of a table that is written");
      }
      return NewDebeziumRowEncoder(table, debezium.json);
    }
  }
  return Fail(ErrorCode::kInternal, "a format without an encoder");
}

}  // namespace

Result<std::unique_ptr<RowEncoder>> NewRowEncoder(const TableDescription& table,
                                                  OptionReader* options) {
  const Result<FormatName> format = ReadFormatName(table, options);
  if (!format) return tl::unexpected<Error>(format.error());
  const std::optional<ChangelogColumn> changelog =
      *format == FormatName::kDebeziumJson ? std::nullopt : ReadChangelogColumn(table, options);
  if (!changelog) return NewFormatEncoder(*format, table, options);
  TableDescription data = table;
  data.schema = WithChangelogColumn(table.schema, *changelog);
  Result<std::unique_ptr<RowEncoder>> encoder = NewFormatEncoder(*format, data, options);
  if (!encoder) return encoder;
  return std::make_unique<ChangelogRowEncoder>(*changelog, std::move(*encoder));
}

}  // namespace braid
