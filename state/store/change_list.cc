#include "state/store/change_list.h"

#include <capnp/message.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "state/store/schema_fields.h"

namespace braid {

namespace {

tl::unexpected<Error> Damaged(std::string what) {
  return Fail(ErrorCode::kCorruption, std::move(what));
}

bool SameKey(const TimerChange& left, const TimerChange& right) {
  return left.word == right.word && left.key == right.key;
}

bool TimerBefore(const TimerChange& left, const TimerChange& right) {
  return std::tie(left.word, left.key) < std::tie(right.word, right.key);
}

bool SameRow(const CountChange& left, const CountChange& right) { return left.id == right.id; }

bool CountBefore(const CountChange& left, const CountChange& right) { return left.id < right.id; }

// Sorts `changes`, given from old to new, and leaves the newest of each key.
template <typename Change, typename Before, typename Same>
void KeepNewest(Before before, Same same, std::vector<Change>* changes) {
  std::stable_sort(changes->begin(), changes->end(), before);
  size_t kept = 0;
  for (size_t i = 0; i < changes->size(); ++i) {
    if (i + 1 < changes->size() && same((*changes)[i], (*changes)[i + 1])) continue;
    if (kept != i) (*changes)[kept] = std::move((*changes)[i]);
    ++kept;
  }
  changes->resize(kept);
}

// The runs of a list of rising ids; false if they do not rise. Equal neighbours count once.
bool AppendRising(std::span<const PersistentId> ids, IdRuns* runs) {
  runs->Reserve(ids.size());
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i > 0 && ids[i] == ids[i - 1]) continue;
    if (i > 0 && ids[i] < ids[i - 1]) return false;
    runs->Append(ids[i]);
  }
  return true;
}

IdRuns IdsOf(const std::vector<CountChange>& counts) {
  IdRuns ids;
  for (const CountChange& count : counts) ids.Append(count.id);
  return ids;
}

void KeepCountsOf(const IdRuns& kept, std::vector<CountChange>* counts) {
  auto run = kept.runs().begin();
  const auto gone = [&](const CountChange& count) {
    while (run != kept.runs().end() && run->end() <= count.id) ++run;
    return run == kept.runs().end() || count.id < run->first;
  };
  std::erase_if(*counts, gone);
}

// A packed column of at least one byte a value, so that a record cannot claim more values than it
// has bytes.
IntegerPacking ChoosePackingWithBytes(const IntegerArray& array) {
  IntegerPacking packing = ChoosePacking(array, /*times=*/false);
  packing.width = std::max<uint8_t>(packing.width, 1);
  return packing;
}

template <typename T>
IntegerArray ArrayOf(const std::vector<T>& values) {
  return {values.data(), sizeof(T), nullptr, 0, static_cast<int64_t>(values.size())};
}

void FillTimers(const std::vector<TimerChange>& timers,
                format::ChangeList::Timers::Builder record) {
  std::vector<uint64_t> words;
  std::vector<uint32_t> lengths;
  std::vector<uint8_t> bytes;
  std::vector<uint8_t> set;
  std::vector<int64_t> times;
  for (const TimerChange& timer : timers) {
    words.push_back(timer.word);
    lengths.push_back(static_cast<uint32_t>(timer.key.size()));
    bytes.insert(bytes.end(), timer.key.begin(), timer.key.end());
    set.push_back(timer.time_ms ? 1 : 0);
    // A deleted timer takes a neighbour's time, which costs no width.
    times.push_back(timer.time_ms.value_or(times.empty() ? 0 : times.back()));
  }
  SetIntegers(ArrayOf(words), ChoosePackingWithBytes(ArrayOf(words)), record.initWords());
  SetIntegers(ArrayOf(lengths), ChoosePacking(ArrayOf(lengths), false), record.initKeyLengths());
  if (!bytes.empty()) record.setKeyBytes({bytes.data(), bytes.size()});
  if (std::find(set.begin(), set.end(), 0) != set.end()) {
    SetBits(set, record.initSet(static_cast<unsigned>(BitmapBytes(std::ssize(set)))).begin());
  }
  SetIntegers(ArrayOf(times), ChoosePacking(ArrayOf(times), false), record.initTimesMillis());
}

Status ToTimers(format::ChangeList::Timers::Reader record, std::vector<TimerChange>* timers) {
  const auto words_field = record.getWords();
  if (words_field.getWidth() == 0 || words_field.getWidth() > 8) {
    return Damaged("its key words cannot be read");
  }
  const size_t count = words_field.getData().size() / words_field.getWidth();
  const int64_t num_timers = static_cast<int64_t>(count);
  std::vector<uint64_t> words(count);
  std::vector<uint32_t> lengths(count);
  std::vector<int64_t> times(count);
  std::vector<uint8_t> set;
  if (!GetIntegers(words_field, 8, num_timers, words.data()) ||
      !GetIntegers(record.getKeyLengths(), 4, num_timers, lengths.data()) ||
      !GetIntegers(record.getTimesMillis(), 8, num_timers, times.data()) ||
      !GetBits(AsSpan(record.getSet()), num_timers, &set)) {
    return Damaged("its timers cannot be read");
  }
  std::span<const uint8_t> bytes = AsSpan(record.getKeyBytes());
  timers->reserve(count);
  for (size_t i = 0; i < count; ++i) {
    if (lengths[i] > bytes.size()) return Damaged("the keys of its timers are too long");
    TimerChange& timer = timers->emplace_back();
    timer.word = words[i];
    timer.key.assign(bytes.begin(), bytes.begin() + lengths[i]);
    bytes = bytes.subspan(lengths[i]);
    if (set.empty() || set[i] != 0) timer.time_ms = times[i];
    if (i > 0 && !TimerBefore((*timers)[i - 1], timer)) return Damaged("its timers do not rise");
  }
  if (!bytes.empty()) return Damaged("its timers have bytes left over");
  return {};
}

