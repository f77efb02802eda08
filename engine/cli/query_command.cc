#include "engine/cli/query_command.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "engine/cli/job_arguments.h"
#include "engine/cli/job_run.h"

namespace braid {

namespace {

constexpr const char* kFooter =
    "Files need no CREATE TABLE: their columns are guessed, and what was guessed is printed on\n"
    "standard error. '-' is standard input.\n\n"
    "Examples:\n"
    "  braid query \"SELECT * FROM 'examples/flights/data/flights-*.csv.gz' LIMIT 5\"\n"
    "  zcat examples/flights/data/flights-2013-01.csv.gz |\n"
    "    braid query --output json \"SELECT flight, dest FROM '-' WHERE distance > 4900 LIMIT 5\"";

class QueryCommand {
 public:
  CLI::App* Add(CLI::App* program) {
    CLI::App* command =
        program->add_subcommand("query", "Run a statement: braid query \"SELECT … FROM 'a.csv'\"");
    arguments_.print_format = "auto";
    arguments_.AddWithStatementTo(command);
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

Command MakeQueryCommand() {
  auto command = std::make_shared<QueryCommand>();
  return {[command](CLI::App* program) { return command->Add(program); },
          [command] { return command->Run(); }};
}

}  // namespace braid
