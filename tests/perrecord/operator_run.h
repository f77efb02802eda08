// Runs the join of a query for tests of the operators: events in, lines of text out. All columns of
// its tables `l` and `r` are integers or timestamps.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/perrecord/per_record_join.h"

namespace braid {

struct Event {
  RecordStep step;
  std::vector<std::optional<int64_t>> values;  // kRow; timestamps in microseconds.
};

using Values = std::vector<std::optional<int64_t>>;
Event Left(Values values, ChangeKind kind = ChangeKind::kInsert);
Event Right(Values values, ChangeKind kind = ChangeKind::kInsert);
Event WatermarkOf(Side side, int64_t millis);
Event Clock(int64_t millis);

class OperatorRun final : public JoinOutput {
 public:
  // `script`: CREATE TABLE statements and one SELECT of l.* and r.*.
  explicit OperatorRun(const std::string& script, PerRecordOptions options = {},
                       RowTimeJoin family = RowTimeJoin::kSql);

  // Plays events as one block. Returns the rows that they gave, in order: "+I 1 2 | 1 -".
  std::vector<std::string> Play(std::vector<Event> events);
  // The same for watermarks of both inputs.
  std::vector<std::string> Watermark(int64_t millis) {
    return Play({WatermarkOf(Side::kLeft, millis), WatermarkOf(Side::kRight, millis)});
  }
  // The error that the events give.
  std::optional<Error> Fail(std::vector<Event> events);

  // From here on lines say which step gave them, and watermarks that go on have lines, too.
  void ListSteps() { lists_steps_ = true; }

  // Commits to a store and goes on in a new operator. REQUIRES: options.durable.
  void Restart();
  // The same with other options.
  void Restart(PerRecordOptions options);

  PerRecordJoin& join() { return *join_; }
  PerRecordOperator chosen() const { return plan_.join->per_record->chosen; }
  int64_t num_state_rows() const {
    return join_->num_state_rows(Side::kLeft) + join_->num_state_rows(Side::kRight);
  }
  int64_t num_late() const { return num_late_; }

 private:
  Status Take(const OutputBlock& block) override;
  void Open(JoinClock clock);  // A copy: that of the join before goes with it.
  void CreateStore();
  RecordSide Records(Side side, const std::vector<Event>& events) const;
  RecordBlock Block(std::vector<Event> events) const;

  StreamPlan plan_;
  PerRecordOptions options_;
  std::vector<ArrivalStage> stages_;
  std::vector<int> output_columns_;
  std::shared_ptr<VersionedStore> store_;
  int64_t version_ = -1;
  std::vector<std::optional<EventTime>> thresholds_ = {std::nullopt, std::nullopt};  // Committed.
  std::unique_ptr<PerRecordJoin> join_;
  std::vector<std::string> lines_;
  int64_t num_late_ = 0;
  bool lists_steps_ = false;
};

}  // namespace braid
