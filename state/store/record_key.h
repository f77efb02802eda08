// The keys of a checkpoint's records. Numbers in keys are big-endian and signed ones have their
// sign bit flipped, so that keys sort as the numbers do. The grammar is in
// docs/format/checkpoint.md; a reader refuses keys that do not follow it.
//
//   I                                     identity
//   P                                     plan of the next batch
//   V version:8                           commit
//   H side:1 written:8 index:4            head of a chunk
//   C side:1 written:8 index:4            chunk
//   L side:1 kind:1 version:8             change list
//
// Thread rule: free functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace braid {

constexpr char kIdentityTag = 'I';
constexpr char kPlanTag = 'P';
constexpr char kCommitTag = 'V';
constexpr char kChunkHeadTag = 'H';
constexpr char kChunkTag = 'C';
constexpr char kChangeListTag = 'L';

// Stored in keys: do not change a number, do not use one twice.
enum class ChangeListKind : uint8_t { kMatched = 0, kRemoved = 1, kTimers = 2, kCounts = 3 };
constexpr int kChangeListKinds = 4;

// Names a chunk for ever: the version that wrote it and its place among those written with it.
struct ChunkKey {
  uint8_t side = 0;
  int64_t written = 0;
  uint32_t index = 0;

  friend auto operator<=>(const ChunkKey&, const ChunkKey&) = default;
};

struct ChangeListKey {
  uint8_t side = 0;
  ChangeListKind kind = ChangeListKind::kMatched;
  int64_t version = 0;
};

std::string CommitRecordKey(int64_t version);
std::string ChunkHeadRecordKey(const ChunkKey& chunk);
std::string ChunkRecordKey(const ChunkKey& chunk);
std::string ChangeListRecordKey(const ChangeListKey& list);

// Absent if the key is not of that form.
std::optional<int64_t> ParseCommitRecordKey(std::string_view key);
std::optional<ChunkKey> ParseChunkHeadRecordKey(std::string_view key);
std::optional<ChangeListKey> ParseChangeListRecordKey(std::string_view key);

// "chunk of side 0, version 12, number 3": for messages.
std::string DescribeRecordKey(std::string_view key);

}  // namespace braid
