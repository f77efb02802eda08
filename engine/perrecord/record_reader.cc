#include "engine/perrecord/record_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/microbatch/query_identity.h"
#include "state/rows/check.h"

namespace braid {

namespace {

// Records of one block.
constexpr int32_t kBlockRowsMax = 16'384;

}  // namespace

RecordReader::RecordReader(const StreamPlan& plan, const JoinTree& tree,
                           std::vector<std::unique_ptr<Source>> sources, Clock* clock,
                           const RecordReaderOptions& options)
    : clock_(clock),
      options_(options),
      uses_clock_(tree.uses_clock()),
      names_(TableNames(plan)),
      ready_(sources.size()) {
  const std::vector<const InputPlan*> inputs = TableInputs(plan);
  BRAID_CHECK(sources.size() == inputs.size(), "one source a table");
  bool all_finite = true;
  for (size_t index = 0; index < sources.size(); ++index) {
    Table& table = tables_.emplace_back();
    table.is_finite = sources[index]->is_finite();
    all_finite = all_finite && table.is_finite;
    if (const std::optional<WatermarkDefinition>& definition = inputs[index]->watermark) {
      const WatermarkOptions moves =
          index < options.tables.size() ? options.tables[index] : WatermarkOptions();
      table.watermark.emplace(definition->delay, moves, table.is_finite);
      table.idle_timeout = moves.idle_timeout;
    }
    TableInput::Options input = options.input;
    if (index < options.tables.size()) input.belief = {clock, options.tables[index].max_ahead};
    table.input = std::make_unique<TableInput>(*inputs[index], &tree.stage(index),
                                               std::move(sources[index]), input);
  }
  const bool ends = all_finite || options.until_latest;
  const Interleave by_inputs = ends ? Interleave::kEventTime : Interleave::kArrival;
  const Interleave interleave = options.interleave.value_or(by_inputs);
  order_.emplace(interleave, tables_.size());
  order_follows_ = all_finite && interleave != Interleave::kArrival;
}

void RecordReader::Restore(const CheckpointRecord& record,
                           const std::vector<TableWatermark>& watermarks) {
  order_->RestoreTurn(record.turn);
  for (size_t index = 0; index < tables_.size(); ++index) {
    Table& table = tables_[index];
    for (const TableCheckpoint& saved : record.tables) {
      if (saved.table != names_[index]) continue;
      table.start = saved.position;
      table.end_told = saved.ended;
      if (!table.watermark) continue;
      std::optional<EventTime> max_time;
      for (const TableWatermark& mark : watermarks) {
        if (mark.table == saved.table) max_time = mark.max_time;
      }
      table.watermark->Restore(max_time, saved.sent);
      if (max_time) event_time_ = std::max(event_time_, max_time->micros);
    }
  }
}

Status RecordReader::Open() {
  now_ = clock_->Now();
  for (Table& table : tables_) {
    Status opened = table.input->Open(table.start, options_.until_latest);
    if (!opened) return opened;
    table.last_row = now_;
  }
  return {};
}

void RecordReader::BeginEpoch() {
  log_.clear();
  had_nothing_ = false;
  turn_at_start_ = order_->turn();
  for (Table& table : tables_) {
    table.num_rows = 0;
    if (!replays_) table.start = table.input->position();
  }
}

std::optional<EventTime> RecordReader::event_time() const {
  if (event_time_ == kNoRowTime) return std::nullopt;
  return EventTime{event_time_};
}

int32_t RecordReader::NewPosition() {
  if (options_.tells_event_time) event_times_.push_back(event_time_);
  return block_.num_positions++;
}

void RecordReader::Log(OrderEntry::Kind kind, size_t table, int64_t value) {
  if (!options_.durable) return;
  const int32_t number = static_cast<int32_t>(table);
  if (kind == OrderEntry::Kind::kRows && !log_.empty() && log_.back().kind == kind &&
      log_.back().table == number) {
    log_.back().value += value;
    return;
  }
  // While nothing comes, the clock goes on: its last step lets out all that those before it would.
  if (kind == OrderEntry::Kind::kClock && !log_.empty() && log_.back().kind == kind) {
    log_.back().value = value;
    return;
  }
  log_.push_back({kind, number, value});
}

void RecordReader::AddMark(size_t table, int64_t millis) {
  block_.tables[table].marks.push_back({NewPosition(), millis});
  Log(OrderEntry::Kind::kWatermark, table, millis);
}

void RecordReader::AddClock(int64_t millis) {
  block_.clock.push_back({NewPosition(), millis});
  Log(OrderEntry::Kind::kClock, 0, millis);
}

void RecordReader::BeginBlock() {
  block_ = {};
  block_.tables.resize(tables_.size());
  event_times_.clear();
  if (!replays_) now_ = clock_->Now();
}

Status RecordReader::AskTables() {
  for (size_t index = 0; index < tables_.size(); ++index) {
    Table& table = tables_[index];
    if (is_paused(index) && !replays_ && !ended(index)) {
      // It may well have rows: it is neither idle nor at its end.
      table.found = SliceReader::Found::kNotYet;
      table.last_row = now_;
      ready_[index] = {};
      had_nothing_ = true;
      continue;
    }
    const Result<SliceReader::Found> found = table.input->Peek(table.is_finite, now_);
    if (!found) return tl::unexpected(found.error());
    table.found = *found;
    if (*found == SliceReader::Found::kNothing) had_nothing_ = true;
    ready_[index] = table.input->ready();
    if (*found != SliceReader::Found::kSlice) continue;
    table.last_row = now_;
    table.is_idle = false;
    TableRows& rows = block_.tables[index];
    rows.slice = table.input->slice();
    rows.first = table.input->next_row();
  }
  return {};
}

bool RecordReader::AllEndsTold() const {
  return std::all_of(tables_.begin(), tables_.end(),
                     [](const Table& table) { return table.end_told; });
}

bool RecordReader::AllHaveEnded() const {
  return std::all_of(tables_.begin(), tables_.end(),
                     [](const Table& table) { return table.found == SliceReader::Found::kEnd; });
}

// An input that has ended holds nobody back any longer.
void RecordReader::TellEnds() {
  for (size_t index = 0; index < tables_.size(); ++index) {
    Table& table = tables_[index];
    const bool ended = table.found == SliceReader::Found::kEnd && (!replays_ || table.replay_ends);
    if (!ended || table.end_told || !options_.flushes) continue;
    table.end_told = true;
    AddMark(index, kEndMillis);
    // Rows that are kept by the clock leave too.
    if (uses_clock_ && AllEndsTold()) AddClock(kEndMillis);
  }
}

void RecordReader::TellClock() {
  if (uses_clock_ && !AllHaveEnded()) AddClock(now_.micros / 1'000);
}

void RecordReader::TellPeriodicWatermarks() {
  for (size_t index = 0; index < tables_.size(); ++index) {
    std::optional<InputWatermark>& watermark = tables_[index].watermark;
    const int64_t millis = watermark ? watermark->Tick(now_) : kUnsetMillis;
    if (millis != kUnsetMillis) AddMark(index, millis);
  }
}

// Where the watermarks of idle tables go: to the smallest of the others, or, if all are idle, to
// the largest that any has reached.
std::optional<int64_t> RecordReader::IdleTarget() const {
  std::optional<int64_t> smallest;
  std::optional<int64_t> largest;
  for (const Table& table : tables_) {
    if (!table.watermark) continue;
    const int64_t reached = table.watermark->reached();
    if (reached != kUnsetMillis) largest = std::max(largest.value_or(reached), reached);
    if (table.is_idle || table.end_told) continue;
    const int64_t sent = table.watermark->sent();
    smallest = std::min(smallest.value_or(sent), sent);
  }
  return smallest ? smallest : largest;
}

void RecordReader::TellIdleTables() {
  bool any_idle = false;
  for (Table& table : tables_) {
    if (!table.idle_timeout || !table.watermark) continue;
    table.is_idle =
        table.found == SliceReader::Found::kNothing && now_ >= table.last_row + *table.idle_timeout;
    any_idle = any_idle || table.is_idle;
  }
  const std::optional<int64_t> target = any_idle ? IdleTarget() : std::nullopt;
  for (size_t index = 0; target && index < tables_.size(); ++index) {
    if (!tables_[index].is_idle) continue;
    const int64_t millis = tables_[index].watermark->Raise(*target);
    if (millis != kUnsetMillis) AddMark(index, millis);
  }
}

// Takes rows of one table, each with the watermark that follows it.
void RecordReader::TakeRun(size_t index, int32_t num_rows) {
  Table& table = tables_[index];
  TableRows& rows = block_.tables[index];
  ReadyRows& ready = ready_[index];
  const int64_t latest_believed = table.input->latest_believed();
  for (int32_t row = 0; row < num_rows; ++row) {
    int64_t time = ready.TimeAt(row);
    if (time > latest_believed) time = kNoRowTime;
    event_time_ = std::max(event_time_, time);
    const int32_t position = NewPosition();
    rows.positions.push_back(position);
    const int64_t millis = table.watermark ? table.watermark->Observe(time) : kUnsetMillis;
    if (millis != kUnsetMillis) rows.marks.push_back({position, millis});
  }
  table.input->Take(num_rows);
  table.num_rows += num_rows;
  ready = table.input->ready();
  Log(OrderEntry::Kind::kRows, index, num_rows);
}

// Rows in their order, until the slice of a table is used up: what it has next must be known before
// the order goes on.
void RecordReader::TakeRecords() {
  while (block_.num_positions < kBlockRowsMax) {
    const std::optional<RecordOrder::Run> run =
        order_->Next(ready_, kBlockRowsMax - block_.num_positions);
    if (!run) return;
    TakeRun(run->table, run->num_rows);
    if (!ready_[run->table].has_row) return;
  }
}

Result<RecordReader::Found> RecordReader::Collect() {
  BeginBlock();
  if (Status asked = AskTables(); !asked) return tl::unexpected(asked.error());
  TellClock();
  TellEnds();
  TellPeriodicWatermarks();
  TellIdleTables();
  const int32_t marks = block_.num_positions;
  TakeRecords();
  if (AllHaveEnded() && !has_steps()) return Found::kEnd;
  return block_.num_positions > marks || AllHaveEnded() ? Found::kRecords : Found::kNothing;
}

Result<bool> RecordReader::CollectRest() {
  BeginBlock();
  for (size_t index = 0; index < tables_.size(); ++index) {
    Table& table = tables_[index];
    ready_[index] = table.input->ready();
    if (!table.input->must_finish_slice()) continue;
    block_.tables[index].slice = table.input->slice();
    block_.tables[index].first = table.input->next_row();
    TakeRun(index, ready_[index].num_rows);
  }
  return has_steps();
}

Status RecordReader::BeginReplay(const BatchPlan& plan, const CheckpointRecord& record) {
  replays_ = true;
  now_ = plan.processing_time;
  order_->RestoreTurn(record.turn);
  if (record.has_order) replayed_order_ = record.order;
  next_entry_ = 0;
  for (size_t index = 0; index < tables_.size(); ++index) {
    const auto saved =
        std::find_if(record.tables.begin(), record.tables.end(),
                     [&](const TableCheckpoint& table) { return table.table == names_[index]; });
    const auto range =
        std::find_if(plan.sources.begin(), plan.sources.end(),
                     [&](const OffsetRange& source) { return source.table == names_[index]; });
    if (saved == record.tables.end() || range == plan.sources.end()) {
      return Fail(ErrorCode::kConflict,
                  fmt::format("the checkpoint's planned epoch {} does not read table {}, which the "
                              "query does",
                              plan.batch_id, names_[index]));
    }
    Table& table = tables_[index];
    table.replay_ends = saved->ended;
    table.replay_rows = saved->num_rows;
    table.replayed_to = saved->position;
    Status begun = table.input->BeginReplay(saved->start, range->end, range->replay,
                                            saved->num_rows, plan.processing_time);
    if (!begun) return begun;
  }
  return {};
}

// The entries of a written order that the slices at hand allow.
Status RecordReader::FollowOrder() {
  std::vector<OrderEntry>& order = *replayed_order_;
  for (; next_entry_ < order.size() && block_.num_positions < kBlockRowsMax; ++next_entry_) {
    OrderEntry& entry = order[next_entry_];
    const size_t index = static_cast<size_t>(entry.table);
    if (entry.kind == OrderEntry::Kind::kClock) {
      AddClock(entry.value);
      continue;
    }
    if (index >= tables_.size()) {
      return Fail(ErrorCode::kCorruption, "a planned epoch names a table that is not there");
    }
    if (entry.kind == OrderEntry::Kind::kWatermark) {
      if (entry.value == kEndMillis) tables_[index].end_told = true;
      if (tables_[index].watermark && entry.value != kEndMillis) {
        tables_[index].watermark->Raise(entry.value);
      }
      AddMark(index, entry.value);
      continue;
    }
    const int32_t taken =
        static_cast<int32_t>(std::min<int64_t>(entry.value, ready_[index].num_rows));
    if (taken > 0) TakeRun(index, taken);
    entry.value -= taken;
    if (entry.value > 0) return {};  // The rest is in the next slice.
  }
  return {};
}

Result<bool> RecordReader::CollectReplay() {
  BeginBlock();
  if (Status asked = AskTables(); !asked) return tl::unexpected(asked.error());
  if (replayed_order_) {
    if (Status followed = FollowOrder(); !followed) return tl::unexpected(followed.error());
    return has_steps();
  }
  TellClock();
  TellEnds();
  TakeRecords();
  // The clock alone is no record.
  return has_steps() && !(AllHaveEnded() && block_.num_positions == std::ssize(block_.clock));
}

Status RecordReader::CheckReplayed() const {
  for (size_t index = 0; index < tables_.size(); ++index) {
    const Table& table = tables_[index];
    if (table.num_rows == table.replay_rows) continue;
    return Fail(ErrorCode::kNotFound,
                fmt::format("table {} gives {} rows where an epoch that was planned before a crash "
                            "read {}: its input was changed meanwhile",
                            names_[index], table.num_rows, table.replay_rows));
  }
  return {};
}

void RecordReader::EndReplay() {
  replays_ = false;
  replayed_order_.reset();
  for (Table& table : tables_) {
    table.input->EndReplay();
    table.start = *table.replayed_to;
    table.replayed_to.reset();
  }
}

void RecordReader::FillRecord(bool is_plan, CheckpointRecord* record) const {
  record->turn = is_plan ? turn_at_start_ : order_->turn();
  for (size_t index = 0; index < tables_.size(); ++index) {
    const Table& table = tables_[index];
    TableCheckpoint& saved = record->tables.emplace_back();
    saved.table = names_[index];
    saved.position = PositionOf(table);
    if (table.watermark) saved.sent = table.watermark->sent();
    saved.ended = table.end_told;
    saved.start = table.start;
    saved.num_rows = table.num_rows;
  }
  if (!is_plan || (order_follows_ && !had_nothing_)) return;
  record->has_order = true;
  record->order = log_;
}

std::vector<OffsetRange> RecordReader::TakeRanges() {
  std::vector<OffsetRange> ranges;
  for (size_t index = 0; index < tables_.size(); ++index) {
    const Table& table = tables_[index];
    OffsetRange& range = ranges.emplace_back();
    range.table = names_[index];
    range.start = table.start.offset;
    range.end = table.num_rows > 0 ? table.input->read_end() : table.start.offset;
    range.replay = table.input->TakeReplay();
  }
  return ranges;
}

std::vector<TableWatermark> RecordReader::watermarks() const {
  std::vector<TableWatermark> marks;
  for (size_t index = 0; index < tables_.size(); ++index) {
    const std::optional<InputWatermark>& watermark = tables_[index].watermark;
    if (!watermark) continue;
    TableWatermark& mark = marks.emplace_back();
    mark.table = names_[index];
    mark.max_time = watermark->max_time();
    if (watermark->sent() != kUnsetMillis) mark.watermark = Watermark{watermark->sent()};
  }
  return marks;
}

std::optional<size_t> RecordReader::holding_back() const {
  std::optional<size_t> holder;
  for (size_t index = 0; index < tables_.size(); ++index) {
    const Table& table = tables_[index];
    if (!table.watermark || table.end_told) continue;
    if (holder && table.watermark->sent() >= tables_[*holder].watermark->sent()) continue;
    holder = index;
  }
  return holder;
}

void RecordReader::Interrupt() {
  for (Table& table : tables_) table.input->Interrupt();
}

}  // namespace braid
