#include "bench/workload_rows.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <unordered_map>

#include "braid/column_builder.h"

namespace braid {

namespace {

constexpr int64_t kStartMillis = 1'767'225'600'000;
constexpr int64_t kLatenessMillis = 4'000;
constexpr uint64_t kIdMask = (uint64_t{1} << 40) - 1;

struct Event {
  int64_t arrival_millis = 0;
  uint64_t id = 0;
  int64_t millis = 0;
  int64_t number = 0;  // Campaign or user.
  double price = 0;
};

bool ArrivesFirst(const Event& a, const Event& b) { return a.arrival_millis < b.arrival_millis; }

WorkloadSide MakeSide(const Event* begin, const Event* end, bool has_price, int64_t time_max) {
  ColumnBuilder times(DataType::Timestamp(3));
  ColumnBuilder numbers(DataType::BigInt());
  ColumnBuilder prices(DataType::Double());
  WorkloadSide side;
  for (const Event* event = begin; event != end; ++event) {
    side.keys.words.push_back(event->id);
    times.Append(event->millis * 1'000);
    numbers.Append(event->number);
    prices.Append(event->price);
    time_max = std::max(time_max, event->millis * 1'000);
  }
  side.times = times.Finish();
  side.payload.push_back(numbers.Finish());
  if (has_price) side.payload.push_back(prices.Finish());
  side.rows.resize(side.keys.words.size());
  std::iota(side.rows.begin(), side.rows.end(), 0);
  side.time_max = time_max;
  return side;
}

struct Events {
  std::vector<Event> left;
  std::vector<Event> right;
  int64_t num_matches = 0;
};

Events MakeAdClickEvents(int64_t num_left, int64_t window_millis) {
  std::mt19937_64 random(42);
  const auto below = [&](int64_t bound) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(bound));
  };
  Events events;
  const auto click = [&](uint64_t id, int64_t millis) {
    events.right.push_back({millis + below(kLatenessMillis), id, millis, below(1'000'000), 0});
  };
  for (int64_t i = 0; i < num_left; ++i) {
    const uint64_t id = (static_cast<uint64_t>(i) * 0x9e3779b97f4a7c15ULL) & kIdMask;
    const int64_t millis = kStartMillis + i / 10;
    const double price = static_cast<double>(1 + below(10'000)) / 100;
    events.left.push_back({millis + below(kLatenessMillis), id, millis, below(1'000), price});
    if (below(10) < 3) {
      click(id, millis + below(window_millis + 1));
      ++events.num_matches;
    }
    const int64_t other = below(100);
    if (other == 0) click(id, millis + window_millis + 1 + below(30'000));
    if (other == 1) click(kIdMask + 1 + static_cast<uint64_t>(i), millis + below(window_millis));
  }
  std::stable_sort(events.left.begin(), events.left.end(), ArrivesFirst);
  std::stable_sort(events.right.begin(), events.right.end(), ArrivesFirst);
  return events;
}

// For each left row, the right rows of its id within the window.
int64_t CountMatches(const Events& events, int64_t window_millis) {
  std::unordered_map<uint64_t, std::vector<int64_t>> times;
  for (const Event& event : events.right) times[event.id].push_back(event.millis);
  for (auto& [id, list] : times) std::sort(list.begin(), list.end());
  int64_t matches = 0;
  for (const Event& event : events.left) {
    const std::vector<int64_t>& list = times[event.id];
    matches += std::upper_bound(list.begin(), list.end(), event.millis + window_millis) -
               std::lower_bound(list.begin(), list.end(), event.millis);
  }
  return matches;
}

Events MakeAuctionEvents(int64_t num_left, int64_t window_millis) {
  constexpr size_t kLive = 100;
  std::mt19937_64 random(42);
  const auto below = [&](int64_t bound) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(bound));
  };
  std::vector<double> weights;
  for (size_t i = 0; i < kLive; ++i) weights.push_back(1.0 / static_cast<double>(i + 1));
  std::discrete_distribution<size_t> zipf(weights.begin(), weights.end());
  std::vector<uint64_t> live(kLive);
  std::iota(live.begin(), live.end(), 1'000);
  uint64_t next_id = 1'000 + kLive;
  size_t oldest = 0;
  const auto pick = [&] { return live[(oldest + kLive - 1 - zipf(random)) % kLive]; };
  Events events;
  for (int64_t i = 0; i < 10 * num_left; ++i) {
    const int64_t millis = kStartMillis + i / 10;
    if (i % 10 == 0) {
      uint64_t id = pick();
      if (below(2) == 0) {
        id = next_id++;
        live[oldest] = id;
        oldest = (oldest + 1) % kLive;
      }
      events.left.push_back({millis + below(kLatenessMillis), id, millis, below(100'000), 0});
    }
    const int64_t bid_millis = millis + (below(10) == 0 ? below(25'000) : 0);
    events.right.push_back(
        {bid_millis + below(kLatenessMillis), pick(), bid_millis, below(100'000), 0});
  }
  std::stable_sort(events.left.begin(), events.left.end(), ArrivesFirst);
  std::stable_sort(events.right.begin(), events.right.end(), ArrivesFirst);
  events.num_matches = CountMatches(events, window_millis);
  return events;
}

WorkloadRows SplitIntoBatches(const Events& events, int64_t batch_rows) {
  const int64_t num_left = std::ssize(events.left);
  WorkloadRows result;
  result.num_rows = static_cast<int64_t>(events.left.size() + events.right.size());
  result.num_matches = events.num_matches;
  const Event* right = events.right.data();
  const Event* right_end = right + events.right.size();
  int64_t left_max = 0;
  int64_t right_max = 0;
  for (int64_t begin = 0; begin < num_left; begin += batch_rows) {
    const int64_t end = std::min(num_left, begin + batch_rows);
    const Event* left = events.left.data();
    // The right rows that arrived meanwhile; the last batch takes what is left.
    const Event* until = right_end;
    if (end < num_left) until = std::upper_bound(right, right_end, left[end - 1], ArrivesFirst);
    WorkloadBatch batch;
    batch.left = MakeSide(left + begin, left + end, true, left_max);
    batch.right = MakeSide(right, until, false, right_max);
    left_max = batch.left.time_max;
    right_max = batch.right.time_max;
    right = until;
    result.batches.push_back(std::move(batch));
  }
  return result;
}

}  // namespace

WorkloadRows MakeAdClickRows(int64_t num_left, int64_t batch_rows, int64_t window_seconds) {
  return SplitIntoBatches(MakeAdClickEvents(num_left, window_seconds * 1'000), batch_rows);
}

WorkloadRows MakeAuctionRows(int64_t num_left, int64_t batch_rows, int64_t window_seconds) {
  return SplitIntoBatches(MakeAuctionEvents(num_left, window_seconds * 1'000), batch_rows);
}

}  // namespace braid
