#include "engine/cli/advise_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "engine/advise/advice_plan.h"
#include "engine/advise/advisor.h"
#include "engine/cli/advice_json.h"
#include "engine/cli/advice_text.h"
#include "engine/cli/job_arguments.h"
#include "engine/cli/terminal.h"
#include "engine/connectors/option_reader.h"

namespace braid {

namespace {

// Below it a run of sorted rows would be smaller than what a disk reads well.
constexpr int64_t kMemoryBytesMin = 1 << 20;

constexpr const char* kFooter =
    "It reads both tables of the job's join to their end, once, and pairs rows with equal keys "
    "that\n"
    "are at most --max apart. The job's own time bounds do not count, but it says what share of "
    "the\n"
    "pairs they keep; other ON conditions do count, and so does WHERE. The job may still lack "
    "bounds\n"
    "or watermarks. Nothing is written; rows that do not fit in --memory are sorted in temporary\n"
    "files (in $TMPDIR, or /tmp).\n\n"
    "Examples:\n"
    "  braid advise examples/flights/job.sql\n"
    "  braid advise --max '10 min' --json job.sql | jq .pairs.bounds";

class AdviseCommand {
 public:
  CLI::App* Add(CLI::App* program) {
    CLI::App* command = program->add_subcommand(
        "advise", "Read past data; propose time bounds, watermark delays, and what they cost");
    arguments_.AddTo(command);
    command
        ->add_option(
            "--max", max_,
            "pairs that are farther apart do not count: '10 min', '2 d'; 1 h by default, or "
            "twice the farthest bound of the job if that is more")
        ->type_name("LENGTH");
    command->add_option("--memory", memory_, "for sorting rows; 512 mb by default")
        ->type_name("SIZE");
    command->add_flag("--json", json_, "print one JSON object");
    command->footer(kFooter);
    return command;
  }

  ExitCode Run() {
    const Result<Advice> advice = MakeAdvice();
    if (!advice) return ReportError(advice.error());
    const std::string text =
        json_ ? FormatAdviceJson(*advice) : FormatAdvice(*advice, LookOfTerminal(std::getenv).utf8);
    std::fputs(text.c_str(), stdout);
    return ExitCode::kDone;
  }

 private:
  Result<Advice> MakeAdvice() {
    std::optional<Interval> max;
    if (max_) {
      max = ParseDuration(*max_);
      if (!max || max->micros <= 0) {
        return Fail(ErrorCode::kInvalidOption,
                    fmt::format("--max {}: write a length of time above 0, such as '10 min', '2 h' "
                                "or '1 d'",
                                *max_));
      }
    }
    AdvisorOptions options;
    if (memory_) {
      const std::optional<int64_t> bytes = ParseSize(*memory_);
      if (!bytes || *bytes < kMemoryBytesMin) {
        return Fail(ErrorCode::kInvalidOption,
                    fmt::format("--memory {}: write a size of at least 1 mb, such as '256 mb' or "
                                "'2 gb'",
                                *memory_));
      }
      options.memory_bytes_max = *bytes;
    }
    std::optional<AdvicePlan> plan;
    arguments_.planner = [&plan, max](const BoundQuery& query,
                                      const Settings&) -> Result<StreamPlan> {
      Result<AdvicePlan> planned = PlanAdvice(query, max);
      if (!planned) return tl::unexpected(planned.error());
      plan = std::move(*planned);
      return plan->plan;
    };
    const ConnectorRegistry connectors = BuiltInConnectors();
    SystemClock clock;
    const Result<std::unique_ptr<Job>> job = arguments_.PrepareJob({}, connectors, &clock);
    if (!job) return tl::unexpected(job.error());
    return Advise(job->get(), *plan, &clock, options);
  }

  JobArguments arguments_;
  std::optional<std::string> max_;
  std::optional<std::string> memory_;
  bool json_ = false;
};

}  // namespace

Command MakeAdviseCommand() {
  auto command = std::make_shared<AdviseCommand>();
  return {[command](CLI::App* program) { return command->Add(program); },
          [command] { return command->Run(); }};
}

}  // namespace braid
