#include "engine/perrecord/join_tree.h"

#include <array>
#include <numeric>
#include <utility>

#include "braid/column_builder.h"
#include "engine/microbatch/report_output.h"
#include "engine/microbatch/row_output.h"
#include "state/rows/check.h"

namespace braid {

namespace {

// Keeps what a join below another gives: rows after its WHERE and SELECT list, each with the
// position of its record as one more column, and watermarks.
class RowCollector final : public TreeOutput, private Sink {
 public:
  static Result<std::unique_ptr<RowCollector>> Create(const StreamPlan& plan, OnRowError on_error) {
    std::unique_ptr<RowCollector> collector(new RowCollector());
    const Field position = {"position", DataType::Int()};
    Result<std::unique_ptr<OutputPlan>> output = OutputPlan::Create(plan, on_error, &position);
    if (!output) return tl::unexpected(output.error());
    collector->plan_ = std::move(*output);
    Sink* sink = collector.get();
    collector->rows_ = std::make_unique<RowOutput>(collector->plan_.get(), sink, 0, nullptr);
    return collector;
  }

  // The joined columns that it needs.
  const std::vector<int>& needed_columns() const { return plan_->needed_columns(); }

  void Begin(const EvaluationContext& context) {
    num_row_errors_ += rows_->num_row_errors();
    rows_->BeginBatch(context);
    batches_.clear();
    marks_.clear();
  }

  Status Take(const OutputBlock& block, std::span<const int32_t> positions) override {
    for (const OutputWatermark& watermark : block.watermarks) {
      marks_.push_back({positions[static_cast<size_t>(watermark.step)], watermark.millis});
    }
    if (block.num_rows == 0) return {};
    ColumnBuilder builder(DataType::Int());
    int32_t* values = builder.AppendUninitialized<int32_t>(block.num_rows);
    for (const int32_t step : block.steps) *values++ = positions[static_cast<size_t>(step)];
    std::vector<Column> columns = block.columns;
    columns.push_back(builder.Finish());
    return rows_->Write(columns, block.num_rows, block.kinds);
  }

  // The rows since Begin, through the stage of the join above.
  Result<PositionedRows> Arrive(const ArrivalStage& stage, OnRowError on_error,
                                const EvaluationContext& context) {
    PositionedRows result;
    result.marks = std::move(marks_);
    if (batches_.empty()) return result;
    const RowBatch rows = Concatenate(batches_);
    Result<Arrivals> arrivals =
        stage.Arrive(stage.Read(rows, context), /*late=*/std::nullopt, on_error, context);
    if (!arrivals) return tl::unexpected(arrivals.error());
    const auto positions = rows.column(rows.num_columns() - 1).Values<int32_t>();
    result.rows.num_rows = arrivals->num_rows;
    for (int64_t row = 0; row < arrivals->num_rows; ++row) {
      const int64_t read = arrivals->rows.empty() ? row : arrivals->rows[static_cast<size_t>(row)];
      result.positions.push_back(positions[static_cast<size_t>(read)]);
      if (rows.has_change_kinds()) result.kinds.push_back(rows.change_kind(read));
    }
    result.rows.rows = std::make_shared<const Arrivals>(std::move(*arrivals));
    return result;
  }

  int64_t num_row_errors() const { return num_row_errors_ + rows_->num_row_errors(); }

 private:
  RowCollector() = default;

  std::string description() const override { return "join"; }
  bool takes_changes() const override { return true; }
  Status Open(const SinkContext& /*context*/) override { return {}; }
  Status BeginBatch(int64_t /*batch_id*/) override { return {}; }
  Status Write(int /*partition*/, const RowBatch& rows) override {
    batches_.push_back(rows);
    return {};
  }
  Status PublishBatch(int64_t /*batch_id*/) override { return {}; }

  std::unique_ptr<OutputPlan> plan_;
  std::unique_ptr<RowOutput> rows_;
  std::vector<RowBatch> batches_;
  std::vector<PositionedMark> marks_;
  int64_t num_row_errors_ = 0;
};

}  // namespace

// A join of the tree.
class JoinTree::Node final : public JoinOutput {
 public:
  Node(const StreamPlan& plan, std::vector<int> output_columns, TreeOutput* output)
      : plan_(*plan.join), output_columns_(std::move(output_columns)), output_(output) {}

