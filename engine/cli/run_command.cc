#include "engine/cli/run_command.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "engine/cli/job_arguments.h"
#include "engine/cli/job_run.h"

namespace braid {

namespace {

constexpr const char* kFooter =
    "Example:\n"
    "  braid run examples/flights/job.sql --checkpoint checkpoint --trigger '10 s'\n\n"
    "SIGINT and SIGTERM finish the running batch and end with exit code 0; a second one ends at "
    "once,\n"
    "without that batch, with exit code 130 (143).";

class RunCommand {
 public:
  CLI::App* Add(CLI::App* program) {
    CLI::App* command = program->add_subcommand("run", "Run a job");
    arguments_.AddTo(command);
    run_.AddTo(command);
    command->footer(kFooter);
    return command;
  }

  ExitCode Run() { return run_.Run(arguments_); }

 private:
  JobArguments arguments_;
  JobRun run_;
};

}  // namespace

Command MakeRunCommand() {
  auto command = std::make_shared<RunCommand>();
  return {[command](CLI::App* program) { return command->Add(program); },
          [command] { return command->Run(); }};
}

}  // namespace braid
