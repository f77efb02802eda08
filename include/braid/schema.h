// Names and types of a row's columns, in order. Names may repeat (the output of a join).
//
// Thread rule: immutable after it is built; share by const reference or shared_ptr.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "braid/data_type.h"
#include "braid/export.h"

namespace braid {

struct Field {
  std::string name;
  DataType type;

  friend bool operator==(const Field&, const Field&) = default;
};

struct BRAID_EXPORT Schema {
  std::vector<Field> fields;

  int num_columns() const { return static_cast<int>(fields.size()); }

  // The first column of exactly this name.
  std::optional<int> IndexOf(std::string_view name) const;

  // "id BIGINT, ts TIMESTAMP(3)"
  std::string ToString() const;

  friend bool operator==(const Schema&, const Schema&) = default;
};

}  // namespace braid
