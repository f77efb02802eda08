#include "engine/connectors/read_mark.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
// Compiled in, not linked.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "state/rows/checked_line.h"

namespace braid {

namespace {

constexpr int64_t kDigestedBytes = 4'096;
// Three numbers and a checksum, filled up with blanks, so that each note covers the one before.
constexpr size_t kNoteBytes = 96;
constexpr size_t kChecksumDigits = 8;

std::string PathOf(const std::string& directory) { return directory + "/read"; }

class OpenFile {
 public:
  OpenFile(const std::string& path, int flags) : descriptor_(::open(path.c_str(), flags, 0644)) {}
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  int descriptor() const { return descriptor_; }
  bool is_open() const { return descriptor_ >= 0; }

 private:
  int descriptor_;
};

bool ReadAt(int descriptor, int64_t begin, int64_t size, std::vector<char>* bytes) {
  const size_t old_size = bytes->size();
  bytes->resize(old_size + static_cast<size_t>(size));
  const ssize_t count =
      ::pread(descriptor, bytes->data() + old_size, static_cast<size_t>(size), begin);
  return count == size;
}

}  // namespace

std::optional<uint64_t> DigestBefore(const std::string& path, int64_t byte) {
  const OpenFile file(path, O_RDONLY | O_CLOEXEC);
  struct stat status = {};
  if (!file.is_open() || ::fstat(file.descriptor(), &status) != 0) return std::nullopt;
  const int64_t size = static_cast<int64_t>(status.st_size);
  const int64_t end = byte == ReadMark::kWholeFile ? size : byte;
  if (size < end) return std::nullopt;
  std::vector<char> bytes;
  const int64_t first = std::min(end, kDigestedBytes);
  const int64_t last = std::min(end - first, kDigestedBytes);
  if (!ReadAt(file.descriptor(), 0, first, &bytes)) return std::nullopt;
  if (!ReadAt(file.descriptor(), end - last, last, &bytes)) return std::nullopt;
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), static_cast<uint64_t>(end));
}

bool IsFileGrown(const std::string& path, int64_t size, uint64_t inode) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 && status.st_ino == inode &&
         static_cast<int64_t>(status.st_size) > size;
}

void WriteReadMark(const std::string& directory, const ReadMark& mark) {
  std::string note = fmt::format("{} {} {} ", mark.part, mark.byte, mark.digest);
  note.resize(kNoteBytes - kChecksumDigits - 1, ' ');
  note += fmt::format("{:08x}\n", XXH32(note.data(), note.size(), 0));
  const OpenFile file(PathOf(directory), O_WRONLY | O_CREAT | O_CLOEXEC);
  if (!file.is_open()) return;
  // One that is written in part does not fit its checksum.
  [[maybe_unused]] const ssize_t written = ::pwrite(file.descriptor(), note.data(), note.size(), 0);
}

std::optional<ReadMark> ReadReadMark(const std::string& directory) {
  const OpenFile file(PathOf(directory), O_RDONLY | O_CLOEXEC);
  if (!file.is_open()) return std::nullopt;
  std::array<char, kNoteBytes> note = {};
  if (::pread(file.descriptor(), note.data(), note.size(), 0) != std::ssize(note)) {
    return std::nullopt;
  }
  std::string_view text(note.data(), kNoteBytes - kChecksumDigits - 1);
  const std::string checksum = fmt::format("{:08x}\n", XXH32(text.data(), text.size(), 0));
  if (std::string_view(note.data() + text.size(), kChecksumDigits + 1) != checksum) {
    return std::nullopt;
  }
  ReadMark mark;
  const bool is_whole = TakeNumber(&text, &mark.part) && TakeNumber(&text, &mark.byte) &&
                        TakeNumber(&text, &mark.digest);
  if (!is_whole) return std::nullopt;
  return mark;
}

}  // namespace braid
