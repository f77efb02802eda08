#include "state/payload_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

namespace braid {

namespace {

// Space is taken in whole blocks of the file system, so that holes can be given back.
constexpr int64_t kStep = 4096;

int64_t RoundUp(int64_t bytes) { return (bytes + kStep - 1) / kStep * kStep; }

tl::unexpected<Error> SystemError(const std::string& what, const std::string& name, int number) {
  std::string message = what + " '" + name + "': " + std::strerror(number);
  if (number == ENOSPC || number == EDQUOT) {
    message +=
        ". Rows beyond state.memory.budget go there: make room, raise the budget, or name another "
        "folder in state.spill-directory";
  }
  return Fail(ErrorCode::kIo, std::move(message));
}

}  // namespace

PayloadFile::PayloadFile(std::string folder) : folder_(std::move(folder)) {}

PayloadFile::~PayloadFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

Status PayloadFile::Open() {
  std::error_code ignored;
  std::filesystem::create_directories(folder_, ignored);
  // The system puts letters where these are.
  name_ = folder_ + "/braid-state-rows-" + std::string(6, 'X');
  descriptor_ = mkostemp(name_.data(), O_CLOEXEC);
  if (descriptor_ < 0) return SystemError("cannot make the file of state rows", name_, errno);
  if (unlink(name_.c_str()) != 0) {
    return SystemError("cannot unlink the file of state rows", name_, errno);
  }
  return {};
}

int64_t PayloadFile::Take(int64_t num_bytes) {
  for (auto extent = free_.begin(); extent != free_.end(); ++extent) {
    if (extent->second < num_bytes) continue;
    const auto [offset, length] = *extent;
    free_.erase(extent);
    if (length > num_bytes) free_.emplace(offset + num_bytes, length - num_bytes);
    return offset;
  }
  return std::exchange(end_, end_ + num_bytes);
}

Result<int64_t> PayloadFile::Write(std::span<const char> bytes) {
  if (descriptor_ < 0) {
    if (Status opened = Open(); !opened) return tl::unexpected(opened.error());
  }
  const int64_t length = RoundUp(std::ssize(bytes));
  const int64_t offset = Take(length);
  used_bytes_ += length;
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t written = pwrite(descriptor_, bytes.data() + done, bytes.size() - done,
                                   offset + static_cast<int64_t>(done));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const int number = written < 0 ? errno : ENOSPC;
      GiveBack(offset, length);
      return SystemError("cannot write to the file of state rows", name_, number);
    }
    done += static_cast<size_t>(written);
  }
  return offset;
}

Status PayloadFile::Read(int64_t offset, std::span<char> bytes) const {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t read = pread(descriptor_, bytes.data() + done, bytes.size() - done,
                               offset + static_cast<int64_t>(done));
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) return SystemError("cannot read the file of state rows", name_, errno);
    if (read == 0) return Damaged(offset);
    done += static_cast<size_t>(read);
  }
  return {};
}

Status PayloadFile::Damaged(int64_t offset) const {
  return Fail(ErrorCode::kCorruption,
              "the file of state rows '" + name_ + "' does not hold what was written at byte " +
                  std::to_string(offset) +
                  ": the disk or its driver is at fault. Start the run again");
}

void PayloadFile::Free(int64_t offset, int64_t num_bytes) { GiveBack(offset, RoundUp(num_bytes)); }

void PayloadFile::GiveBack(int64_t offset, int64_t num_bytes) {
  used_bytes_ -= num_bytes;
  // What the file system cannot give back is used again all the same.
  (void)fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, num_bytes);
  auto extent = free_.emplace(offset, num_bytes).first;
  const auto next = std::next(extent);
  if (next != free_.end() && extent->first + extent->second == next->first) {
    extent->second += next->second;
    free_.erase(next);
  }
  if (extent != free_.begin()) {
    const auto before = std::prev(extent);
    if (before->first + before->second == extent->first) {
      before->second += extent->second;
      free_.erase(extent);
      extent = before;
    }
  }
  if (extent->first + extent->second < end_) return;
  end_ = extent->first;
  free_.erase(extent);
  (void)!ftruncate(descriptor_, end_);
}

}  // namespace braid
