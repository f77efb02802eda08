// Runs the braid binary as a user does.
#pragma once

#include <sys/types.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

namespace braid::testing {

struct CommandResult {
  int exit_code = -1;  // 128 + n for an end by signal n.
  std::string output;  // Standard output.
  std::string errors;  // Standard error.
};

// Variables of the environment that a command is given besides the test's own.
using Environment = std::vector<std::pair<std::string, std::string>>;

// A running braid; waits for it when it goes out of scope.
class RunningCommand {
 public:
  explicit RunningCommand(const std::vector<std::string>& arguments,
                          const Environment& environment = {});
  ~RunningCommand();
  RunningCommand(const RunningCommand&) = delete;
  RunningCommand& operator=(const RunningCommand&) = delete;

  void Signal(int signal) const;
  bool has_ended();
  CommandResult Wait();

 private:
  void Reap(int options);

  pid_t process_ = -1;
  bool ended_ = false;
  int status_ = 0;
  std::string output_file_;
  std::string error_file_;
};

CommandResult RunBraid(const std::vector<std::string>& arguments,
                       const Environment& environment = {});

// Kills the run once the files of `folder` have changed `changes` times, and up to 20 ms later: at
// a moment that depends on what it has done, not on how fast the machine is.
void KillAfterChanges(RunningCommand* run, const std::string& folder, int changes,
                      std::mt19937* random);

// A directory of its own that is removed at the end of the test.
class TemporaryDirectory {
 public:
  // In `parent`; in the machine's folder for such things if that is empty.
  explicit TemporaryDirectory(const std::string& parent = {});
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string File(const std::string& name) const { return path_ + "/" + name; }
  // Writes a file below it, and its folders; gives its path.
  std::string Write(const std::string& name, const std::string& content) const;

 private:
  std::string path_;
};

std::string ReadFile(const std::string& path);

// The lines of all *.csv files of a folder, sorted: what `cat folder/*.csv | sort` prints.
std::vector<std::string> SortedOutputLines(const std::string& folder);

}  // namespace braid::testing
