#include "state/store/commit_mark.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <string_view>
#include <system_error>

#include "state/faults/fail_point.h"
#include "state/rows/checked_line.h"

namespace braid {

namespace {

std::string Line(const Committed& committed) {
  return CheckedLine(
      fmt::format("committed {:>20} planned {:>20}", committed.version, committed.planned));
}

tl::unexpected<Error> Failed(const std::string& path, const char* what) {
  const std::error_code error(errno, std::generic_category());
  return Fail(ErrorCode::kIo,
              fmt::format("the file {} cannot be {}: {}", path, what, error.message()));
}

// The right-aligned number that ends before `end`.
std::optional<int64_t> NumberBefore(std::string_view text, size_t end) {
  const size_t space = text.rfind(' ', end - 1);
  if (space == std::string_view::npos) return std::nullopt;
  int64_t number = 0;
  const char* const last = text.data() + end;
  const auto [stop, failure] = std::from_chars(text.data() + space + 1, last, number);
  if (failure != std::errc() || stop != last) return std::nullopt;
  return number;
}

}  // namespace

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
  const size_t planned = text.find(" planned ");
  if (planned != std::string_view::npos) {
    const std::optional<int64_t> version = NumberBefore(text, planned);
    const std::optional<int64_t> batch = NumberBefore(text, text.size() - 1);
    if (version && batch && Line({*version, *batch}) == text) {
      return std::optional(Committed{*version, *batch});
    }
  }
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
  const std::string line = Line(committed);
  ssize_t written = 0;
  do {
    written = pwrite(file_, line.data(), line.size(), 0);
  } while (written < 0 && errno == EINTR);
  if (written < 0) return Failed(path_, "written");
  if (written == static_cast<ssize_t>(line.size())) return {};
  return Fail(ErrorCode::kIo, fmt::format("the file {} cannot be written: no space left", path_));
}

}  // namespace braid
