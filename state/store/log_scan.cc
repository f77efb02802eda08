#include "state/store/log_scan.h"

#include <algorithm>
#include <array>
#include <string>

namespace braid {

namespace {

constexpr uint64_t kHeaderBytes = 7;
constexpr uint32_t kMaskDelta = 0xa282ead8;
constexpr uint32_t kCastagnoli = 0x82f63b78;  // Reflected.

enum : uint8_t { kZero = 0, kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

constexpr std::array<uint32_t, 256> MakeTable() {
  std::array<uint32_t, 256> table = {};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) != 0 ? kCastagnoli : 0);
    table[byte] = rest;
  }
  return table;
}

constexpr std::array<uint32_t, 256> kTable = MakeTable();

// A checksum that grows byte by byte.
class Crc32c {
 public:
  void Add(char byte) {
    state_ = (state_ >> 8) ^ kTable[(state_ ^ static_cast<uint8_t>(byte)) & 0xff];
  }
  uint32_t masked() const {
    const uint32_t crc = ~state_;
    return ((crc >> 15) | (crc << 17)) + kMaskDelta;
  }

 private:
  uint32_t state_ = ~uint32_t{0};
};

uint32_t LittleEndian(std::string_view bytes, uint64_t at, int count) {
  uint32_t number = 0;
  for (int i = count - 1; i >= 0; --i) {
    number = (number << 8) | static_cast<uint8_t>(bytes[at + static_cast<uint64_t>(i)]);
  }
  return number;
}

bool IsZero(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char byte) { return byte == 0; });
}

// Whether a fragment that begins at `at` is there as a whole with another length than it says.
bool IsThereWithAnotherLength(std::string_view bytes, uint64_t at, uint64_t end) {
  const uint32_t expected = LittleEndian(bytes, at, 4);
  Crc32c crc;
  for (uint64_t next = at + kHeaderBytes - 1; next < end; ++next) {
    crc.Add(bytes[next]);
    if (crc.masked() == expected) return true;
  }
  return false;
}

struct Fragment {
  explicit Fragment(LogEnd::Kind of_kind) : kind(of_kind) {}

  LogEnd::Kind kind = LogEnd::Kind::kWhole;
  uint8_t type = kZero;
  std::string_view content;
};

// REQUIRES: a header fits between `at` and the end of its block, `block_end`.
Fragment ReadFragment(std::string_view bytes, uint64_t at, uint64_t block_end) {
  using Kind = LogEnd::Kind;
  const uint64_t end = std::min<uint64_t>(block_end, bytes.size());
  if (end - at < kHeaderBytes) return Fragment(Kind::kTorn);
  const uint64_t length = LittleEndian(bytes, at + 4, 2);
  const uint8_t type = static_cast<uint8_t>(bytes[at + 6]);
  if (type == kZero && length == 0) {
    return Fragment(IsZero(bytes.substr(at)) ? Kind::kTorn : Kind::kDamaged);
  }
  if (at + kHeaderBytes + length > end) {
    if (end == block_end) return Fragment(Kind::kDamaged);
    return Fragment(IsThereWithAnotherLength(bytes, at, end) ? Kind::kDamaged : Kind::kTorn);
  }
  Fragment fragment(Kind::kWhole);
  fragment.type = type;
  fragment.content = bytes.substr(at + kHeaderBytes, length);
  Crc32c crc;
  crc.Add(bytes[at + 6]);
  for (const char byte : fragment.content) crc.Add(byte);
  const bool fits = crc.masked() == LittleEndian(bytes, at, 4) && type >= kFull && type <= kLast;
  if (!fits) fragment.kind = Kind::kDamaged;
  return fragment;
}

}  // namespace

LogEnd ScanLog(std::string_view bytes, bool begins,
               const std::function<bool(std::string_view record)>& visit) {
  using Kind = LogEnd::Kind;
  std::string record;
  bool in_record = false;
  // Behind the beginning of a file, the first fragments may belong to a record before.
  bool may_continue = !begins;
  uint64_t record_begin = 0;
  for (uint64_t at = 0; at < bytes.size();) {
    const uint64_t block_end = (at / kLogBlockBytes + 1) * kLogBlockBytes;
    if (block_end - at < kHeaderBytes) {
      at = block_end;
      continue;
    }
    if (!in_record) record_begin = at;
    const Fragment fragment = ReadFragment(bytes, at, block_end);
    if (fragment.kind != Kind::kWhole) return {fragment.kind, record_begin};
    at += kHeaderBytes + fragment.content.size();
    const bool starts = fragment.type == kFull || fragment.type == kFirst;
    const bool ends = fragment.type == kFull || fragment.type == kLast;
    if (starts == in_record) {
      if (!may_continue || starts) return {Kind::kDamaged, record_begin};
      if (ends) may_continue = false;
      continue;
    }
    may_continue = false;
    if (starts) record.clear();
    record += fragment.content;
    in_record = !ends;
    if (ends && !visit(record)) return {Kind::kWhole, bytes.size()};
  }
  if (in_record) return {Kind::kTorn, record_begin};
  return {Kind::kWhole, bytes.size()};
}

}  // namespace braid
