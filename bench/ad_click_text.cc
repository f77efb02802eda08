#include "bench/ad_click_text.h"

#include <fmt/format.h>

#include <map>

namespace braid {

namespace {

class Generator {
 public:
  uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    uint64_t word = state_;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9ULL;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebULL;
    return word ^ (word >> 31);
  }

 private:
  uint64_t state_ = 42;
};

bool IsJson(AdClickForm form) {
  return form == AdClickForm::kJson || form == AdClickForm::kJsonIso;
}

bool HasTimestamps(AdClickForm form) {
  return form == AdClickForm::kIso || form == AdClickForm::kJsonIso;
}

std::string TimeText(int64_t millis, AdClickForm form) {
  if (!HasTimestamps(form)) return fmt::format("{}", millis);
  const int64_t rest = millis % 86'400'000;
  const std::string text =
      fmt::format("2026-01-{:02} {:02}:{:02}:{:02}.{:03}", 1 + millis / 86'400'000 % 28,
                  rest / 3'600'000, rest / 60'000 % 60, rest / 1000 % 60, rest % 1000);
  return IsJson(form) ? '"' + text + '"' : text;
}

AdClickText MakeText(AdClickForm form) {
  AdClickText text;
  Generator random;
  const char* quote = form == AdClickForm::kQuoted ? "\"" : "";
  const char* prefix = form == AdClickForm::kStrings ? "name-" : "";
  for (int64_t row = 0; row < kNumAdClickImpressions; ++row) {
    const uint64_t id = (static_cast<uint64_t>(row) * 0x9E3779B97F4A7C15ULL) & ((1ULL << 40) - 1);
    const int64_t time = 1'767'225'600'000 + row / 10;
    const uint64_t cents = 1 + random.Next() % 10'000;
    const uint64_t campaign = random.Next() % 1000;
    const bool is_bad = form == AdClickForm::kBad && random.Next() % 100 == 0;
    text.num_bad += is_bad ? 1 : 0;
    if (is_bad && row % 2 == 0) {
      text.impressions += fmt::format("{},{}\n", id, time);
    } else if (IsJson(form)) {
      text.impressions +=
          fmt::format("{{\"ad_id\":{},\"ts\":{},\"campaign\":{},\"price\":{}.{:02}}}\n", id,
                      TimeText(time, form), campaign, cents / 100, cents % 100);
    } else {
      text.impressions += fmt::format("{0}{1}{0},{0}{2}{0},{0}{7}{3}{0},{0}{4}.{5:02}{6}{0}\n",
                                      quote, id, TimeText(time, form), campaign, cents / 100,
                                      cents % 100, is_bad ? "x" : "", prefix);
    }
    ++text.num_rows;
    if (random.Next() % 10 >= 3) continue;
    const int64_t later = time + static_cast<int64_t>(random.Next() % 60'000);
    const uint64_t user = random.Next() % 1'000'000;
    text.clicks += IsJson(form) ? fmt::format("{{\"ad_id\":{},\"ts\":{},\"user\":{}}}\n", id,
                                              TimeText(later, form), user)
                                : fmt::format("{0}{1}{0},{0}{2}{0},{0}{4}{3}{0}\n", quote, id,
                                              TimeText(later, form), user, prefix);
    ++text.num_rows;
  }
  return text;
}

}  // namespace

const char* AdClickFormName(AdClickForm form) {
  static constexpr const char* kNames[] = {"millis", "iso",  "quoted",  "strings",
                                           "bad",    "json", "json_iso"};
  return kNames[static_cast<int>(form)];
}

const AdClickText& CachedAdClickText(AdClickForm form) {
  static std::map<AdClickForm, AdClickText> cached;
  const auto found = cached.find(form);
  return found != cached.end() ? found->second : cached.emplace(form, MakeText(form)).first->second;
}

TableDescription AdClickTable(AdClickForm form, bool is_impressions) {
  TableDescription table;
  table.name = "ads";
  const DataType time = HasTimestamps(form) ? DataType::Timestamp(3) : DataType::BigInt();
  const DataType name = form == AdClickForm::kStrings ? DataType::String() : DataType::BigInt();
  table.schema.fields = {{"ad_id", DataType::BigInt()}, {"ts", time}};
  if (is_impressions) {
    table.schema.fields.push_back({"campaign", name});
    table.schema.fields.push_back({"price", DataType::Double()});
  } else {
    table.schema.fields.push_back({"user", name});
  }
  table.not_null.assign(table.schema.fields.size(), 0);
  return table;
}

void ReportRows(benchmark::State& state, double seconds, int64_t rows, size_t bytes) {
  const double runs = static_cast<double>(state.iterations());
  state.counters["ns_row"] = seconds * 1e9 / runs / static_cast<double>(rows);
  state.counters["GB_s"] = static_cast<double>(bytes) * runs / seconds / 1e9;
}

}  // namespace braid
