#include "engine/plan/fingerprint_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "braid/data_type.h"
#include "engine/plan/fingerprint.h"
#include "engine/plan/fingerprint_lines.h"
#include "engine/plan/renamed_columns.h"
#include "state/rows/widened_column.h"

namespace braid {

namespace {

constexpr std::string_view kWithoutNullMark = " rows without NULL ";
constexpr const char* kCannotTakeBack =
    "what a regular join has sent out could not be taken back as it was sent";
constexpr std::string_view kPaddedForNullMark = " rows padded for NULL ";

// "none" or microseconds.
std::optional<int64_t> MicrosOf(const std::string& text) {
  int64_t micros = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), micros);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return micros;
}

std::string Spoken(const FingerprintLine& line) {
  return line.label.empty() ? line.value : line.label;
}

// Both values for a person, who calls columns otherwise than they are stored; unless that reads
// alike.
std::pair<std::string, std::string> Shown(const FingerprintLine& before,
                                          const FingerprintLine* now) {
  if (now == nullptr) return {Spoken(before), "none"};
  if (Spoken(before) != Spoken(*now)) return {Spoken(before), Spoken(*now)};
  return {PlainValue(before.value), PlainValue(now->value)};
}

std::string Was(const std::string& what, const std::string& before, const std::string& now,
                std::string_view why) {
  return fmt::format("{} was {} when the checkpoint was made, and is {} now{}{}", what, before, now,
                     why.empty() ? "" : ": ", why);
}

// Compares two fingerprints part by part. Each check gives a refusal, or nothing.
class Comparison {
 public:
  Comparison(const std::string& before, const std::string& now) : before_(before), now_(now) {
    RenameBack(before_, &now_);
  }

  std::optional<std::string> Refusal() {
    if (before_.all().empty() ||
        before_.all()[0].part + ": " + before_.all()[0].value != std::string(kFingerprintVersion)) {
      return "the checkpoint was made by another version of Braid, whose checkpoints are not read";
    }
    if (auto refusal = Settings()) return refusal;
    if (auto refusal = Shape()) return refusal;
    if (auto refusal = ExplainLostColumns(before_, now_)) return refusal;
    // What a person changed comes before what follows from it.
    for (const auto check :
         {&Comparison::OperatorLine, &Comparison::TableColumnLine, &Comparison::KeyLine,
          &Comparison::RangeLine, &Comparison::WatermarkLine, &Comparison::FilterLine,
          &Comparison::WithoutNullLine, &Comparison::EvictionLine, &Comparison::OtherLine}) {
      for (const FingerprintLine& line : before_.all()) {
        if (auto refusal = (this->*check)(line, now_.Find(line.part))) return refusal;
      }
    }
    if (auto refusal = NewLines()) return refusal;
    return Stored();
  }

  FingerprintMatch::Origins TakeKept() { return std::move(kept_); }

  std::vector<MovedOutput> MovedOutputs() const {
    std::vector<MovedOutput> moved;
    for (const FingerprintLine& line : before_.all()) {
      if (!line.part.starts_with("output")) continue;
      const FingerprintLine* other = now_.Find(line.part);
      if (other != nullptr && other->value == line.value) continue;
      const std::string path = PlainValue(line.value);
      const std::string now = other == nullptr ? "" : PlainValue(other->value);
      moved.push_back({path, now, line.label,
                       Was("the path of " + line.label, "'" + path + "'",
                           other == nullptr ? "none" : "'" + now + "'", "")});
    }
    return moved;
  }

 private:
  static bool EndsWith(const FingerprintLine& line, std::string_view end) {
    return line.part.ends_with(end);
  }

  // Of the join that a part is about: "left input's ".
  static std::string PrefixOf(const std::string& part) {
    const size_t place = part.rfind(" input's ");
    return place == std::string::npos ? "" : part.substr(0, place + 9);
  }

  // "left", "left input's right": what stands before the part's own name.
  static std::string TitleOf(const std::string& part) {
    const std::string prefix = PrefixOf(part);
    return part.substr(0, part.find(' ', prefix.size()));
  }

  // What a person calls an input: "table l".
  std::string InputName(const std::string& title) const {
    const FingerprintLine* table = before_.Find(title + " table");
    return table == nullptr ? "the " + title + " input" : "table " + table->value;
  }

  // "key 1 of table l" for "left key 1".
  std::string PartName(const std::string& part) const {
    const std::string title = TitleOf(part);
    return fmt::format("{} of {}", part.substr(title.size() + 1), InputName(title));
  }

