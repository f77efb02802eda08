#include "tests/cli/terminal_command.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace braid::testing {

namespace {

constexpr winsize kSize = {24, 80, 0, 0};  // Rows, columns.

}  // namespace

TerminalCommand::TerminalCommand(const std::vector<std::string>& arguments, Output output,
                                 const std::map<std::string, std::string>& environment) {
  std::vector<char*> argv;
  std::string program = BRAID_BINARY;
  argv.push_back(program.data());
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  int slave = -1;
  std::array<int, 2> pipe_ends = {-1, -1};
  if (openpty(&terminal_, &slave, nullptr, nullptr, &kSize) != 0) std::abort();
  if (output == Output::kPipe && pipe2(pipe_ends.data(), O_CLOEXEC) != 0) std::abort();
  fcntl(terminal_, F_SETFD, FD_CLOEXEC);
  output_ = pipe_ends[0];
  process_ = fork();
  if (process_ == 0) {
    for (const auto& [name, value] : environment) {
      if (value.empty()) {
        unsetenv(name.c_str());
      } else {
        setenv(name.c_str(), value.c_str(), 1);
      }
    }
    dup2(slave, STDERR_FILENO);
    dup2(output == Output::kPipe ? pipe_ends[1] : slave, STDOUT_FILENO);
    execv(BRAID_BINARY, argv.data());
    _exit(127);
  }
  close(slave);
  if (pipe_ends[1] >= 0) close(pipe_ends[1]);
}

TerminalCommand::~TerminalCommand() {
  if (!reaped_) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  close(terminal_);
  if (output_ >= 0) close(output_);
}

bool TerminalCommand::ReadTerminal() {
  std::array<char, 4096> block;
  const ssize_t size = read(terminal_, block.data(), block.size());
  // The read fails once nobody has the other end open any more.
  if (size <= 0) return false;
  terminal_text_.append(block.data(), static_cast<size_t>(size));
  return true;
}

bool TerminalCommand::ReadUntil(const std::string& text) {
  while (terminal_text_.find(text) == std::string::npos) {
    if (!ReadTerminal()) return false;
  }
  return true;
}

bool TerminalCommand::WaitUntilOutputIsFull() {
  const int capacity = fcntl(output_, F_GETPIPE_SZ);
  while (true) {
    int held = 0;
    ioctl(output_, FIONREAD, &held);
    if (held >= capacity) return true;
    pollfd terminal = {terminal_, POLLIN, 0};
    if (poll(&terminal, 1, /*milliseconds=*/1) > 0 && !ReadTerminal()) return false;
  }
}

void TerminalCommand::Signal(int signal) const { kill(process_, signal); }

int TerminalCommand::Wait() {
  while (ReadTerminal()) {
  }
  int status = 0;
  waitpid(process_, &status, 0);
  reaped_ = true;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace braid::testing
