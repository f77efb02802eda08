// Literals as values: numbers, dates and timestamps. Texts are as the lexer gives them.
//
// All fail with kInvalidQuery at `place`. Thread rule: free functions.
#pragma once

#include <string_view>

#include "braid/error.h"
#include "braid/value.h"

namespace braid {

// INT, or BIGINT when it is too large for one.
Result<Value> IntegerLiteral(std::string_view digits, bool negative, const Place& place);

// 12.50 is DECIMAL(4, 2): all digits that are written count, as in Flink.
Result<Value> DecimalLiteral(std::string_view text, bool negative, const Place& place);

// 1e3 is DOUBLE.
Result<Value> DoubleLiteral(std::string_view text, bool negative, const Place& place);

Result<Value> DateLiteral(std::string_view text, const Place& place);

// The precision is the number of digits of the fraction, 0 to 6.
Result<Value> TimestampLiteral(std::string_view text, const Place& place);

}  // namespace braid
