#include "engine/cli/state_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/cli/repair_text.h"
#include "engine/session/checkpoint_check.h"
#include "engine/session/control_server.h"
#include "engine/session/state_view.h"

namespace braid {

namespace {

using nlohmann::ordered_json;

constexpr const char* kFooter =
    "Examples:\n"
    "  braid state checkpoint                      the versions that can be looked at\n"
    "  braid state checkpoint --version 12 --side left --limit 20\n"
    "  braid state checkpoint --progress           of a running query\n"
    "  braid state checkpoint --verify             reads everything: exit code 1 if it is damaged\n"
    "  braid state checkpoint --rollback 11        gives the versions after 11 up\n\n"
    "--progress, --stop, --verify and --rollback go with no other option.";

std::string Text(const ordered_json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end() || found->is_null()) return "-";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

void PrintVersion(const ordered_json& json) {
  std::string remark;
  if (json.value("finished", false)) {
    remark = "flush";
  } else if (json.value("noData", false)) {
    remark = "no data";
  }
  std::printf("%8s  %-23s  %-23s  %12s  %12s  %s\n", Text(json, "version").c_str(),
              Text(json, "watermark").c_str(), Text(json, "nextWatermark").c_str(),
              Text(json, "leftRows").c_str(), Text(json, "rightRows").c_str(), remark.c_str());
}

CLI::Validator WholeNumber() {
  const auto check = [](const std::string& text) {
    const bool is_whole = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
    return is_whole ? std::string() : fmt::format("'{}' is not a whole number from 0 on", text);
  };
  return {check, "NUMBER"};
}

class StateCommand {
 public:
  CLI::App* Add(CLI::App* program) {
    CLI::App* command =
        program->add_subcommand("state", "List the versions of a checkpoint, print its rows");
    command->add_option("checkpoint", directory_, "checkpoint directory")->required();
    const CLI::Validator whole_number = WholeNumber();
    const std::vector<CLI::Option*> listing = {
        command->add_option("--version", version_, "print the state rows at this version")
            ->check(whole_number),
        command->add_flag("--rows", rows_, "print the state rows at the latest version"),
        command->add_option("--side", side_, "of the rows: left or right; both by default"),
        command->add_option("--limit", limit_, "at most so many rows; 0: all")->check(whole_number),
        command->add_flag("--json", json_, "print lines of JSON")};
    of_rows_ = {listing[2], listing[3]};
    const std::vector<CLI::Option*> actions = {
        command->add_flag("--progress", progress_, "print the last progress of the running query"),
        command->add_flag("--stop", stop_, "let the running query finish its batch and end"),
        command->add_flag("--verify", verify_, "read everything and say what is damaged"),
        command
            ->add_option("--rollback", rollback_,
                         "make this version the newest one: what came after it is run again")
            ->check(whole_number)};
    for (CLI::Option* action : actions) {
      for (CLI::Option* option : listing) action->excludes(option);
      for (CLI::Option* other : actions) {
        if (other != action) action->excludes(other);
      }
    }
    command->footer(kFooter);
    return command;
  }

  ExitCode Run() {
    if (rollback_) return RollBack();
    if (verify_) return Verify();
    if (progress_ || stop_) {
      const std::string request =
          progress_ ? "{\"command\":\"progress\"}" : "{\"command\":\"stop\"}";
      const Result<ControlAnswer> asked =
          AskControl(directory_, request, [](const std::string& line) -> Status {
            std::printf("%s\n", line.c_str());
            return {};
          });
      if (!asked) return ReportError(asked.error());
      const bool has_ended = *asked == ControlAnswer::kEnded;
      if (*asked == ControlAnswer::kGiven || (has_ended && stop_)) return ExitCode::kDone;
      return ReportError({ErrorCode::kNotFound,
                          has_ended ? fmt::format("the query on {} has just ended", directory_)
                                    : fmt::format("no query runs on {}", directory_),
                          {}});
    }
    const Result<StateRequest> request = MakeRequest();
    if (!request) return ReportError(request.error());
    const Status status = Ask(*request);
    return status ? ExitCode::kDone : ReportError(status.error());
  }

