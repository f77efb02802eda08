#include "engine/advise/spill_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkostemp is POSIX.
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

namespace braid {

namespace {

tl::unexpected<Error> FailedTo(const char* what, int number) {
  return Fail(ErrorCode::kIo, fmt::format("cannot {} a temporary file: {}", what,
                                          std::generic_category().message(number)));
}

}  // namespace

Result<SpillFile> SpillFile::Create() {
  std::error_code failure;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(failure);
  if (failure) return FailedTo("find the folder of", failure.value());
  std::string name = (folder / "braid-XXXXXX").string();
  const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) {
    return Fail(ErrorCode::kIo,
                fmt::format("cannot create a temporary file in '{}': {}", folder.string(),
                            std::generic_category().message(errno)));
  }
  SpillFile file(descriptor);
  if (::unlink(name.c_str()) != 0) return FailedTo("unlink", errno);
  return file;
}

SpillFile::~SpillFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

SpillFile::SpillFile(SpillFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), size_(std::exchange(other.size_, 0)) {}

SpillFile& SpillFile::operator=(SpillFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_, other.size_);
  return *this;
}

Status SpillFile::Append(const void* bytes, size_t size) {
  const char* from = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t written = ::pwrite(descriptor_, from, size, size_);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return FailedTo("write", errno);
    from += written;
    size -= static_cast<size_t>(written);
    size_ += written;
  }
  return {};
}

Result<std::shared_ptr<const char>> SpillFile::Map() const {
  if (size_ == 0) return std::shared_ptr<const char>();
  const auto length = static_cast<size_t>(size_);
  void* const bytes = ::mmap(nullptr, length, PROT_READ, MAP_SHARED, descriptor_, 0);
  if (bytes == MAP_FAILED) return FailedTo("map", errno);
  return std::shared_ptr<const char>(static_cast<const char*>(bytes),
                                     [bytes, length](const char*) { ::munmap(bytes, length); });
}

Status SpillFile::Read(int64_t offset, void* bytes, size_t size) const {
  char* to = static_cast<char*>(bytes);
  while (size > 0) {
    const ssize_t got = ::pread(descriptor_, to, size, offset);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return FailedTo("read", got < 0 ? errno : EIO);
    to += got;
    size -= static_cast<size_t>(got);
    offset += got;
  }
  return {};
}

}  // namespace braid
