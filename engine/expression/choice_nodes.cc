#include "engine/expression/choice_nodes.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "braid/column_builder.h"
#include "engine/expression/comparison.h"
#include "engine/expression/literal_list.h"
#include "engine/expression/result_column.h"
#include "state/rows/check.h"

namespace braid {

namespace {

using Arguments = std::vector<EvaluationNodePtr>;

// The positions of a result that are still open, and the rows that stand there.
class OpenPositions {
 public:
  OpenPositions() = default;

  explicit OpenPositions(RowSelection all)
      : all_(all),
        positions_(static_cast<size_t>(all.count)),
        rows_(static_cast<size_t>(all.count)) {
    std::iota(positions_.begin(), positions_.end(), 0);
    for (size_t i = 0; i < rows_.size(); ++i) rows_[i] = all.row(static_cast<int64_t>(i));
  }

  bool empty() const { return positions_.empty(); }
  size_t size() const { return positions_.size(); }
  int32_t position(size_t index) const { return positions_[index]; }
  // The selection that it began with, as long as nothing was taken: "all rows" is cheaper to
  // evaluate than a list of all rows.
  RowSelection rows() const {
    return static_cast<int64_t>(rows_.size()) == all_.count ? all_ : RowSelection::Of(rows_);
  }
  const std::vector<int32_t>& positions() const { return positions_; }

  // Keeps those for which keep(index) is true, and moves the others to `taken`.
  template <typename Keep>
  void Split(Keep keep, OpenPositions* taken) {
    size_t kept = 0;
    for (size_t i = 0; i < positions_.size(); ++i) {
      if (keep(i)) {
        positions_[kept] = positions_[i];
        rows_[kept] = rows_[i];
        ++kept;
      } else if (taken != nullptr) {
        taken->positions_.push_back(positions_[i]);
        taken->rows_.push_back(rows_[i]);
      }
    }
    positions_.resize(kept);
    rows_.resize(kept);
  }

 private:
  RowSelection all_;
  std::vector<int32_t> positions_;
  std::vector<int32_t> rows_;
};

// Puts a column together from parts that each give the values at some positions.
class ScatteredColumn {
 public:
  ScatteredColumn(DataType type, int64_t length)
      : type_(type), part_of_(static_cast<size_t>(length), -1), index_of_(part_of_.size(), 0) {}

  // `values` has one value for each of `positions`.
  void Put(Operand values, const std::vector<int32_t>& positions) {
    const auto part = static_cast<int32_t>(parts_.size());
    for (size_t i = 0; i < positions.size(); ++i) {
      const auto position = static_cast<size_t>(positions[i]);
      part_of_[position] = part;
      index_of_[position] = static_cast<int32_t>(values.index(static_cast<int64_t>(i)));
    }
    parts_.push_back(std::move(values.values));
  }

  // Positions that nothing was put at are NULL.
  Column Finish() const {
    if (type_.is_variable_width()) return FinishText();
    switch (type_.byte_width()) {
      case 1:
        return FinishFixed<uint8_t>();
      case 2:
        return FinishFixed<uint16_t>();
      case 4:
        return FinishFixed<uint32_t>();
      default:
        return FinishFixed<uint64_t>();
    }
  }

 private:
  template <typename Bits>
  Column FinishFixed() const {
    ResultColumn result(type_, static_cast<int64_t>(part_of_.size()));
    auto* out = result.values<Bits>();
    for (size_t i = 0; i < part_of_.size(); ++i) {
      out[i] = 0;
      const bool null =
          part_of_[i] < 0 || parts_[static_cast<size_t>(part_of_[i])].IsNull(index_of_[i]);
      if (null) {
        result.SetNull(static_cast<int64_t>(i));
        continue;
      }
      const Column& part = parts_[static_cast<size_t>(part_of_[i])];
      const auto* bytes = static_cast<const char*>(part.raw_values());
      std::memcpy(&out[i], bytes + static_cast<size_t>(index_of_[i]) * sizeof(Bits), sizeof(Bits));
    }
    return result.Finish();
  }