  Status CreateReports(const StreamPlan& plan, const ReportSinks& sinks, OnRowError on_error) {
    const auto create = [on_error](const std::optional<RowReport>& report, Sink* sink,
                                   std::unique_ptr<ReportOutput>* output) -> Status {
      if (!report) return {};
      Result<std::unique_ptr<ReportOutput>> created = ReportOutput::Create(*report, sink, on_error);
      if (!created) return tl::unexpected(created.error());
      *output = std::move(*created);
      return {};
    };
    Status created = create(plan.late_rows, sinks.late_rows, &late_rows_);
    if (created) created = create(plan.unmatched_rows, sinks.unmatched_rows, &unmatched_rows_);
    before_rows_ = sinks.before_rows;
    return created;
  }

  Status Open(PerRecordOptions options) {
    for (const Side side : kBothSides) {
      if (unmatched_rows_ == nullptr) break;
      options.reported_columns[Index(side)] = unmatched_rows_->needed_columns(Index(side));
    }
    context_.zone = options.zone;
    Result<std::unique_ptr<PerRecordJoin>> join =
        PerRecordJoin::Create(plan_, output_columns_, options, this);
    if (!join) return tl::unexpected(join.error());
    join_ = std::move(*join);
    return {};
  }

  // Runs what `inputs_` gave for the block.
  Status Process(std::array<PositionedRows, 2> inputs, const std::vector<PositionedMark>& clock,
                 int64_t batch_id) {
    batch_id_ = batch_id;
    MergedSteps merged = MergeInputs(std::move(inputs[0]), std::move(inputs[1]), clock);
    if (merged.block.steps.empty()) return {};
    positions_ = std::move(merged.positions);
    block_ = &merged.block;
    return join_->Process(merged.block);
  }

  Status Take(const OutputBlock& block) override {
    for (const LateRow& row : block.late) ++num_late_[Index(row.side)];
    for (const Side side : kBothSides) {
      if (Status reported = ReportLate(block, side); !reported) return reported;
      if (Status reported = ReportUnmatched(block, side); !reported) return reported;
    }
    return output_->Take(block, positions_);
  }

  Status ReportLate(const OutputBlock& block, Side side) {
    if (late_rows_ == nullptr) return {};
    std::vector<int32_t> late;
    std::vector<std::optional<Watermark>> watermarks;
    for (const LateRow& row : block.late) {
      if (row.side != side) continue;
      late.push_back(row.row);
      watermarks.push_back(Watermark{row.watermark});
    }
    if (late.empty()) return {};
    const std::vector<Column>& arrived = block_->sides[Index(side)].rows->columns;
    std::vector<Column> columns(arrived.size());
    for (const int column : late_rows_->needed_columns(Index(side))) {
      columns[static_cast<size_t>(column)] = Gather(arrived[static_cast<size_t>(column)], late);
    }
    ReportedRows rows;
    rows.input = Index(side);
    rows.columns = columns;
    rows.num_rows = std::ssize(late);
    rows.watermarks = watermarks;
    rows.batch_id = batch_id_;
    return Report(late_rows_.get(), rows);
  }

  Status ReportUnmatched(const OutputBlock& block, Side side) {
    const UnmatchedRows& unmatched = block.unmatched[Index(side)];
    if (unmatched_rows_ == nullptr || unmatched.num_rows == 0) return {};
    std::vector<std::optional<Watermark>> watermarks;
    for (const int64_t millis : unmatched.watermarks) {
      std::optional<Watermark>& watermark = watermarks.emplace_back();
      if (millis != kUnsetMillis) watermark = Watermark{millis};
    }
    ReportedRows rows;
    rows.input = Index(side);
    rows.columns = unmatched.columns;
    rows.num_rows = unmatched.num_rows;
    rows.watermarks = watermarks;
    rows.batch_id = batch_id_;
    return Report(unmatched_rows_.get(), rows);
  }

  Status Report(ReportOutput* report, const ReportedRows& rows) {
    Status begun = before_rows_ ? before_rows_() : Status();
    if (!begun) return begun;
    return report->Write(0, rows, context_);
  }

