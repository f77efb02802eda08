// Damage to stored bytes, for tests that nothing worse than an error comes of it.
//
// Thread rule: free functions; the random source is the caller's.
#pragma once

#include <random>
#include <string>
#include <string_view>

namespace braid {

// The bytes with a few of them changed, cut off, doubled or zeroed.
std::string Damaged(std::string bytes, std::mt19937* random);

// The record under a checksum that is right for it and the key, as an attacker would make it.
std::string Resealed(std::string_view key, std::string record);

}  // namespace braid
