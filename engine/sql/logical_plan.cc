#include "engine/sql/logical_plan.h"

namespace braid {

Schema TableDefinition::schema() const {
  Schema schema;
  schema.fields.reserve(columns.size());
  for (const ColumnDefinition& column : columns) {
    schema.fields.push_back({column.name, column.type});
  }
  return schema;
}

std::vector<int> TableDefinition::physical_columns() const {
  std::vector<int> physical;
  for (size_t index = 0; index < columns.size(); ++index) {
    if (columns[index].computed == nullptr) physical.push_back(static_cast<int>(index));
  }
  return physical;
}

Schema TableDefinition::physical_schema() const {
  Schema schema;
  for (const ColumnDefinition& column : columns) {
    if (column.computed == nullptr) schema.fields.push_back({column.name, column.type});
  }
  return schema;
}

const char* JoinTypeName(JoinType type) {
  switch (type) {
    case JoinType::kInner:
      return "INNER";
    case JoinType::kLeft:
      return "LEFT OUTER";
    case JoinType::kRight:
      return "RIGHT OUTER";
    case JoinType::kFull:
      return "FULL OUTER";
    case JoinType::kLeftSemi:
      return "LEFT SEMI";
    case JoinType::kLeftAnti:
      return "LEFT ANTI";
  }
  return "?";
}

}  // namespace braid
