// Reads the records of all tables in their order, a block at a time, with the watermarks and clock
// steps between them; knows where it is in each table, and reads a planned epoch again.
//
// Where every input is finite the order follows from the records alone. Otherwise it depends on
// when what came, and is written down: an epoch's plan then holds it.
//
// Ownership: owns the sources; plan, stages and clock are borrowed.
// Thread rule: one thread at a time; Interrupt from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "braid/clock.h"
#include "braid/error.h"
#include "braid/source.h"
#include "engine/perrecord/checkpoint_record.h"
#include "engine/perrecord/input_block.h"
#include "engine/perrecord/input_watermark.h"
#include "engine/perrecord/join_tree.h"
#include "engine/perrecord/record_order.h"
#include "engine/perrecord/table_input.h"
#include "state/batch_log.h"

namespace braid {

struct RecordReaderOptions {
  std::optional<Interleave>
      interleave;       // Absent: event-time if all inputs are finite, else arrival.
  bool flushes = true;  // The end of an input sends its watermark to infinity.
  bool until_latest = false;
  bool durable = false;
  bool tells_event_time = false;         // RecordReader::event_times are filled.
  std::vector<WatermarkOptions> tables;  // One a table; ignored without a watermark.
  TableInput::Options input;
};

class RecordReader {
 public:
  enum class Found : uint8_t {
    kRecords,  // The block has records, or ends of inputs.
    kNothing,  // Nothing new now; the block may hold steps of the clock and watermarks.
    kEnd,      // All inputs have ended, and the block is empty.
  };

  // `sources`: one a table of `plan`, whose rows go through the stages of `tree`.
  RecordReader(const StreamPlan& plan, const JoinTree& tree,
               std::vector<std::unique_ptr<Source>> sources, Clock* clock,
               const RecordReaderOptions& options);

  // Goes on from a commit. Before Open.
  void Restore(const CheckpointRecord& record, const std::vector<TableWatermark>& watermarks);
  Status Open();

  // From here on an epoch is counted.
  void BeginEpoch();

  // Tables that Collect takes no further records from, until it is said anew: one byte a table, or
  // empty for none. What is paused is part of the order, which is then written down.
  void SetPaused(std::vector<uint8_t> paused) { paused_ = std::move(paused); }
  bool is_paused(size_t table) const { return !paused_.empty() && paused_[table] != 0; }

  // The next records. Waits for finite inputs only.
  Result<Found> Collect();
  // What slices that cannot be read again still hold: an epoch must not end within one.
  Result<bool> CollectRest();
  const InputBlock& block() const { return block_; }
  // The largest row time read, at each position of the block.
  const std::vector<int64_t>& event_times() const { return event_times_; }
  std::optional<EventTime> event_time() const;
  // The wall clock as of the block.
  EventTime now() const { return now_; }

  // A planned epoch again, before Open: BeginReplay, CollectReplay until it gives false, and, when
  // the epoch has ended, EndReplay.
  Status BeginReplay(const BatchPlan& plan, const CheckpointRecord& record);
  Result<bool> CollectReplay();
  // kNotFound if it gave other rows than were planned.
  Status CheckReplayed() const;
  void EndReplay();

  // What the epoch was, for its plan and its commit.
  void FillRecord(bool is_plan, CheckpointRecord* record) const;
  std::vector<OffsetRange> TakeRanges();
  std::vector<TableWatermark> watermarks() const;
  // All that comes before it was taken; what the source may forget. Empty: nothing.
  std::string offset(size_t table) const { return PositionOf(tables_[table]).offset; }

  size_t num_tables() const { return tables_.size(); }
  const std::string& name(size_t table) const { return names_[table]; }
  TableInput& input(size_t table) { return *tables_[table].input; }
  const std::optional<InputWatermark>& watermark(size_t table) const {
    return tables_[table].watermark;
  }
  bool is_idle(size_t table) const { return tables_[table].is_idle; }
  bool ended(size_t table) const { return tables_[table].input->ended(); }
  EventTime last_row(size_t table) const { return tables_[table].last_row; }
  const std::string& start_offset(size_t table) const { return tables_[table].start.offset; }
  // The table whose watermark is the smallest; absent without any.
  std::optional<size_t> holding_back() const;

  void Interrupt();

 private:
  struct Table {
    std::unique_ptr<TableInput> input;
    std::optional<InputWatermark> watermark;
    std::optional<Interval> idle_timeout;
    EventTime last_row;  // Wall clock.
    bool is_idle = false;
    bool is_finite = false;
    SliceReader::Found found = SliceReader::Found::kNothing;  // When it was asked last.
    bool end_told = false;
    InputPosition start;                       // Of the epoch.
    int64_t num_rows = 0;                      // In the epoch.
    bool replay_ends = false;                  // The planned epoch told its end.
    std::optional<InputPosition> replayed_to;  // Where the planned epoch ends.
    int64_t replay_rows = 0;
  };

  static InputPosition PositionOf(const Table& table) {
    return table.replayed_to ? *table.replayed_to : table.input->position();
  }

  void BeginBlock();
  Status AskTables();
  void TakeRecords();
  void TakeRun(size_t table, int32_t num_rows);
  bool AllEndsTold() const;
  bool AllHaveEnded() const;
  void TellEnds();
  void TellClock();
  void TellPeriodicWatermarks();
  void TellIdleTables();
  std::optional<int64_t> IdleTarget() const;
  void AddMark(size_t table, int64_t millis);
  void AddClock(int64_t millis);
  int32_t NewPosition();
  void Log(OrderEntry::Kind kind, size_t table, int64_t value);
  Status FollowOrder();
  bool has_steps() const { return block_.num_positions > 0; }

  Clock* clock_;
  RecordReaderOptions options_;
  bool uses_clock_ = false;
  std::vector<std::string> names_;
  std::vector<Table> tables_;
  std::vector<uint8_t> paused_;
  std::vector<ReadyRows> ready_;
  bool order_follows_ = false;  // From the records alone, as long as none was missing.
  bool had_nothing_ = false;    // In this epoch a table had nothing yet when it was asked.
  std::optional<RecordOrder> order_;
  size_t turn_at_start_ = 0;
  std::vector<OrderEntry> log_;

  bool replays_ = false;
  std::optional<std::vector<OrderEntry>> replayed_order_;
  size_t next_entry_ = 0;

  InputBlock block_;
  std::vector<int64_t> event_times_;
  int64_t event_time_ = kNoRowTime;
  EventTime now_;
};

}  // namespace braid
