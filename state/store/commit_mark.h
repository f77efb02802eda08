// A small file beside the LevelDB of a checkpoint (`committed`) that says which version was
// committed last, and which batch was planned after it. A log that has lost its end reads as if
// its last commits had never been made; this file tells.
//
// It is written after what it speaks of has been synced, and is not synced itself: that costs
// microseconds. After a power failure it may be older than the store, or missing; it is never
// newer. One line of fixed length, written in one piece:
//
//   <checksum> committed <version> planned <batch>
//
// a checked line (state/rows/checked_line.h). Numbers are right-aligned in 20 columns; -1: none.
//
// Errors: kIo, kCorruption name the file. Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "braid/error.h"

namespace braid {

struct Committed {
  int64_t version = -1;  // -1: the store was created.
  int64_t planned = -1;  // The pending plan's batch; -1: there was none.

  friend bool operator==(const Committed&, const Committed&) = default;
};

// The line, and back: nothing if it is damaged.
std::string EncodeCommitted(const Committed& committed);
std::optional<Committed> DecodeCommitted(std::string_view line);

std::string CommitMarkPath(const std::string& directory);

// Absent if there is no such file, or it is empty: a crash may leave that.
Result<std::optional<Committed>> ReadCommitMark(const std::string& directory);

class CommitMark {
 public:
  // Nothing is written before Note. `directory` exists by then.
  explicit CommitMark(const std::string& directory);
  ~CommitMark();
  CommitMark(const CommitMark&) = delete;
  CommitMark& operator=(const CommitMark&) = delete;

  Status Note(const Committed& committed);

 private:
  const std::string path_;
  int file_ = -1;
};

}  // namespace braid
