#include "state/store/table_files.h"

#include <fcntl.h>
#include <leveldb/env.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#ifdef BRAID_FAIL_POINTS
#include "state/store/failing_environment.h"
#endif

namespace braid {

namespace {

leveldb::Status Failed(const std::string& name) {
  const std::error_code error(errno, std::generic_category());
  if (error == std::errc::no_such_file_or_directory) {
    return leveldb::Status::NotFound(name, error.message());
  }
  return leveldb::Status::IOError(name, error.message());
}

class TableFile final : public leveldb::RandomAccessFile {
 public:
  TableFile(std::string name, int file) : name_(std::move(name)), file_(file) {}
  TableFile(const TableFile&) = delete;
  TableFile& operator=(const TableFile&) = delete;
  ~TableFile() override { close(file_); }

  leveldb::Status Read(uint64_t offset, size_t bytes, leveldb::Slice* result,
                       char* scratch) const override {
    size_t done = 0;
    while (done < bytes) {
      const ssize_t got =
          pread(file_, scratch + done, bytes - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return Failed(name_);
      if (got == 0) break;  // LevelDB finds out that something is missing.
      done += static_cast<size_t>(got);
    }
    *result = leveldb::Slice(scratch, done);
    return leveldb::Status::OK();
  }

 private:
  const std::string name_;
  const int file_;
};

class TableFilesEnvironment final : public leveldb::EnvWrapper {
 public:
  TableFilesEnvironment() : EnvWrapper(leveldb::Env::Default()) {}

  leveldb::Status NewRandomAccessFile(const std::string& name,
                                      leveldb::RandomAccessFile** result) override {
    const int file = open(name.c_str(), O_RDONLY | O_CLOEXEC);
    *result = nullptr;
    if (file < 0) return Failed(name);
    *result = new TableFile(name, file);
    return leveldb::Status::OK();
  }
};

}  // namespace

leveldb::Env* TableFiles() {
  // Never destroyed: a database's background thread may outlive static objects.
#ifdef BRAID_FAIL_POINTS
  static leveldb::Env* const environment = NewFailingEnvironment(new TableFilesEnvironment());
#else
  static leveldb::Env* const environment = new TableFilesEnvironment();
#endif
  return environment;
}

}  // namespace braid
