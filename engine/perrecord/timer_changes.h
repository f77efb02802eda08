// The timers of keys that changed, as a checkpoint takes them.
//
// Thread rule: free function.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "state/state_delta.h"

namespace braid {

// One change for each of `words`, which may repeat, by word. `time_of(word)` gives the timer that
// the key has now, absent if it has none.
template <typename TimeOf>
std::vector<TimerChange> TimerChangesOf(std::vector<uint64_t> words, const TimeOf& time_of) {
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  std::vector<TimerChange> changes;
  changes.reserve(words.size());
  for (const uint64_t word : words) {
    TimerChange& change = changes.emplace_back();
    change.word = word;
    change.time_ms = time_of(word);
  }
  return changes;
}

}  // namespace braid
