// For random input: an interval join without late rows gives the rows of a nested-loop join over
// everything and leaves no state; the changelog of a regular join, applied in order, is the
// nested-loop join of what has come so far, at every prefix.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "braid/column_builder.h"
#include "engine/perrecord/per_record_join.h"
#include "engine/sql/parser.h"

namespace braid {
namespace {

struct Row {
  std::optional<int64_t> id;
  int64_t time_ms = 0;
  int64_t value = 0;

  bool operator==(const Row&) const = default;
};

struct Record {
  Side side = Side::kLeft;
  Row row;
  ChangeKind kind = ChangeKind::kInsert;
};

std::string Text(const Row* row) {
  if (row == nullptr) return "- - -";
  return fmt::format("{} {} {}", row->id ? fmt::format("{}", *row->id) : "-", row->time_ms,
                     row->value);
}

// Counts of rows as text; applying a change adds or takes one.
using Bag = std::map<std::string, int64_t>;

void Change(const std::string& row, int64_t count, Bag* bag) {
  int64_t& place = (*bag)[row];
  place += count;
  if (place == 0) bag->erase(row);
}

template <typename Matches>
Bag NestedLoopJoin(JoinType type, const std::vector<Row>& left, const std::vector<Row>& right,
                   const Matches& matches) {
  Bag bag;
  const bool left_only = type == JoinType::kLeftSemi || type == JoinType::kLeftAnti;
  std::vector<bool> right_matched(right.size(), false);
  for (const Row& l : left) {
    bool matched = false;
    for (size_t r = 0; r < right.size(); ++r) {
      if (!matches(l, right[r])) continue;
      matched = right_matched[r] = true;
      if (!left_only) Change(Text(&l) + " | " + Text(&right[r]), 1, &bag);
    }
    if (left_only && matched == (type == JoinType::kLeftSemi)) Change(Text(&l), 1, &bag);
    const bool pads = type == JoinType::kLeft || type == JoinType::kFull;
    if (!matched && pads) Change(Text(&l) + " | " + Text(nullptr), 1, &bag);
  }
  for (size_t r = 0; r < right.size(); ++r) {
    const bool pads = type == JoinType::kRight || type == JoinType::kFull;
    if (!right_matched[r] && pads) Change(Text(nullptr) + " | " + Text(&right[r]), 1, &bag);
  }
  return bag;
}

const std::vector<std::pair<JoinType, std::string>> kTypes = {
    {JoinType::kInner, "JOIN"},
    {JoinType::kLeft, "LEFT JOIN"},
    {JoinType::kRight, "RIGHT JOIN"},
    {JoinType::kFull, "FULL JOIN"},
    {JoinType::kLeftSemi, "LEFT SEMI JOIN"},
    {JoinType::kLeftAnti, "LEFT ANTI JOIN"}};

// One join over the tables l and r (id, ts, v), and what it has given.
class Run final : public JoinOutput {
 public:
  Run(JoinType type, const std::string& on, bool with_time) {
    const std::string watermark = with_time ? ", WATERMARK FOR ts AS ts" : "";
    std::string text;
    for (const char* table : {"l", "r"}) {
      text += fmt::format(
          "CREATE TABLE {} (id BIGINT, ts TIMESTAMP(3), v BIGINT{}) WITH "
          "('connector' = 'memory');\n",
          table, watermark);
    }
    const bool left_only = type == JoinType::kLeftSemi || type == JoinType::kLeftAnti;
    const auto words = std::find_if(kTypes.begin(), kTypes.end(),
                                    [type](const auto& entry) { return entry.first == type; });
    text += fmt::format("SELECT {} FROM l {} r ON {};",
                        left_only ? "l.*" : "l.id, l.ts, l.v, r.id AS rid, r.ts AS rts, r.v AS rv",
                        words->second, on);
    plan_ = *MakeStreamPlan(*ParseScript(text, {})->query, Mode::kPerRecord);
    std::vector<int> columns(left_only ? 3 : 6);
    std::iota(columns.begin(), columns.end(), 0);
    join_ = std::move(*PerRecordJoin::Create(*plan_.join, columns, {}, this));
  }

