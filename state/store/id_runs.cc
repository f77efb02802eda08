#include "state/store/id_runs.h"

#include <algorithm>
#include <limits>

#include "state/rows/check.h"

namespace braid {

namespace {

void AppendNumber(uint64_t number, std::string* bytes) {
  while (number >= 0x80) {
    bytes->push_back(static_cast<char>(number | 0x80));
    number >>= 7;
  }
  bytes->push_back(static_cast<char>(number));
}

// Takes a number from the front of `bytes`. Refuses numbers of more than 64 bits and longer forms
// of a number than the shortest one.
bool TakeNumber(std::span<const uint8_t>* bytes, uint64_t* number) {
  *number = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (bytes->empty()) return false;
    const uint64_t byte = bytes->front();
    *bytes = bytes->subspan(1);
    if (shift == 63 && byte > 1) return false;
    *number |= (byte & 0x7f) << shift;
    if (byte < 0x80) return byte != 0 || shift == 0;
  }
  return false;
}

}  // namespace

IdRuns IdRuns::Consecutive(PersistentId first, uint64_t count) {
  IdRuns ids;
  if (count > 0) ids.Append(first, count);
  return ids;
}

void IdRuns::Append(PersistentId first, uint64_t count) {
  BRAID_DCHECK(count > 0 && first <= std::numeric_limits<uint64_t>::max() - count, "ids overflow");
  if (!runs_.empty()) {
    BRAID_DCHECK(first >= runs_.back().end(), "ids must rise");
    if (first == runs_.back().end()) {
      runs_.back().count += count;
      return;
    }
  }
  runs_.push_back({first, count, size()});
}

bool IdRuns::Contains(PersistentId id) const {
  const auto after =
      std::upper_bound(runs_.begin(), runs_.end(), id,
                       [](PersistentId key, const Run& run) { return key < run.first; });
  return after != runs_.begin() && id < std::prev(after)->end();
}

std::string IdRuns::Encode() const {
  std::string bytes;
  bytes.reserve(runs_.size() * 3);
  PersistentId end = 0;
  for (const Run& run : runs_) {
    AppendNumber(run.first - end, &bytes);
    AppendNumber(run.count, &bytes);
    end = run.end();
  }
  return bytes;
}

std::optional<IdRuns> IdRuns::Decode(std::span<const uint8_t> bytes) {
  IdRuns ids;
  ids.runs_.reserve(bytes.size() / 2);
  PersistentId end = 0;
  uint64_t position = 0;
  while (!bytes.empty()) {
    uint64_t distance = 0;
    uint64_t count = 0;
    if (!TakeNumber(&bytes, &distance) || !TakeNumber(&bytes, &count)) return std::nullopt;
    PersistentId first = 0;
    if (count == 0 || (distance == 0 && !ids.runs_.empty()) ||
        __builtin_add_overflow(end, distance, &first) ||
        __builtin_add_overflow(first, count, &end)) {
      return std::nullopt;
    }
    ids.runs_.push_back({first, count, position});
    position += count;
  }
  return ids;
}

IdRuns IdRuns::Union(std::span<const IdRuns> lists) {
  if (lists.empty()) return {};
  if (lists.size() == 1) return lists[0];
  // By halves: O(runs x log lists).
  const IdRuns left = Union(lists.first(lists.size() / 2));
  const IdRuns right = Union(lists.subspan(lists.size() / 2));
  IdRuns result;
  result.runs_.reserve(left.runs_.size() + right.runs_.size());
  auto next_left = left.runs_.begin();
  auto next_right = right.runs_.begin();
  while (next_left != left.runs_.end() || next_right != right.runs_.end()) {
    const bool take_left = next_right == right.runs_.end() ||
                           (next_left != left.runs_.end() && next_left->first < next_right->first);
    const Run& run = take_left ? *next_left++ : *next_right++;
    const PersistentId from =
        result.empty() ? run.first : std::max(run.first, result.runs_.back().end());
    if (from < run.end()) result.Append(from, run.end() - from);
  }
  return result;
}

}  // namespace braid
