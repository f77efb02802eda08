#include "engine/connectors/file_operations.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#ifdef BRAID_FAIL_POINTS
#include "engine/connectors/failing_file_operations.h"
#endif

namespace braid {

namespace {

tl::unexpected<Error> FailWithErrno(std::string_view doing, const std::string& path) {
  return tl::unexpected<Error>(FileError(doing, path, errno));
}

class PosixOutputFile final : public OutputFile {
 public:
  PosixOutputFile(std::string path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor) {}
  ~PosixOutputFile() override {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  PosixOutputFile(const PosixOutputFile&) = delete;
  PosixOutputFile& operator=(const PosixOutputFile&) = delete;

  Status Append(std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written < 0) {
        if (errno == EINTR) continue;
        return FailWithErrno("write", path_);
      }
      bytes.remove_prefix(static_cast<size_t>(written));
    }
    return {};
  }

  Status Sync() override {
    if (::fdatasync(descriptor_) != 0) return FailWithErrno("sync", path_);
    return {};
  }

  Status Close() override {
    const int descriptor = std::exchange(descriptor_, -1);
    if (descriptor >= 0 && ::close(descriptor) != 0) return FailWithErrno("close", path_);
    return {};
  }

 private:
  std::string path_;
  int descriptor_;
};

class PosixFileOperations final : public FileOperations {
 public:
  Status CreateDirectories(const std::string& path, bool durable) override {
    std::error_code failure;
    std::filesystem::create_directories(path, failure);
    if (failure) {
      return tl::unexpected<Error>(FileError("create the folder", path, failure.value()));
    }
    if (!durable) return {};
    const std::filesystem::path whole = std::filesystem::absolute(path, failure);
    for (std::filesystem::path folder = whole; folder != folder.parent_path();) {
      folder = folder.parent_path();
      // Where this process may create nothing, none of it has.
      if (::access(folder.c_str(), R_OK | W_OK) != 0) continue;
      if (Status synced = SyncDirectory(folder.string()); !synced) return synced;
    }
    return {};
  }

  Result<std::vector<std::string>> List(const std::string& directory) override {
    DIR* stream = ::opendir(directory.c_str());
    if (stream == nullptr) return FailWithErrno("list", directory);
    std::vector<std::string> names;
    errno = 0;
    while (const dirent* entry = ::readdir(stream)) {
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") names.emplace_back(name);
    }
    const int failure = errno;
    ::closedir(stream);
    if (failure != 0) return tl::unexpected<Error>(FileError("list", directory, failure));
    std::sort(names.begin(), names.end());
    return names;
  }

  Result<std::string> ReadAll(const std::string& path) override {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return FailWithErrno("open", path);
    std::string bytes;
    struct stat status = {};
    if (::fstat(descriptor, &status) == 0 && status.st_size > 0) {
      bytes.reserve(static_cast<size_t>(status.st_size));
    }
    char block[1 << 16];
    for (;;) {
      const ssize_t count = ::read(descriptor, block, sizeof(block));
      if (count == 0) break;
      if (count < 0) {
        if (errno == EINTR) continue;
        const int failure = errno;
        ::close(descriptor);
        return tl::unexpected<Error>(FileError("read", path, failure));
      }
      bytes.append(block, static_cast<size_t>(count));
    }
    ::close(descriptor);
    return bytes;
  }

  Result<std::string> ReadRange(const std::string& path, int64_t begin, int64_t size) override {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return FailWithErrno("open", path);
    std::string bytes(static_cast<size_t>(size), '\0');
    size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t count = ::pread(descriptor, bytes.data() + done, bytes.size() - done,
                                    begin + static_cast<int64_t>(done));
      if (count == 0) break;
      if (count < 0) {
        if (errno == EINTR) continue;
        const int failure = errno;
        ::close(descriptor);
        return tl::unexpected<Error>(FileError("read", path, failure));
      }
      done += static_cast<size_t>(count);
    }
    ::close(descriptor);
    bytes.resize(done);
    return bytes;
  }

  Result<int64_t> SizeOf(const std::string& path) override {
    struct stat status = {};
    if (::stat(path.c_str(), &status) != 0) return FailWithErrno("look at", path);
    return static_cast<int64_t>(status.st_size);
  }

  Result<std::unique_ptr<OutputFile>> NewFile(const std::string& path, Create create) override {
    const int how = create == Create::kExclusive ? O_EXCL : O_TRUNC;
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | how, 0666);
    if (descriptor < 0 && errno == EEXIST) {
      return Fail(ErrorCode::kConflict, fmt::format("'{}' exists already", path));
    }
    if (descriptor < 0) return FailWithErrno("create", path);
    return std::make_unique<PosixOutputFile>(path, descriptor);
  }

  Result<std::unique_ptr<OutputFile>> OpenToAppend(const std::string& path, int64_t size) override {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (descriptor < 0) return FailWithErrno("open", path);
    if (::ftruncate(descriptor, size) != 0) {
      const int failure = errno;
      ::close(descriptor);
      return tl::unexpected<Error>(FileError("cut", path, failure));
    }
    return std::make_unique<PosixOutputFile>(path, descriptor);
  }

  Status Rename(const std::string& from, const std::string& to) override {
    if (std::rename(from.c_str(), to.c_str()) != 0) return FailWithErrno("rename", from);
    return {};
  }

  Status Remove(const std::string& path) override {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) return FailWithErrno("remove", path);
    return {};
  }

  Status SyncDirectory(const std::string& directory) override {
    const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return FailWithErrno("open", directory);
    const int result = ::fsync(descriptor);
    const int failure = errno;
    ::close(descriptor);
    if (result != 0) return tl::unexpected<Error>(FileError("sync", directory, failure));
    return {};
  }
};

}  // namespace

Error FileError(std::string_view doing, const std::string& path, int errno_value) {
  const bool missing = errno_value == ENOENT || errno_value == ENOTDIR;
  return {
      missing ? ErrorCode::kNotFound : ErrorCode::kIo,
      fmt::format("cannot {} '{}': {}", doing, path, std::generic_category().message(errno_value)),
      {}};
}

std::shared_ptr<FileOperations> NewPosixFileOperations([[maybe_unused]] std::string_view use) {
  auto operations = std::make_shared<PosixFileOperations>();
#ifdef BRAID_FAIL_POINTS
  if (!use.empty()) return NewFailingFileOperations(std::move(operations), use);
#endif
  return operations;
}

}  // namespace braid
