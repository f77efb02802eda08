// A note of what the file that was read last held where reading stopped, so that a restart finds
// out when what was read has been rewritten: the rest would begin in the middle of another record.
//
// Kept in a file of the checkpoint (docs/format/offsets.md) that is written over at each commit and
// never synced: a note that is lost, torn, or of another offset is no note, and nothing is checked
// then.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace braid {

struct ReadMark {
  int64_t part = 0;  // Number in the list of files (file_list.h).
  int64_t byte = 0;  // Of the file as it lies there; kWholeFile for compressed files.
  uint64_t digest = 0;

  static constexpr int64_t kWholeFile = -1;

  friend bool operator==(const ReadMark&, const ReadMark&) = default;
};

// A digest of the first and the last bytes of what stands before `byte`; nothing if the file cannot
// be read or is shorter. Reads 8 KiB at most.
std::optional<uint64_t> DigestBefore(const std::string& path, int64_t byte);

// Whether the file of that inode has become longer.
bool IsFileGrown(const std::string& path, int64_t size, uint64_t inode);

// `directory` exists. What cannot be written is left out.
void WriteReadMark(const std::string& directory, const ReadMark& mark);
std::optional<ReadMark> ReadReadMark(const std::string& directory);

}  // namespace braid
