// Random csv for tests: mostly sound, sometimes broken, with all that makes csv hard.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace braid {

class RandomCsv {
 public:
  explicit RandomCsv(uint64_t seed) : random_(seed) {}

  // A number from 0 to `limit` - 1.
  size_t Below(size_t limit) { return random_() % limit; }
  bool OneIn(size_t count) { return Below(count) == 0; }

  // Bytes of the alphabet of csv in any order.
  std::string Noise(size_t num_bytes) {
    static constexpr std::string_view kAlphabet = "aaabbb111,,,,\n\n\"\"\"";
    std::string text;
    while (text.size() < num_bytes) {
      if (OneIn(20)) {
        text += "\r\n";
      } else {
        text.push_back(kAlphabet[Below(kAlphabet.size())]);
      }
    }
    return text;
  }

  // Records of `num_fields` fields; about one in `one_broken_in` is broken somehow (0: none).
  std::string Records(size_t num_records, size_t num_fields, size_t one_broken_in) {
    std::string text;
    const bool has_returns = OneIn(3);
    for (size_t record = 0; record < num_records; ++record) {
      const bool is_broken = one_broken_in != 0 && OneIn(one_broken_in);
      const size_t count = is_broken && OneIn(2) ? Below(num_fields + 3) : num_fields;
      for (size_t field = 0; field < count; ++field) {
        if (field > 0) text.push_back(',');
        text += is_broken && OneIn(3) ? Noise(Below(8)) : Field();
      }
      if (OneIn(30)) text += has_returns ? "\r\n" : "\n";
      text += has_returns || OneIn(20) ? "\r\n" : "\n";
    }
    if (OneIn(2) && !text.empty()) text.pop_back();
    return text;
  }

  std::string Field() {
    switch (Below(12)) {
      case 0:
        return "";
      case 1:
        return Quoted(Noise(Below(12)));
      case 2:
        return Quoted(Number());
      case 3:
        return std::string(Below(100), 'x');
      case 4:
        return Quoted("");
      default:
        return Number();
    }
  }

  std::string Number() {
    std::string text = OneIn(5) ? "-" : "";
    const size_t digits = 1 + Below(OneIn(10) ? 22 : 9);
    for (size_t digit = 0; digit < digits; ++digit) {
      text.push_back(static_cast<char>('0' + Below(10)));
    }
    if (OneIn(2)) text.insert(text.size() - Below(digits), ".");
    return text;
  }

  static std::string Quoted(const std::string& text) {
    std::string quoted = "\"";
    for (const char letter : text) quoted.append(letter == '"' ? 2 : 1, letter);
    return quoted + "\"";
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace braid
