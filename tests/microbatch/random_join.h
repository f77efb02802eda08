// Random joins for property tests of both modes: a condition, rows that are not late, the
// nested-loop join over all of them, and a job in memory that is fed slice by slice and may be
// stopped between two of them.
//
// Thread rule: one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "braid/clock.h"
#include "engine/connectors/memory.h"
#include "engine/session/job.h"
#include "state/versioned_store.h"

namespace braid::testing {

struct Row {
  std::optional<int64_t> id;
  std::optional<int64_t> time_ms;
  int64_t value = 0;
};

// What the ON clause asks for, once as SQL and once as C++.
struct Condition {
  bool keyed = true;
  bool null_safe = false;
  bool time_equality = false;
  int64_t before_ms = 0;
  int64_t after_ms = 0;
  bool strict = false;
  bool left_filter = false;
  bool right_filter = false;
  bool both_filter = false;

  std::string ToSql() const;
  bool Matches(const Row& left, const Row& right) const;
};

Condition GenerateCondition();
// One of INNER, LEFT, RIGHT, FULL, LEFT SEMI, LEFT ANTI.
std::string GenerateJoinType();

// Rows as text, sorted.
struct Joined {
  std::vector<std::string> rows;
  std::vector<std::string> unmatched;  // "l id ts v", of both tables.

  bool operator==(const Joined&) const = default;
};

// The nested-loop join over the whole input.
Joined NestedLoopJoin(const std::string& type, const Condition& condition,
                      const std::vector<Row>& left, const std::vector<Row>& right);

// Rows whose times stay above the running maximum minus the delay.
std::vector<Row> GenerateRows(int64_t delay_ms);

struct RandomJoin {
  std::string type;
  Condition condition;
  int64_t left_delay_ms = 0;
  int64_t right_delay_ms = 0;
  bool reports_unmatched = false;
  std::string settings = {};       // "SET 'key' = 'value';" …
  std::string table_options = {};  // ", 'key' = 'value'" …
  bool has_checkpoint = false;
};

// Failures are those of RC_ASSERT. Flushes at the end of the input.
class RandomRun {
 public:
  explicit RandomRun(const RandomJoin& join);

  void Push(size_t table, const std::vector<Row>& rows);
  void Trigger();
  // The moment between two records at which a checkpoint is taken, if there is a record to take.
  void Settle();
  // Ends the run as a crash does, and goes on from the checkpoint in another. REQUIRES: a
  // checkpoint.
  void Restart();
  void AdvanceClock(Interval time) { clock_.AdvanceTo(clock_.Now() + time); }
  // Ends the input, and checks that no row is left or was late.
  Joined Finish();

 private:
  void Open();

  std::shared_ptr<const Schema> schema_;
  std::vector<std::shared_ptr<MemoryStream>> streams_;
  std::shared_ptr<MemoryResult> result_ = std::make_shared<MemoryResult>();
  std::shared_ptr<MemoryResult> unmatched_ = std::make_shared<MemoryResult>();
  std::shared_ptr<MemoryConnector> connector_ = std::make_shared<MemoryConnector>();
  ConnectorRegistry registry_;
  ManualClock clock_;
  std::string text_;
  std::shared_ptr<VersionedStore> store_;
  std::unique_ptr<Job> job_;
  int64_t state_rows_ = 0;
  int64_t late_rows_ = 0;
};

}  // namespace braid::testing
