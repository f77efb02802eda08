#include "engine/expression/literal_list.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "engine/expression/comparison_order.h"
#include "engine/expression/physical_type.h"
#include "engine/expression/result_column.h"
#include "engine/expression/values.h"

namespace braid {

namespace {

// Up to here, comparing with each is faster than searching.
constexpr size_t kShortList = 8;

template <typename T>
T LiteralAs(const Value& value) {
  if constexpr (std::is_same_v<T, std::string_view>) {
    return value.text();
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value.floating());
  } else {
    return static_cast<T>(value.integer());
  }
}

// out[i] = whether values[i] is in `list`, which is sorted.
template <typename T, typename Values>
void Search(Values values, const std::vector<T>& list, int64_t count, uint8_t* out) {
  if (list.size() <= kShortList) {
    std::memset(out, 0, static_cast<size_t>(count));
    for (const T& candidate : list) {
      for (int64_t i = 0; i < count; ++i) {
        out[i] =
            static_cast<uint8_t>(out[i] | static_cast<uint8_t>(SqlEqual(values[i], candidate)));
      }
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    out[i] =
        static_cast<uint8_t>(std::binary_search(list.begin(), list.end(), values[i], SqlLess<T>));
  }
}

// T is the physical type, or std::string_view. The needle's node keeps the literals' nodes company,
// since texts are borrowed from them.
template <typename T>
class LiteralListNode final : public EvaluationNode {
 public:
  explicit LiteralListNode(std::vector<EvaluationNodePtr> arguments)
      : arguments_(std::move(arguments)) {
    for (size_t index = 1; index < arguments_.size(); ++index) {
      const Value& value = *arguments_[index]->literal();
      if (value.is_null()) {
        has_null_ = true;
      } else {
        list_.push_back(LiteralAs<T>(value));
      }
    }
    std::sort(list_.begin(), list_.end(), SqlLess<T>);
  }

  Operand Evaluate(const EvaluationScope& scope, RowSelection rows) const override {
    const Operand needles = arguments_[0]->Evaluate(scope, rows);
    const int64_t count = needles.constant ? 1 : rows.count;
    ResultColumn result(DataType::Boolean(), count);
    result.TakeNulls(needles);
    auto* out = result.values<uint8_t>();
    if constexpr (std::is_same_v<T, std::string_view>) {
      Search<T>(StringValues(needles.values), list_, count, out);
    } else {
      Search<T>(FixedValues<T>(needles.values), list_, count, out);
    }
    // Not found among the others: it might be the one that is NULL.
    for (int64_t i = 0; has_null_ && i < count; ++i) {
      if (out[i] == 0) result.SetNull(i);
    }
    return {result.Finish(), needles.constant};
  }

 private:
  std::vector<EvaluationNodePtr> arguments_;
  std::vector<T> list_;
  bool has_null_ = false;
};

}  // namespace

EvaluationNodePtr MakeLiteralListNode(std::vector<EvaluationNodePtr> arguments) {
  const DataType type = arguments[1]->literal()->type;
  if (type.is_variable_width()) {
    return std::make_unique<LiteralListNode<std::string_view>>(std::move(arguments));
  }
  return VisitFixedWidth(type.kind, [&arguments](auto identity) -> EvaluationNodePtr {
    using T = typename decltype(identity)::type;
    return std::make_unique<LiteralListNode<T>>(std::move(arguments));
  });
}

}  // namespace braid
