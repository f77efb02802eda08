// The shape of a line of JSON: an object with certain names in a certain order, whose values are
// numbers. Lines mostly have the shape of the line before; such a line is compared with it and its
// numbers are read, which takes a fraction of the time of a parser.
//
// A line that fits is valid JSON, and what is read from it is what the parser would give; a line
// that does not fit may be anything.
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "braid/data_type.h"

namespace braid {

class JsonLineShape {
 public:
  // Bytes that Read may read behind a line.
  static constexpr size_t kReadableBehind = 24;

  // The value of one column, byte_width() bytes of it.
  struct alignas(8) Value {
    char bytes[8] = {};
  };

  // One type a column that is read.
  explicit JsonLineShape(std::vector<DataType> types) : types_(std::move(types)) {}

  // Takes over the shape of `line`; without one if it has another form or a column that is read has
  // not exactly one value. `column_of`: the column that a name leads to, -1 for none.
  // REQUIRES: the line is one JSON object.
  void Learn(std::string_view line, const std::function<int(std::string_view)>& column_of);

  // True if the line has the shape: then *values has the value of each column.
  // REQUIRES: one value a column.
  bool Read(std::string_view line, std::vector<Value>* values) const;

  bool is_known() const { return !slots_.empty(); }

 private:
  // A number and what stands before it.
  struct Slot {
    std::string before;
    int column = -1;
    TypeKind kind = TypeKind::kNull;  // kNull: any number.
  };

  bool TakeSlots(std::string_view line, const std::function<int(std::string_view)>& column_of);
  static bool ReadSlot(TypeKind kind, const char** at, char* value);

  std::vector<DataType> types_;
  std::vector<Slot> slots_;
  std::string behind_;  // What stands behind the last number.
};

}  // namespace braid
