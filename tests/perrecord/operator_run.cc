#include "tests/perrecord/operator_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "braid/column_builder.h"
#include "engine/sql/parser.h"

namespace braid {

namespace {

Event RowOf(Side side, Values values, ChangeKind kind) {
  Event event;
  event.step.side = side;
  event.step.kind = kind;
  event.values = std::move(values);
  return event;
}

}  // namespace

Event Left(Values values, ChangeKind kind) { return RowOf(Side::kLeft, std::move(values), kind); }
Event Right(Values values, ChangeKind kind) { return RowOf(Side::kRight, std::move(values), kind); }

Event WatermarkOf(Side side, int64_t millis) {
  Event event;
  event.step.type = RecordStep::Type::kWatermark;
  event.step.side = side;
  event.step.millis = millis;
  return event;
}

Event Clock(int64_t millis) {
  Event event;
  event.step.type = RecordStep::Type::kClock;
  event.step.millis = millis;
  return event;
}

OperatorRun::OperatorRun(const std::string& script, PerRecordOptions options, RowTimeJoin family)
    : plan_(*MakeStreamPlan(*ParseScript(script, {}).value().query, Mode::kPerRecord, family)),
      options_(options) {
  const bool left_only =
      plan_.join->type == JoinType::kLeftSemi || plan_.join->type == JoinType::kLeftAnti;
  for (const Side side : {Side::kLeft, Side::kRight}) {
    stages_.push_back(ArrivalStage::ForJoin(*plan_.join, side).value());
    if (side == Side::kRight && left_only) continue;
    const int columns = plan_.join->side(side).input.schema.num_columns();
    for (int i = 0; i < columns; ++i) {
      output_columns_.push_back(static_cast<int>(output_columns_.size()));
    }
  }
  if (options_.durable) CreateStore();
  Open({});
}

void OperatorRun::CreateStore() {
  store_ = NewMemoryStore({});
  StoreIdentity identity;
  identity.query_id = "operator";
  for (const JoinSidePlan& side : plan_.join->sides) {
    SideLayout layout;
    layout.name = side.input.alias;
    std::vector<DataType> types;
    for (const ExpressionPtr& key : side.keys) types.push_back(key->type);
    layout.hashed_key = KeyWordKindOf(types, plan_.join->null_safe_keys) == KeyWordKind::kHash;
    layout.has_time = true;
    for (const ExpressionPtr& payload : side.payload_expressions) {
      layout.payload.fields.push_back({"c", payload->type});
    }
    identity.sides.push_back(layout);
  }
  ASSERT_TRUE(store_->Create(identity).has_value());
}

void OperatorRun::Open(JoinClock clock) {
  if (store_ != nullptr) {
    for (uint32_t& lineage : options_.lineages) lineage = store_->NextLineage().value();
  }
  join_ = PerRecordJoin::Create(*plan_.join, output_columns_, options_, this).value();
  if (version_ >= 0) {
    ASSERT_TRUE(join_->Restore(store_.get(), version_, clock).has_value());
  }
}

void OperatorRun::Restart() {
  const std::array<SideDelta, 2> deltas = join_->TakeDeltas();
  BatchCommit commit;
  commit.batch_id = ++version_;
  for (const Side side : kBothSides) {
    std::optional<EventTime>& threshold = thresholds_[Index(side)];
    threshold = std::max(threshold, join_->Threshold(side));
  }
  commit.thresholds = thresholds_;
  ASSERT_TRUE(store_->Commit(commit, deltas, nullptr).has_value());
  Open(join_->clock());
}

void OperatorRun::Restart(PerRecordOptions options) {
  options_ = std::move(options);
  Restart();
}

RecordSide OperatorRun::Records(Side side, const std::vector<Event>& events) const {
  const InputPlan& input = plan_.join->side(side).input;
  auto schema = std::make_shared<Schema>();
  std::vector<Column> columns;
  int64_t num_rows = 0;
  for (const int column : input.read_columns) {
    const ColumnDefinition& definition = input.table->columns[static_cast<size_t>(column)];
    schema->fields.push_back({definition.name, definition.type});
    ColumnBuilder builder(definition.type);
    for (const Event& event : events) {
      if (event.step.type != RecordStep::Type::kRow || event.step.side != side) continue;
      const std::optional<int64_t>& value = event.values.at(static_cast<size_t>(column));
      value ? builder.Append(*value) : builder.AppendNull();
    }
    num_rows = builder.length();
    columns.push_back(builder.Finish());
  }
  if (num_rows == 0) return {};
  EvaluationContext context;
  const ArrivalStage& stage = stages_[Index(side)];
  Arrivals arrivals = stage
                          .Arrive(stage.Read(RowBatch(schema, columns, num_rows), context),
                                  std::nullopt, OnRowError::kFail, context)
                          .value();
  EXPECT_EQ(arrivals.num_rows, num_rows) << "the test's rows must come to the join";
  RecordSide records;
  records.num_rows = arrivals.num_rows;
  records.rows = std::make_shared<const Arrivals>(std::move(arrivals));
  return records;
}

RecordBlock OperatorRun::Block(std::vector<Event> events) const {
  RecordBlock block;
  block.sides = {Records(Side::kLeft, events), Records(Side::kRight, events)};
  std::array<int32_t, 2> next = {0, 0};
  for (Event& event : events) {
    if (event.step.type == RecordStep::Type::kRow) event.step.row = next[Index(event.step.side)]++;
    block.steps.push_back(event.step);
  }
  return block;
}

std::vector<std::string> OperatorRun::Play(std::vector<Event> events) {
  const Status processed = join_->Process(Block(std::move(events)));
  EXPECT_TRUE(processed.has_value()) << processed.error().ToString();
  return std::exchange(lines_, {});
}

std::optional<Error> OperatorRun::Fail(std::vector<Event> events) {
  const Status processed = join_->Process(Block(std::move(events)));
  return processed ? std::nullopt : std::optional<Error>(processed.error());
}

Status OperatorRun::Take(const OutputBlock& block) {
  const size_t num_left = static_cast<size_t>(plan_.join->sides[0].input.schema.num_columns());
  size_t mark = 0;
  const auto list_marks_at = [&](int64_t row) {
    for (; mark < block.watermarks.size() && block.watermarks[mark].num_rows == row; ++mark) {
      const OutputWatermark& watermark = block.watermarks[mark];
      if (!lists_steps_) continue;
      lines_.push_back(std::to_string(watermark.step) + ": " + std::to_string(watermark.millis));
    }
  };
  for (int64_t row = 0; row < block.num_rows; ++row) {
    list_marks_at(row);
    std::string line =
        lists_steps_ ? std::to_string(block.steps[static_cast<size_t>(row)]) + ": " : std::string();
    line += ChangeKindText(block.kinds[static_cast<size_t>(row)]);
    for (size_t column = 0; column < block.columns.size(); ++column) {
      const Column& values = block.columns[column];
      if (column == num_left) line += " |";
      line += " ";
      line += values.IsNull(row)
                  ? "-"
                  : std::to_string(values.Values<int64_t>()[static_cast<size_t>(row)]);
    }
    lines_.push_back(std::move(line));
  }
  list_marks_at(block.num_rows);
  num_late_ += std::ssize(block.late);
  return {};
}

}  // namespace braid