 private:
  Result<StateRequest> MakeRequest() const {
    StateRequest request;
    if (version_ || rows_) request.what = StateRequest::What::kRows;
    for (const CLI::Option* option : of_rows_) {
      if (option->count() == 0 || request.what == StateRequest::What::kRows) continue;
      return Fail(ErrorCode::kInvalidOption,
                  fmt::format("{} says which rows are printed: write --rows or --version, too",
                              option->get_name()));
    }
    request.version = version_;
    request.limit = limit_;
    if (!json_) request.style = StateRowStyle::kText;
    if (side_ == "left") {
      request.side = 0;
    } else if (side_ == "right") {
      request.side = 1;
    } else if (side_) {
      return Fail(ErrorCode::kInvalidOption, fmt::format("--side {}: write left or right", *side_));
    }
    return request;
  }

  ExitCode Verify() const {
    const Result<CheckpointVerdict> verdict = VerifyCheckpoint(directory_);
    if (!verdict) return ReportError(verdict.error());
    std::fputs(DescribeVerdict(directory_, *verdict).c_str(), stdout);
    return verdict->store.damage.empty() ? ExitCode::kDone : ExitCode::kFailed;
  }

  ExitCode RollBack() const {
    Result<RollBackReport> report = RollBackStore(directory_, *rollback_);
    if (!report && report.error().code == ErrorCode::kConflict) {
      report.error().message += fmt::format("; end it first: braid stop {}", directory_);
    }
    if (!report) return ReportError(report.error());
    std::fputs(DescribeRollBack(directory_, *rollback_, *report).c_str(), stdout);
    return ExitCode::kDone;
  }

  // Asks the running query, or else, also if that ends just then, the store itself. The head of the
  // list stands before the first line, so that an error prints nothing else.
  Status Ask(const StateRequest& request) {
    bool has_head = request.what == StateRequest::What::kVersions && !json_;
    const LineConsumer print = [this, &request, &has_head](const std::string& line) -> Status {
      if (has_head) PrintHead();
      has_head = false;
      Print(request, line);
      return {};
    };
    Status answered = AskForLines(request, print);
    // A run that could not start leaves a checkpoint without a version.
    if (answered && has_head) std::puts("no version yet");
    return answered;
  }

  Status AskForLines(const StateRequest& request, const LineConsumer& print) {
    const Result<ControlAnswer> asked = AskControl(directory_, FormatStateRequest(request), print);
    if (!asked) return tl::unexpected(asked.error());
    if (*asked == ControlAnswer::kGiven) return {};
    const Result<std::unique_ptr<VersionedStore>> store =
        OpenLevelDbStore(directory_, {}, /*read_only=*/true);
    if (!store) return tl::unexpected(store.error());
    return AnswerStateRequest(store->get(), request, print);
  }

  static void PrintHead() {
    std::printf("%8s  %-23s  %-23s  %12s  %12s\n", "version", "watermark", "next watermark",
                "left rows", "right rows");
  }

  void Print(const StateRequest& request, const std::string& line) const {
    if (json_ || request.what == StateRequest::What::kRows) {
      std::fwrite(line.data(), 1, line.size(), stdout);
      std::fputc('\n', stdout);
      return;
    }
    const ordered_json json = ordered_json::parse(line, nullptr, false);
    if (json.is_object()) PrintVersion(json);
  }

  std::string directory_;
  std::optional<int64_t> version_;
  bool rows_ = false;
  std::optional<std::string> side_;
  int64_t limit_ = 0;
  std::vector<const CLI::Option*> of_rows_;  // --side and --limit; owned by the command line.
  bool json_ = false;
  bool progress_ = false;
  bool stop_ = false;
  bool verify_ = false;
  std::optional<int64_t> rollback_;
};

}  // namespace

Command MakeStateCommand() {
  auto command = std::make_shared<StateCommand>();
  return {[command](CLI::App* program) { return command->Add(program); },
          [command] { return command->Run(); }};
}

}  // namespace braid
