#include "engine/connectors/bad_record_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "engine/connectors/file_operations.h"
#include "state/faults/fail_point.h"

namespace braid {

namespace {

// True if the line of a bad record belongs to `part` before `line`, or to an earlier part.
bool IsBefore(std::string_view text, int64_t part, int64_t line) {
  const nlohmann::json record = nlohmann::json::parse(text, nullptr, false);
  if (!record.is_object()) return false;
  const auto record_part = record.find("part");
  const auto record_line = record.find("line");
  if (record_part == record.end() || record_line == record.end()) return false;
  if (!record_part->is_number_integer() || !record_line->is_number_integer()) return false;
  return *record_part < part || (*record_part == part && *record_line < line);
}

// A table's name may hold what a file's name cannot.
std::string FileNameOf(const std::string& table) {
  std::string name;
  for (const char letter : table) name += letter == '/' || letter == '\0' ? '_' : letter;
  return name + ".json";
}

}  // namespace

BadRecordFile::BadRecordFile(std::string folder, const std::string& table)
    : folder_(std::move(folder)) {
  if (!folder_.empty()) path_ = fmt::format("{}/{}", folder_, FileNameOf(table));
}

BadRecordFile::~BadRecordFile() {
  static_cast<void>(Flush());
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status BadRecordFile::Open(bool create) {
  if (descriptor_ >= 0 || is_kept_by_another_) return {};
  if (create) {
    if (const int error = PassFailPoint("bad-records.create")) {
      return tl::unexpected<Error>(FileError("create", path_, error));
    }
    Status created = NewPosixFileOperations()->CreateDirectories(folder_, /*durable=*/true);
    if (!created) return created;
  }
  const int descriptor =
      ::open(path_.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | (create ? O_CREAT : 0), 0666);
  if (descriptor < 0) {
    if (errno == ENOENT && !create) return {};
    return tl::unexpected<Error>(FileError("open", path_, errno));
  }
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    ::close(descriptor);
    is_kept_by_another_ = true;
    return {};
  }
  descriptor_ = descriptor;
  return {};
}

Status BadRecordFile::Rewind(int64_t part, int64_t line) {
  if (path_.empty()) return {};
  if (Status opened = Open(false); !opened || descriptor_ < 0) return opened;
  if (Status flushed = Flush(); !flushed) return flushed;
  const Result<std::string> text = NewPosixFileOperations()->ReadAll(path_);
  if (!text) return tl::unexpected(text.error());
  size_t begin = 0;
  for (size_t end = text->find('\n'); end != std::string::npos; end = text->find('\n', begin)) {
    if (!IsBefore(std::string_view(*text).substr(begin, end - begin), part, line)) break;
    begin = end + 1;
  }
  if (begin == text->size()) return {};
  is_synced_ = false;
  if (const int error = PassFailPoint("bad-records.cut")) {
    return tl::unexpected<Error>(FileError("cut", path_, error));
  }
  if (::ftruncate(descriptor_, static_cast<off_t>(begin)) != 0) {
    return tl::unexpected<Error>(FileError("cut", path_, errno));
  }
  return {};
}

Status BadRecordFile::Add(int64_t part, const std::string& file, const BadRecord& record) {
  if (path_.empty()) return {};
  if (Status opened = Open(true); !opened || descriptor_ < 0) return opened;
  const nlohmann::ordered_json object = {{"file", file},
                                         {"line", record.line},
                                         {"reason", record.reason},
                                         {"text", record.text},
                                         {"part", part}};
  buffer_ += object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  buffer_ += '\n';
  return buffer_.size() < kBufferBytes ? Status() : Flush();
}

Status BadRecordFile::Flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    if (const int error = PassFailPoint("bad-records.write")) {
      return tl::unexpected<Error>(FileError("write", path_, error));
    }
    const ssize_t count = ::write(descriptor_, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return tl::unexpected<Error>(FileError("write", path_, errno));
    rest.remove_prefix(static_cast<size_t>(count));
    is_synced_ = false;
  }
  buffer_.clear();
  return {};
}

Status BadRecordFile::Sync() {
  if (Status flushed = Flush(); !flushed) return flushed;
  if (is_synced_ || descriptor_ < 0) return {};
  int error = PassFailPoint("bad-records.sync");
  if (error == 0 && ::fdatasync(descriptor_) != 0) error = errno;
  if (error != 0) return tl::unexpected<Error>(FileError("sync", path_, error));
  if (!is_name_synced_) {
    if (Status synced = NewPosixFileOperations()->SyncDirectory(folder_); !synced) return synced;
  }
  is_name_synced_ = is_synced_ = true;
  return {};
}

}  // namespace braid
