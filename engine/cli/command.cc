#include "engine/cli/command.h"

#include <cstdio>

#include "braid/error.h"

namespace braid {

ExitCode ReportError(const Error& error) {
  std::fprintf(stderr, "braid: %s\n", error.ToString().c_str());
  return ExitCodeOf(error.code);
}

}  // namespace braid