  Column FinishText() const {
    ColumnBuilder builder(type_);
    builder.Reserve(static_cast<int64_t>(part_of_.size()));
    for (size_t i = 0; i < part_of_.size(); ++i) {
      const bool null =
          part_of_[i] < 0 || parts_[static_cast<size_t>(part_of_[i])].IsNull(index_of_[i]);
      if (null) {
        builder.AppendNull();
      } else {
        builder.AppendString(parts_[static_cast<size_t>(part_of_[i])].String(index_of_[i]));
      }
    }
    return builder.Finish();
  }

  DataType type_;
  std::vector<int32_t> part_of_;
  std::vector<int32_t> index_of_;
  std::vector<Column> parts_;
};

bool ValueOf(const Operand& operand, size_t position) {
  const int64_t index = operand.index(static_cast<int64_t>(position));
  return operand.values.Values<uint8_t>()[static_cast<size_t>(index)] != 0;
}

// Removes from `rows` those that `removed` has; `removed` is a part of `rows` in the same order.
void RemoveRows(const std::vector<int32_t>& removed, std::vector<int32_t>* rows) {
  size_t next = 0;
  size_t kept = 0;
  for (const int32_t row : *rows) {
    const bool is_removed = next < removed.size() && removed[next] == row;
    (*rows)[kept] = row;
    next += static_cast<size_t>(is_removed);
    kept += static_cast<size_t>(!is_removed);
  }
  rows->resize(kept);
}

class LogicNode final : public EvaluationNode {
 public:
  LogicNode(bool is_and, Arguments arguments) : is_and_(is_and), arguments_(std::move(arguments)) {}

  // A position stays open until an argument decides it: FALSE for AND, TRUE for OR.
  Operand Evaluate(const EvaluationScope& scope, RowSelection rows) const override {
    ResultColumn result(DataType::Boolean(), rows.count);
    auto* out = result.values<uint8_t>();
    std::memset(out, is_and_ ? 1 : 0, static_cast<size_t>(rows.count));
    std::vector<uint8_t> unknown(static_cast<size_t>(rows.count), 0);
    OpenPositions open(rows);
    for (const EvaluationNodePtr& argument : arguments_) {
      if (open.empty()) break;
      const Operand values = argument->Evaluate(scope, open.rows());
      open.Split(
          [&](size_t i) {
            const auto position = static_cast<size_t>(open.position(i));
            if (values.IsNull(static_cast<int64_t>(i))) {
              unknown[position] = 1;
              return true;
            }
            if (ValueOf(values, i) == is_and_) return true;
            out[position] = is_and_ ? 0 : 1;
            unknown[position] = 0;
            return false;
          },
          nullptr);
    }
    for (size_t position = 0; position < unknown.size(); ++position) {
      if (unknown[position] != 0) result.SetNull(static_cast<int64_t>(position));
    }
    return {result.Finish(), false};
  }

  void Filter(const EvaluationScope& scope, std::vector<int32_t>* rows) const override {
    if (is_and_) {
      for (const EvaluationNodePtr& argument : arguments_) {
        if (rows->empty()) return;
        argument->Filter(scope, rows);
      }
      return;
    }
    std::vector<int32_t> undecided = *rows;
    for (const EvaluationNodePtr& argument : arguments_) {
      if (undecided.empty()) return;
      std::vector<int32_t> passing = undecided;
      argument->Filter(scope, &passing);
      RemoveRows(passing, &undecided);
    }
    RemoveRows(undecided, rows);
  }

 private:
  bool is_and_;
  Arguments arguments_;
};

class CaseNode final : public EvaluationNode {
 public:
  CaseNode(DataType type, Arguments arguments) : type_(type), arguments_(std::move(arguments)) {}

  Operand Evaluate(const EvaluationScope& scope, RowSelection rows) const override {
    ScatteredColumn result(type_, rows.count);
    OpenPositions open(rows);
    const size_t last = arguments_.size() - 1;
    for (size_t index = 0; index < last && !open.empty(); index += 2) {
      const Operand conditions = arguments_[index]->Evaluate(scope, open.rows());
      OpenPositions chosen;
      open.Split(
          [&](size_t i) {
            return conditions.IsNull(static_cast<int64_t>(i)) || !ValueOf(conditions, i);
          },
          &chosen);
      Put(scope, index + 1, chosen, &result);
    }
    Put(scope, last, open, &result);
    return {result.Finish(), false};
  }

