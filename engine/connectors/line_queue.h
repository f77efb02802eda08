// Lines between the thread that receives them and the one that reads them, bounded by bytes: who
// receives asks for room before it takes more from a connection.
//
// Thread rule: any thread; listeners are called on the thread of the call that has made room or put
// lines.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <utility>

#include "engine/connectors/line_block.h"

namespace braid {

class LineQueue {
 public:
  // `room_listener` is called when there is room again after AskRoom said no.
  LineQueue(int64_t bytes_max, std::function<void()> room_listener)
      : bytes_max_(bytes_max), room_listener_(std::move(room_listener)) {}

  // `listener` is called by Put, on its thread, after it has put lines. Before the first Put.
  void SetLinesListener(std::function<void()> listener) { lines_listener_ = std::move(listener); }

  // True if more may be put. The limit may be exceeded by what is then put at once.
  bool AskRoom();

  void Put(LineBlock block);

  // Up to `bytes_max` bytes of whole lines, at least one line; empty if there is none.
  // 0 = no limit.
  LineBlock Take(int64_t bytes_max);

  int64_t num_bytes() const;
  // Ever put.
  int64_t num_lines_put() const;

 private:
  const int64_t bytes_max_;
  const std::function<void()> room_listener_;
  std::function<void()> lines_listener_;
  mutable std::mutex mutex_;
  std::deque<LineBlock> blocks_;  // Guarded by mutex_, as all below.
  size_t front_used_ = 0;         // Bytes of the first block that were taken.
  int64_t num_bytes_ = 0;
  int64_t num_lines_put_ = 0;
  bool room_wanted_ = false;
};

}  // namespace braid
