#include "engine/cli/job_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "engine/cli/command.h"
#include "engine/cli/progress_json.h"
#include "engine/cli/run_summary.h"
#include "engine/cli/stop_signals.h"
#include "engine/session/control_server.h"

namespace braid {

namespace {

// How long the last words may take, with a reader of standard error that does not read.
constexpr std::chrono::milliseconds kLastWordsTime{500};

// Ends the process at once, whatever the running batch is at: as a kill, which the next run mends.
[[noreturn]] void EndAtOnce(int signal, bool has_checkpoint) {
  std::promise<void> promise;
  const std::future<void> said = promise.get_future();
  std::thread([&promise, has_checkpoint] {
    std::fprintf(stderr, "%s\n",
                 has_checkpoint
                     ? "ended at once: the running batch was not committed; the next run on the "
                       "checkpoint runs it again"
                     : "ended at once: the running batch was not committed");
    promise.set_value();
  }).detach();
  said.wait_for(kLastWordsTime);
  _exit(128 + signal);
}

}  // namespace

void JobRun::AddTo(CLI::App* command) {
  command->add_option("--trigger", trigger_,
                      "when batches run: '10 s', once, available-now or asap; by default "
                      "available-now if all inputs are finite, else asap");
  command->add_option("--checkpoint", checkpoint_,
                      "directory that keeps state and offsets; without it nothing is durable");
  command->add_option("--progress", progress_, "auto, none or json (on standard error)")
      ->capture_default_str();
}

SettingList JobRun::OwnSettings() const {
  SettingList settings;
  if (trigger_) settings.emplace_back("execution.trigger", Option{*trigger_, {}});
  if (checkpoint_) settings.emplace_back("execution.checkpoint", Option{*checkpoint_, {}});
  return settings;
}

Status JobRun::RunJob(Job* job, ProgressDisplay* display) {
  if (Status opened = job->Open(); !opened) return opened;
  PrintWarnings(*job);
  if (!job->settings().checkpoint) {
    std::fprintf(stderr, "state is in memory: without --checkpoint nothing is durable\n");
  }
  std::unique_ptr<ControlServer> control;
  if (job->settings().checkpoint) {
    Result<std::unique_ptr<ControlServer>> started =
        ControlServer::Start(*job->settings().checkpoint, job, ProgressToJson);
    if (!started) return tl::unexpected(started.error());
    control = std::move(*started);
  }
  job->micro_batch().SetProgressListener([&](const BatchProgress& progress) {
    display->Show(progress);
    if (control != nullptr) control->Publish(progress);
  });
  Status status = job->Run();
  display->Clear();
  return status;
}

ExitCode JobRun::Run(const JobArguments& arguments) {
  Job* running = nullptr;
  std::mutex mutex;
  bool stop_requested = false;
  std::atomic<bool> has_checkpoint{false};
  // Made first: its signal mask must hold for every thread.
  const StopSignals signals([&](int count, int signal) {
    if (count > 1) EndAtOnce(signal, has_checkpoint);
    std::fprintf(
        stderr,
        "\nstopping after the running batch; once more (Ctrl-C) ends at once, without that "
        "batch\n");
    const std::lock_guard lock(mutex);
    stop_requested = true;
    if (running != nullptr) running->Stop();
  });
  const Result<ProgressStyle> style = ParseProgressStyle(progress_);
  if (!style) return ReportError(style.error());
  const ConnectorRegistry connectors = BuiltInConnectors();
  SystemClock clock;
  Result<std::unique_ptr<Job>> job = arguments.PrepareJob(OwnSettings(), connectors, &clock);
  if (!job) return ReportError(job.error());
  if ((*job)->is_explain()) {
    PrintPlan(**job);
    return ExitCode::kDone;
  }
  if ((*job)->settings().mode == Mode::kPerRecord) {
    return ReportError({ErrorCode::kInvalidOption, "--mode per-record: not yet", {}});
  }
  has_checkpoint = (*job)->settings().checkpoint.has_value();
  {
    const std::lock_guard lock(mutex);
    running = job->get();
    if (stop_requested) running->Stop();
  }
  ProgressDisplay display(*style);
  const auto started = std::chrono::steady_clock::now();
  const Status status = RunJob(job->get(), &display);
  bool stopped = false;
  {
    const std::lock_guard lock(mutex);
    running = nullptr;
    stopped = stop_requested;
  }
  if (!status) return ReportError(status.error());
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - started;
  if (progress_ != "none") {
    const RunEnd end = DescribeEnd(job->get(), seconds.count(), stopped);
    std::fprintf(stderr, "%s", FormatRunSummary(display.totals(), end, /*details=*/true).c_str());
  }
  return ExitCode::kDone;
}

}  // namespace braid
