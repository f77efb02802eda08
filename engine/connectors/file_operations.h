// What sinks and the file list do to the disk, as an interface, so that a test can fail or stop any
// step. Names are paths; nothing here knows what the files hold.
//
// Errors: kNotFound if the file or folder is not there, else kIo; both name the path and say what
// the operating system said.
// Thread rule: FileOperations by any number of threads; an OutputFile by one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "braid/error.h"

namespace braid {

// A file that is written. The destructor closes it and drops errors.
class OutputFile {
 public:
  virtual ~OutputFile() = default;

  virtual Status Append(std::string_view bytes) = 0;
  // What was appended survives a crash of the machine.
  virtual Status Sync() = 0;
  virtual Status Close() = 0;
};

class FileOperations {
 public:
  virtual ~FileOperations() = default;

  // With all missing parents. No error if it is there. `durable`: the folder survives a crash of
  // the machine, also if a process that was killed created it, or folders above it, and no more.
  virtual Status CreateDirectories(const std::string& path, bool durable) = 0;
  // Names in a folder, sorted, without "." and "..".
  virtual Result<std::vector<std::string>> List(const std::string& directory) = 0;
  virtual Result<std::string> ReadAll(const std::string& path) = 0;
  // `size` bytes from `begin` on; fewer only where the file ends.
  virtual Result<std::string> ReadRange(const std::string& path, int64_t begin, int64_t size) = 0;
  virtual Result<int64_t> SizeOf(const std::string& path) = 0;

  enum class Create : uint8_t {
    kTruncate,   // An existing file is emptied.
    kExclusive,  // An existing file is kConflict.
  };
  virtual Result<std::unique_ptr<OutputFile>> NewFile(const std::string& path, Create create) = 0;
  // Cuts the file at `size` bytes (it is created if need be) and appends there.
  virtual Result<std::unique_ptr<OutputFile>> OpenToAppend(const std::string& path,
                                                           int64_t size) = 0;
  // Replaces `to`.
  virtual Status Rename(const std::string& from, const std::string& to) = 0;
  // No error if it is not there.
  virtual Status Remove(const std::string& path) = 0;
  // Names created, renamed and removed in the folder survive a crash of the machine.
  virtual Status SyncDirectory(const std::string& directory) = 0;
};

// The machine's. `use` names the fail points that the calls pass in builds of the tests, "list" or
// "sink" (failing_file_operations.h); empty: none.
std::shared_ptr<FileOperations> NewPosixFileOperations(std::string_view use = {});

// kNotFound or kIo: "cannot <doing> '<path>': <text of errno_value>".
Error FileError(std::string_view doing, const std::string& path, int errno_value);

}  // namespace braid