 private:
  void Put(const EvaluationScope& scope, size_t index, const OpenPositions& where,
           ScatteredColumn* result) const {
    if (where.empty()) return;
    result->Put(arguments_[index]->Evaluate(scope, where.rows()), where.positions());
  }

  DataType type_;
  Arguments arguments_;
};

class CoalesceNode final : public EvaluationNode {
 public:
  CoalesceNode(DataType type, Arguments arguments)
      : type_(type), arguments_(std::move(arguments)) {}

  Operand Evaluate(const EvaluationScope& scope, RowSelection rows) const override {
    Operand first = arguments_[0]->Evaluate(scope, rows);
    if (first.values.null_count() == 0) return first;
    ScatteredColumn result(type_, rows.count);
    OpenPositions open(rows);
    for (size_t index = 0; index < arguments_.size() && !open.empty(); ++index) {
      Operand values =
          // NOLINTNEXTLINE(bugprone-use-after-move): moved from in the first round alone.
          index == 0 ? std::move(first) : arguments_[index]->Evaluate(scope, open.rows());
      const std::vector<int32_t> positions = open.positions();
      open.Split([&values](size_t i) { return values.IsNull(static_cast<int64_t>(i)); }, nullptr);
      result.Put(std::move(values), positions);
    }
    return {result.Finish(), false};
  }

 private:
  DataType type_;
  Arguments arguments_;
};

class InNode final : public EvaluationNode {
 public:
  explicit InNode(Arguments arguments) : arguments_(std::move(arguments)) {}

  // A candidate is only compared where none before it was equal.
  Operand Evaluate(const EvaluationScope& scope, RowSelection rows) const override {
    const Operand needles = arguments_[0]->Evaluate(scope, rows);
    ResultColumn result(DataType::Boolean(), rows.count);
    auto* out = result.values<uint8_t>();
    std::memset(out, 0, static_cast<size_t>(rows.count));
    std::vector<uint8_t> unknown(static_cast<size_t>(rows.count), 0);
    OpenPositions open(rows);
    for (size_t index = 1; index < arguments_.size() && !open.empty(); ++index) {
      const bool all = open.size() == static_cast<size_t>(rows.count);
      const Operand pair[2] = {
          all || needles.constant ? needles : Operand{Gather(needles.values, open.positions())},
          arguments_[index]->Evaluate(scope, open.rows())};
      const bool one_value = pair[0].constant && pair[1].constant;
      const auto count = static_cast<int64_t>(open.size());
      const Operand equal = {
          Compare(Operation::kEqual, {DataType::Boolean(), pair, one_value ? 1 : count}),
          one_value};
      open.Split(
          [&](size_t i) {
            const auto position = static_cast<size_t>(open.position(i));
            const bool null = equal.IsNull(static_cast<int64_t>(i));
            const bool found = !null && ValueOf(equal, i);
            if (null) unknown[position] = 1;
            if (found) unknown[position] = 0;
            if (found) out[position] = 1;
            return !found;
          },
          nullptr);
    }
    for (size_t position = 0; position < unknown.size(); ++position) {
      if (unknown[position] != 0) result.SetNull(static_cast<int64_t>(position));
    }
    return {result.Finish(), false};
  }

 private:
  Arguments arguments_;
};

}  // namespace

EvaluationNodePtr MakeLogicNode(Operation operation, Arguments arguments) {
  return std::make_unique<LogicNode>(operation == Operation::kAnd, std::move(arguments));
}

EvaluationNodePtr MakeCaseNode(DataType type, Arguments arguments) {
  return std::make_unique<CaseNode>(type, std::move(arguments));
}

EvaluationNodePtr MakeCoalesceNode(DataType type, Arguments arguments) {
  return std::make_unique<CoalesceNode>(type, std::move(arguments));
}

EvaluationNodePtr MakeInNode(Arguments arguments) {
  const bool literals = std::all_of(
      arguments.begin() + 1, arguments.end(),
      [](const EvaluationNodePtr& candidate) { return candidate->literal() != nullptr; });
  if (literals) return MakeLiteralListNode(std::move(arguments));
  return std::make_unique<InNode>(std::move(arguments));
}

}  // namespace braid
