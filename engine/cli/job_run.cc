#include "engine/cli/job_run.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "engine/cli/command.h"
#include "engine/cli/log_output.h"
#include "engine/cli/progress_ticker.h"
#include "engine/cli/run_summary.h"
#include "engine/cli/stop_signals.h"
#include "engine/cli/terminal.h"
#include "engine/session/control_server.h"
#include "engine/session/progress_json.h"

namespace braid {

namespace {

// How long the last words may take, with a reader of standard error that does not read.
constexpr std::chrono::milliseconds kLastWordsTime{500};
// How long a run that is to end at once may take to, when it is at something that cannot be given
// up: a sink whose reader does not read, a commit.
constexpr std::chrono::milliseconds kAbandonTime{800};

const char* LastWords(bool has_checkpoint) {
  return has_checkpoint ? "ended at once: the running batch was not committed; the next run on the "
                          "checkpoint runs it again\n"
                        : "ended at once: the running batch was not committed\n";
}

// _exit at once. The thread sanitizer's own flushes standard output first, and so waits for a
// writer whose reader does not read.
[[noreturn]] void ExitProcess(int code) {
  for (;;) syscall(SYS_exit_group, code);
}

// Ends the process at once, whatever the running batch is at: as a kill, which the next run mends.
// `signal`: what it dies of; 0: it ends with exit code 0.
[[noreturn]] void EndAtOnce(int signal, bool has_checkpoint, ProgressDisplay* display) {
  std::promise<void> promise;
  const std::future<void> said = promise.get_future();
  std::thread([&promise, has_checkpoint, display] {
    display->End();
    display->PrintAbove(LastWords(has_checkpoint));
    promise.set_value();
  }).detach();
  said.wait_for(kLastWordsTime);
  if (signal == 0) ExitProcess(0);
  // Died of the signal, as a shell expects it: 128 + its number.
  ::signal(signal, SIG_DFL);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, signal);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  ::raise(signal);
  ExitProcess(128 + signal);
}

// Ends the process if the run does not end by itself soon after it was abandoned.
class AbandonWatch {
 public:
  explicit AbandonWatch(ProgressDisplay* display) : display_(display) {}
  ~AbandonWatch() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }
  AbandonWatch(const AbandonWatch&) = delete;
  AbandonWatch& operator=(const AbandonWatch&) = delete;

  void Begin(bool has_checkpoint) {
    const std::lock_guard lock(mutex_);
    if (ended_ || thread_.joinable()) return;
    thread_ = std::thread([this, has_checkpoint] {
      std::unique_lock held(mutex_);
      if (changed_.wait_for(held, kAbandonTime, [this] { return ended_; })) return;
      held.unlock();
      EndAtOnce(/*signal=*/0, has_checkpoint, display_);
    });
  }

 private:
  ProgressDisplay* const display_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;  // Guarded by mutex_.
  std::thread thread_;  // Likewise.
};

bool IsPrinted(const TableDefinition& table) {
  const auto is = [&](const char* name, std::string_view value) {
    const auto option = table.options.find(name);
    return option != table.options.end() && option->second.value == value;
  };
  return is("connector", "print") || (is("connector", "filesystem") && is("path", "-"));
}

// Rows that are printed where the block stands would tear it.
bool PrintsToTerminal(const Job& job) {
  if (isatty(STDOUT_FILENO) != 1) return false;
  const StreamPlan& plan = job.plan();
  if (plan.sink == nullptr || IsPrinted(*plan.sink)) return true;
  return (plan.late_rows && IsPrinted(*plan.late_rows->table)) ||
         (plan.unmatched_rows && IsPrinted(*plan.unmatched_rows->table));
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
  command->add_option("--output", output_,
                      "how a SELECT is printed: table, csv, json, row (+I[…], as Flink prints) or "
                      "auto (table on a terminal, else csv)");
}

SettingList JobRun::OwnSettings() const {
  SettingList settings;
  const auto add = [&settings](const char* key, const char* flag,
                               const std::optional<std::string>& value) {
    if (value) settings.emplace_back(key, FlagOption(flag, *value));
  };
  add("execution.trigger", "--trigger", trigger_);
  add("execution.checkpoint", "--checkpoint", checkpoint_);
  add("print.format", "--output", output_);
  return settings;
}

