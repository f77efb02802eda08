// The terminal that progress is shown on: what it can do, how large it is, and a way to write to
// it.
//
// Thread rule: as the class says; free functions.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace braid {

// What may be written to a terminal, by the environment's word.
struct TerminalLook {
  bool moves_cursor = false;  // TERM is set and not "dumb".
  bool utf8 = false;          // LC_ALL, else LC_CTYPE, else LANG names it.
  bool colors = false;        // NO_COLOR is unset or empty, and the cursor moves.
};

// `variable` gives an environment variable's value; null if it is not set.
TerminalLook LookOfTerminal(const std::function<const char*(const char*)>& variable);

struct TerminalSize {
  int columns = 80;
  int rows = 24;
};

class Terminal {
 public:
  virtual ~Terminal() = default;
  // Any bytes, at once. Errors are nobody's concern: it is progress.
  virtual void Write(std::string_view bytes) = 0;
  // As it is now; 80 x 24 if nobody knows.
  virtual TerminalSize size() const = 0;
};

// Standard error, be it a terminal or not. Any thread.
class StandardErrorTerminal final : public Terminal {
 public:
  void Write(std::string_view bytes) override;
  TerminalSize size() const override;
};

}  // namespace braid
