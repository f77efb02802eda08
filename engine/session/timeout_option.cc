#include "engine/session/timeout_option.h"

#include <fmt/format.h>

namespace braid {

std::optional<Interval> ReadTimeout(OptionReader* reader, std::string_view name) {
  const std::optional<std::string> text = reader->OptionalText(name);
  if (!text) return std::nullopt;
  const std::optional<Interval> duration = ParseDuration(*text);
  if (!duration) {
    reader->Refuse(name, fmt::format("'{}' = '{}' is not a length of time; they are written '500 "
                                     "ms', '10 s', '1 min', and 0 means never",
                                     name, *text));
  }
  if (!duration || duration->micros == 0) return std::nullopt;
  return duration;
}

}  // namespace braid
