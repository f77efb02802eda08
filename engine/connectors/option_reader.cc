#include "engine/connectors/option_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "state/rows/nearest_name.h"

namespace braid {

namespace {

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& letter : lower) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return lower;
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// The letters after a number, with what one of them is worth.
struct Unit {
  std::vector<std::string_view> names;
  int64_t factor;
  int64_t divisor = 1;
};

// number [space] unit; nothing on any other text or an overflow. The first unit is the default.
std::optional<int64_t> ParseWithUnit(std::string_view text, const std::vector<Unit>& units) {
  text = Trim(text);
  int64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || number < 0) return std::nullopt;
  const std::string name = Lower(Trim(text.substr(static_cast<size_t>(end - text.data()))));
  for (const Unit& unit : units) {
    const bool matches = (name.empty() && &unit == &units.front()) ||
                         std::find(unit.names.begin(), unit.names.end(), name) != unit.names.end();
    if (!matches) continue;
    int64_t product = 0;
    if (__builtin_mul_overflow(number, unit.factor, &product)) return std::nullopt;
    return product / unit.divisor;
  }
  return std::nullopt;
}

}  // namespace

std::optional<int64_t> ParseSize(std::string_view text) {
  static const std::vector<Unit> kUnits = {
      {{"b", "bytes", "byte"}, 1},
      {{"k", "kb", "kib", "kibibytes"}, int64_t{1} << 10},
      {{"m", "mb", "mib", "mebibytes"}, int64_t{1} << 20},
      {{"g", "gb", "gib", "gibibytes"}, int64_t{1} << 30},
      {{"t", "tb", "tib", "tebibytes"}, int64_t{1} << 40},
  };
  return ParseWithUnit(text, kUnits);
}

