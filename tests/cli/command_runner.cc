#include "tests/cli/command_runner.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <thread>

namespace braid::testing {

namespace {

std::string MakeTemporary(const std::string& pattern, bool directory,
                          const std::string& parent = {}) {
  const std::filesystem::path folder =
      parent.empty() ? std::filesystem::temp_directory_path() : std::filesystem::path(parent);
  std::string path = (folder / pattern).string();
  if (directory) {
    if (mkdtemp(path.data()) == nullptr) std::abort();
  } else {
    const int descriptor = mkstemp(path.data());
    if (descriptor < 0) std::abort();
    close(descriptor);
  }
  return path;
}

void Redirect(const std::string& file, int descriptor) {
  const int opened = open(file.c_str(), O_WRONLY | O_TRUNC);
  if (opened < 0 || dup2(opened, descriptor) < 0) _exit(127);
}

}  // namespace

RunningCommand::RunningCommand(const std::vector<std::string>& arguments,
                               const Environment& environment)
    : output_file_(MakeTemporary("braid-out-XXXXXX", false)),
      error_file_(MakeTemporary("braid-err-XXXXXX", false)) {
  std::vector<char*> argv;
  std::string program = BRAID_BINARY;
  argv.push_back(program.data());
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  process_ = fork();
  if (process_ == 0) {
    Redirect(output_file_, STDOUT_FILENO);
    Redirect(error_file_, STDERR_FILENO);
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    execv(BRAID_BINARY, argv.data());
    _exit(127);
  }
}

RunningCommand::~RunningCommand() {
  if (!ended_) Reap(0);
  std::error_code ignored;
  std::filesystem::remove(output_file_, ignored);
  std::filesystem::remove(error_file_, ignored);
}

void RunningCommand::Signal(int signal) const {
  if (!ended_) kill(process_, signal);
}

void RunningCommand::Reap(int options) {
  if (!ended_ && waitpid(process_, &status_, options) == process_) ended_ = true;
}

bool RunningCommand::has_ended() {
  Reap(WNOHANG);
  return ended_;
}

CommandResult RunningCommand::Wait() {
  Reap(0);
  CommandResult result;
  result.exit_code = WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
  result.output = ReadFile(output_file_);
  result.errors = ReadFile(error_file_);
  return result;
}

CommandResult RunBraid(const std::vector<std::string>& arguments, const Environment& environment) {
  return RunningCommand(arguments, environment).Wait();
}

void KillAfterChanges(RunningCommand* run, const std::string& folder, int changes,
                      std::mt19937* random) {
  size_t seen = 0;
  const auto count_files = [&] {
    size_t files = 0;
    std::error_code ignored;
    for (auto entry = std::filesystem::directory_iterator(folder, ignored);
         entry != std::filesystem::directory_iterator(); entry.increment(ignored)) {
      ++files;
    }
    return files;
  };
  seen = count_files();
  while (changes > 0 && !run->has_ended()) {
    const size_t files = count_files();
    if (files != seen) {
      seen = files;
      --changes;
    }
    std::this_thread::yield();
  }
  // Somewhere within the next batch.
  const auto until = std::chrono::steady_clock::now() +
                     std::chrono::microseconds(std::uniform_int_distribution(0, 20'000)(*random));
  while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
  run->Signal(SIGKILL);
}

TemporaryDirectory::TemporaryDirectory(const std::string& parent)
    : path_(MakeTemporary("braid-test-XXXXXX", true, parent)) {}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryDirectory::Write(const std::string& name, const std::string& content) const {
  std::string path = File(name);
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

std::string ReadFile(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::vector<std::string> SortedOutputLines(const std::string& folder) {
  std::vector<std::string> lines;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    // As the shell's * does: hidden files are not meant.
    if (name.front() == '.' || entry.path().extension() != ".csv") continue;
    std::istringstream stream(ReadFile(entry.path().string()));
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace braid::testing
