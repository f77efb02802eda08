#include "engine/perrecord/overstaying_rows.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/perrecord/timer_changes.h"

namespace braid {

void OverstayingRows::Add(uint64_t word, int64_t timer, const Row& row) {
  Key& key = keys_[word];
  if (key.rows.empty()) {
    key.timer = timer;
    due_.Add({timer, word, 0});
    if (collects_) changed_.push_back(word);
  }
  key.rows.push_back(row);
}

std::vector<OverstayingRows::Row> OverstayingRows::Take(uint64_t word) {
  const auto found = keys_.find(word);
  if (found == keys_.end()) return {};
  std::vector<Row> rows = std::move(found->second.rows);
  keys_.erase(found);
  if (collects_) changed_.push_back(word);
  return rows;
}

std::vector<uint64_t> OverstayingRows::Due(int64_t now) {
  std::vector<uint64_t> words;
  if (due_.empty()) return words;
  popped_.clear();
  due_.PopDue(now, &popped_);
  for (const Timer& timer : popped_) {
    const Key* const key = Find(timer.word);
    if (key != nullptr && key->timer <= now) words.push_back(timer.word);
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

std::vector<RowId> OverstayingRows::RowIds() const {
  std::vector<RowId> ids;
  for (const auto& [word, key] : keys_) {
    for (const Row& row : key.rows) ids.push_back(row.row);
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::vector<TimerChange> OverstayingRows::TakeChanges() {
  return TimerChangesOf(std::exchange(changed_, {}),
                        [this](uint64_t word) -> std::optional<int64_t> {
                          const Key* const key = Find(word);
                          if (key == nullptr) return std::nullopt;
                          return key->timer;
                        });
}

int64_t OverstayingRows::memory_bytes() const {
  int64_t bytes = due_.memory_bytes();
  for (const auto& [word, key] : keys_) {
    bytes += static_cast<int64_t>(sizeof(word) + sizeof(key) + key.rows.capacity() * sizeof(Row));
  }
  return bytes;
}

}  // namespace braid