  std::string TypeOfJoin(const FingerprintLines& lines, const std::string& part) const {
    return lines.ValueOf(PrefixOf(part) + "join type");
  }
  bool IsRegular(const std::string& part) const {
    return before_.ValueOf(PrefixOf(part) + "operator") == "regular join";
  }

  std::optional<std::string> Settings() const {
    for (const char* part : {"mode", "table.local-time-zone"}) {
      const FingerprintLine* old = before_.Find(part);
      const FingerprintLine* other = now_.Find(part);
      if (old == nullptr || other == nullptr || old->value == other->value) continue;
      const bool is_mode = std::string_view(part) == "mode";
      return Was(is_mode ? "the mode" : part, old->value, other->value,
                 is_mode ? "the modes keep state differently"
                         : "what the query reads or computes depends on it");
    }
    return std::nullopt;
  }

  // Tables, joins and their kinds.
  std::optional<std::string> Shape() const {
    for (const FingerprintLine& line : before_.all()) {
      const FingerprintLine* other = now_.Find(line.part);
      if (EndsWith(line, " table") && !EndsWith(line, "unmatched-rows.table")) {
        if (auto refusal = TableLine(line, other)) return refusal;
      }
      if (EndsWith(line, "join type")) {
        if (auto refusal = JoinTypeLine(line, other)) return refusal;
      }
    }
    for (const FingerprintLine& line : now_.all()) {
      if (before_.Find(line.part) != nullptr) continue;
      if (EndsWith(line, "join type")) {
        return fmt::format("there is a further {} join now, which the checkpoint has no state of",
                           line.value);
      }
    }
    return std::nullopt;
  }

  std::optional<std::string> TableLine(const FingerprintLine& line,
                                       const FingerprintLine* other) const {
    if (other == nullptr && now_.Find("join type") != nullptr && line.part == "input table") {
      return fmt::format(
          "the query read table {} alone when the checkpoint was made, and is a {} "
          "join now, which the checkpoint has no state of",
          line.value, now_.ValueOf("join type"));
    }
    if (other == nullptr) {
      return fmt::format("the {} was {} when the checkpoint was made, and is not one table now",
                         line.part, line.value);
    }
    if (other->value == line.value) return std::nullopt;
    return Was("the " + line.part, line.value, other->value,
               "what was read of a table is kept by its name");
  }

  static bool IsOneOfPairs(const std::string& type) {
    return type == "INNER" || type.ends_with(" OUTER");
  }
  static bool Pads(const std::string& type, const std::string& side) {
    return type == "FULL OUTER" || type == (side == "left" ? "LEFT OUTER" : "RIGHT OUTER");
  }

  std::optional<std::string> JoinTypeLine(const FingerprintLine& line,
                                          const FingerprintLine* other) const {
    if (other == nullptr) {
      return fmt::format(
          "the {} was {} when the checkpoint was made, and there is no such join "
          "now",
          line.part, line.value);
    }
    if (other->value == line.value) return std::nullopt;
    const auto refuse = [&](const std::string& why) {
      return Was("the " + line.part, Spoken(line), Spoken(*other), why);
    };
    const std::string prefix = PrefixOf(line.part);
    if (IsRegular(line.part)) {
      return refuse(kCannotTakeBack);
    }
    if (line.value == "LEFT ANTI" && other->value == "LEFT SEMI") return std::nullopt;
    if (!IsOneOfPairs(line.value)) {
      return refuse(
          fmt::format("rows of {} that have matched are not kept", InputName(prefix + "left")));
    }
    if (!IsOneOfPairs(other->value)) {
      return refuse(fmt::format("rows of {} that have matched are still in state",
                                InputName(prefix + "left")));
    }
    for (const std::string side : {"left", "right"}) {
      if (!Pads(other->value, side) || before_.Find(prefix + side + " matches")) continue;
      return refuse(
          fmt::format("which rows of {} have matched already is not recorded, so these "
                      "would come out with NULLs, too",
                      InputName(prefix + side)));
    }
    return std::nullopt;
  }