Status JobRun::RunJob(Job* job, ProgressStyle style, ProgressDisplay* display) {
  if (Status opened = job->Open(); !opened) return opened;
  PrintWarnings(*job);
  // Not before an error that keeps it from starting.
  job->running().SetStartedListener([job, display] {
    if (job->settings().checkpoint) return;
    display->PrintAbove("state is in memory: without --checkpoint nothing is durable\n");
  });
  std::unique_ptr<ControlServer> control;
  if (job->settings().checkpoint) {
    Result<std::unique_ptr<ControlServer>> started =
        ControlServer::Start(*job->settings().checkpoint, job, ProgressToJson);
    if (!started) return tl::unexpected(started.error());
    control = std::move(*started);
  }
  job->running().SetProgressListener([&](const BatchProgress& progress) {
    display->Show(progress);
    if (control != nullptr) control->Publish(progress);
  });
  ProgressDisplay::Options shown;
  const bool draws = style == ProgressStyle::kBlock && !PrintsToTerminal(*job);
  shown.style = style == ProgressStyle::kBlock && !draws ? ProgressStyle::kNone : style;
  shown.look = LookOfTerminal(std::getenv);
  for (const Side side : {Side::kLeft, Side::kRight}) {
    shown.pads[Index(side)] = job->plan().join && job->plan().join->side(side).pads;
  }
  shown.activity = [job] { return job->running().activity(); };
  shown.started = std::chrono::steady_clock::now();
  display->Begin(std::move(shown));
  Status status;
  {
    const LogAboveBlock log(display);
    std::optional<ProgressTicker> ticker;
    if (draws) ticker.emplace(display);
    status = job->Run();
  }
  display->End();
  return status;
}

ExitCode JobRun::Run(const JobArguments& arguments) {
  Job* running = nullptr;
  std::mutex mutex;
  bool stop_requested = false;
  std::atomic<bool> has_checkpoint{false};
  StandardErrorTerminal terminal;
  ProgressDisplay display(&terminal);
  // Made first: its signal mask must hold for every thread.
  const StopSignals signals([&](int count, int signal) {
    if (count > 1) EndAtOnce(signal, has_checkpoint, &display);
    {
      const std::lock_guard lock(mutex);
      stop_requested = true;
      if (running != nullptr) running->Stop();
    }
    // Below the ^C that a terminal shows; a block is drawn over it.
    display.PrintAbove(
        fmt::format("{}stopping after the running batch; once more (Ctrl-C) ends at "
                    "once, without that batch\n",
                    display.is_block_shown() ? "" : "\n"));
  });
  const Result<ProgressStyle> style =
      ParseProgressStyle(progress_, isatty(STDERR_FILENO) == 1, LookOfTerminal(std::getenv));
  if (!style) return ReportError(style.error());
  const ConnectorRegistry connectors = BuiltInConnectors();
  SystemClock clock;
  Result<std::unique_ptr<Job>> job = arguments.PrepareJob(OwnSettings(), connectors, &clock);
  if (!job) return ReportError(job.error());
  if ((*job)->is_explain()) {
    PrintPlan(**job);
    return ExitCode::kDone;
  }
  has_checkpoint = (*job)->settings().checkpoint.has_value();
  {
    const std::lock_guard lock(mutex);
    running = job->get();
    if (stop_requested) running->Stop();
  }
  const auto started = std::chrono::steady_clock::now();
  Status status;
  {
    AbandonWatch watch(&display);
    (*job)->SetAbandonListener([&] { watch.Begin(has_checkpoint); });
    status = RunJob(job->get(), *style, &display);
  }
  {
    const std::lock_guard lock(mutex);
    running = nullptr;
  }
  // The reader of a pipe has enough: an end as good as any.
  if (!status && status.error().code == ErrorCode::kCancelled) {
    std::clearerr(stdout);
    return ExitCode::kDone;
  }
  if (!status) return ReportError(status.error());
  if ((*job)->is_abandoned()) {
    std::fputs(LastWords(has_checkpoint), stderr);
    return ExitCode::kDone;
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - started;
  if (progress_ != "none") {
    const RunEnd end = DescribeEnd(job->get(), seconds.count());
    std::fprintf(stderr, "%s", FormatRunSummary(display.totals(), end, /*details=*/true).c_str());
  }
  return ExitCode::kDone;
}

}  // namespace braid
