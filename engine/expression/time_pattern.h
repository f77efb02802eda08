// The format of TO_TIMESTAMP(text, format), in Java's letters: yyyy (or uuuu), MM, dd, HH, mm, ss,
// S… (a fraction of a second); text in single quotes and everything that is no letter stands for
// itself. A single letter (M, d, H, m, s) takes one or two digits. What the format leaves out is
// 1970-01-01 00:00:00.
//
// Thread rule: immutable.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "braid/error.h"

namespace braid {

class TimePattern {
 public:
  // Fails with kInvalidQuery for a letter that is not listed above.
  static Result<TimePattern> Compile(std::string_view format);

  // Microseconds since 1970-01-01 00:00. False, with `micros` unchanged, if the text is not exactly
  // a time of this format.
  bool Parse(std::string_view text, int64_t* micros) const;

 private:
  enum class Field : uint8_t { kText, kYear, kMonth, kDay, kHour, kMinute, kSecond, kFraction };

  struct Part {
    Field field;
    std::string text;  // kText.
    size_t least_digits = 0;
    size_t most_digits = 0;
  };

  Status AddLetters(char letter, size_t count);

  std::vector<Part> parts_;
};

}  // namespace braid
