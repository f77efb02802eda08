#include "engine/plan/change_flow.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <string>

#include "engine/plan/interval_text.h"
#include "engine/plan/outer_join.h"

namespace braid {

namespace {

// Walks a tree from left to right.
class ChangeFlow {
 public:
  explicit ChangeFlow(const std::vector<bool>& table_gives_changes)
      : table_gives_changes_(table_gives_changes) {}

  // Where rows that are taken back come from, in words; empty: none are.
  std::string Of(const StreamPlan& plan) {
    return plan.join ? OfJoin(*plan.join) : OfInput(*plan.single);
  }

  const Status& refusal() const { return refusal_; }

 private:
  std::string OfInput(const InputPlan& input) {
    if (input.query != nullptr) return Of(*input.query);
    const size_t table = next_table_++;
    if (table >= table_gives_changes_.size() || !table_gives_changes_[table]) return "";
    return fmt::format("table {} gives changes (-U, +U and -D rows)",
                       FormatName(input.table->name));
  }

  std::string OfJoin(const JoinPlan& join) {
    const InputPlan& left = join.side(Side::kLeft).input;
    const InputPlan& right = join.side(Side::kRight).input;
    const std::array<std::string, 2> inputs = {OfInput(left), OfInput(right)};
    const std::string names =
        fmt::format("{} and {}", FormatName(left.alias), FormatName(right.alias));
    if (join.per_record && !join.per_record->is_interval()) {
      for (const std::string& origin : inputs) {
        if (!origin.empty()) return origin;
      }
      // An inner or a semi join of rows that stay adds rows only; padding, and the row of an anti
      // join, goes when a partner comes.
      if (!Pads(join.type, Side::kLeft) && !Pads(join.type, Side::kRight)) return "";
      return fmt::format("the {} JOIN of {}, a regular join, takes rows back when partners come",
                         JoinTypeName(join.type), names);
    }
    for (const std::string& origin : inputs) {
      if (!origin.empty()) Refuse(join, names, origin);
    }
    return "";
  }

  // The first refusal stays.
  void Refuse(const JoinPlan& join, const std::string& names, const std::string& origin) {
    if (!refusal_) return;
    const std::string what =
        join.per_record
            ? fmt::format("the {} of {}", PerRecordOperatorName(join.per_record->chosen), names)
            : fmt::format("in micro-batch mode the join of {}", names);
    refusal_ =
        Fail(ErrorCode::kInvalidQuery,
             fmt::format("{} takes rows that are added only, but {}; a regular join, without "
                         "time bounds and in per-record mode, takes changes",
                         what, origin));
  }

  const std::vector<bool>& table_gives_changes_;
  size_t next_table_ = 0;
  Status refusal_;
};

}  // namespace

bool MayRetract(const StreamPlan& plan, const std::vector<bool>& table_gives_changes) {
  return !ChangeFlow(table_gives_changes).Of(plan).empty();
}

Status CheckChangeFlow(const StreamPlan& plan, const std::vector<bool>& table_gives_changes) {
  ChangeFlow flow(table_gives_changes);
  flow.Of(plan);
  return flow.refusal();
}

}  // namespace braid
