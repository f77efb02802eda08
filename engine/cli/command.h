// One subcommand of braid.
//
// Thread rule: one thread.
#pragma once

#include <functional>

#include "engine/cli/exit_code.h"

namespace CLI {
class App;
}  // namespace CLI

namespace braid {

struct Command {
  // Adds the subcommand with its options to the program's command line.
  std::function<CLI::App*(CLI::App*)> add;
  // Does it, after the command line was read.
  std::function<ExitCode()> run;
};

// Prints an error as every command does and gives its exit code.
ExitCode ReportError(const struct Error& error);

}  // namespace braid
