#include "engine/connectors/format/session_zone.h"

#include <date/tz.h>

#include <charconv>
#include <chrono>
#include <exception>
#include <optional>
#include <string_view>

#include "braid/time.h"

namespace braid {

namespace {

constexpr int64_t kMicrosAMinute = 60'000'000;
constexpr int kOffsetHoursMax = 18;

std::optional<int> ReadTwoDigits(std::string_view text) {
  int number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.size() != 2 || failure != std::errc() || end != text.data() + 2 || text[0] == '-') {
    return std::nullopt;
  }
  return number;
}

// UTC, or +hh[:mm] with an optional UTC or GMT before it: minutes east of UTC.
std::optional<int> ReadFixedOffset(std::string_view name) {
  if (name == "Z" || name == "UTC" || name == "GMT" || name == "Etc/UTC") return 0;
  if (name.starts_with("UTC") || name.starts_with("GMT")) name.remove_prefix(3);
  if (name.size() != 3 && (name.size() != 6 || name[3] != ':')) return std::nullopt;
  if (name[0] != '+' && name[0] != '-') return std::nullopt;
  const std::optional<int> hours = ReadTwoDigits(name.substr(1, 2));
  const std::optional<int> minutes = name.size() == 6 ? ReadTwoDigits(name.substr(4)) : 0;
  if (!hours || !minutes || *hours > kOffsetHoursMax || *minutes > 59) return std::nullopt;
  const int east = *hours * 60 + *minutes;
  return name[0] == '-' ? -east : east;
}

}  // namespace

Result<SessionZone> SessionZone::Find(const std::string& name) {
  SessionZone zone;
  if (const std::optional<int> minutes = ReadFixedOffset(name)) {
    zone.offset_micros_ = *minutes * kMicrosAMinute;
    return zone;
  }
  try {
    zone.zone_ = date::locate_zone(name);
  } catch (const std::exception&) {
    return Fail(ErrorCode::kInvalidOption, "unknown time zone '" + name + "'");
  }
  return zone;
}

int64_t SessionZone::ToUtc(int64_t local_micros) const {
  if (zone_ == nullptr) return SaturatingAdd(local_micros, -offset_micros_);
  const auto* zone = static_cast<const date::time_zone*>(zone_);
  const date::local_time<std::chrono::microseconds> local{std::chrono::microseconds{local_micros}};
  const date::local_info info = zone->get_info(date::floor<std::chrono::seconds>(local));
  // `first` is the offset before a change of the clock, which fits both a skipped and a repeated
  // time.
  return SaturatingAdd(local_micros, -std::chrono::microseconds{info.first.offset}.count());
}

}  // namespace braid
