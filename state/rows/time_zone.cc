#include "state/rows/time_zone.h"

#include <date/tz.h>
#include <fmt/format.h>

#include <exception>
#include <limits>
#include <optional>

#include "braid/time.h"

namespace braid {

namespace {

constexpr int64_t kMicrosPerSecond = 1'000'000;
constexpr int64_t kSecondsPerDay = 86'400;

int64_t FloorSeconds(int64_t micros) {
  const int64_t seconds = micros / kMicrosPerSecond;
  return micros % kMicrosPerSecond < 0 ? seconds - 1 : seconds;
}

class FixedZone final : public TimeZone {
 public:
  FixedZone(std::string name, int64_t offset_seconds)
      : name_(std::move(name)), offset_{offset_seconds * kMicrosPerSecond} {}

  const std::string& name() const override { return name_; }

  bool is_utc() const override { return offset_.micros == 0; }

  void ToLocal(int64_t* micros, int64_t count) const override { Shift(micros, count, offset_); }
  void ToUtc(int64_t* micros, int64_t count) const override { Shift(micros, count, -offset_); }

 private:
  static void Shift(int64_t* micros, int64_t count, Interval by) {
    for (int64_t i = 0; i < count; ++i) micros[i] = SaturatingAdd(micros[i], by.micros);
  }

  std::string name_;
  Interval offset_;
};

// A time span in which the zone's clocks keep one distance from UTC. In seconds, UTC.
struct OffsetSpan {
  int64_t begin = 0;
  int64_t end = 0;  // Not included.
  int64_t offset = 0;
};

class NamedZone final : public TimeZone {
 public:
  NamedZone(std::string name, const date::time_zone* zone) : name_(std::move(name)), zone_(zone) {}

  const std::string& name() const override { return name_; }

  bool is_utc() const override { return false; }

  void ToLocal(int64_t* micros, int64_t count) const override {
    OffsetSpan span;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t seconds = FloorSeconds(micros[i]);
      int64_t offset = span.offset;
      if (seconds < span.begin || seconds >= span.end) {
        const int64_t moved = MovedToKnownYears(seconds);
        offset = SpanAt(moved).offset;
        if (moved == seconds) span = SpanAt(seconds);
      }
      micros[i] = SaturatingAdd(micros[i], offset * kMicrosPerSecond);
    }
  }

  void ToUtc(int64_t* micros, int64_t count) const override {
    OffsetSpan span;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t seconds = FloorSeconds(micros[i]);
      int64_t offset = span.offset;
      // A day from either end no clock change is near, and the time exists once.
      const int64_t utc = seconds - span.offset;
      if (utc < span.begin + kSecondsPerDay || utc >= span.end - kSecondsPerDay) {
        const int64_t moved = MovedToKnownYears(seconds);
        offset = OffsetBefore(moved);
        if (moved == seconds) span = SpanAt(seconds - offset);
      }
      micros[i] = SaturatingAdd(micros[i], -offset * kMicrosPerSecond);
    }
  }

 private:
  OffsetSpan SpanAt(int64_t seconds) const {
    const date::sys_info info = zone_->get_info(date::sys_seconds{std::chrono::seconds{seconds}});
    OffsetSpan span{info.begin.time_since_epoch().count(), info.end.time_since_epoch().count(),
                    info.offset.count()};
    span.end = std::min(span.end, LastKnownSecond());
    return span;
  }

  // The offset that counts for a local time: of the only moment, of the first of two, or, in a gap,
  // of the time before it, which moves the clock forward by the gap.
  int64_t OffsetBefore(int64_t local_seconds) const {
    const date::local_seconds local{std::chrono::seconds{local_seconds}};
    return zone_->get_info(local).first.offset.count();
  }

  // System tables end in 2037. A later time is looked up in a year of the last 28 that has the same
  // days of the week.
  static int64_t LastKnownSecond() {
    constexpr date::sys_days kEnd = date::year{2037} / 1 / 1;
    return kEnd.time_since_epoch().count() * kSecondsPerDay;
  }
  static int64_t MovedToKnownYears(int64_t seconds) {
    if (seconds < LastKnownSecond()) return seconds;
    constexpr int64_t kDaysPerCycle = 146'097;  // 400 years.
    const int64_t days = seconds / kSecondsPerDay;
    const auto in_cycle = static_cast<int32_t>(days % kDaysPerCycle);
    const date::year year = date::year_month_day{date::sys_days{date::days{in_cycle}}}.year();
    const date::sys_days first_day{year / 1 / 1};
    for (date::year known{2009}; known < date::year{2037}; ++known) {
      const date::sys_days known_first_day{known / 1 / 1};
      const bool alike = known.is_leap() == year.is_leap() &&
                         date::weekday{known_first_day} == date::weekday{first_day};
      if (!alike) continue;
      const int64_t day_of_year = in_cycle - first_day.time_since_epoch().count();
      return (known_first_day.time_since_epoch().count() + day_of_year) * kSecondsPerDay +
             seconds % kSecondsPerDay;
    }
    return LastKnownSecond() - 1;
  }

  std::string name_;
  const date::time_zone* zone_;  // Of the library's database, which lives for ever.
};

// [UTC | GMT | UT] [+|-] H[H][[:]MM], or Z; nothing if the name has another form.
std::optional<int64_t> ParseFixedOffset(std::string_view name) {
  if (name == "Z" || name == "UTC" || name == "GMT" || name == "UT") return 0;
  for (const std::string_view prefix : {"UTC", "GMT", "UT"}) {
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    break;
  }
  if (name.size() < 2 || (name[0] != '+' && name[0] != '-')) return std::nullopt;
  const int64_t sign = name[0] == '-' ? -1 : 1;
  std::string digits;
  for (const char letter : name.substr(1)) {
    if (letter >= '0' && letter <= '9') {
      digits += letter;
    } else if (letter == ':' && (digits.size() == 1 || digits.size() == 2)) {
      digits.insert(0, 2 - digits.size(), '0');
    } else {
      return std::nullopt;
    }
  }
  if (digits.size() == 1) digits.insert(0, 1, '0');
  if (digits.size() == 2) digits += "00";
  if (digits.size() != 4) return std::nullopt;
  const int64_t number = std::stoll(digits);
  const int64_t seconds = number / 100 * 3600 + number % 100 * 60;
  if (number % 100 > 59 || seconds > 18 * 3600) return std::nullopt;
  return sign * seconds;
}

}  // namespace

Result<std::shared_ptr<const TimeZone>> TimeZone::Find(std::string_view name) {
  if (const std::optional<int64_t> offset = ParseFixedOffset(name)) {
    return std::make_shared<const FixedZone>(std::string(name), *offset);
  }
  try {
    const date::time_zone* zone = date::locate_zone(std::string(name));
    // Reads the file now, so that nothing can fail later.
    (void)zone->get_info(date::sys_seconds{});
    return std::make_shared<const NamedZone>(std::string(name), zone);
  } catch (const std::exception&) {
    return Fail(ErrorCode::kInvalidOption,
                fmt::format("unknown time zone '{}'; a zone is 'UTC', an offset as '+02:00' or a "
                            "name as 'Europe/Berlin'",
                            name));
  }
}

}  // namespace braid
