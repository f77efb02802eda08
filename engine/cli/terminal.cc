#include "engine/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>

namespace braid {

namespace {

std::string ValueOf(const std::function<const char*(const char*)>& variable, const char* name) {
  const char* value = variable(name);
  return value == nullptr ? "" : value;
}

bool NamesUtf8(std::string locale) {
  std::transform(locale.begin(), locale.end(), locale.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
}

}  // namespace

TerminalLook LookOfTerminal(const std::function<const char*(const char*)>& variable) {
  TerminalLook look;
  const std::string term = ValueOf(variable, "TERM");
  look.moves_cursor = !term.empty() && term != "dumb";
  look.colors = look.moves_cursor && ValueOf(variable, "NO_COLOR").empty();
  // The first that is set decides, as in setlocale.
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string locale = ValueOf(variable, name);
    if (locale.empty()) continue;
    look.utf8 = NamesUtf8(locale);
    break;
  }
  return look;
}

void StandardErrorTerminal::Write(std::string_view bytes) {
  std::fwrite(bytes.data(), 1, bytes.size(), stderr);
  std::fflush(stderr);
}

TerminalSize StandardErrorTerminal::size() const {
  winsize window = {};
  TerminalSize size;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) != 0) return size;
  if (window.ws_col > 0) size.columns = window.ws_col;
  if (window.ws_row > 0) size.rows = window.ws_row;
  return size;
}

}  // namespace braid
