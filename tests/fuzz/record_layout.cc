#include "tests/fuzz/record_layout.h"

namespace braid {

const SideLayout& FuzzedLayout() {
  static const SideLayout layout = [] {
    SideLayout made;
    made.name = "clicks";
    made.has_time = true;
    made.payload.fields = {
        {"i", DataType::Int()},     {"d", DataType::Double()},       {"s", DataType::String()},
        {"b", DataType::Boolean()}, {"n", DataType::Decimal(18, 2)}, {"ts", DataType::Timestamp(3)},
    };
    made.key = {"k", DataType::BigInt()};
    made.time = {"ts", DataType::Timestamp(3)};
    return made;
  }();
  return layout;
}

}  // namespace braid
