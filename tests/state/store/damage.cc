#include "tests/state/store/damage.h"

#include <cstdint>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace braid {

std::string Damaged(std::string bytes, std::mt19937* random) {
  const auto number = [&](size_t below) {
    return below == 0 ? 0 : std::uniform_int_distribution<size_t>(0, below - 1)(*random);
  };
  const size_t faults = 1 + number(4);
  for (size_t i = 0; i < faults; ++i) {
    const size_t at = number(bytes.size());
    if (bytes.empty()) return "x";
    switch (number(8)) {
      case 0:
        bytes.resize(at);
        break;
      case 1:
        bytes.insert(at, bytes.substr(at, number(64)));
        break;
      case 2:
        bytes.replace(at, std::min<size_t>(8, bytes.size() - at), 8, '\0');
        break;
      case 3:
        bytes[at] = static_cast<char>(0xff);
        break;
      default:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << number(8)));
        break;
    }
  }
  return bytes;
}

std::string Resealed(std::string_view key, std::string record) {
  if (record.size() < sizeof(uint64_t)) return record;
  const uint64_t checksum =
      XXH3_64bits_withSeed(record.data() + sizeof(uint64_t), record.size() - sizeof(uint64_t),
                           XXH3_64bits(key.data(), key.size()));
  std::memcpy(record.data(), &checksum, sizeof(checksum));
  return record;
}

}  // namespace braid
