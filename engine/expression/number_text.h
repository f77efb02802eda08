// Numbers and truth values as text, the way CAST reads and writes them. Reading, the whole text
// must be one value; blanks around it are the caller's business.
//
// Thread rule: free functions; reading allocates nothing.
#pragma once

#include <cstdint>
#include <string>
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

// As Java writes them: "1.5", "0.001", "1.0E7", "-1.0E-5", "NaN", "Infinity", with as few digits as
// give the number again.
std::string DoubleText(double number);
std::string FloatText(float number);

// Without the blanks (space, tab, line breaks) at both ends.
std::string_view TrimBlanks(std::string_view text);

}  // namespace braid
