// What the commands that run a job have in common: --trigger, --checkpoint, --progress and
// --output, the run
// itself with its signals, control socket and progress, and the summary at its end.
//
// Thread rule: one thread; a run starts threads of its own and ends them.
#pragma once

#include <optional>
#include <string>

#include "braid/error.h"
#include "engine/cli/exit_code.h"
#include "engine/cli/job_arguments.h"
#include "engine/cli/progress_display.h"

namespace CLI {
class App;
}  // namespace CLI

namespace braid {

class JobRun {
 public:
  // Adds the options to a subcommand.
  void AddTo(CLI::App* command);

  // Prepares the job and runs it to its end or until it is told to stop; EXPLAIN is printed.
  ExitCode Run(const JobArguments& arguments);

 private:
  SettingList OwnSettings() const;
  Status RunJob(Job* job, ProgressStyle style, ProgressDisplay* display);

  std::optional<std::string> trigger_;
  std::optional<std::string> checkpoint_;
  std::optional<std::string> output_;
  std::string progress_ = "auto";
};

}  // namespace braid