  // What becomes of a join in per-record mode follows from the watermarks, the bounds and a
  // setting.
  std::optional<std::string> OperatorLine(const FingerprintLine& line,
                                          const FingerprintLine* other) {
    if (!EndsWith(line, "operator") || other == nullptr || other->value == line.value) {
      return std::nullopt;
    }
    const std::string prefix = PrefixOf(line.part);
    const std::string why = fmt::format("with it the {} becomes a {}, whose state is another",
                                        line.value, other->value);
    for (const char* side : {"left", "right"}) {
      const FingerprintLine* mark = before_.Find(prefix + side + " watermark");
      const FingerprintLine* now = now_.Find(prefix + side + " watermark");
      if (mark == nullptr || now == nullptr || mark->value == now->value) continue;
      return WatermarkWas(*mark, *now, why);
    }
    const std::string names = fmt::format("the join of {} and {}", InputName(prefix + "left"),
                                          InputName(prefix + "right"));
    const bool is_setting = before_.ValueOf(prefix + "window") == now_.ValueOf(prefix + "window");
    if (is_setting) {
      return Was(names, "a " + line.value, "a " + other->value,
                 "per-record.interval-join, which chooses, cannot change");
    }
    return Was("the time bound of " + names, BoundsOf(before_, prefix), BoundsOf(now_, prefix),
               why);
  }

  // The window of an interval join; of a regular one its condition, which may have one bound.
  static std::string BoundsOf(const FingerprintLines& lines, const std::string& prefix) {
    const FingerprintLine* window = lines.Find(prefix + "window");
    if (window != nullptr) return window->value;
    const FingerprintLine* condition = lines.Find(prefix + "postJoinFilter");
    return condition == nullptr ? "none" : Spoken(*condition);
  }

  std::optional<std::string> TableColumnLine(const FingerprintLine& line,
                                             const FingerprintLine* other) {
    if (line.part.find(kStoredMark) != std::string::npos) return std::nullopt;
    if (line.part.find(kComputedMark) != std::string::npos) {
      if (other != nullptr && other->value == line.value) return std::nullopt;
      if (other == nullptr && !IsColumnUsedNow(line)) return std::nullopt;
      return Was("the expression of " + line.label, PlainValue(line.value),
                 other == nullptr ? "none" : PlainValue(other->value),
                 "rows in state were computed with the old one");
    }
    const std::optional<TableColumn> column = TableColumnOf(line);
    if (!column || !column->is_used || other == nullptr) return std::nullopt;
    if (IsWideningText(line.value, other->value)) return std::nullopt;
    return Was(line.label, line.value, other->value,
               "what is stored of it may not fit; a type may only become wider");
  }

  // Whether the column of a computed column's line is read by the query as it is now.
  bool IsColumnUsedNow(const FingerprintLine& line) const {
    const size_t place = line.part.find(kComputedMark);
    const std::string name = line.part.substr(place + kComputedMark.size());
    return now_.Find(fmt::format("{}{}{}", line.part.substr(0, place), kColumnMark, name)) !=
           nullptr;
  }

  static bool IsKey(const FingerprintLine& line) {
    return line.part.starts_with(TitleOf(line.part) + " key ") && !EndsWith(line, " key word");
  }

  std::optional<std::string> KeyLine(const FingerprintLine& line, const FingerprintLine* other) {
    if (!IsKey(line)) return std::nullopt;
    const bool is_type = EndsWith(line, " type");
    if (other == nullptr) {
      return fmt::format(
          "{} was {} when the checkpoint was made, and there is none now: rows in state are found "
          "by it",
          PartName(line.part), Spoken(line));
    }
    if (other->value == line.value) return std::nullopt;
    if (is_type && IsWideningText(line.value, other->value)) return std::nullopt;
    if (is_type) {
      return Was(fmt::format("{} ({})", PartName(line.part), line.label), line.value, other->value,
                 "rows in state are found by it");
    }
    const auto [before, now] = Shown(line, other);
    return Was(PartName(line.part), before, now, "rows in state are found by it");
  }

  std::optional<std::string> FilterLine(const FingerprintLine& line, const FingerprintLine* other) {
    const bool is_filter = EndsWith(line, " filter") || EndsWith(line, "WHERE after the join");
    if (!is_filter && !EndsWith(line, "postJoinFilter")) return std::nullopt;
    const std::string after = other == nullptr ? "none" : other->value;
    if (after == line.value) return std::nullopt;
    const auto [old, now] = Shown(line, other);
    if (is_filter) {
      const bool is_side = EndsWith(line, " filter");
      const bool is_shown = line.part == "WHERE after the join";
      return Was(is_side ? "the condition on rows of " + InputName(TitleOf(line.part))
                         : "the " + line.part,
                 old, now, is_shown ? kCannotTakeBack : "rows in state were chosen by the old one");
    }
    // Without padding a pair is judged when it meets, and never again.
    const bool may_differ = TypeOfJoin(now_, line.part) == "INNER" && !IsRegular(line.part) &&
                            now_.Find(PrefixOf(line.part) + "unmatched-rows.table") == nullptr;
    if (may_differ) return std::nullopt;
    return Was("the condition of the join (the " + line.part + ")", old, now,
               IsRegular(line.part)
                   ? kCannotTakeBack
                   : "rows that met under the old one are not joined again, and could come out as "
                     "unmatched though they match");
  }

