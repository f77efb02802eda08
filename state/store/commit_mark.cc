#include "state/store/commit_mark.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "state/faults/fail_point.h"
#include "state/rows/checked_line.h"

namespace braid {

namespace {

tl::unexpected<Error> Failed(const std::string& path, const char* what) {
  const std::error_code error(errno, std::generic_category());
  return Fail(ErrorCode::kIo,
              fmt::format("the file {} cannot be {}: {}", path, what, error.message()));
}

}  // namespace

std::string EncodeCommitted(const Committed& committed) {
  return CheckedLine(
      fmt::format("committed {:>20} planned {:>20}", committed.version, committed.planned));
}

std::optional<Committed> DecodeCommitted(std::string_view line) {
  if (!line.ends_with('\n')) return std::nullopt;
  std::optional<std::string_view> text = TextOfCheckedLine(line.substr(0, line.size() - 1));
  Committed committed;
  for (const auto& [word, number] :
       {std::pair("committed ", &committed.version), std::pair("planned ", &committed.planned)}) {
    if (!text || !text->starts_with(word)) return std::nullopt;
    text->remove_prefix(std::min(text->find_first_not_of(' ', std::strlen(word)), text->size()));
    if (!TakeNumber(&*text, number)) return std::nullopt;
  }
  if (EncodeCommitted(committed) != line) return std::nullopt;
  return committed;
}

std::string CommitMarkPath(const std::string& directory) { return directory + "/committed"; }

Result<std::optional<Committed>> ReadCommitMark(const std::string& directory) {
  const std::string path = CommitMarkPath(directory);
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 && (errno == ENOENT || errno == ENOTDIR)) return std::optional<Committed>();
  if (file < 0) return Failed(path, "read");
  std::array<char, 256> buffer;
  const ssize_t size = read(file, buffer.data(), buffer.size());
  close(file);
  if (size < 0) return Failed(path, "read");
  if (size == 0) return std::optional<Committed>();
  const std::string_view text(buffer.data(), static_cast<size_t>(size));
  if (const std::optional<Committed> committed = DecodeCommitted(text)) return committed;
  return Fail(ErrorCode::kCorruption,
              fmt::format("the file {} is damaged: it does not say any more which version was "
                          "committed last",
                          path));
}

CommitMark::CommitMark(const std::string& directory) : path_(CommitMarkPath(directory)) {}

CommitMark::~CommitMark() {
  if (file_ >= 0) close(file_);
}

Status CommitMark::Note(const Committed& committed) {
  if (const int failure = PassFailPoint("state.mark"); failure != 0) {
    errno = failure;
    return Failed(path_, "written");
  }
  if (file_ < 0) file_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (file_ < 0) return Failed(path_, "written");
  const std::string line = EncodeCommitted(committed);
  ssize_t written = 0;
  do {
    written = pwrite(file_, line.data(), line.size(), 0);
  } while (written < 0 && errno == EINTR);
  if (written < 0) return Failed(path_, "written");
  if (written == static_cast<ssize_t>(line.size())) return {};
  return Fail(ErrorCode::kIo, fmt::format("the file {} cannot be written: no space left", path_));
}

}  // namespace braid
