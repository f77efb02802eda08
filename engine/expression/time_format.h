// The format of DATE_FORMAT(time, format), in Java's letters:
//
//   yyyy or uuuu  year, 4 digits        yy     its last two           y, u  without zeros in front
//   MM, M         month                 MMM    Jan                    MMMM  January
//   dd, d         day of the month      DDD, D day of the year        QQ, Q quarter
//   E to EEE      Mon                   EEEE   Monday
//   HH, H         hour 0 to 23          hh, h  hour 1 to 12           a     AM, PM
//   mm, m, ss, s  minute, second        S to SSSSSSSSS  fraction of the second, cut off
//
// A doubled letter writes two digits, a single one as few as it takes. Text stands in single
// quotes, '' is one; everything that is no letter stands for itself.
//
// Thread rule: immutable.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "braid/error.h"

namespace braid {

class TimeFormat {
 public:
  // Fails with kInvalidQuery for a letter that is not listed above.
  static Result<TimeFormat> Compile(std::string_view format);

  // Appends the time, microseconds since 1970-01-01 00:00.
  void Write(int64_t micros, std::string* text) const;

 private:
  struct Part {
    char letter = 0;  // 0 for text.
    int count = 0;    // How often the letter stands there.
    std::string text;
  };

  Status AddLetters(char letter, int count);

  std::vector<Part> parts_;
};

}  // namespace braid
