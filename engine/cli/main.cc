// The braid command.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "braid/error.h"
#include "braid/version.h"
#include "engine/cli/advise_command.h"
#include "engine/cli/command.h"
#include "engine/cli/compare_command.h"
#include "engine/cli/explain_command.h"
#include "engine/cli/huge_heap.h"
#include "engine/cli/log_output.h"
#include "engine/cli/query_command.h"
#include "engine/cli/run_command.h"
#include "engine/cli/standard_streams.h"
#include "engine/cli/state_command.h"
#include "engine/cli/stop_command.h"
#include "engine/cli/terminal.h"
#include "state/rows/nearest_name.h"

namespace braid {

namespace {

// What is printed stands in a buffer until here; a full disk shows only now.
int AfterOutput(int exit_code) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  // The reader of a pipe has enough: an end as good as any.
  if (errno == EPIPE) return exit_code;
  const Error error = {ErrorCode::kIo,
                       fmt::format("cannot print to standard output: {}",
                                   std::generic_category().message(errno == 0 ? EIO : errno)),
                       {}};
  const int failed = static_cast<int>(ReportError(error));
  return exit_code == 0 ? failed : exit_code;
}

// An exit code if the first word is no command: `help` gives the help, all else is an error that
// names the nearest one.
std::optional<int> AnswerUnknownCommand(const CLI::App& program, int argc, char** argv) {
  const std::string word = argc > 1 ? argv[1] : "-";
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
  const bool is_known = std::find(names.begin(), names.end(), word) != names.end();
  if (word.starts_with('-') || is_known) return std::nullopt;
  if (word == "help") {
    std::fputs(program.help().c_str(), stdout);
    return AfterOutput(0);
  }
  const std::string nearest =
      NearestName(word, std::vector<std::string_view>(names.begin(), names.end()));
  return static_cast<int>(
      ReportError({ErrorCode::kInvalidOption,
                   fmt::format("there is no command '{}'{}; the commands are {}", word,
                               nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest),
                               fmt::join(names, ", ")),
                   {}}));
}

// What a subcommand was given and does not know: its first unknown flag with the nearest known one,
// else all words that are too many.
Error DescribeExtras(const CLI::App& command) {
  const std::vector<std::string> extras = command.remaining();
  const auto flag = std::find_if(extras.begin(), extras.end(), [](const std::string& word) {
    return word.size() > 1 && word.starts_with('-');
  });
  std::string message;
  if (flag != extras.end()) {
    const std::string name = flag->substr(0, flag->find('='));
    std::vector<std::string> known;
    for (const CLI::Option* option : command.get_options()) {
      for (const std::string& long_name : option->get_lnames()) known.push_back("--" + long_name);
    }
    const std::string nearest =
        NearestName(name, std::vector<std::string_view>(known.begin(), known.end()));
    message = fmt::format("there is no option {}; ", name);
    message += nearest.empty() ? fmt::format("`braid {} --help` lists them", command.get_name())
                               : fmt::format("did you mean {}?", nearest);
  } else {
    const std::vector<const CLI::Option*> positionals =
        command.get_options([](const CLI::Option* option) { return option->get_positional(); });
    message = fmt::format("nothing more was expected than the {}: {}",
                          positionals.empty() ? "options" : positionals[0]->get_name(),
                          fmt::join(extras, " "));
  }
  return {ErrorCode::kInvalidOption, std::move(message), {}};
}

// Which options exclude each other stands in the foot: on every line it would hide their meaning.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string text = CLI::Formatter::make_option_opts(option);
    return text.substr(0, text.find(" Excludes:"));
  }
};

int Main(int argc, char** argv) {
  HoldStandardDescriptors();
  // A pipe that nobody reads any more is seen when it is written to.
  std::signal(SIGPIPE, SIG_IGN);
  // Standard output is for rows alone.
  InstallLog(LookOfTerminal(std::getenv));
  CLI::App program(
      "Braid joins event streams: in micro-batches with Spark's semantics, or record by record "
      "with\n"
      "Flink's.",
      "braid");
  program.formatter(std::make_shared<HelpFormatter>());
  program.set_version_flag("--version", "braid " BRAID_VERSION);
  program.require_subcommand(1);
  program.footer(
      "Example:\n"
      "  braid explain examples/show_click/job.sql && braid run examples/show_click/job.sql\n\n"
      "Exit codes: 0 done or stopped; 1 the run failed; 2 the command line, an option or the "
      "query\n"
      "is wrong; 3 the checkpoint or the output folder belongs to another query or process; 130 a\n"
      "second SIGINT ended it at once. Of compare: 1 the rows differ; 4 a run failed.");
  std::vector<std::pair<CLI::App*, Command>> commands;
  for (Command& command : std::vector<Command>{
           MakeRunCommand(), MakeQueryCommand(), MakeExplainCommand(), MakeAdviseCommand(),
           MakeCompareCommand(), MakeStateCommand(), MakeStopCommand()}) {
    CLI::App* added = command.add(&program);
    commands.emplace_back(added, std::move(command));
  }
  if (const std::optional<int> answered = AnswerUnknownCommand(program, argc, argv)) {
    return *answered;
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::ExtrasError&) {
    const std::vector<CLI::App*> parsed = program.get_subcommands();
    return static_cast<int>(ReportError(DescribeExtras(parsed.empty() ? program : *parsed[0])));
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? AfterOutput(0) : static_cast<int>(ExitCode::kUsage);
  }
  for (const auto& [added, command] : commands) {
    if (added->parsed()) return AfterOutput(static_cast<int>(command.run()));
  }
  return static_cast<int>(ExitCode::kUsage);
}

}  // namespace
}  // namespace braid

// NOLINTNEXTLINE(bugprone-exception-escape): what is thrown here is a bug, and ends the program.
int main(int argc, char** argv) {
  braid::UseHugeHeap();
  return braid::Main(argc, argv);
}
