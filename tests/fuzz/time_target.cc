#include <cstdint>
#include <optional>
#include <string>

#include "engine/expression/time_format.h"
#include "engine/expression/time_pattern.h"
#include "state/rows/time_text.h"
#include "state/rows/time_zone.h"
#include "tests/fuzz/fuzz_target.h"

namespace braid {

namespace {

void ParseAndWrite(std::string_view text) {
  char written[kTimeTextBytesMax];
  int32_t days = 0;
  if (ParseDate(text, &days)) {
    const std::string_view again(written, static_cast<size_t>(WriteDate(days, written) - written));
    int32_t same = 0;
    Expect(ParseDate(again, &same) && same == days, "a date that is written is read as it was");
  }
  int64_t micros = 0;
  std::optional<int32_t> offset;
  if (!ParseTimestamp(text, &micros, &offset)) return;
  const char* const end = WriteTimestamp(micros, 6, written);
  const std::string_view again(written, static_cast<size_t>(end - written));
  int64_t same = 0;
  Expect(ParseTimestamp(again, &same, &offset) && same == micros,
         "a time that is written is read as it was");
}

void UseZone(std::string_view name) {
  const auto zone = TimeZone::Find(name);
  if (!zone) return;
  // The ends of what a TIMESTAMP holds, and some in between.
  int64_t times[] = {INT64_MIN / 1'000'000 * 1'000, -62'135'596'800'000'000, -1, 0, 1,
                     1'767'225'600'000'000,         253'402'300'799'999'999};
  (*zone)->ToLocal(times, 7);
  (*zone)->ToUtc(times, 7);
}

}  // namespace

void FuzzTimes(std::string_view bytes) {
  switch (TakeChoice(&bytes, 4)) {
    case 0:
      return ParseAndWrite(bytes);
    case 1:
      return UseZone(bytes);
    case 2: {
      const Result<TimeFormat> format = TimeFormat::Compile(bytes);
      std::string text;
      if (format) format->Write(1'767'225'600'123'456, &text);
      return;
    }
    default: {
      // A format and, behind a line end, a text.
      const size_t end = bytes.find('\n');
      if (end == std::string_view::npos) return;
      const Result<TimePattern> pattern = TimePattern::Compile(bytes.substr(0, end));
      int64_t micros = 0;
      if (pattern) static_cast<void>(pattern->Parse(bytes.substr(end + 1), &micros));
    }
  }
}

}  // namespace braid