  const JoinPlan& plan_;
  const std::vector<int> output_columns_;
  TreeOutput* output_;
  std::array<Input, 2> inputs_;
  std::unique_ptr<ArrivalStage> stage_;      // Of the join above, for the rows that this one gives.
  std::unique_ptr<RowCollector> collector_;  // The output, if there is a join above.
  std::unique_ptr<PerRecordJoin> join_;
  std::unique_ptr<ReportOutput> late_rows_;       // Null: not reported.
  std::unique_ptr<ReportOutput> unmatched_rows_;  // Null: not reported.
  std::function<Status()> before_rows_;
  EvaluationContext context_;
  const RecordBlock* block_ = nullptr;  // That is being processed.
  std::vector<int32_t> positions_;      // Of its steps.
  int64_t batch_id_ = 0;
  std::array<int64_t, 2> num_late_ = {0, 0};
};

JoinTree::JoinTree(const PerRecordOptions& options, const ReportSinks& reports)
    : options_(options), reports_(reports) {}

JoinTree::~JoinTree() = default;

Result<std::unique_ptr<JoinTree>> JoinTree::Create(const StreamPlan& plan,
                                                   std::vector<int> output_columns,
                                                   const PerRecordOptions& options,
                                                   const ReportSinks& reports, TreeOutput* output) {
  std::unique_ptr<JoinTree> tree(new JoinTree(options, reports));
  tree->output_ = output;
  if (!plan.join) {
    Result<ArrivalStage> stage = ArrivalStage::ForSingle(*plan.single);
    if (!stage) return tl::unexpected(stage.error());
    tree->stages_.push_back(std::make_unique<ArrivalStage>(std::move(*stage)));
    return tree;
  }
  const Result<Node*> root = tree->AddJoin(plan, std::move(output_columns), output);
  if (!root) return tl::unexpected(root.error());
  return tree;
}

Result<JoinTree::Input> JoinTree::AddInput(const JoinPlan& join, Side side) {
  Result<ArrivalStage> made = ArrivalStage::ForJoin(join, side);
  if (!made) return tl::unexpected(made.error());
  auto stage = std::make_unique<ArrivalStage>(std::move(*made));
  const InputPlan& input = join.side(side).input;
  if (input.query == nullptr) {
    stages_.push_back(std::move(stage));
    return Input{static_cast<int>(stages_.size()) - 1, nullptr};
  }
  Result<std::unique_ptr<RowCollector>> collector =
      RowCollector::Create(*input.query, options_.on_error);
  if (!collector) return tl::unexpected(collector.error());
  Result<Node*> node = AddJoin(*input.query, (*collector)->needed_columns(), collector->get());
  if (!node) return tl::unexpected(node.error());
  (*node)->stage_ = std::move(stage);
  (*node)->collector_ = std::move(*collector);
  return Input{-1, *node};
}

Result<JoinTree::Node*> JoinTree::AddJoin(const StreamPlan& plan, std::vector<int> output_columns,
                                          TreeOutput* output) {
  auto node = std::make_unique<Node>(plan, std::move(output_columns), output);
  if (Status made = node->CreateReports(plan, reports_, options_.on_error); !made) {
    return tl::unexpected(made.error());
  }
  for (const Side side : kBothSides) {
    const Result<Input> input = AddInput(*plan.join, side);
    if (!input) return tl::unexpected(input.error());
    node->inputs_[Index(side)] = *input;
  }
  const PerRecordOperator chosen = plan.join->per_record->chosen;
  uses_clock_ = uses_clock_ || chosen == PerRecordOperator::kProcessingTimeInterval ||
                (chosen == PerRecordOperator::kRegular && options_.state_ttl_ms);
  joins_.push_back(std::move(node));
  return joins_.back().get();
}

Status JoinTree::Restore(VersionedStore* store, std::optional<int64_t> version,
                         std::span<const JoinClock> clocks) {
  for (size_t index = 0; index < joins_.size(); ++index) {
    PerRecordOptions options = options_;
    options.first_side = static_cast<uint8_t>(2 * index);
    for (uint32_t& lineage : options.lineages) {
      if (!options_.durable) break;
      const Result<uint32_t> next = store->NextLineage();
      if (!next) return tl::unexpected(next.error());
      lineage = *next;
    }
    Node& node = *joins_[index];
    if (Status opened = node.Open(options); !opened) return opened;
    if (!version) continue;
    BRAID_CHECK(clocks.size() == joins_.size(), "one clock a join");
    if (Status read = node.join_->Restore(store, *version, clocks[index]); !read) return read;
  }
  return {};
}

// Without a join the rows go straight to the output.
Status JoinTree::ProcessTable(const TableRows& table) {
  const PositionedRows rows = ArrivedRows(table);
  if (rows.rows.num_rows == 0) return {};
  OutputBlock block;
  block.num_rows = rows.rows.num_rows;
  std::vector<int32_t> wanted(static_cast<size_t>(block.num_rows));
  std::iota(wanted.begin(), wanted.end(), static_cast<int32_t>(rows.rows.first));
  for (const Column& column : rows.rows.rows->columns) {
    const bool whole = column.length() == block.num_rows;
    block.columns.push_back(column.length() == 0 || whole ? column : Gather(column, wanted));
  }
  block.kinds = rows.kinds;
  block.steps.resize(static_cast<size_t>(block.num_rows));
  std::iota(block.steps.begin(), block.steps.end(), 0);
  return output_->Take(block, rows.positions);
}

Status JoinTree::Process(const InputBlock& block, int64_t batch_id) {
  if (joins_.empty()) return ProcessTable(block.tables[0]);
  EvaluationContext context;
  context.zone = options_.zone;
  for (const std::unique_ptr<Node>& node : joins_) {
    std::array<PositionedRows, 2> inputs;
    for (const Side side : kBothSides) {
      const Input& input = node->inputs_[Index(side)];
      if (input.table >= 0) {
        inputs[Index(side)] = ArrivedRows(block.tables[static_cast<size_t>(input.table)]);
        continue;
      }
      Result<PositionedRows> rows =
          input.node->collector_->Arrive(*input.node->stage_, options_.on_error, context);
      if (!rows) return tl::unexpected(rows.error());
      inputs[Index(side)] = std::move(*rows);
    }
    if (node->collector_ != nullptr) node->collector_->Begin(context);
    if (Status done = node->Process(std::move(inputs), block.clock, batch_id); !done) return done;
  }
  return {};
}

std::vector<SideDelta> JoinTree::TakeDeltas() {
  std::vector<SideDelta> deltas;
  for (const std::unique_ptr<Node>& node : joins_) {
    for (SideDelta& delta : node->join_->TakeDeltas()) deltas.push_back(std::move(delta));
  }
  return deltas;
}

TreeCounts operator-(const TreeCounts& left, const TreeCounts& right) {
  return {left.late - right.late,
          left.null_time - right.null_time,
          left.row_errors - right.row_errors,
          left.arrived - right.arrived,
          left.padded - right.padded,
          left.late_written - right.late_written,
          left.unmatched_written - right.unmatched_written};
}

TreeCounts JoinTree::TakeCounts() {
  TreeCounts counts;
  for (const std::unique_ptr<Node>& node : joins_) {
    counts.late += node->num_late_[0] + node->num_late_[1];
    counts.null_time += node->join_->num_null_times();
    counts.row_errors += node->join_->num_row_errors();
    if (node->collector_ != nullptr) counts.row_errors += node->collector_->num_row_errors();
    counts.arrived += node->join_->num_arrived();
    counts.padded += node->join_->num_padded();
    for (const auto& [report, written] :
         {std::pair{&node->late_rows_, &counts.late_written},
          std::pair{&node->unmatched_rows_, &counts.unmatched_written}}) {
      if (*report == nullptr) continue;
      *written += (*report)->num_rows();
      counts.row_errors += (*report)->num_row_errors();
    }
  }
  const TreeCounts news = counts - told_;
  told_ = counts;
  return news;
}

int64_t JoinTree::num_late_rows(size_t table) const {
  for (const std::unique_ptr<Node>& node : joins_) {
    for (const Side side : kBothSides) {
      const bool reads = node->inputs_[Index(side)].table == static_cast<int>(table);
      if (reads) return node->num_late_[Index(side)];
    }
  }
  return 0;
}

const PerRecordJoin& JoinTree::join(size_t index) const { return *joins_[index]->join_; }

PerRecordOperator JoinTree::chosen(size_t index) const {
  return joins_[index]->plan_.per_record->chosen;
}

bool JoinTree::lets_rows_go(size_t index) const {
  return chosen(index) != PerRecordOperator::kRegular || options_.state_ttl_ms.has_value();
}

bool JoinTree::uses_watermarks() const {
  for (size_t index = 0; index < joins_.size(); ++index) {
    const PerRecordOperator runs = chosen(index);
    if (runs != PerRecordOperator::kRegular && runs != PerRecordOperator::kProcessingTimeInterval) {
      return true;
    }
  }
  return false;
}

std::vector<JoinClock> JoinTree::clocks() const {
  std::vector<JoinClock> clocks;
  for (const std::unique_ptr<Node>& node : joins_) clocks.push_back(node->join_->clock());
  return clocks;
}

int64_t JoinTree::num_state_rows() const {
  int64_t rows = 0;
  for (const std::unique_ptr<Node>& node : joins_) {
    for (const Side side : kBothSides) rows += node->join_->num_state_rows(side);
  }
  return rows;
}

int64_t JoinTree::memory_bytes() const {
  int64_t bytes = 0;
  for (const std::unique_ptr<Node>& node : joins_) bytes += node->join_->memory_bytes();
  return bytes;
}

int64_t JoinTree::index_bytes() const {
  int64_t bytes = 0;
  for (const std::unique_ptr<Node>& node : joins_) bytes += node->join_->index_bytes();
  return bytes;
}

int64_t JoinTree::spilled_bytes() const {
  int64_t bytes = 0;
  for (const std::unique_ptr<Node>& node : joins_) bytes += node->join_->spilled_bytes();
  return bytes;
}

}  // namespace braid
