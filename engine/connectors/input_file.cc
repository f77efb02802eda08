#include "engine/connectors/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "engine/connectors/compressed_file.h"
#include "engine/connectors/file_operations.h"

namespace braid {

namespace {

class PlainFile final : public InputFile {
 public:
  PlainFile(std::string path, int descriptor, int64_t size)
      : path_(std::move(path)), descriptor_(descriptor), size_(size) {}
  ~PlainFile() override { ::close(descriptor_); }
  PlainFile(const PlainFile&) = delete;
  PlainFile& operator=(const PlainFile&) = delete;

  Result<size_t> Read(char* bytes, size_t size) override {
    for (;;) {
      const ssize_t count = ::read(descriptor_, bytes, size);
      if (count >= 0) return static_cast<size_t>(count);
      if (errno != EINTR) return tl::unexpected<Error>(FileError("read", path_, errno));
    }
  }

  Status Skip(int64_t count) override {
    if (::lseek(descriptor_, count, SEEK_CUR) < 0) {
      return tl::unexpected<Error>(FileError("read", path_, errno));
    }
    return {};
  }

  int64_t size() const override { return size_; }

 private:
  std::string path_;
  int descriptor_;
  int64_t size_;
};

bool EndsWithoutCase(std::string_view text, std::string_view end) {
  if (text.size() < end.size()) return false;
  text.remove_prefix(text.size() - end.size());
  return std::equal(text.begin(), text.end(), end.begin(), [](char left, char right) {
    return left == right || (left >= 'A' && left <= 'Z' && left - 'A' + 'a' == right);
  });
}

Result<std::unique_ptr<InputFile>> OpenPlain(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return tl::unexpected<Error>(FileError("open", path, errno));
  struct stat status = {};
  const bool known = ::fstat(descriptor, &status) == 0;
  const int failure = errno;
  auto file = std::make_unique<PlainFile>(path, descriptor, known ? status.st_size : 0);
  if (!known) return tl::unexpected<Error>(FileError("read", path, failure));
  if (!S_ISREG(status.st_mode)) {
    return Fail(ErrorCode::kIo, fmt::format("'{}' is not a regular file", path));
  }
  return file;
}

}  // namespace

Compression CompressionOf(std::string_view path) {
  if (EndsWithoutCase(path, ".gz")) return Compression::kGzip;
  if (EndsWithoutCase(path, ".bz2")) return Compression::kBzip2;
  if (EndsWithoutCase(path, ".zst")) return Compression::kZstd;
  return Compression::kNone;
}

Compression CompressionOfBytes(std::string_view first_bytes) {
  if (first_bytes.starts_with("\x1F\x8B")) return Compression::kGzip;
  if (first_bytes.starts_with("\x28\xB5\x2F\xFD")) return Compression::kZstd;
  const bool is_bzip2 = first_bytes.starts_with("BZh") && first_bytes.size() >= 10 &&
                        first_bytes.substr(4, 6) == "1AY&SY";
  return is_bzip2 ? Compression::kBzip2 : Compression::kNone;
}

Result<std::unique_ptr<InputFile>> InputFile::Open(const std::string& path) {
  Result<std::unique_ptr<InputFile>> plain = OpenPlain(path);
  if (!plain) {
    plain.error().place.file = path;
    return plain;
  }
  const Compression compression = CompressionOf(path);
  if (compression == Compression::kNone) return plain;
  return NewCompressedFile(path, compression, std::move(*plain));
}

}  // namespace braid
