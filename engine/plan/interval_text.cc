#include "engine/plan/interval_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "engine/expression/quoted.h"

namespace braid {

namespace {

struct Unit {
  const char* name;
  uint64_t micros;
};

constexpr std::array<Unit, 4> kUnits{{
    {"DAY", 86'400'000'000},
    {"HOUR", 3'600'000'000},
    {"MINUTE", 60'000'000},
    {"SECOND", 1'000'000},
}};

uint64_t Magnitude(Interval interval) {
  const auto bits = static_cast<uint64_t>(interval.micros);
  return interval.micros < 0 ? uint64_t{0} - bits : bits;
}

std::string FormatMagnitude(uint64_t micros) {
  for (const Unit& unit : kUnits) {
    if (micros >= unit.micros && micros % unit.micros == 0) {
      return fmt::format("INTERVAL '{}' {}", micros / unit.micros, unit.name);
    }
  }
  if (micros == 0) return "INTERVAL '0' SECOND";
  const uint64_t seconds = micros / 1'000'000;
  const uint64_t fraction = micros % 1'000'000;
  if (fraction % 1'000 == 0) {
    return fmt::format("INTERVAL '{}.{:03}' SECOND", seconds, fraction / 1'000);
  }
  return fmt::format("INTERVAL '{}.{:06}' SECOND", seconds, fraction);
}

}  // namespace

std::string FormatInterval(Interval interval) {
  return (interval.micros < 0 ? "-" : "") + FormatMagnitude(Magnitude(interval));
}

std::string FormatOffset(Interval offset) {
  if (offset.micros == 0) return "";
  return (offset.micros < 0 ? " - " : " + ") + FormatMagnitude(Magnitude(offset));
}

std::string FormatName(const std::string& name) {
  const bool plain = !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
                     std::all_of(name.begin(), name.end(), [](char letter) {
                       const auto byte = static_cast<unsigned char>(letter);
                       return std::isalnum(byte) != 0 || letter == '_';
                     });
  return plain ? name : Quoted(name, '`');
}

}  // namespace braid
