// Runs recorded per-record cases against the operators: one record a block, all records in one
// block, and one record a block with a stop and restart from a store after every event. All must
// give what the case says, event by event.
//
//   record_case_test FILE...
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "braid/column_builder.h"
#include "engine/perrecord/per_record_join.h"
#include "engine/sql/parser.h"
#include "tests/cases/case_file.h"
#include "tests/cases/case_values.h"

namespace braid::testing {
namespace {

using nlohmann::json;

enum class Variant : uint8_t { kRecordByRecord, kOneBlock, kRestarts };

const char* NameOf(Variant variant) {
  switch (variant) {
    case Variant::kRecordByRecord:
      return "record by record";
    case Variant::kOneBlock:
      return "in one block";
    case Variant::kRestarts:
      return "restarted after every event";
  }
  return "";
}

// What came of one event.
struct EventResult {
  std::vector<std::string> rows;  // Kind and row, sorted.
  std::vector<int64_t> times;     // Sorted.
  json late[2] = {json::array(), json::array()};
  json watermark;
};

class CaseRun final : public JoinOutput {
 public:
  CaseRun(const json& file, Variant variant)
      : file_(file), variant_(variant), events_(file.at("perrecord").at("events")) {
    results_.resize(events_.size());
  }

  // Empty if all is as it must be, else what differs.
  std::string Run() {
    const json& part = file_.contains("braid") ? file_.at("braid") : file_.at("perrecord");
    const bool refused = part.contains("error") || file_.at("perrecord").contains("error");
    const Status ran = Play();
    if (refused) return ran ? "the run must fail, but did not" : "";
    if (!ran) return ran.error().ToString();
    return Compare(part);
  }

  Status Take(const OutputBlock& block) override {
    std::vector<int32_t> rows(static_cast<size_t>(block.num_rows));
    std::iota(rows.begin(), rows.end(), 0);
    if (where_) where_->Filter(block.columns, &context_, &rows);
    std::vector<Column> projected;
    for (const Evaluator& projection : projections_) {
      projected.push_back(projection.EvaluateRows(block.columns, rows, &context_));
    }
    for (size_t i = 0; i < rows.size(); ++i) {
      json cells = json::array();
      for (const Column& column : projected) {
        cells.push_back(CellToJson(ValueAt(column, static_cast<int64_t>(i))));
      }
      const size_t row = static_cast<size_t>(rows[i]);
      EventResult& result = ResultOf(block.steps[row]);
      result.rows.push_back(json::array({ChangeKindText(block.kinds[row]), cells}).dump());
      if (!block.times.empty()) result.times.push_back(block.times[row] / 1000);
    }
    for (const OutputWatermark& watermark : block.watermarks) {
      ResultOf(watermark.step).watermark = watermark.millis;
    }
    for (const LateRow& late : block.late) {
      EventResult& result = ResultOf(late.step);
      result.late[Index(late.side)].push_back(
          events_.at(static_cast<size_t>(&result - results_.data())).at(1));
    }
    return {};
  }

 private:
  EventResult& ResultOf(int32_t step) {
    return results_[event_of_step_.at(static_cast<size_t>(step))];
  }

  Status Prepare() {
    std::string text;
    for (const auto& [name, table] : file_.at("tables").items()) text += CreateTable({name, table});
    Result<Script> script = ParseScript(text + QueryOf(file_) + ";", {});
    if (!script) return tl::unexpected(script.error());
    const json& options = file_.at("options");
    const std::string family = options.at("family").get<std::string>();
    Result<StreamPlan> plan = MakeStreamPlan(
        *script->query, Mode::kPerRecord,
        family == "datastream-interval" ? RowTimeJoin::kDataStream : RowTimeJoin::kSql);
    if (!plan) return tl::unexpected(plan.error());
    plan_ = std::move(*plan);
    const PerRecordPlan& chosen = *plan_.join->per_record;
    const std::map<std::string, PerRecordOperator> families = {
        {"rowtime-interval", PerRecordOperator::kRowTimeInterval},
        {"proctime-interval", PerRecordOperator::kProcessingTimeInterval},
        {"datastream-interval", PerRecordOperator::kDataStreamInterval},
        {"regular", PerRecordOperator::kRegular}};
    if (families.at(family) != chosen.chosen) {
      return Fail(ErrorCode::kInternal,
                  fmt::format("the plan is a {}", PerRecordOperatorName(chosen.chosen)));
    }
    options_.allowed_lateness_ms = options.value("allowed_lateness_ms", int64_t{0});
    options_.min_cleanup_interval_ms = options.value("min_cleanup_interval_ms", int64_t{0});
    options_.durable = variant_ == Variant::kRestarts;
    return PrepareExpressions();
  }

