#include "engine/microbatch/symmetric_hash_join.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "braid/column_builder.h"
#include "engine/expression/result_column.h"

namespace braid {

SideStateOptions SymmetricHashJoin::StateOptions(const JoinPlan& plan, Side side,
                                                 const Options& options) {
  const JoinSidePlan& side_plan = plan.side(side);
  std::vector<DataType> key_types;
  for (const ExpressionPtr& key : side_plan.keys) key_types.push_back(key->type);
  SideStateOptions state;
  state.key_kind = KeyWordKindOf(key_types, plan.null_safe_keys);
  state.has_time = !side_plan.time.empty();
  if (state.has_time) {
    const int column = side_plan.time[0].column;
    const bool plain = side_plan.time.size() == 1 && side_plan.time[0].offset.micros == 0;
    state.time_precision =
        plain ? side_plan.input.schema.fields[static_cast<size_t>(column)].type.precision : 6;
  }
  state.track_matches = plan.tracks_matches(side);
  for (const ExpressionPtr& payload : side_plan.payload_expressions) {
    state.payload.push_back(payload->type);
  }
  state.lineage = options.lineages[Index(side)];
  state.collect_delta = options.durable;
  state.budget = options.budget;
  return state;
}

std::optional<EventTime> SymmetricHashJoin::Threshold(const JoinPlan& plan, Side side,
                                                      std::optional<Watermark> watermark) {
  const std::optional<Interval>& offset = plan.side(side).eviction_offset;
  if (!offset || !watermark) return std::nullopt;
  return AtMicros(*watermark) + *offset;
}

SymmetricHashJoin::SymmetricHashJoin(const JoinPlan& plan, RowOutput* output,
                                     const OutputPlan& output_plan, const Options& options)
    : plan_(plan),
      output_(output),
      on_error_(options.on_error),
      activity_(options.activity),
      abandoned_(options.abandoned),
      output_columns_(output_plan.needed_columns()),
      unmatched_rows_(options.unmatched_rows),
      partition_(options.partition),
      states_{SideState(StateOptions(plan, Side::kLeft, options)),
              SideState(StateOptions(plan, Side::kRight, options))},
      pairs_([this](const PairBlock& pairs) { return EmitPairs(pairs); }) {}

Result<std::unique_ptr<SymmetricHashJoin>> SymmetricHashJoin::Create(const JoinPlan& plan,
                                                                     RowOutput* output,
                                                                     const OutputPlan& output_plan,
                                                                     const Options& options) {
  std::unique_ptr<SymmetricHashJoin> join(
      new SymmetricHashJoin(plan, output, output_plan, options));
  join->hashed_keys_ = StateOptions(plan, Side::kLeft, options).key_kind == KeyWordKind::kHash;
  if (plan.post_join_filter != nullptr) {
    Result<Evaluator> filter = Evaluator::Create(plan.post_join_filter);
    if (!filter) return tl::unexpected(filter.error());
    join->post_join_filter_ = std::move(*filter);
    join->filter_columns_ = ReferencedColumns(*plan.post_join_filter);
  }
  return join;
}

void SymmetricHashJoin::BeginBatch(int64_t batch_id, std::optional<Watermark> watermark,
                                   const EvaluationContext& context) {
  batch_id_ = batch_id;
  watermark_ = watermark;
  context_ = context;
  context_.row_errors.clear();
  counts_ = {};
}

Status SymmetricHashJoin::Probe(Side side, const Arrivals& arrivals,
                                std::span<const int32_t> rows) {
  if (rows.empty()) return {};
  ArrivingRows arriving;
  arriving.keys = &arrivals.keys;
  arriving.times = arrivals.time ? &*arrivals.time : nullptr;
  arriving.payload = arrivals.payload;
  arriving.rows = rows;
  arriving_matched_.assign(static_cast<size_t>(arrivals.num_rows), 0);
  // The plan's range is right.time - left.time; the state's is stored.time - arriving.time.
  std::optional<Interval> lower = plan_.time_range.lower;
  std::optional<Interval> upper = plan_.time_range.upper;
  if (side == Side::kRight) {
    std::swap(lower, upper);
    if (lower) lower = -*lower;
    if (upper) upper = -*upper;
  }
  SideState& other = state(Other(side));
  ProbeCursor cursor;
  bool done = false;
  while (!done) {
    if (is_abandoned()) return abandoned_->Check();
    matches_.Clear();
    done = other.Probe(arriving, lower, upper, &cursor, &matches_);
    if (matches_.arriving.empty()) continue;
    Status status = FilterPairs(side, arrivals);
    if (status) {
      status = is_semi_or_anti() ? TakeSemiMatches(side, arrivals) : TakeMatches(side, arrivals);
    }
    if (!status) return status;
    // A left row of SEMI or ANTI that has a match needs no further one.
    if (removes_matched() && side == Side::kLeft) {
      std::erase_if(cursor.walks, [this](const ProbeCursor::Walk& walk) {
        return arriving_matched_[static_cast<size_t>(walk.row)] != 0;
      });
    }
  }
  return {};
}

// Keeps of the candidate pairs those with equal keys that pass the postJoinFilter.
Status SymmetricHashJoin::FilterPairs(Side side, const Arrivals& arrivals) {
  const size_t num_pairs = matches_.arriving.size();
  if (!hashed_keys_ && !post_join_filter_) return {};
  kept_.resize(num_pairs);
  std::iota(kept_.begin(), kept_.end(), 0);

  if (hashed_keys_) {
    const Side other = Other(side);
    std::vector<Column> stored_keys;
    for (const int payload : plan_.side(other).key_payload) {
      stored_keys.push_back(state(other).GatherPayload(payload, matches_.stored));
    }
    if (Status read = state(other).spill_status(); !read) return read;
    std::vector<int32_t> arriving_rows = matches_.arriving;
    KeepEqualKeys(arrivals.key_columns, stored_keys, plan_.null_safe_keys, &arriving_rows, &kept_);
  }
  if (post_join_filter_ && !kept_.empty()) {
    GatherPairs(side, arrivals, matches_.arriving, matches_.stored, filter_columns_, &columns_);
    if (Status read = state(Other(side)).spill_status(); !read) return read;
    post_join_filter_->Filter(columns_, &context_, &kept_);
    if (!context_.row_errors.empty()) {
      if (on_error_ == OnRowError::kFail) {
        return Fail(ErrorCode::kInvalidInput,
                    context_.row_errors[0].message + " (in a pair of rows)",
                    context_.row_errors[0].place);
      }
      std::vector<int32_t> failed;
      for (const RowError& error : context_.row_errors) {
        failed.push_back(static_cast<int32_t>(error.row));
      }
      context_.row_errors.clear();
      std::sort(failed.begin(), failed.end());
      failed.erase(std::unique(failed.begin(), failed.end()), failed.end());
      counts_.row_errors += static_cast<int64_t>(failed.size());
      // A condition may fail and be TRUE all the same: `x / 0 = 1 OR TRUE`.
      std::erase_if(kept_, [&failed](int32_t pair) {
        return std::binary_search(failed.begin(), failed.end(), pair);
      });
    }
  }
  if (kept_.size() == num_pairs) return {};
  for (size_t i = 0; i < kept_.size(); ++i) {
    const size_t pair = static_cast<size_t>(kept_[i]);
    matches_.arriving[i] = matches_.arriving[pair];
    matches_.stored[i] = matches_.stored[pair];
  }
  matches_.arriving.resize(kept_.size());
  matches_.stored.resize(kept_.size());
  return {};
}

// Inner and outer joins: both rows of a pair have matched, and the pair goes out.
Status SymmetricHashJoin::TakeMatches(Side side, const Arrivals& arrivals) {
  if (matches_.arriving.empty()) return {};
  if (plan_.tracks_matches(side)) {
    for (const int32_t row : matches_.arriving) arriving_matched_[static_cast<size_t>(row)] = 1;
  }
  if (plan_.tracks_matches(Other(side))) state(Other(side)).MarkMatched(matches_.stored);
  return pairs_.Put(side, arrivals, &matches_);
}

// SEMI and ANTI: a left row that matches is done with (removes_matched). SEMI emits it, once.
Status SymmetricHashJoin::TakeSemiMatches(Side side, const Arrivals& arrivals) {
  const bool emits = plan_.type == JoinType::kLeftSemi;
  if (side == Side::kLeft) {
    std::vector<int32_t> first_matches;
    for (const int32_t row : matches_.arriving) {
      uint8_t& matched = arriving_matched_[static_cast<size_t>(row)];
      if (matched == 0) first_matches.push_back(row);
      matched = 1;
    }
    if (plan_.reports_unmatched) state(Side::kRight).MarkMatched(matches_.stored);
    if (!emits || first_matches.empty()) return {};
    return EmitOneSide(Side::kLeft, static_cast<int64_t>(first_matches.size()), [&](int column) {
      return Gather(arrivals.columns[static_cast<size_t>(column)], first_matches);
    });
  }
  std::vector<RowId>& stored = matches_.stored;
  std::sort(stored.begin(), stored.end());
  stored.erase(std::unique(stored.begin(), stored.end()), stored.end());
  SideState& left = state(Side::kLeft);
  if (plan_.reports_unmatched) {
    for (const int32_t row : matches_.arriving) arriving_matched_[static_cast<size_t>(row)] = 1;
    std::erase_if(stored, [&left](RowId row) { return left.IsMatched(row); });
  }
  Status status;
  if (emits && !stored.empty()) status = EmitStored(Side::kLeft, stored);
  if (removes_matched()) {
    counts_.removed += left.Remove(stored);
  } else {
    left.MarkMatched(stored);
  }
  return status;
}

Status SymmetricHashJoin::EmitPairs(const PairBlock& pairs) {
  const Matches& matches = pairs.matches;
  GatherPairs(pairs.side, *pairs.arrivals, matches.arriving, matches.stored, output_columns_,
              &pair_columns_);
  if (Status read = state(Other(pairs.side)).spill_status(); !read) return read;
  return output_->Write(pair_columns_, std::ssize(matches.arriving));
}

// Rows of one side, `own_column(i)` for its column i, with NULLs where the join has another side's.
Status SymmetricHashJoin::EmitOneSide(Side side, int64_t num_rows,
                                      const std::function<Column(int)>& own_column) {
  const int first = FirstColumn(side);
  const int num_columns = is_semi_or_anti() ? NumColumns(Side::kLeft)
                                            : NumColumns(Side::kLeft) + NumColumns(Side::kRight);
  columns_.assign(static_cast<size_t>(num_columns), Column());
  for (const int column : output_columns_) {
    const bool own = column >= first && column < first + NumColumns(side);
    columns_[static_cast<size_t>(column)] =
        own ? own_column(column - first) : NullColumn(column, num_rows);
  }
  return output_->Write(columns_, num_rows);
}

Status SymmetricHashJoin::EmitStored(Side side, std::span<const RowId> rows) {
  std::vector<int> wanted;
  for (const int column : output_columns_) {
    const int own = column - FirstColumn(side);
    if (own >= 0 && own < NumColumns(side)) wanted.push_back(own);
  }
  const Result<std::vector<Column>> columns = GatherColumns(side, wanted, rows);
  if (!columns) return tl::unexpected(columns.error());
  return EmitOneSide(side, static_cast<int64_t>(rows.size()),
                     [&](int column) { return (*columns)[static_cast<size_t>(column)]; });
}

// The columns `wanted` of stored rows, at their places among all of the side.
Result<std::vector<Column>> SymmetricHashJoin::GatherColumns(Side side,
                                                             const std::vector<int>& wanted,
                                                             std::span<const RowId> rows) const {
  std::vector<Column> columns(static_cast<size_t>(NumColumns(side)));
  for (const int column : wanted) {
    columns[static_cast<size_t>(column)] = GatherStored(side, column, rows);
  }
  if (Status read = state(side).spill_status(); !read) return tl::unexpected(read.error());
  return columns;
}

Status SymmetricHashJoin::TakeUnmatched(Side side, const Arrivals& arrivals) {
  if (arrivals.num_unmatched == 0) return {};
  if (Status flushed = pairs_.Flush(); !flushed) return flushed;
  const auto own_column = [&](int column) {
    return arrivals.unmatched_columns[static_cast<size_t>(column)];
  };
  if (plan_.side(side).pads) {
    counts_.padded += arrivals.num_unmatched;
    Status emitted = EmitOneSide(side, arrivals.num_unmatched, own_column);
    if (!emitted) return emitted;
  }
  return Report(side, arrivals.num_unmatched, own_column);
}

Status SymmetricHashJoin::Report(Side side, int64_t num_rows,
                                 const std::function<Column(int)>& own_column) const {
  if (unmatched_rows_ == nullptr || num_rows == 0) return {};
  std::vector<Column> columns(static_cast<size_t>(NumColumns(side)));
  for (const int column : unmatched_rows_->needed_columns(Index(side))) {
    columns[static_cast<size_t>(column)] = own_column(column);
  }
  ReportedRows rows;
  rows.input = Index(side);
  rows.columns = columns;
  rows.num_rows = num_rows;
  rows.watermark = watermark_;
  rows.batch_id = batch_id_;
  return unmatched_rows_->Write(partition_, rows, context_);
}

// New rows that the eviction predicate covers already, so that they are not stored.
Status SymmetricHashJoin::ReportExpired(Side side, const Arrivals& arrivals,
                                        std::span<const int32_t> rows) const {
  std::vector<int32_t> unmatched;
  for (const int32_t row : rows) {
    if (arriving_matched_[static_cast<size_t>(row)] == 0) unmatched.push_back(row);
  }
  return Report(side, static_cast<int64_t>(unmatched.size()), [&](int column) {
    return Gather(arrivals.columns[static_cast<size_t>(column)], unmatched);
  });
}

// Left rows are stored always, even if already expired; right rows unless the eviction predicate
// covers them, but an unmatched row of a padding side all the same, so that the eviction pads it. A
// left row of SEMI or ANTI that has matched is not stored (removes_matched).
Status SymmetricHashJoin::Store(Side side, const Arrivals& arrivals,
                                std::span<const int32_t> rows) {
  if (rows.empty()) return {};
  const bool pads = plan_.side(side).pads;
  const std::optional<EventTime> threshold =
      side == Side::kRight ? Threshold(plan_, side, watermark_) : std::nullopt;
  if (StoresAll(side, arrivals, rows, threshold)) {
    Append(side, arrivals, rows);
    return {};
  }
  stored_rows_.clear();
  std::vector<int32_t> expired;  // Where they are reported.
  for (const int32_t row : rows) {
    const size_t index = static_cast<size_t>(row);
    if (removes_matched() && side == Side::kLeft && arriving_matched_[index] != 0) continue;
    if (threshold && !(pads && arriving_matched_[index] == 0) && arrivals.time->IsValid(row) &&
        arrivals.time->Values<int64_t>()[index] < threshold->micros) {
      if (unmatched_rows_ != nullptr) expired.push_back(row);
      continue;
    }
    stored_rows_.push_back(row);
  }
  if (Status reported = ReportExpired(side, arrivals, expired); !reported) return reported;
  Append(side, arrivals, stored_rows_);
  return {};
}

bool SymmetricHashJoin::StoresAll(Side side, const Arrivals& arrivals,
                                  std::span<const int32_t> rows,
                                  std::optional<EventTime> threshold) const {
  if (removes_matched() && side == Side::kLeft) return false;
  if (!threshold) return true;
  const int64_t* times = arrivals.time->Values<int64_t>().data();
  bool all = true;
  for (const int32_t row : rows) all &= times[row] >= threshold->micros;
  return all;
}

void SymmetricHashJoin::Append(Side side, const Arrivals& arrivals, std::span<const int32_t> rows) {
  if (rows.empty()) return;
  std::span<const uint8_t> matched;
  if (plan_.tracks_matches(side)) {
    if (std::ssize(rows) == arrivals.num_rows) {  // They rise: it is all of them.
      matched = arriving_matched_;
    } else {
      stored_matched_.resize(rows.size());
      for (size_t i = 0; i < rows.size(); ++i) {
        stored_matched_[i] = arriving_matched_[static_cast<size_t>(rows[i])];
      }
      matched = stored_matched_;
    }
  }
  ArrivingRows arriving;
  arriving.keys = &arrivals.keys;
  arriving.times = arrivals.time ? &*arrivals.time : nullptr;
  arriving.payload = arrivals.payload;
  arriving.rows = rows;
  state(side).Append(arriving, matched);
  counts_.updated += std::ssize(rows);
}

Status SymmetricHashJoin::TakeEvicted(Side side, std::span<const RowId> rows) {
  if (plan_.side(side).pads) {
    counts_.padded += static_cast<int64_t>(rows.size());
    if (Status status = EmitStored(side, rows); !status) return status;
  }
  if (unmatched_rows_ == nullptr) return {};
  const Result<std::vector<Column>> columns =
      GatherColumns(side, unmatched_rows_->needed_columns(Index(side)), rows);
  if (!columns) return tl::unexpected(columns.error());
  return Report(side, static_cast<int64_t>(rows.size()),
                [&](int column) { return (*columns)[static_cast<size_t>(column)]; });
}

Status SymmetricHashJoin::EndBatch(bool flush) {
  for (const Side side : kBothSides) {
    EvictionResult evicted;
    if (flush) {
      evicted = state(side).EvictAll();
    } else if (const auto threshold = Threshold(plan_, side, watermark_)) {
      evicted = state(side).EvictBelow(*threshold);
    }
    counts_.removed += evicted.removed;
    activity_->AddTotal(BatchPhase::kEvicting, static_cast<int64_t>(evicted.unmatched.size()));
    for (size_t first = 0; first < evicted.unmatched.size(); first += kRowsAtOnce) {
      const size_t count = std::min(kRowsAtOnce, evicted.unmatched.size() - first);
      const std::span<const RowId> rows(evicted.unmatched.data() + first, count);
      if (is_abandoned()) return abandoned_->Check();
      if (Status status = TakeEvicted(side, rows); !status) return status;
      activity_->Advance(BatchPhase::kEvicting, static_cast<int64_t>(count));
    }
  }
  for (SideState& side_state : states_) {
    side_state.ReleaseEvicted();
    if (Status kept = side_state.spill_status(); !kept) return kept;
  }
  return {};
}

void SymmetricHashJoin::GatherPairs(Side side, const Arrivals& arrivals,
                                    std::span<const int32_t> arriving,
                                    std::span<const RowId> stored, const std::vector<int>& wanted,
                                    std::vector<Column>* columns) const {
  const int first = FirstColumn(side);
  const int other_first = FirstColumn(Other(side));
  const int num_columns = NumColumns(Side::kLeft) + NumColumns(Side::kRight);
  columns->assign(static_cast<size_t>(num_columns), Column());
  for (const int column : wanted) {
    const bool own = column >= first && column < first + NumColumns(side);
    (*columns)[static_cast<size_t>(column)] =
        own ? Gather(arrivals.columns[static_cast<size_t>(column - first)], arriving)
            : GatherStored(Other(side), column - other_first, stored);
  }
}

Column SymmetricHashJoin::GatherStored(Side side, int column, std::span<const RowId> rows) const {
  const StoredColumn& stored = *plan_.side(side).stored[static_cast<size_t>(column)];
  switch (stored.from) {
    case StoredColumn::From::kKeyWord:
      return state(side).GatherKeyWord(stored.type, rows);
    case StoredColumn::From::kTime:
      return state(side).GatherTime(stored.type, rows);
    case StoredColumn::From::kPayload:
      break;
  }
  return state(side).GatherPayload(stored.payload, rows);
}

Column SymmetricHashJoin::NullColumn(int column, int64_t length) {
  const size_t index = static_cast<size_t>(column);
  if (null_columns_.size() <= index) null_columns_.resize(index + 1);
  std::shared_ptr<const Column>& nulls = null_columns_[index];
  if (nulls == nullptr || nulls->length() < length) {
    const Side side = column < NumColumns(Side::kLeft) ? Side::kLeft : Side::kRight;
    const Schema& schema = plan_.side(side).input.schema;
    const Field& field = schema.fields[static_cast<size_t>(column - FirstColumn(side))];
    nulls = std::make_shared<const Column>(braid::NullColumn(field.type, length));
  }
  return Column(nulls->type(), length, length, nulls->validity(), nulls->raw_values(),
                nulls->offsets(), nulls);
}

}  // namespace braid
