#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "state/rows/checked_line.h"
#include "state/store/change_list.h"
#include "state/store/chunk_codec.h"
#include "state/store/commit_mark.h"
#include "state/store/decimal_doubles.h"
#include "state/store/id_runs.h"
#include "state/store/packed_integers.h"
#include "state/store/record_codec.h"
#include "state/store/record_key.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/record_layout.h"

namespace braid {

// What was written passes the checksum, so that the fuzzer gets behind it.
std::string FramedRecord(std::string_view key, std::string_view message) {
  const uint64_t seed = XXH3_64bits(key.data(), key.size());
  const uint64_t checksum = XXH3_64bits_withSeed(message.data(), message.size(), seed);
  std::string record(sizeof(checksum), '\0');
  std::memcpy(record.data(), &checksum, sizeof(checksum));
  return record.append(message);
}

namespace {

void ReadChunkOf(std::string_view message) {
  // The head says how many rows there are.
  const int64_t rows = 1 + TakeChoice(&message, 256) % 64;
  const ChunkKey key{0, 3, 1};
  const std::string record = FramedRecord(ChunkRecordKey(key), message);
  ChunkHead head;
  head.key = key;
  head.ids = IdRuns::Consecutive(1, static_cast<uint64_t>(rows));
  head.chunk_bytes = static_cast<uint32_t>(record.size());
  head.chunk_checksum = RecordChecksum(record);
  const Result<StateRows> read = ReadChunk(head, FuzzedLayout(), record);
  if (!read) return;
  const Status right = CheckStateRows(FuzzedLayout(), *read);
  Expect(right.has_value(), "rows that were read follow their layout");
}

}  // namespace

void FuzzStateRecords(std::string_view bytes) {
  switch (TakeChoice(&bytes, 9)) {
    case 0:
      static_cast<void>(ReadIdentity(FramedRecord(std::string(1, kIdentityTag), bytes)));
      return;
    case 1:
      static_cast<void>(ReadPlanRecord(FramedRecord(std::string(1, kPlanTag), bytes)));
      return;
    case 2: {
      const std::string key = CommitRecordKey(3);
      static_cast<void>(ReadCommit(key, FramedRecord(key, bytes)));
      return;
    }
    case 3: {
      const std::string key = ChunkHeadRecordKey({0, 3, 1});
      static_cast<void>(ReadChunkHead(key, FramedRecord(key, bytes)));
      return;
    }
    case 4:
      return ReadChunkOf(bytes);
    default: {
      const auto kind = static_cast<ChangeListKind>(TakeChoice(&bytes, kChangeListKinds));
      const std::string key = ChangeListRecordKey({0, kind, 3});
      static_cast<void>(ReadChangeList(key, FramedRecord(key, bytes)));
    }
  }
}

void FuzzCommitMark(std::string_view bytes) {
  const bool has_checksum = TakeChoice(&bytes, 2) == 0;
  const std::string line = has_checksum ? CheckedLine(bytes) : std::string(bytes);
  const std::optional<Committed> committed = DecodeCommitted(line);
  if (committed) Expect(EncodeCommitted(*committed) == line, "a mark has one form");
}

void FuzzPackedNumbers(std::string_view bytes) {
  const int choice = TakeChoice(&bytes, 3);
  const std::span<const uint8_t> data(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  if (choice == 0) {
    const std::optional<IdRuns> ids = IdRuns::Decode(data);
    if (ids) Expect(ids->Encode() == bytes, "ids have one form");
    return;
  }
  if (choice == 1) {
    IntegerPacking packing;
    packing.width = static_cast<uint8_t>(TakeChoice(&bytes, 256) % 12);
    constexpr uint32_t kUnits[] = {1, 1'000, 1'000'000, 0, 7};
    packing.unit = kUnits[TakeChoice(&bytes, 5)];
    packing.minimum = INT64_MIN + TakeChoice(&bytes, 256);
    constexpr int kValueBytes[] = {1, 2, 4, 8};
    const int value_bytes = kValueBytes[TakeChoice(&bytes, 4)];
    const int64_t count = TakeChoice(&bytes, 256);
    std::vector<uint8_t> values(static_cast<size_t>(count) * 8);
    static_cast<void>(UnpackIntegers({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()},
                                     packing, value_bytes, count, values.data()));
    return;
  }
  // Doubles: what is taken for decimals comes back bit by bit.
  std::vector<double> doubles(bytes.size() / sizeof(double));
  if (doubles.empty()) return;
  std::memcpy(doubles.data(), bytes.data(), doubles.size() * sizeof(double));
  std::vector<int64_t> integers;
  const std::optional<int> digits = ToDecimals(doubles, nullptr, 0, &integers);
  if (!digits) return;
  std::vector<double> again(doubles.size());
  FromDecimals(integers, *digits, again.data());
  Expect(std::memcmp(again.data(), doubles.data(), doubles.size() * sizeof(double)) == 0,
         "decimals give the doubles back");
}

}  // namespace braid
