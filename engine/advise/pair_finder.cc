#include "engine/advise/pair_finder.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/plan/interval_text.h"

namespace braid {

namespace {

constexpr size_t kPairsAtOnce = 8'192;
// A window is moved to the front of its array once so many rows before it are dead.
constexpr size_t kDeadRowsMin = 1'024;

}  // namespace

Status PairFinder::Find(RowSorter* left, RowSorter* right) {
  while (left->Peek() != nullptr && right->Peek() != nullptr) {
    const uint64_t left_key = left->Peek()->key;
    const uint64_t right_key = right->Peek()->key;
    Status status;
    if (left_key < right_key) {
      status = left->Pop();
    } else if (right_key < left_key) {
      status = right->Pop();
    } else {
      status = JoinKey(left, right);
    }
    if (!status) return status;
  }
  if (Status filtered = FilterPending(); !filtered) return filtered;
  FinishNearest();
  return {};
}

Status PairFinder::JoinKey(RowSorter* left, RowSorter* right) {
  const uint64_t key = left->Peek()->key;
  window_.clear();
  window_begin_ = 0;
  while (left->Peek() != nullptr && left->Peek()->key == key) {
    const KeyedRow row = *left->Peek();
    Status status = left->Pop();
    if (status) status = MoveWindow(row, right);
    if (status) status = PairUp(row);
    if (!status) return status;
  }
  while (right->Peek() != nullptr && right->Peek()->key == key) {
    if (Status popped = right->Pop(); !popped) return popped;
  }
  return {};
}

Status PairFinder::MoveWindow(const KeyedRow& left, RowSorter* right) {
  const int64_t latest = SaturatingAdd(left.time, options_.max.micros);
  const int64_t earliest = SaturatingAdd(left.time, -options_.max.micros);
  while (window_begin_ < window_.size() && window_[window_begin_].time < earliest) ++window_begin_;
  if (window_begin_ >= kDeadRowsMin && window_begin_ > window_.size() / 2) {
    window_.erase(window_.begin(), window_.begin() + static_cast<std::ptrdiff_t>(window_begin_));
    window_begin_ = 0;
  }
  const KeyedRow* row = right->Peek();
  while (row != nullptr && row->key == left.key && row->time <= latest) {
    if (row->time >= earliest) window_.push_back({row->time, row->record});
    if (Status popped = right->Pop(); !popped) return popped;
    row = right->Peek();
  }
  const auto bytes = static_cast<int64_t>(window_.capacity() * sizeof(WindowRow));
  window_bytes_peak_ = std::max(window_bytes_peak_, bytes);
  if (bytes <= options_.window_bytes_max) return {};
  return Fail(ErrorCode::kInvalidInput,
              fmt::format("one key has {} rows of the right table within {} of a row of the left "
                          "one: more than the memory allows; choose a smaller --max, or more "
                          "--memory",
                          window_.size() - window_begin_, FormatInterval(options_.max)));
}

Status PairFinder::PairUp(const KeyedRow& left) {
  ++left_row_;
  for (size_t index = window_begin_; index < window_.size(); ++index) {
    const Interval difference = Interval{window_[index].time} + (-Interval{left.time});
    if (options_.filter == nullptr) {
      TakePair(left_row_, difference);
      continue;
    }
    pending_.push_back({{left.record, window_[index].record}, left_row_, difference});
    if (pending_.size() < kPairsAtOnce) continue;
    if (Status filtered = FilterPending(); !filtered) return filtered;
  }
  return {};
}

Status PairFinder::FilterPending() {
  if (pending_.empty()) return {};
  if (Status filtered = options_.filter->Filter(&pending_); !filtered) return filtered;
  for (const CandidatePair& pair : pending_) TakePair(pair.left_row, pair.difference);
  pending_.clear();
  return {};
}

void PairFinder::FinishNearest() {
  if (nearest_row_ < 0) return;
  ++num_left_matched_;
  nearest_.Add(nearest_difference_);
  nearest_row_ = -1;
}

}  // namespace braid
