#include "engine/cli/job_run.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>

#include "engine/cli/command.h"
#include "engine/cli/progress_json.h"
#include "engine/cli/stop_signals.h"
#include "engine/session/control_server.h"
#include "state/rows/value.h"

namespace braid {

namespace {

std::string FormatWatermark(Watermark watermark) {
  return FormatValue({DataType::Timestamp(3), AtMicros(watermark).micros});
}

// One side's part of what a held run waits for.
void PrintWaiting(const WaitingRows& waiting, const JoinPlan& join, Side side) {
  const size_t index = Index(side);
  if (!join.side(side).pads || waiting.rows[index] == 0) return;
  const int64_t rows = waiting.rows[index];
  std::string now = waiting.watermark ? FormatWatermark(*waiting.watermark) : "unset";
  if (!waiting.held_back_by.empty()) {
    now += waiting.holder_has_row_time ? ", held back by " + waiting.held_back_by
                                       : ": " + waiting.held_back_by + " has shown no row time yet";
  }
  const std::string text = fmt::format(
      "{} {} of {} {} in state for a match or for NULLs; the oldest leaves at watermark {} (now "
      "{})",
      rows, rows == 1 ? "row" : "rows", join.side(side).input.alias, rows == 1 ? "waits" : "wait",
      waiting.needed[index] ? FormatWatermark(*waiting.needed[index]) : "unset", now);
  std::fprintf(stderr, "%s\n", text.c_str());
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

void JobRun::PrintSummary(Job* job, const ProgressDisplay& display, double seconds) const {
  std::fprintf(stderr,
               "%lld rows in, %lld rows out (%lld of them padded) in %lld batches, %.2f s\n",
               static_cast<long long>(display.num_input_rows()),
               static_cast<long long>(display.num_output_rows()),
               static_cast<long long>(display.num_padded_rows()),
               static_cast<long long>(display.num_batches()), seconds);
  struct Count {
    int64_t count;
    const char* text;
  };
  for (const Count& c : {Count{display.num_late_rows(), "late rows were dropped"},
                         Count{display.num_bad_records(), "bad records"},
                         Count{display.num_null_time_rows(), "rows had a NULL time"},
                         Count{display.num_row_errors(), "rows were dropped for an error"}}) {
    if (c.count > 0) std::fprintf(stderr, "%lld %s\n", static_cast<long long>(c.count), c.text);
  }
  if (!job->plan().join || job->end_of_input() == EndOfInput::kFlush) return;
  const WaitingRows waiting = job->micro_batch().waiting();
  PrintWaiting(waiting, *job->plan().join, Side::kLeft);
  PrintWaiting(waiting, *job->plan().join, Side::kRight);
}

ExitCode JobRun::Run(const JobArguments& arguments) {
  Job* running = nullptr;
  std::mutex mutex;
  bool stop_requested = false;
  // Made first: its signal mask must hold for every thread.
  const StopSignals signals([&](int count) {
    const std::lock_guard lock(mutex);
    if (count == 1) std::fprintf(stderr, "\nstopping after the running batch\n");
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
  {
    const std::lock_guard lock(mutex);
    running = job->get();
    if (stop_requested) running->Stop();
  }
  ProgressDisplay display(*style);
  const auto started = std::chrono::steady_clock::now();
  const Status status = RunJob(job->get(), &display);
  {
    const std::lock_guard lock(mutex);
    running = nullptr;
  }
  if (!status) return ReportError(status.error());
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - started;
  if (progress_ != "none") PrintSummary(job->get(), display, seconds.count());
  return ExitCode::kDone;
}

}  // namespace braid
