// Numbers and truth values as text, read the way CAST reads them: the whole text must be one value;
// blanks around it are the caller's business.
//
// Thread rule: free functions; nothing is allocated.
#pragma once

#include <cstdint>
#include <string_view>

namespace braid {

// A sign and digits, no fraction. False if the text is none or does not fit.
bool ParseInteger(std::string_view text, int64_t* number);

// "1.5", "-2e10", "NaN", "Infinity", "-Infinity". False if it is none or too large.
bool ParseDouble(std::string_view text, double* number);
bool ParseFloat(std::string_view text, float* number);

// A decimal number with optional exponent, as digits of `scale` digits behind the point, rounded
// half up. False if the text is none or needs more than `precision` digits.
bool ParseDecimal(std::string_view text, int precision, int scale, int64_t* digits);

// true, t, yes, y, 1 and false, f, no, n, 0, in any case.
bool ParseBoolean(std::string_view text, bool* value);

// Without the blanks (space, tab, line breaks) at both ends.
std::string_view TrimBlanks(std::string_view text);

}  // namespace braid
