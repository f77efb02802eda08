#include "engine/cli/explain_command.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "engine/cli/job_arguments.h"

namespace braid {

namespace {

constexpr const char* kFooter =
    "Example:\n"
    "  braid explain examples/flights/job.sql";

class ExplainCommand {
 public:
  CLI::App* Add(CLI::App* program) {
    CLI::App* command = program->add_subcommand(
        "explain", "Print the plan of a job: keys, filters, time bounds, what is evicted when");
    arguments_.AddTo(command);
    command->footer(kFooter);
    return command;
  }

  ExitCode Run() {
    const ConnectorRegistry connectors = BuiltInConnectors();
    SystemClock clock;
    const Result<std::unique_ptr<Job>> job = arguments_.PrepareJob({}, connectors, &clock);
    if (!job) return ReportError(job.error());
    PrintPlan(**job);
    return ExitCode::kDone;
  }

 private:
  JobArguments arguments_;
};

}  // namespace

Command MakeExplainCommand() {
  auto command = std::make_shared<ExplainCommand>();
  return {[command](CLI::App* program) { return command->Add(program); },
          [command] { return command->Run(); }};
}

}  // namespace braid