  Status PrepareExpressions() {
    std::vector<int> needed;
    const auto need = [&needed](const ExpressionPtr& expression) {
      const std::vector<int> columns = ReferencedColumns(*expression);
      needed.insert(needed.end(), columns.begin(), columns.end());
    };
    if (plan_.where != nullptr) {
      need(plan_.where);
      where_ = std::move(*Evaluator::Create(plan_.where));
    }
    for (const ExpressionPtr& projection : plan_.projections) {
      need(projection);
      projections_.push_back(std::move(*Evaluator::Create(projection)));
    }
    std::sort(needed.begin(), needed.end());
    needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
    output_columns_ = needed;
    for (const Side side : {Side::kLeft, Side::kRight}) {
      Result<ArrivalStage> stage = ArrivalStage::ForJoin(*plan_.join, side);
      if (!stage) return tl::unexpected(stage.error());
      stages_.push_back(std::move(*stage));
    }
    return OpenJoin(JoinClock{});
  }

  // A copy of the clock: that of the join before goes with it.
  Status OpenJoin(JoinClock clock) {
    if (store_ != nullptr) {
      for (uint32_t& lineage : options_.lineages) lineage = *store_->NextLineage();
    }
    Result<std::unique_ptr<PerRecordJoin>> join =
        PerRecordJoin::Create(*plan_.join, output_columns_, options_, this);
    if (!join) return tl::unexpected(join.error());
    join_ = std::move(*join);
    return version_ < 0 ? Status() : join_->Restore(store_.get(), version_, clock);
  }

  // Commits what has changed and goes on in a new operator.
  Status Restart() {
    const std::array<SideDelta, 2> deltas = join_->TakeDeltas();
    BatchCommit commit;
    commit.batch_id = ++version_;
    commit.thresholds = {join_->Threshold(Side::kLeft), join_->Threshold(Side::kRight)};
    if (Status committed = store_->Commit(commit, deltas, nullptr); !committed) return committed;
    null_times_ += join_->num_null_times();
    return OpenJoin(join_->clock());
  }

  Status CreateStore() {
    store_ = NewMemoryStore({});
    StoreIdentity identity;
    identity.query_id = "case";
    const bool hashed = HasHashedKeys();
    for (const JoinSidePlan& side : plan_.join->sides) {
      SideLayout layout;
      layout.name = side.input.alias;
      layout.hashed_key = hashed;
      layout.has_time = true;
      for (const ExpressionPtr& payload : side.payload_expressions) {
        layout.payload.fields.push_back({"c", payload->type});
      }
      identity.sides.push_back(layout);
    }
    return store_->Create(identity);
  }

  bool HasHashedKeys() const {
    std::vector<DataType> types;
    for (const ExpressionPtr& key : plan_.join->sides[0].keys) types.push_back(key->type);
    return KeyWordKindOf(types, plan_.join->null_safe_keys) == KeyWordKind::kHash;
  }