  // A row with NULL there could not match: it was not stored.
  std::optional<std::string> WithoutNullLine(const FingerprintLine& line,
                                             const FingerprintLine* /*other*/) {
    const size_t mark = line.part.find(kWithoutNullMark);
    if (mark == std::string::npos) return std::nullopt;
    const std::string title = line.part.substr(0, mark);
    for (const FingerprintLine& now : now_.all()) {
      const bool rejects_nulls = now.part.starts_with(title + std::string(kWithoutNullMark)) ||
                                 now.part.starts_with(title + std::string(kPaddedForNullMark));
      if (rejects_nulls && now.value == line.value) return std::nullopt;
    }
    return fmt::format(
        "rows of {} with NULL in {} could not match when the checkpoint was made, and can now: "
        "rows in state were chosen by the old condition",
        InputName(title), line.label);
  }

  static bool IsNarrower(const std::string& before, const std::string& now, bool is_upper) {
    const std::optional<int64_t> old_micros = MicrosOf(before);
    const std::optional<int64_t> new_micros = MicrosOf(now);
    if (!old_micros) return true;
    if (!new_micros) return false;
    return is_upper ? *new_micros <= *old_micros : *new_micros >= *old_micros;
  }

  // Bounds may become narrower. A wider one misses rows that have left, and pairs that have met.
  std::optional<std::string> RangeLine(const FingerprintLine& line, const FingerprintLine* other) {
    const bool is_upper = EndsWith(line, "time range to");
    if (!is_upper && !EndsWith(line, "time range from")) return std::nullopt;
    if (IsNarrower(line.value, other == nullptr ? "none" : other->value, is_upper)) {
      return std::nullopt;
    }
    const std::string prefix = PrefixOf(line.part);
    return Was(
        fmt::format("the {} time bound between {} and {} ({} minus {})",
                    is_upper ? "upper" : "lower", InputName(prefix + "left"),
                    InputName(prefix + "right"), TimeOf(prefix + "right"), TimeOf(prefix + "left")),
        Spoken(line), other == nullptr ? "none" : Spoken(*other),
        "rows that have left, and pairs that have met already, would be missing; a bound "
        "may only become narrower");
  }

  std::optional<std::string> EvictionLine(const FingerprintLine& line,
                                          const FingerprintLine* other) {
    if (!EndsWith(line, " eviction")) return std::nullopt;
    const std::string after = other == nullptr ? "never" : other->value;
    if (IsNarrower(line.value, after, /*is_upper=*/false)) return std::nullopt;
    return Was("when rows of " + InputName(TitleOf(line.part)) + " leave", Spoken(line),
               after == "never" ? after : Spoken(*other),
               "rows that have left would be missing; a time bound may only become narrower");
  }

  std::string TimeOf(const std::string& title) const {
    const FingerprintLine* time = before_.Find(title + " stored time");
    return time == nullptr ? title : Spoken(*time);
  }

  std::optional<std::string> WatermarkLine(const FingerprintLine& line,
                                           const FingerprintLine* other) {
    if (!EndsWith(line, " watermark")) return std::nullopt;
    if (other == nullptr || other->value == line.value || line.value == "none") return std::nullopt;
    return WatermarkWas(line, *other, "rows have left state by it");
  }

  std::string WatermarkWas(const FingerprintLine& line, const FingerprintLine& now,
                           const std::string& why) const {
    const auto shown = [](const FingerprintLine& mark) {
      return mark.value == "none" ? mark.value : "on " + mark.label;
    };
    return Was("the watermark of " + InputName(TitleOf(line.part)), shown(line), shown(now), why);
  }

