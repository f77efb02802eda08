#include "engine/advise/bound_text.h"

#include <fmt/format.h>

#include <array>

#include "engine/plan/interval_text.h"
#include "state/rows/time_text.h"

namespace braid {

namespace {

struct Unit {
  const char* name;
  uint64_t micros;
};

constexpr std::array<Unit, 3> kUnits{{
    {"d", 86'400'000'000},
    {"h", 3'600'000'000},
    {"min", 60'000'000},
}};

}  // namespace

std::string BoundText(const Advice& advice, Interval lower, Interval upper) {
  const std::string& left = advice.side(Side::kLeft).time_name;
  return fmt::format("{} BETWEEN {}{} AND {}{}", advice.side(Side::kRight).time_name, left,
                     FormatOffset(lower), left, FormatOffset(upper));
}

std::string BoundText(const Advice& advice, Interval lower, Interval upper, size_t indent,
                      size_t width) {
  std::string text = BoundText(advice, lower, upper);
  if (indent + text.size() <= width) return text;
  const std::string second =
      fmt::format("AND {}{}", advice.side(Side::kLeft).time_name, FormatOffset(upper));
  text.resize(text.size() - second.size() - 1);
  return fmt::format("{}\n{:{}}{}", text, "", indent, second);
}

std::string WatermarkText(const SideAdvice& side, Interval delay) {
  if (side.time_column.empty()) return {};
  const std::string column = FormatName(side.time_column);
  return fmt::format("WATERMARK FOR {} AS {}{}", column, column, FormatOffset(-delay));
}

std::string LengthText(Interval length) {
  const auto bits = static_cast<uint64_t>(length.micros);
  uint64_t rest = length.micros < 0 ? uint64_t{0} - bits : bits;
  std::string text = length.micros < 0 ? "-" : "";
  bool has_part = false;
  for (const Unit& unit : kUnits) {
    if (rest < unit.micros) continue;
    text += fmt::format("{}{} {}", has_part ? " " : "", rest / unit.micros, unit.name);
    rest %= unit.micros;
    has_part = true;
  }
  if (rest == 0 && has_part) return text;
  text += fmt::format("{}{}", has_part ? " " : "", rest / 1'000'000);
  if (rest % 1'000'000 != 0) {
    std::string fraction = fmt::format("{:06}", rest % 1'000'000);
    fraction.resize(fraction.find_last_not_of('0') + 1);
    text += "." + fraction;
  }
  return text + " s";
}

std::string TimeText(EventTime time) {
  std::array<char, kTimeTextBytesMax> text;
  return {text.data(), WriteTimestamp(time.micros, 3, text.data())};
}

}  // namespace braid