std::optional<Interval> ParseDuration(std::string_view text) {
  static const std::vector<Unit> kUnits = {
      {{"ms", "milli", "millis", "millisecond", "milliseconds"}, 1'000},
      {{"s", "sec", "secs", "second", "seconds"}, 1'000'000},
      {{"min", "m", "minute", "minutes"}, 60'000'000},
      {{"h", "hour", "hours"}, int64_t{3'600} * 1'000'000},
      {{"d", "day", "days"}, int64_t{86'400} * 1'000'000},
      {{"us", "\xC2\xB5s", "micro", "micros", "microsecond", "microseconds"}, 1},
      {{"ns", "nano", "nanos", "nanosecond", "nanoseconds"}, 1, 1'000},
  };
  const std::optional<int64_t> micros = ParseWithUnit(text, kUnits);
  if (!micros) return std::nullopt;
  return Interval{*micros};
}

std::string SubjectAt(const Place& place, std::string_view subject) {
  const bool is_flag = place.file.starts_with("--") && place.line == 0;
  return is_flag ? "" : fmt::format("{}: ", subject);
}

OptionReader::OptionReader(const Options& options, std::string subject, Place place)
    : options_(options), subject_(std::move(subject)), place_(std::move(place)) {}

void OptionReader::Alias(std::string_view alias, std::string_view name) {
  name_of_alias_.emplace(alias, name);
}

const std::pair<const std::string, Option>* OptionReader::Find(std::string_view name) {
  known_.emplace(name);
  const std::pair<const std::string, Option>* found = nullptr;
  if (const auto option = options_.find(name); option != options_.end()) found = &*option;
  for (const auto& [alias, meaning] : name_of_alias_) {
    if (meaning != name) continue;
    const auto option = options_.find(alias);
    if (option == options_.end()) continue;
    if (found != nullptr) {
      Refuse(alias, fmt::format("the options '{}' and '{}' mean the same; give one of them",
                                found->first, alias));
    }
    found = &*option;
  }
  return found;
}

bool OptionReader::Has(std::string_view name) { return Find(name) != nullptr; }

Place OptionReader::PlaceOf(std::string_view name) const {
  const auto option = options_.find(name);
  if (option != options_.end()) return option->second.place;
  for (const auto& [alias, meaning] : name_of_alias_) {
    if (meaning != name) continue;
    if (const auto other = options_.find(alias); other != options_.end()) {
      return other->second.place;
    }
  }
  return place_;
}

std::string OptionReader::Quote(std::string_view name) const { return fmt::format("'{}'", name); }

void OptionReader::Refuse(std::string_view name, std::string message) {
  if (first_error_) return;
  first_error_ = Error{ErrorCode::kInvalidOption,
                       SubjectAt(PlaceOf(name), subject_) + std::move(message), PlaceOf(name)};
}

std::optional<std::string> OptionReader::OptionalText(std::string_view name) {
  const auto* option = Find(name);
  if (option == nullptr) return std::nullopt;
  return option->second.value;
}

std::string OptionReader::Text(std::string_view name, std::string_view otherwise) {
  return OptionalText(name).value_or(std::string(otherwise));
}

std::string OptionReader::RequiredText(std::string_view name) {
  std::optional<std::string> text = OptionalText(name);
  if (!text) Refuse(name, fmt::format("the option '{}' is missing", name));
  if (text && text->empty()) Refuse(name, fmt::format("the option '{}' is empty", name));
  return text.value_or("");
}

bool OptionReader::Boolean(std::string_view name, bool otherwise) {
  return Choice<bool>(name, otherwise, {{"true", true}, {"false", false}});
}

int64_t OptionReader::Integer(std::string_view name, int64_t otherwise, int64_t minimum,
                              int64_t maximum) {
  const auto* option = Find(name);
  if (option == nullptr) return otherwise;
  const std::string_view text = Trim(option->second.value);
  int64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size()) {
    Refuse(name,
           fmt::format("'{}' = '{}' is not a whole number", option->first, option->second.value));
    return otherwise;
  }
  if (number < minimum || number > maximum) {
    Refuse(name, fmt::format("'{}' = '{}' must be {}", option->first, option->second.value,
                             maximum == std::numeric_limits<int64_t>::max()
                                 ? fmt::format("{} or more", minimum)
                                 : fmt::format("from {} to {}", minimum, maximum)));
    return otherwise;
  }
  return number;
}

int64_t OptionReader::Size(std::string_view name, int64_t otherwise, int64_t minimum) {
  const auto* option = Find(name);
  if (option == nullptr) return otherwise;
  const std::optional<int64_t> bytes = ParseSize(option->second.value);
  if (!bytes) {
    Refuse(name, fmt::format("'{}' = '{}' is not a size; sizes are written '512', '64 kb', '1 mb'",
                             option->first, option->second.value));
    return otherwise;
  }
  if (*bytes < minimum) {
    Refuse(name, fmt::format("'{}' = '{}' must be {} bytes or more", option->first,
                             option->second.value, minimum));
    return otherwise;
  }
  return *bytes;
}

std::optional<Interval> OptionReader::OptionalDuration(std::string_view name) {
  const auto* option = Find(name);
  if (option == nullptr) return std::nullopt;
  const std::optional<Interval> duration = ParseDuration(option->second.value);
  if (!duration || duration->micros <= 0) {
    Refuse(name, fmt::format("'{}' = '{}' is not a length of time; they are written '500 ms', "
                             "'10 s', '1 min' and are more than zero",
                             option->first, option->second.value));
    return std::nullopt;
  }
  return duration;
}

Interval OptionReader::Duration(std::string_view name, Interval otherwise) {
  return OptionalDuration(name).value_or(otherwise);
}

std::optional<size_t> OptionReader::ChoiceIndex(std::string_view name,
                                                const std::vector<std::string_view>& words) {
  const auto* option = Find(name);
  if (option == nullptr) return std::nullopt;
  const std::string given = Lower(Trim(option->second.value));
  for (size_t index = 0; index < words.size(); ++index) {
    if (Lower(words[index]) == given) return index;
  }
  Refuse(name, fmt::format("'{}' = '{}' must be one of: {}", option->first, option->second.value,
                           fmt::join(words, ", ")));
  return std::nullopt;
}

void OptionReader::AcceptElsewhere(std::string_view name) { known_.emplace(name); }

void OptionReader::AcceptWithoutEffect(std::string_view pattern) {
  without_effect_.emplace_back(pattern);
}

bool OptionReader::IsKnown(const std::string& name) const {
  if (known_.contains(name)) return true;
  const auto alias = name_of_alias_.find(name);
  return alias != name_of_alias_.end() && known_.contains(alias->second);
}

std::string OptionReader::Suggestion(const std::string& name) const {
  std::set<std::string_view> candidates(known_.begin(), known_.end());
  for (const auto& [alias, meaning] : name_of_alias_) candidates.insert(alias);
  const std::vector<std::string_view> sorted(candidates.begin(), candidates.end());
  const std::string nearest = NearestName(name, sorted);
  if (!nearest.empty()) return fmt::format("; did you mean '{}'?", nearest);
  return sorted.empty() ? "" : fmt::format("; known are {}", fmt::join(sorted, ", "));
}

Status OptionReader::Finish(std::vector<std::string>* notes) {
  std::vector<std::string> idle;
  for (const auto& [name, option] : options_) {
    if (IsKnown(name)) continue;
    const std::string& given = name;
    const bool accepted = std::any_of(
        without_effect_.begin(), without_effect_.end(), [&given](std::string_view pattern) {
          if (!pattern.ends_with('*')) return pattern == given;
          return given.starts_with(pattern.substr(0, pattern.size() - 1));
        });
    if (accepted) {
      idle.push_back(Quote(name));
      continue;
    }
    return Fail(ErrorCode::kInvalidOption,
                fmt::format("{}unknown option '{}'{}", SubjectAt(option.place, subject_), name,
                            Suggestion(name)),
                option.place.known() ? option.place : place_);
  }
  if (first_error_) return tl::unexpected<Error>(*first_error_);
  if (!idle.empty() && notes != nullptr) {
    notes->push_back(
        fmt::format("{}: accepted, but without effect here: {}", subject_, fmt::join(idle, ", ")));
  }
  return {};
}

}  // namespace braid
