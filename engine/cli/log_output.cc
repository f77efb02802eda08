#include "engine/cli/log_output.h"

#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <mutex>
#include <string>

#include "engine/cli/progress_display.h"
#include "engine/cli/terminal.h"

namespace braid {

namespace {

class LogSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  void SetColors(bool colors) {
    const std::lock_guard lock(mutex_);
    colors_ = colors;
  }
  void SetDisplay(ProgressDisplay* display) {
    const std::lock_guard lock(mutex_);
    display_ = display;
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t buffer;
    formatter_->format(message, buffer);
    std::string line(buffer.data(), buffer.size());
    if (colors_ && message.color_range_end > message.color_range_start) {
      line.insert(message.color_range_end, "\x1b[0m");
      line.insert(message.color_range_start,
                  message.level >= spdlog::level::err ? "\x1b[31m" : "\x1b[33m");
    }
    if (display_ != nullptr) {
      display_->PrintAbove(line);
    } else {
      std::fwrite(line.data(), 1, line.size(), stderr);
    }
  }
  void flush_() override {}

 private:
  bool colors_ = false;
  ProgressDisplay* display_ = nullptr;
};

const std::shared_ptr<LogSink>& ProgramLog() {
  static const auto sink = std::make_shared<LogSink>();
  return sink;
}

}  // namespace

void InstallLog(const TerminalLook& look) {
  ProgramLog()->SetColors(look.colors && isatty(STDERR_FILENO) == 1);
  spdlog::set_default_logger(std::make_shared<spdlog::logger>("braid", ProgramLog()));
}

LogAboveBlock::LogAboveBlock(ProgressDisplay* display) { ProgramLog()->SetDisplay(display); }

LogAboveBlock::~LogAboveBlock() { ProgramLog()->SetDisplay(nullptr); }

}  // namespace braid
