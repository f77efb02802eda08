#include "state/store/record_key.h"

#include <fmt/format.h>

namespace braid {

namespace {

constexpr uint64_t kSignBit = 1ULL << 63;
constexpr size_t kChunkKeyBytes = 1 + 1 + 8 + 4;
constexpr size_t kListKeyBytes = 1 + 1 + 1 + 8;
constexpr size_t kCommitKeyBytes = 1 + 8;

void AppendBigEndian(uint64_t number, int bytes, std::string* key) {
  for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) {
    key->push_back(static_cast<char>(number >> shift));
  }
}

void AppendSigned(int64_t number, std::string* key) {
  AppendBigEndian(static_cast<uint64_t>(number) ^ kSignBit, 8, key);
}

uint64_t BigEndianAt(std::string_view key, size_t begin, size_t bytes) {
  uint64_t number = 0;
  for (size_t i = begin; i < begin + bytes; ++i) {
    number = (number << 8) | static_cast<uint8_t>(key[i]);
  }
  return number;
}

int64_t SignedAt(std::string_view key, size_t begin) {
  return static_cast<int64_t>(BigEndianAt(key, begin, 8) ^ kSignBit);
}

std::string ChunkKeyWithTag(char tag, const ChunkKey& chunk) {
  std::string key;
  key.reserve(kChunkKeyBytes);
  key.push_back(tag);
  key.push_back(static_cast<char>(chunk.side));
  AppendSigned(chunk.written, &key);
  AppendBigEndian(chunk.index, 4, &key);
  return key;
}

std::optional<ChunkKey> ParseChunkKey(std::string_view key) {
  if (key.size() != kChunkKeyBytes) return std::nullopt;
  return ChunkKey{static_cast<uint8_t>(key[1]), SignedAt(key, 2),
                  static_cast<uint32_t>(BigEndianAt(key, 10, 4))};
}

}  // namespace

std::string CommitRecordKey(int64_t version) {
  std::string key(1, kCommitTag);
  AppendSigned(version, &key);
  return key;
}

std::string ChunkHeadRecordKey(const ChunkKey& chunk) {
  return ChunkKeyWithTag(kChunkHeadTag, chunk);
}

std::string ChunkRecordKey(const ChunkKey& chunk) { return ChunkKeyWithTag(kChunkTag, chunk); }

std::string ChangeListRecordKey(const ChangeListKey& list) {
  std::string key(1, kChangeListTag);
  key.push_back(static_cast<char>(list.side));
  key.push_back(static_cast<char>(list.kind));
  AppendSigned(list.version, &key);
  return key;
}

std::optional<int64_t> ParseCommitRecordKey(std::string_view key) {
  if (key.size() != kCommitKeyBytes || key[0] != kCommitTag) return std::nullopt;
  return SignedAt(key, 1);
}

std::optional<ChunkKey> ParseChunkHeadRecordKey(std::string_view key) {
  if (key.empty() || key[0] != kChunkHeadTag) return std::nullopt;
  return ParseChunkKey(key);
}

std::optional<ChangeListKey> ParseChangeListRecordKey(std::string_view key) {
  if (key.size() != kListKeyBytes || key[0] != kChangeListTag) return std::nullopt;
  if (static_cast<uint8_t>(key[2]) >= kChangeListKinds) return std::nullopt;
  return ChangeListKey{static_cast<uint8_t>(key[1]), static_cast<ChangeListKind>(key[2]),
                       SignedAt(key, 3)};
}

std::string DescribeRecordKey(std::string_view key) {
  static constexpr const char* kKindNames[kChangeListKinds] = {"matched rows", "removed rows",
                                                               "timers", "counts"};
  if (key.size() == 1 && key[0] == kIdentityTag) return "identity";
  if (key.size() == 1 && key[0] == kPlanTag) return "plan of the next batch";
  if (const auto version = ParseCommitRecordKey(key)) {
    return fmt::format("commit of version {}", *version);
  }
  if (const auto list = ParseChangeListRecordKey(key)) {
    return fmt::format("{} of side {}, version {}", kKindNames[static_cast<int>(list->kind)],
                       list->side, list->version);
  }
  if (!key.empty() && (key[0] == kChunkHeadTag || key[0] == kChunkTag)) {
    if (const auto chunk = ParseChunkKey(key)) {
      return fmt::format("{} of side {}, version {}, number {}",
                         key[0] == kChunkTag ? "chunk" : "head of the chunk", chunk->side,
                         chunk->written, chunk->index);
    }
  }
  std::string hex;
  for (const char c : key) hex += fmt::format("{:02x}", static_cast<uint8_t>(c));
  return fmt::format("record with the unknown key {}", hex);
}

}  // namespace braid
