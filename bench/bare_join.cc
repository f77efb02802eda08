#include "bench/bare_join.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "state/rows/key_word.h"

namespace braid {

namespace {

constexpr size_t kGroup = 64;
constexpr size_t kPrefetchDistance = 16;
constexpr size_t kPairsMax = 8'192;
constexpr int64_t kHourMicros = 3'600'000'000;

}  // namespace

BareJoin::State::State(size_t rows, bool has_price)
    : capacity(rows), memory(rows * (sizeof(Entry) + 2 * sizeof(uint32_t) + 17)) {
  // A first touch costs more than what is done with it: the loop is to show what it costs itself.
  std::memset(memory.data(), 0, memory.bytes());
  entries = static_cast<Entry*>(memory.data());
  numbers = reinterpret_cast<int64_t*>(entries + rows);
  heads = reinterpret_cast<uint32_t*>(numbers + rows);
  if (!has_price) return;
  prices = reinterpret_cast<double*>(heads + 2 * rows);
  matched = reinterpret_cast<uint8_t*>(prices + rows);
}

size_t BareJoin::State::BucketOf(uint64_t word) const {
  return MixKeyWord(word) >> (63 - std::countr_zero(capacity));
}

BareJoin::BareJoin(bool outer, int64_t window_micros, size_t left_capacity, size_t right_capacity)
    : is_outer_(outer),
      window_millis_(window_micros / 1'000),
      left_(left_capacity, true),
      right_(right_capacity, false) {
  for (std::vector<int64_t>* column : {&ids_, &left_times_, &right_times_, &campaigns_, &users_}) {
    column->resize(kPairsMax);
  }
  prices_.resize(kPairsMax);
}

void BareJoin::Append(const WorkloadSide& rows, State* state) {
  const auto times = rows.times.Values<int64_t>();
  const auto numbers = rows.payload[0].Values<int64_t>();
  const bool has_price = rows.payload.size() > 1;
  for (size_t i = 0; i < times.size(); ++i) {
    if (i + kPrefetchDistance < times.size()) {
      __builtin_prefetch(&state->heads[state->BucketOf(rows.keys.words[i + kPrefetchDistance])]);
    }
    const uint32_t row = state->end++;
    const size_t slot = state->SlotOf(row);
    uint32_t& head = state->heads[state->BucketOf(rows.keys.words[i])];
    state->entries[slot] = {rows.keys.words[i], MillisOf(times[i]), head};
    head = row;
    state->numbers[slot] = numbers[i];
  }
  const uint32_t first = state->end - static_cast<uint32_t>(times.size());
  if (!has_price) return;
  const auto prices = rows.payload[1].Values<double>();
  for (size_t i = 0; i < times.size(); ++i) {
    const size_t slot = state->SlotOf(first + static_cast<uint32_t>(i));
    state->prices[slot] = prices[i];
    state->matched[slot] = is_outer_ ? arriving_matched_[i] : 0;
  }
}

void BareJoin::Probe(const WorkloadSide& rows, int64_t lower, int64_t upper, State* state) {
  const auto times = rows.times.Values<int64_t>();
  size_t buckets[kGroup];
  uint32_t heads[kGroup];
  for (size_t begin = 0; begin < times.size(); begin += kGroup) {
    const size_t count = std::min(kGroup, times.size() - begin);
    for (size_t i = 0; i < count; ++i) {
      buckets[i] = state->BucketOf(rows.keys.words[begin + i]);
      __builtin_prefetch(&state->heads[buckets[i]]);
    }
    for (size_t i = 0; i < count; ++i) {
      heads[i] = state->heads[buckets[i]];
      __builtin_prefetch(&state->entries[state->SlotOf(heads[i])]);
    }
    for (size_t i = 0; i < count; ++i) {
      const uint64_t word = rows.keys.words[begin + i];
      const int64_t millis = MillisOf(times[begin + i]);
      for (uint32_t row = heads[i]; row >= state->low;) {
        const Entry& entry = state->entries[state->SlotOf(row)];
        const int64_t distance = int64_t{entry.millis} - millis;
        if (entry.word == word && distance >= lower && distance <= upper) {
          arriving_.push_back(static_cast<int32_t>(begin + i));
          stored_.push_back(row);
        }
        row = entry.next;
      }
    }
    if (arriving_.size() > kPairsMax - 4 * kGroup) GatherPairs(rows, *state);
  }
  GatherPairs(rows, *state);
}

void BareJoin::GatherPairs(const WorkloadSide& rows, const State& state) {
  const bool is_left_stored = &state == &left_;
  const auto times = rows.times.Values<int64_t>();
  const auto numbers = rows.payload[0].Values<int64_t>();
  std::vector<int64_t>& stored_times = is_left_stored ? left_times_ : right_times_;
  std::vector<int64_t>& arriving_times = is_left_stored ? right_times_ : left_times_;
  std::vector<int64_t>& stored_numbers = is_left_stored ? campaigns_ : users_;
  std::vector<int64_t>& arriving_numbers = is_left_stored ? users_ : campaigns_;
  for (size_t i = 0; i < arriving_.size(); ++i) {
    const size_t row = static_cast<size_t>(arriving_[i]);
    ids_[i] = static_cast<int64_t>(rows.keys.words[row]);
    arriving_times[i] = times[row];
    arriving_numbers[i] = numbers[row];
  }
  for (size_t i = 0; i < stored_.size(); ++i) {
    const size_t slot = state.SlotOf(stored_[i]);
    stored_times[i] = start_micros_ + int64_t{state.entries[slot].millis} * 1'000;
    stored_numbers[i] = state.numbers[slot];
  }
  if (is_left_stored) {
    for (size_t i = 0; i < stored_.size(); ++i) prices_[i] = left_.prices[left_.SlotOf(stored_[i])];
  } else {
    const auto prices = rows.payload[1].Values<double>();
    for (size_t i = 0; i < arriving_.size(); ++i) {
      prices_[i] = prices[static_cast<size_t>(arriving_[i])];
    }
  }
  if (is_outer_ && !is_left_stored) {
    for (const int32_t row : arriving_) arriving_matched_[static_cast<size_t>(row)] = 1;
  } else if (is_outer_) {
    for (const uint32_t row : stored_) left_.matched[left_.SlotOf(row)] = 1;
  }
  num_results_ += std::ssize(stored_);
  benchmark::ClobberMemory();
  arriving_.clear();
  stored_.clear();
}

void BareJoin::GatherPadded() {
  for (size_t i = 0; i < stored_.size(); ++i) {
    const size_t slot = left_.SlotOf(stored_[i]);
    ids_[i] = static_cast<int64_t>(left_.entries[slot].word);
    left_times_[i] = start_micros_ + int64_t{left_.entries[slot].millis} * 1'000;
    campaigns_[i] = left_.numbers[slot];
    prices_[i] = left_.prices[slot];
  }
  num_results_ += std::ssize(stored_);
  benchmark::ClobberMemory();
  stored_.clear();
}

// Rows below the threshold that were not below the last one and have no match are padded. Rows come
// a few seconds late at most, so that the scan may end behind the threshold.
void BareJoin::EvictLeft(int64_t threshold) {
  constexpr int64_t kLatenessMillis = 4'000;
  if (is_outer_) {
    for (uint32_t row = left_.low; row < left_.end; ++row) {
      const int64_t millis = left_.entries[left_.SlotOf(row)].millis;
      if (millis >= threshold + kLatenessMillis) break;
      if (millis >= threshold || millis < left_threshold_ ||
          left_.matched[left_.SlotOf(row)] != 0) {
        continue;
      }
      stored_.push_back(row);
      if (stored_.size() == kPairsMax) GatherPadded();
    }
    GatherPadded();
  }
  left_threshold_ = threshold;
  while (left_.low < left_.end && left_.entries[left_.SlotOf(left_.low)].millis < threshold)
    ++left_.low;
}

void BareJoin::EvictRight(int64_t threshold) {
  while (right_.low < right_.end && right_.entries[right_.SlotOf(right_.low)].millis < threshold) {
    ++right_.low;
  }
}

void BareJoin::Run(const WorkloadBatch& batch, int64_t delay_micros) {
  if (start_micros_ == 0) start_micros_ = batch.left.time_max - kHourMicros;
  arriving_matched_.assign(batch.left.rows.size(), 0);
  Probe(batch.left, 0, window_millis_, &right_);
  Append(batch.left, &left_);
  // Rows of this very batch match too: left ones are stored before right ones look for them.
  Probe(batch.right, -window_millis_, 0, &left_);
  Append(batch.right, &right_);
  if (watermark_ >= 0) {
    EvictLeft(watermark_ - window_millis_);
    EvictRight(watermark_);
  }
  watermark_ = MillisOf(std::min(batch.left.time_max, batch.right.time_max) - delay_micros);
}

void BareJoin::Flush() {
  if (!is_outer_) return;
  for (uint32_t row = left_.low; row < left_.end; ++row) {
    const size_t slot = left_.SlotOf(row);
    if (left_.entries[slot].millis < left_threshold_ || left_.matched[slot] != 0) continue;
    stored_.push_back(row);
    if (stored_.size() == kPairsMax) GatherPadded();
  }
  GatherPadded();
}

}  // namespace braid
