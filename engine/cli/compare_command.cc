#include "engine/cli/compare_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "engine/cli/comparison_json.h"
#include "engine/cli/comparison_text.h"
#include "engine/cli/job_arguments.h"
#include "engine/compare/comparer.h"
#include "engine/compare/comparison_page.h"

namespace braid {

namespace {

constexpr const char* kFooter =
    "It runs the job in micro-batch mode, then in per-record mode, over the same input, which has "
    "to\n"
    "end, and holds both results in memory. What the job writes to is left alone. Settings that "
    "only\n"
    "one mode knows work in that mode.\n\n"
    "Exit codes: 0 the final rows are the same; 1 they differ; 2 the command line, an option or "
    "the\n"
    "query is wrong, or a mode does not take the query; 4 a run failed.\n\n"
    "Examples:\n"
    "  braid compare examples/flights/job.sql --html flights.html\n"
    "  braid compare job.sql --json | jq .microBatch.only.byReason";

class CompareCommand {
 public:
  CLI::App* Add(CLI::App* program) {
    CLI::App* command = program->add_subcommand(
        "compare", "Run a job in both modes; show which rows differ, and why");
    arguments_.AddWithoutModeTo(command);
    command->add_option("--trigger", trigger_, "of micro-batch mode, as in run")
        ->type_name("TRIGGER");
    command
        ->add_option("--rows", num_rows_,
                     "how many of the rows that are in one mode only to list, of each mode; 20 by "
                     "default, all with --json")
        ->type_name("N")
        ->check(CLI::NonNegativeNumber);
    command->add_flag("--json", json_, "print one JSON object");
    command->add_option("--html", html_, "also write a page with plots, which needs no network")
        ->type_name("FILE");
    command->footer(kFooter);
    return command;
  }

  ExitCode Run() {
    const Result<Comparison> comparison = MakeComparison();
    if (!comparison) {
      const ExitCode code = ReportError(comparison.error());
      return code == ExitCode::kFailed ? ExitCode::kCompareFailed : code;
    }
    for (const std::string& note : comparison->notes) {
      std::fprintf(stderr, "note: %s\n", note.c_str());
    }
    if (html_) {
      const Status written = WritePage(*comparison);
      if (!written) {
        ReportError(written.error());
        return ExitCode::kCompareFailed;
      }
    }
    const std::string text =
        json_ ? FormatComparisonJson(*comparison) : FormatComparison(*comparison);
    std::fputs(text.c_str(), stdout);
    return comparison->agrees() ? ExitCode::kDone : ExitCode::kDiffers;
  }

 private:
  static constexpr int64_t kRowsShown = 20;

  Status WritePage(const Comparison& comparison) const {
    const std::string page = MakeComparisonPage(FormatComparisonJson(comparison));
    std::FILE* const file = std::fopen(html_->c_str(), "wb");
    bool written = file != nullptr;
    if (written) written = std::fwrite(page.data(), 1, page.size(), file) == page.size();
    int failure = written ? 0 : errno;
    if (file != nullptr && std::fclose(file) != 0 && failure == 0) failure = errno;
    if (failure == 0) return {};
    return Fail(ErrorCode::kIo, fmt::format("the page '{}' cannot be written: {}", *html_,
                                            std::generic_category().message(failure)));
  }

  Result<Comparison> MakeComparison() {
    const Result<std::string> text = arguments_.ReadText();
    if (!text) return tl::unexpected(text.error());
    SettingList extra;
    if (trigger_) extra.emplace_back("execution.trigger", FlagOption("--trigger", *trigger_));
    const ConnectorRegistry connectors = BuiltInConnectors();
    SystemClock clock;
    const Result<JobOptions> options = arguments_.MakeJobOptions(extra, connectors, &clock);
    if (!options) return tl::unexpected(options.error());
    return Compare(*text, *options, num_rows_.value_or(json_ ? kAllRows : kRowsShown));
  }

  JobArguments arguments_;
  std::optional<std::string> trigger_;
  std::optional<int64_t> num_rows_;
  std::optional<std::string> html_;
  bool json_ = false;
};

}  // namespace

Command MakeCompareCommand() {
  auto command = std::make_shared<CompareCommand>();
  return {[command](CLI::App* program) { return command->Add(program); },
          [command] { return command->Run(); }};
}

}  // namespace braid
