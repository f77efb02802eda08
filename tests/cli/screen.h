// A terminal's screen: what a user sees of the bytes that were written. It knows the escape codes
// that move the cursor up and erase; letters take one column.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace braid::testing {

class Screen {
 public:
  void Write(std::string_view bytes);

  // From the first row ever written; trailing spaces and empty rows are left out.
  std::vector<std::string> rows() const;
  // Text looks (colours) that were asked for.
  bool has_styles() const { return has_styles_; }

 private:
  void Escape(char code, int count);

  std::vector<std::u32string> rows_ = {U""};
  size_t row_ = 0;
  size_t column_ = 0;
  bool has_styles_ = false;
  std::string pending_;  // Of a letter or an escape code that is not whole yet.
};

}  // namespace braid::testing
