#include "tests/connectors/row_texts.h"

#include "braid/change_kind.h"
#include "braid/column_builder.h"
#include "braid/row_batch_builder.h"
#include "braid/value.h"

namespace braid {

Schema IdAndName() { return {{{"id", DataType::BigInt()}, {"name", DataType::String()}}}; }

RowBatch MakeIdAndName(const std::vector<std::pair<int64_t, std::string>>& rows) {
  ColumnBuilder ids(DataType::BigInt());
  ColumnBuilder names(DataType::String());
  for (const auto& [id, name] : rows) {
    ids.Append<int64_t>(id);
    names.AppendString(name);
  }
  return RowBatch(std::make_shared<const Schema>(IdAndName()), {ids.Finish(), names.Finish()},
                  static_cast<int64_t>(rows.size()));
}

RowBatch MakeChanges(const std::vector<IdAndNameChange>& rows) {
  RowBatchBuilder builder(IdAndName());
  for (const IdAndNameChange& row : rows) builder.AppendChange(row.kind, row.id, row.name);
  return builder.Finish();
}

std::vector<std::string> RowTexts(const RowBatch& rows) {
  std::vector<std::string> texts;
  for (int64_t row = 0; row < rows.num_rows(); ++row) {
    std::string text;
    for (const Column& column : rows.columns()) {
      text += (text.empty() ? "" : ",") + FormatValue(ValueAt(column, row));
    }
    if (rows.has_change_kinds()) {
      text = std::string(ChangeKindText(rows.change_kind(row))) + " " + text;
    }
    texts.push_back(text);
  }
  return texts;
}

std::vector<std::string> RowTexts(const std::vector<RowBatch>& batches) {
  std::vector<std::string> texts;
  for (const RowBatch& rows : batches) {
    for (std::string& text : RowTexts(rows)) texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace braid