  // Rows of the side's table as the source would give them.
  Result<RecordSide> Records(Side side, const std::vector<json>& rows) {
    const InputPlan& input = plan_.join->side(side).input;
    auto schema = std::make_shared<Schema>();
    std::vector<Column> columns;
    for (const int column : input.read_columns) {
      const ColumnDefinition& definition = input.table->columns[static_cast<size_t>(column)];
      schema->fields.push_back({definition.name, definition.type});
      ColumnBuilder builder(definition.type);
      for (const json& row : rows) {
        builder.AppendValue(CellOf(row.at(static_cast<size_t>(column)), definition.type));
      }
      columns.push_back(builder.Finish());
    }
    const RowBatch batch(schema, std::move(columns), static_cast<int64_t>(rows.size()));
    const ArrivalStage& stage = stages_[Index(side)];
    Result<Arrivals> arrivals =
        stage.Arrive(stage.Read(batch, context_), std::nullopt, OnRowError::kFail, context_);
    if (!arrivals) return tl::unexpected(arrivals.error());
    RecordSide records;
    records.num_rows = arrivals->num_rows;
    records.rows = std::make_shared<const Arrivals>(std::move(*arrivals));
    return records;
  }

  void AddSteps(size_t event, std::array<std::vector<json>, 2>* rows,
                std::vector<RecordStep>* steps) {
    const json& entry = events_.at(event);
    const std::string type = entry.at(0).get<std::string>();
    const auto add = [&](RecordStep step) {
      steps->push_back(step);
      event_of_step_.push_back(event);
    };
    if (type == "l" || type == "r") {
      RecordStep step;
      step.side = type == "l" ? Side::kLeft : Side::kRight;
      step.row = static_cast<int32_t>((*rows)[Index(step.side)].size());
      if (entry.size() > 2) step.kind = *ParseChangeKind(entry.at(2).get<std::string>());
      (*rows)[Index(step.side)].push_back(entry.at(1));
      return add(step);
    }
    RecordStep step;
    step.millis = entry.at(1).is_string() ? kEndMillis : entry.at(1).get<int64_t>();
    step.type = type == "proctime" ? RecordStep::Type::kClock : RecordStep::Type::kWatermark;
    if (type != "watermark_r") add(step);
    step.side = Side::kRight;
    if (type == "watermark" || type == "watermark_r") add(step);
  }

  Status PlayBlock(const std::array<std::vector<json>, 2>& rows, std::vector<RecordStep> steps) {
    RecordBlock block;
    for (const Side side : {Side::kLeft, Side::kRight}) {
      if (rows[Index(side)].empty()) continue;
      Result<RecordSide> records = Records(side, rows[Index(side)]);
      if (!records) return tl::unexpected(records.error());
      if (records->num_rows != static_cast<int64_t>(rows[Index(side)].size())) {
        return Fail(ErrorCode::kInternal, "the arrival stage drops rows");
      }
      block.sides[Index(side)] = std::move(*records);
    }
    block.steps = std::move(steps);
    return join_->Process(block);
  }

  Status Play() {
    if (Status prepared = Prepare(); !prepared) return prepared;
    if (variant_ == Variant::kRestarts) {
      if (Status created = CreateStore(); !created) return created;
      if (Status opened = OpenJoin(JoinClock{}); !opened) return opened;
    }
    std::array<std::vector<json>, 2> rows;
    std::vector<RecordStep> steps;
    for (size_t event = 0; event < events_.size(); ++event) {
      AddSteps(event, &rows, &steps);
      if (variant_ == Variant::kOneBlock) continue;
      if (Status played = PlayBlock(rows, std::move(steps)); !played) return played;
      if (variant_ == Variant::kRestarts) {
        if (Status restarted = Restart(); !restarted) return restarted;
      }
      states_.push_back(State());
      rows = {};
      steps.clear();
      event_of_step_.clear();
    }
    if (variant_ == Variant::kOneBlock) {
      if (Status played = PlayBlock(rows, std::move(steps)); !played) return played;
      states_.push_back(State());
    }
    null_times_ += join_->num_null_times();
    return {};
  }

  json State() const {
    return {{"rows_l", join_->num_state_rows(Side::kLeft)},
            {"rows_r", join_->num_state_rows(Side::kRight)},
            {"timer_times", join_->timer_times()}};
  }