Status ToCounts(format::ChangeList::Reader record, const IdRuns& ids,
                std::vector<CountChange>* counts) {
  const auto field = record.getCounts();
  if (field.getWidth() == 0 || field.getData().size() / field.getWidth() != ids.size()) {
    return Damaged("its counts cannot be read");
  }
  std::vector<int64_t> values(ids.size());
  if (!GetIntegers(field, 8, std::ssize(values), values.data())) {
    return Damaged("its counts cannot be read");
  }
  counts->reserve(values.size());
  for (const IdRuns::Run& run : ids.runs()) {
    for (uint64_t i = 0; i < run.count; ++i) {
      counts->push_back({run.first + i, values[run.position + i]});
    }
  }
  return {};
}

}  // namespace

size_t ChangeList::size(ChangeListKind kind) const {
  if (kind == ChangeListKind::kTimers) return timers.size();
  if (kind == ChangeListKind::kCounts) return counts.size();
  return ids.size();
}

Result<ChangeList> CollectChanges(ChangeListKind kind, uint8_t side,
                                  std::span<const SideDelta> deltas) {
  ChangeList list;
  std::vector<IdRuns> parts;
  for (const SideDelta& delta : deltas) {
    if (delta.side != side) continue;
    if (kind == ChangeListKind::kTimers) {
      list.timers.insert(list.timers.end(), delta.timers.begin(), delta.timers.end());
    }
    if (kind == ChangeListKind::kCounts) {
      list.counts.insert(list.counts.end(), delta.counts.begin(), delta.counts.end());
    }
    const bool matched = kind == ChangeListKind::kMatched;
    if (!matched && kind != ChangeListKind::kRemoved) continue;
    if (!AppendRising(matched ? delta.matched : delta.removed, &parts.emplace_back())) {
      return Fail(ErrorCode::kInternal, fmt::format("the {} rows of a delta of side {} do not rise",
                                                    matched ? "matched" : "removed", side));
    }
  }
  KeepNewest(TimerBefore, SameKey, &list.timers);
  KeepNewest(CountBefore, SameRow, &list.counts);
  list.ids = parts.size() == 1 ? std::move(parts[0]) : IdRuns::Union(parts);
  return list;
}

ChangeList MergeChanges(ChangeListKind kind, std::span<const ChangeList> lists, bool from_start,
                        const std::function<IdRuns(const IdRuns&)>& keep) {
  ChangeList merged;
  std::vector<IdRuns> parts;
  for (const ChangeList& list : lists) {
    merged.timers.insert(merged.timers.end(), list.timers.begin(), list.timers.end());
    merged.counts.insert(merged.counts.end(), list.counts.begin(), list.counts.end());
    if (!list.ids.empty()) parts.push_back(list.ids);
  }
  KeepNewest(TimerBefore, SameKey, &merged.timers);
  KeepNewest(CountBefore, SameRow, &merged.counts);
  if (from_start) {
    std::erase_if(merged.timers, [](const TimerChange& timer) { return !timer.time_ms; });
    std::erase_if(merged.counts, [](const CountChange& count) { return count.count == 0; });
  }
  if (kind == ChangeListKind::kCounts) KeepCountsOf(keep(IdsOf(merged.counts)), &merged.counts);
  merged.ids = keep(IdRuns::Union(parts));
  return merged;
}

std::string EncodedIds(ChangeListKind kind, const ChangeList& list) {
  return kind == ChangeListKind::kCounts ? IdsOf(list.counts).Encode() : list.ids.Encode();
}

Status WriteChangeList(RecordWriter* writer, const ChangeListKey& key, const ChangeList& list,
                       std::string_view ids, const RecordSink& sink) {
  const std::string record_key = ChangeListRecordKey(key);
  size_t bytes = 1'024 + ids.size() + list.counts.size() * 8;
  for (const TimerChange& timer : list.timers) bytes += 21 + timer.key.size();
  const auto fill = [&](capnp::MessageBuilder& message) {
    auto record = message.initRoot<format::ChangeList>();
    if (key.kind == ChangeListKind::kTimers) return FillTimers(list.timers, record.initTimers());
    record.setIds({reinterpret_cast<const uint8_t*>(ids.data()), ids.size()});
    if (key.kind != ChangeListKind::kCounts) return;
    std::vector<int64_t> counts;
    for (const CountChange& count : list.counts) counts.push_back(count.count);
    SetIntegers(ArrayOf(counts), ChoosePackingWithBytes(ArrayOf(counts)), record.initCounts());
  };
  return writer->Write(record_key, bytes, fill,
                       [&](std::string_view record) { sink(record_key, record); });
}

Result<ChangeList> ReadChangeList(std::string_view key, std::string_view record) {
  const std::optional<ChangeListKey> list_key = ParseChangeListRecordKey(key);
  if (!list_key || list_key->side >= kSidesMax) return Damaged("the key has another form");
  ChangeList list;
  const auto read = [&](capnp::MessageReader& message) -> Status {
    const auto value = message.getRoot<format::ChangeList>();
    if (list_key->kind == ChangeListKind::kTimers) return ToTimers(value.getTimers(), &list.timers);
    std::optional<IdRuns> ids = IdRuns::Decode(AsSpan(value.getIds()));
    if (!ids) return Damaged("its row ids cannot be read");
    if (list_key->kind == ChangeListKind::kCounts) return ToCounts(value, *ids, &list.counts);
    list.ids = std::move(*ids);
    return {};
  };
  if (Status status = ReadRecord(key, record, read); !status) {
    return tl::unexpected(status.error());
  }
  return list;
}

}  // namespace braid