  // The rest, of which nothing may differ.
  std::optional<std::string> OtherLine(const FingerprintLine& line, const FingerprintLine* other) {
    if (EndsWith(line, "unmatched-rows.table")) return UnmatchedLine(line, other);
    if (EndsWith(line, "allowed-lateness")) return LatenessLine(line, other);
    if (other != nullptr && other->value == line.value) return std::nullopt;
    const auto [old, now] = Shown(line, other);
    if (EndsWith(line, " connector")) {
      return Was("the connector of " + line.label, "'" + line.value + "'",
                 "'" + (other == nullptr ? "none" : other->value) + "'",
                 "where reading stands is kept as the connector counts");
    }
    if (EndsWith(line, "window")) {
      return Was("the " + line.part, old, now, "the timers in state are of that window");
    }
    if (EndsWith(line, "table.exec.state.ttl")) {
      return Was(line.part, line.value, now,
                 "when rows in state came is recorded only with it; a set one may become another");
    }
    if (EndsWith(line, " stored time")) return StoredTimeLine(line, old, now);
    if (EndsWith(line, " primary key")) return Was(PartName(line.part), old, now, "");
    return std::nullopt;
  }

  std::string StoredTimeLine(const FingerprintLine& line, const std::string& old,
                             const std::string& now) const {
    const std::string what =
        "the time that rows of " + InputName(TitleOf(line.part)) + " are kept by";
    const std::string prefix = PrefixOf(line.part);
    for (const char* part : {"time range from", "time range to"}) {
      const FingerprintLine* bound = now_.Find(prefix + part);
      if (line.value != "none" || bound == nullptr || bound->value == "none") continue;
      return Was(what, old, now, "the join has a time bound now, and rows in state have no time");
    }
    return Was(what, old, now, "rows in state have the old one");
  }

  std::optional<std::string> UnmatchedLine(const FingerprintLine& line,
                                           const FingerprintLine* other) const {
    if (other != nullptr) return std::nullopt;
    const bool is_kept_alike = IsOneOfPairs(TypeOfJoin(now_, line.part)) && !IsRegular(line.part);
    if (is_kept_alike) return std::nullopt;
    return fmt::format(
        "{} was set when the checkpoint was made, and is not now: state of a {} "
        "join holds rows for it alone",
        line.part, TypeOfJoin(before_, line.part));
  }

  static std::optional<std::string> LatenessLine(const FingerprintLine& line,
                                                 const FingerprintLine* other) {
    const auto millis = [](const std::string& text) {
      return MicrosOf(text.substr(0, text.find(' '))).value_or(0);
    };
    if (other == nullptr || millis(other->value) >= millis(line.value)) return std::nullopt;
    return Was(line.part, line.value, other->value,
               "rows that still wait would come behind the watermark of the join above; it may "
               "only be raised");
  }

  // What is there now and was not.
  std::optional<std::string> NewLines() const {
    for (const FingerprintLine& line : now_.all()) {
      if (before_.Find(line.part) != nullptr) continue;
      if (auto refusal = NewComputedLine(line)) return refusal;
      if (EndsWith(line, "unmatched-rows.table")) {
        return fmt::format(
            "{} is set now, and was not when the checkpoint was made: which rows "
            "in state have matched, and all that it asks for, is not recorded",
            line.part);
      }
      if (IsKey(line)) {
        return fmt::format(
            "{} is {} now, and there was none when the checkpoint was made: rows in state are not "
            "found by it",
            PartName(line.part), Spoken(line));
      }
      if (EndsWith(line, " primary key")) {
        return Was(PartName(line.part), "none", Spoken(line), "");
      }
    }
    return std::nullopt;
  }

  // A column that was read before.
  std::optional<std::string> NewComputedLine(const FingerprintLine& line) const {
    const size_t place = line.part.find(kComputedMark);
    if (place == std::string::npos) return std::nullopt;
    const std::string column = fmt::format("{}{}{}", line.part.substr(0, place), kColumnMark,
                                           line.part.substr(place + kComputedMark.size()));
    if (before_.Find(column) == nullptr) return std::nullopt;
    return Was("the expression of " + line.label, "none", PlainValue(line.value),
               "rows in state have what was read");
  }

  struct StoredColumnLine {
    std::string value;
    std::string type;
    std::string label;
  };
  // What is stored of the input `title`, in order.
  static std::vector<StoredColumnLine> StoredColumns(const FingerprintLines& lines,
                                                     const std::string& title) {
    std::vector<StoredColumnLine> columns;
    while (true) {
      const std::string part = fmt::format("{}{}{}", title, kStoredMark, columns.size() + 1);
      const FingerprintLine* line = lines.Find(part);
      if (line == nullptr) return columns;
      columns.push_back({line->value, lines.ValueOf(part + " type"), line->label});
    }
  }