  static std::string Difference(size_t event, const std::string& what, const json& wanted,
                                const json& given) {
    return fmt::format("event {}: {} must be\n    {}\n  and is\n    {}", event, what, wanted.dump(),
                       given.dump());
  }

  std::string Compare(const json& part) {
    for (size_t event = 0; event < events_.size(); ++event) {
      EventResult& result = results_[event];
      std::vector<std::string> wanted;
      for (const json& row : part.at("outputs").at(event)) wanted.push_back(row.dump());
      std::sort(wanted.begin(), wanted.end());
      std::sort(result.rows.begin(), result.rows.end());
      if (wanted != result.rows) return Difference(event, "rows", wanted, result.rows);
      if (part.contains("watermarks_out") &&
          part.at("watermarks_out").at(event) != result.watermark) {
        return Difference(event, "watermark", part.at("watermarks_out").at(event),
                          result.watermark);
      }
      for (const Side side : {Side::kLeft, Side::kRight}) {
        const char* field = side == Side::kLeft ? "late_l" : "late_r";
        if (!file_.at("options").value("late_side_output", true) || !part.contains(field)) continue;
        if (part.at(field).at(event) == result.late[Index(side)]) continue;
        return Difference(event, field, part.at(field).at(event), result.late[Index(side)]);
      }
      if (part.contains("output_timestamps")) {
        std::vector<int64_t> times = part.at("output_timestamps").at(event);
        std::sort(times.begin(), times.end());
        std::sort(result.times.begin(), result.times.end());
        if (times != result.times) return Difference(event, "row times", times, result.times);
      }
    }
    return CompareStates(part);
  }

  std::string CompareStates(const json& part) const {
    const json& wanted = part.at("state");
    for (size_t i = 0; i < states_.size(); ++i) {
      const size_t event = wanted.size() - states_.size() + i;
      for (const char* field : {"rows_l", "rows_r", "timer_times"}) {
        if (!wanted.at(event).contains(field)) continue;
        if (wanted.at(event).at(field) == states_[i].at(field)) continue;
        return Difference(event, field, wanted.at(event).at(field), states_[i].at(field));
      }
    }
    if (part.contains("null_time_rows") && part.at("null_time_rows") != null_times_) {
      return fmt::format("{} rows have a NULL time", null_times_);
    }
    return "";
  }

  const json& file_;
  const Variant variant_;
  const json& events_;
  StreamPlan plan_;
  PerRecordOptions options_;
  std::vector<ArrivalStage> stages_;
  std::optional<Evaluator> where_;
  std::vector<Evaluator> projections_;
  std::vector<int> output_columns_;
  EvaluationContext context_;
  std::shared_ptr<VersionedStore> store_;
  int64_t version_ = -1;
  std::unique_ptr<PerRecordJoin> join_;
  std::vector<size_t> event_of_step_;
  std::vector<EventResult> results_;
  std::vector<json> states_;
  int64_t null_times_ = 0;
};

int RunAllVariants(const std::string& path) {
  std::ifstream stream(path);
  const json file = json::parse(stream, nullptr, false);
  if (file.is_discarded() || !file.contains("perrecord")) {
    std::cerr << path << ": not a case with a per-record part\n";
    return 2;
  }
  int failures = 0;
  for (const Variant variant : {Variant::kRecordByRecord, Variant::kOneBlock, Variant::kRestarts}) {
    const std::string failure = CaseRun(file, variant).Run();
    if (failure.empty()) continue;
    ++failures;
    std::cerr << file.at("name").get<std::string>() << " (" << NameOf(variant) << "): " << failure
              << "\n";
  }
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace braid::testing

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: record_case_test FILE...\n";
    return 2;
  }
  int exit_code = 0;
  for (int i = 1; i < argc; ++i) {
    exit_code = std::max(exit_code, braid::testing::RunAllVariants(argv[i]));
  }
  return exit_code;
}
