// The type and the value that Braid gives to an expression written as SQL text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace braid {

struct EvaluatedText {
  std::string type;                  // "DECIMAL(3, 1)"; empty if the text is refused.
  std::optional<std::string> value;  // As the csv format prints it, BYTES as 0x00ff; none for NULL.
  std::string error;                 // Not empty: the text is refused, or its row fails.

  friend bool operator==(const EvaluatedText&, const EvaluatedText&) = default;
};

enum class Operands : uint8_t {
  kLiterals,  // As written.
  kColumns,  // Each literal is a column, with a NULL among its values, unless it must be a literal.
};

// `expression` as the only column of a SELECT over a table of one row, at 2026-11-29 12:00:00.123
// UTC, in the session zone `zone` ("Europe/Berlin").
EvaluatedText EvaluateText(const std::string& expression, const std::string& zone,
                           Operands operands = Operands::kLiterals);

}  // namespace braid