  // The titles of all sides in the order in which joins are executed: those of the inputs of a join
  // come before its own.
  static void AddTitles(const FingerprintLines& lines, const std::string& prefix,
                        std::vector<std::string>* titles) {
    for (const char* side : {"left", "right"}) {
      const std::string inner = prefix + side + " input's ";
      if (lines.Find(inner + "join type") != nullptr) AddTitles(lines, inner, titles);
    }
    titles->push_back(prefix + "left");
    titles->push_back(prefix + "right");
  }

  std::optional<std::string> Stored() {
    if (now_.Find("join type") == nullptr) return std::nullopt;
    std::vector<std::string> titles;
    AddTitles(now_, "", &titles);
    for (const std::string& title : titles) {
      if (auto refusal = StoredOf(title)) return refusal;
    }
    return std::nullopt;
  }

  std::optional<std::string> StoredOf(const std::string& title) {
    const std::vector<StoredColumnLine> old = StoredColumns(before_, title);
    std::vector<FingerprintMatch::Origin>& kept = kept_.emplace_back();
    for (const StoredColumnLine& column : StoredColumns(now_, title)) {
      if (!AddOrigin(title, old, column, &kept)) return Missing(title, old, column);
    }
    return std::nullopt;
  }

  // Adds where a column comes from that is stored now: one that was stored, or the key word. False
  // if it is not there.
  bool AddOrigin(const std::string& title, const std::vector<StoredColumnLine>& old,
                 const StoredColumnLine& column,
                 std::vector<FingerprintMatch::Origin>* kept) const {
    const auto is_same = [&](const StoredColumnLine& stored) {
      return stored.value == column.value && stored.type == column.type;
    };
    const auto fits = [&](const StoredColumnLine& stored) { return Gives(stored, column); };
    auto found = std::find_if(old.begin(), old.end(), is_same);
    if (found == old.end()) found = std::find_if(old.begin(), old.end(), fits);
    if (found != old.end()) {
      kept->push_back(static_cast<uint16_t>(found - old.begin()));
      return true;
    }
    const FingerprintLine* word = before_.Find(title + " key word");
    if (word == nullptr || !Gives({word->value, word->label, ""}, column)) return false;
    kept->push_back(std::nullopt);
    return true;
  }

  // Whether what was stored has the column's values, in a narrower type or, if it is a column that
  // was cast to be compared, in a wider one.
  bool Gives(const StoredColumnLine& stored, const StoredColumnLine& column) const {
    if (stored.value == column.value && IsWideningText(stored.type, column.type)) return true;
    const bool is_cast = stored.value == column.value ||
                         stored.value == fmt::format("CAST({} AS {})", column.value, stored.type);
    if (!is_cast) return false;
    for (const FingerprintLine& line : before_.all()) {
      const std::optional<TableColumn> plain = TableColumnOf(line);
      if (!plain || FingerprintColumn(plain->title, plain->name) != column.value) continue;
      return IsWideningText(line.value, column.type) && IsNarrowingText(stored.type, line.value);
    }
    return false;
  }

  std::string Missing(const std::string& title, const std::vector<StoredColumnLine>& old,
                      const StoredColumnLine& column) const {
    const auto found = std::find_if(old.begin(), old.end(), [&](const StoredColumnLine& stored) {
      return stored.label == column.label && stored.value != column.value;
    });
    if (found != old.end()) {
      return Was(fmt::format("the expression of {} of {}", column.label, InputName(title)),
                 PlainValue(found->value), PlainValue(column.value),
                 "rows in state were computed with the old one");
    }
    return fmt::format(
        "{} of {} is used now, and was not when the checkpoint was made: rows in state do not have "
        "it",
        column.label, InputName(title));
  }

  const FingerprintLines before_;
  FingerprintLines now_;
  FingerprintMatch::Origins kept_;
};

}  // namespace

Result<FingerprintMatch> MatchFingerprints(const std::string& before, const std::string& now) {
  Comparison comparison(before, now);
  if (std::optional<std::string> refusal = comparison.Refusal()) {
    return Fail(ErrorCode::kConflict, std::move(*refusal));
  }
  return FingerprintMatch{comparison.TakeKept(), comparison.MovedOutputs()};
}

std::optional<std::string> ExplainFingerprintChange(const std::string& before,
                                                    const std::string& now) {
  const Result<FingerprintMatch> match = MatchFingerprints(before, now);
  if (match) return std::nullopt;
  return match.error().message;
}

}  // namespace braid
