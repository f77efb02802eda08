// Runs the braid binary with a terminal for standard error, as a user at a keyboard does; standard
// output goes to that terminal too, or to a pipe that nobody reads before the end.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace braid::testing {

class TerminalCommand {
 public:
  enum class Output : uint8_t { kTerminal, kPipe };

  // `environment` is added to the test's own; an empty value takes a variable away.
  TerminalCommand(const std::vector<std::string>& arguments, Output output,
                  const std::map<std::string, std::string>& environment = {});
  // Kills a command that still runs.
  ~TerminalCommand();
  TerminalCommand(const TerminalCommand&) = delete;
  TerminalCommand& operator=(const TerminalCommand&) = delete;

  // Reads until the terminal has shown `text`; false if the command ended before.
  bool ReadUntil(const std::string& text);
  // Waits until the pipe is full, so that the command cannot write on; false if it ended before.
  bool WaitUntilOutputIsFull();
  void Signal(int signal) const;

  // Reads to the end. 128 + n for an end by signal n.
  int Wait();

  // All that the terminal was sent.
  const std::string& terminal_text() const { return terminal_text_; }

 private:
  // One more piece of what was written to the terminal; false at its end.
  bool ReadTerminal();

  pid_t process_ = -1;
  bool reaped_ = false;
  int terminal_ = -1;
  int output_ = -1;  // The end of the pipe that nobody reads; -1 without one.
  std::string terminal_text_;
};

}  // namespace braid::testing
