#include "engine/plan/stored_row.h"

#include <algorithm>

#include "state/rows/key_word.h"

namespace braid {

namespace {

KeyWordKind KindOfKeys(const std::vector<ExpressionPtr>& keys,
                       const std::vector<uint8_t>& null_safe_keys) {
  std::vector<DataType> types;
  types.reserve(keys.size());
  for (const ExpressionPtr& key : keys) types.push_back(key->type);
  return KeyWordKindOf(types, null_safe_keys);
}

// Its key word is its value. Not so for floating point: -0.0 and NaN share the word of their
// equals.
bool IsWordOfValue(const DataType& type) {
  return type.is_integer() || type.is_timestamp() || type.kind == TypeKind::kDate ||
         type.kind == TypeKind::kBoolean;
}

class StoredRow {
 public:
  explicit StoredRow(JoinSidePlan* plan) : plan_(*plan) {}

  // The payload index of an expression; a plain column is stored once.
  int Store(const ExpressionPtr& expression) {
    std::vector<ExpressionPtr>& payload = plan_.payload_expressions;
    if (expression->kind == ExpressionKind::kColumn) {
      if (const int index = PayloadOf(expression->column); index >= 0) return index;
    }
    payload.push_back(expression);
    return static_cast<int>(payload.size()) - 1;
  }

  int PayloadOf(int column) const {
    const std::vector<ExpressionPtr>& payload = plan_.payload_expressions;
    for (size_t index = 0; index < payload.size(); ++index) {
      if (payload[index]->kind == ExpressionKind::kColumn && payload[index]->column == column) {
        return static_cast<int>(index);
      }
    }
    return -1;
  }

  StoredColumn Place(int column, bool word_is_key) {
    const DataType type = plan_.input.schema.fields[static_cast<size_t>(column)].type;
    if (const int index = PayloadOf(column); index >= 0) {
      return {StoredColumn::From::kPayload, index, type};
    }
    const std::vector<TimeTerm>& time = plan_.time;
    if (time.size() == 1 && time[0].column == column && time[0].offset.micros == 0) {
      return {StoredColumn::From::kTime, -1, type};
    }
    if (word_is_key && plan_.keys[0]->kind == ExpressionKind::kColumn &&
        plan_.keys[0]->column == column && IsWordOfValue(type)) {
      return {StoredColumn::From::kKeyWord, -1, type};
    }
    return {StoredColumn::From::kPayload, Store(MakeColumn(column, type)), type};
  }

 private:
  JoinSidePlan& plan_;
};

}  // namespace

void PlanStoredRow(const std::vector<bool>& needed, const std::vector<uint8_t>& null_safe_keys,
                   KeyStorage storage, JoinSidePlan* plan) {
  const bool has_keys = !plan->keys.empty();
  const bool word_is_key =
      has_keys && KindOfKeys(plan->keys, null_safe_keys) == KeyWordKind::kExact;
  StoredRow row(plan);
  if (has_keys && (!word_is_key || storage == KeyStorage::kAlways)) {
    for (const ExpressionPtr& key : plan->keys) plan->key_payload.push_back(row.Store(key));
  }
  plan->stored.assign(needed.size(), std::nullopt);
  for (size_t column = 0; column < needed.size(); ++column) {
    if (needed[column]) plan->stored[column] = row.Place(static_cast<int>(column), word_is_key);
  }
}

}  // namespace braid
