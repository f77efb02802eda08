// Where log lines go: to standard error, and above the block of a display while one is shown there.
//
// Thread rule: any thread.
#pragma once

namespace braid {

class ProgressDisplay;
struct TerminalLook;

// Makes it the program's log.
void InstallLog(const TerminalLook& look);

// While it lives, log lines go through the display, which is borrowed. One at a time.
class LogAboveBlock {
 public:
  explicit LogAboveBlock(ProgressDisplay* display);
  ~LogAboveBlock();
  LogAboveBlock(const LogAboveBlock&) = delete;
  LogAboveBlock& operator=(const LogAboveBlock&) = delete;
};

}  // namespace braid