  void Process(const std::vector<Record>& records, std::vector<RecordStep> steps) {
    RecordBlock block;
    for (const Side side : {Side::kLeft, Side::kRight}) {
      std::vector<ColumnBuilder> builders;
      builders.emplace_back(DataType::BigInt());
      builders.emplace_back(DataType::Timestamp(3));
      builders.emplace_back(DataType::BigInt());
      for (const Record& record : records) {
        if (record.side != side) continue;
        record.row.id ? builders[0].Append(*record.row.id) : builders[0].AppendNull();
        builders[1].Append(record.row.time_ms * 1000);
        builders[2].Append(record.row.value);
      }
      Arrivals into;
      into.num_rows = builders[0].length();
      if (into.num_rows == 0) continue;
      std::vector<Column> columns;
      for (ColumnBuilder& builder : builders) columns.push_back(builder.Finish());
      EvaluationContext context;
      const JoinSidePlan& plan = plan_.join->side(side);
      std::vector<Column> keys;
      for (const ExpressionPtr& key : plan.keys) {
        keys.push_back(Evaluator::Create(key)->Evaluate(columns, into.num_rows, &context));
      }
      into.keys = ComputeKeyWords(keys, plan_.join->null_safe_keys, into.num_rows);
      for (const ExpressionPtr& payload : plan.payload_expressions) {
        into.payload.push_back(
            Evaluator::Create(payload)->Evaluate(columns, into.num_rows, &context));
      }
      if (!plan.time.empty()) into.time = columns[static_cast<size_t>(plan.time[0].column)];
      block.sides[Index(side)].num_rows = into.num_rows;
      block.sides[Index(side)].rows = std::make_shared<const Arrivals>(std::move(into));
    }
    block.steps = std::move(steps);
    RC_ASSERT(join_->Process(block).has_value());
  }

  Status Take(const OutputBlock& block) override {
    for (int64_t row = 0; row < block.num_rows; ++row) {
      std::string text;
      for (size_t column = 0; column < block.columns.size(); ++column) {
        const Column& values = block.columns[column];
        if (column == 3) text += " | ";
        if (column % 3 != 0) text += " ";
        const bool is_time = column % 3 == 1;
        if (values.IsNull(row)) {
          text += "-";
        } else {
          const int64_t value = values.Values<int64_t>()[static_cast<size_t>(row)];
          text += fmt::format("{}", is_time ? value / 1000 : value);
        }
      }
      const ChangeKind kind = block.kinds[static_cast<size_t>(row)];
      Change(text, IsAccumulation(kind) ? 1 : -1, &rows_);
    }
    return {};
  }

  const Bag& rows() const { return rows_; }
  PerRecordJoin& join() { return *join_; }

