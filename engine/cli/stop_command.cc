#include "engine/cli/stop_command.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "engine/session/run_stop.h"

namespace braid {

namespace {

constexpr const char* kFooter =
    "Waits until the query has ended; it ends with exit code 0. Exit code 1: no query runs there.\n"
    "Without --now the running batch is finished and committed; with it the batch is dropped, as\n"
    "by a kill, and the next run on the checkpoint runs it again.";

class StopCommand {
 public:
  CLI::App* Add(CLI::App* program) {
    CLI::App* command = program->add_subcommand("stop", "Stop the query that runs on a checkpoint");
    command->add_option("checkpoint", directory_, "checkpoint directory")->required();
    command->add_flag("--now", how_.now, "at once, without the running batch");
    command->footer(kFooter);
    return command;
  }

  ExitCode Run() const {
    const Status stopped = StopRunOn(directory_, how_);
    return stopped ? ExitCode::kDone : ReportError(stopped.error());
  }

 private:
  std::string directory_;
  RunStop how_;
};

}  // namespace

Command MakeStopCommand() {
  auto command = std::make_shared<StopCommand>();
  return {[command](CLI::App* program) { return command->Add(program); },
          [command] { return command->Run(); }};
}

}  // namespace braid