 private:
  StreamPlan plan_;
  std::unique_ptr<PerRecordJoin> join_;
  Bag rows_;
};

Row RandomRow(int64_t time_ms) {
  Row row;
  row.id = *rc::gen::inRange<int64_t>(0, 4);
  if (*row.id == 3) row.id.reset();
  row.time_ms = time_ms;
  row.value = *rc::gen::inRange<int64_t>(0, 3);
  return row;
}

// Steps of `records` in their order; each row's side has its watermark `delay_ms` behind its
// largest time after the row. Absent: no watermarks.
std::vector<RecordStep> StepsOf(const std::vector<Record>& records,
                                std::optional<int64_t> delay_ms) {
  std::vector<RecordStep> steps;
  std::array<int32_t, 2> next = {0, 0};
  std::array<int64_t, 2> largest = {kUnsetMillis, kUnsetMillis};
  for (const Record& record : records) {
    RecordStep step;
    step.side = record.side;
    step.kind = record.kind;
    step.row = next[Index(record.side)]++;
    int64_t& time = largest[Index(record.side)];
    time = std::max(time, record.row.time_ms);
    if (delay_ms) step.millis = time - *delay_ms;
    steps.push_back(step);
  }
  return steps;
}

// Both inputs end.
std::vector<RecordStep> EndOfInput() {
  std::vector<RecordStep> steps;
  for (const Side side : kBothSides) {
    RecordStep& step = steps.emplace_back();
    step.type = RecordStep::Type::kWatermark;
    step.side = side;
    step.millis = kEndMillis;
  }
  return steps;
}

RC_GTEST_PROP(JoinPropertyTest, IntervalJoinIsTheNestedLoopJoin, ()) {
  constexpr int64_t kDelay = 2'000;
  const int64_t before = *rc::gen::inRange<int64_t>(-1'000, 4'000);
  const int64_t after = *rc::gen::inRange<int64_t>(-1'000, 4'000);
  const bool condition = *rc::gen::inRange(0, 2) == 1;
  std::vector<Record> records;
  std::array<std::vector<Row>, 2> rows;
  std::array<int64_t, 2> largest = {0, 0};
  const int count = *rc::gen::inRange(0, 60);
  for (int i = 0; i < count; ++i) {
    Record record;
    record.side = *rc::gen::inRange(0, 2) == 0 ? Side::kLeft : Side::kRight;
    int64_t& time = largest[Index(record.side)];
    record.row = RandomRow(time + *rc::gen::inRange<int64_t>(1 - kDelay, 1'500));
    time = std::max(time, record.row.time_ms);
    rows[Index(record.side)].push_back(record.row);
    records.push_back(record);
  }
  const auto matches = [&](const Row& l, const Row& r) {
    return l.id && r.id && *l.id == *r.id && r.time_ms >= l.time_ms - before &&
           r.time_ms <= l.time_ms + after && (!condition || l.value <= r.value);
  };
  const auto interval = [](int64_t millis) {
    return fmt::format("INTERVAL '{}{}.{:03d}' SECOND", millis < 0 ? "-" : "",
                       std::abs(millis) / 1000, std::abs(millis) % 1000);
  };
  const std::string on =
      fmt::format("l.id = r.id AND r.ts >= l.ts - {} AND r.ts <= l.ts + {}{}", interval(before),
                  interval(after), condition ? " AND l.v <= r.v" : "");
  for (const auto& [type, words] : kTypes) {
    Run run(type, on, /*with_time=*/true);
    run.Process(records, StepsOf(records, kDelay));
    run.Process({}, EndOfInput());
    RC_ASSERT(run.rows() == NestedLoopJoin(type, rows[0], rows[1], matches));
    RC_ASSERT(run.join().num_state_rows(Side::kLeft) == 0);
    RC_ASSERT(run.join().num_state_rows(Side::kRight) == 0);
    RC_ASSERT(run.join().timer_times().empty());
  }
}

RC_GTEST_PROP(JoinPropertyTest, RegularJoinIsTheNestedLoopJoinAtEveryPrefix, ()) {
  const bool condition = *rc::gen::inRange(0, 2) == 1;
  std::vector<Record> records;
  std::array<std::vector<Row>, 2> rows;
  const int count = *rc::gen::inRange(0, 40);
  for (int i = 0; i < count; ++i) {
    Record record;
    record.side = *rc::gen::inRange(0, 2) == 0 ? Side::kLeft : Side::kRight;
    std::vector<Row>& stored = rows[Index(record.side)];
    if (!stored.empty() && *rc::gen::inRange(0, 3) == 0) {
      const size_t at = *rc::gen::inRange<size_t>(0, stored.size());
      record.row = stored[at];
      record.kind = *rc::gen::inRange(0, 2) == 0 ? ChangeKind::kDelete : ChangeKind::kUpdateBefore;
      stored.erase(stored.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
      record.row = RandomRow(*rc::gen::inRange<int64_t>(0, 3));
      record.kind = *rc::gen::inRange(0, 2) == 0 ? ChangeKind::kInsert : ChangeKind::kUpdateAfter;
      stored.push_back(record.row);
    }
    records.push_back(record);
  }
  const auto matches = [&](const Row& l, const Row& r) {
    return l.id && r.id && *l.id == *r.id && (!condition || l.value <= r.value);
  };
  const std::string on = condition ? "l.id = r.id AND l.v <= r.v" : "l.id = r.id";
  for (const auto& [type, words] : kTypes) {
    Run one_by_one(type, on, /*with_time=*/false);
    Run together(type, on, /*with_time=*/false);
    std::array<std::vector<Row>, 2> so_far;
    for (const Record& record : records) {
      std::vector<Row>& stored = so_far[Index(record.side)];
      if (IsAccumulation(record.kind)) {
        stored.push_back(record.row);
      } else {
        stored.erase(std::find(stored.begin(), stored.end(), record.row));
      }
      one_by_one.Process({record}, StepsOf({record}, std::nullopt));
      RC_ASSERT(one_by_one.rows() == NestedLoopJoin(type, so_far[0], so_far[1], matches));
    }
    together.Process(records, StepsOf(records, std::nullopt));
    RC_ASSERT(together.rows() == one_by_one.rows());
  }
}

}  // namespace
}  // namespace braid
