#include "tests/connectors/memory_file_operations.h"

#include <algorithm>
#include <cerrno>

namespace braid {

namespace {

std::string FolderOf(const std::string& path) { return path.substr(0, path.rfind('/')); }

}  // namespace

class MemoryFileOperations::File final : public OutputFile {
 public:
  File(MemoryFileOperations* disk, std::shared_ptr<Content> content)
      : disk_(disk), content_(std::move(content)) {}

  Status Append(std::string_view bytes) override {
    const bool was_stopped = disk_->stopped();
    Status step = disk_->Step();
    if (!step && !was_stopped) content_->bytes += bytes.substr(0, bytes.size() / 2);
    if (step) content_->bytes += bytes;
    return step;
  }
  Status Sync() override {
    Status step = disk_->Step();
    if (step) content_->synced_bytes = content_->bytes;
    return step;
  }
  Status Close() override { return disk_->Step(); }

 private:
  MemoryFileOperations* disk_;
  std::shared_ptr<Content> content_;
};

Status MemoryFileOperations::Step() {
  ++steps_;
  if (stopped()) return Fail(ErrorCode::kIo, "the process was stopped");
  return {};
}

void MemoryFileOperations::Restart() {
  steps_ = 0;
  stop_at_.reset();
}

void MemoryFileOperations::RestartAfterPowerLoss() {
  Restart();
  files_ = synced_files_;
  for (auto& [path, content] : files_) content->bytes = content->synced_bytes;
}

std::map<std::string, std::string> MemoryFileOperations::Files() const {
  std::map<std::string, std::string> files;
  for (const auto& [path, content] : files_) files[path] = content->bytes;
  return files;
}

Status MemoryFileOperations::CreateDirectories(const std::string& /*path*/, bool /*durable*/) {
  return Step();
}

Result<std::vector<std::string>> MemoryFileOperations::List(const std::string& directory) {
  std::vector<std::string> names;
  for (const auto& [path, content] : files_) {
    if (FolderOf(path) == directory) names.push_back(path.substr(directory.size() + 1));
  }
  return names;
}

Result<std::string> MemoryFileOperations::ReadAll(const std::string& path) {
  const auto file = files_.find(path);
  if (file == files_.end()) return tl::unexpected<Error>(FileError("open", path, ENOENT));
  return file->second->bytes;
}

Result<std::string> MemoryFileOperations::ReadRange(const std::string& path, int64_t begin,
                                                    int64_t size) {
  Result<std::string> bytes = ReadAll(path);
  if (!bytes) return bytes;
  const size_t from = std::min(static_cast<size_t>(begin), bytes->size());
  return bytes->substr(from, static_cast<size_t>(size));
}

Result<int64_t> MemoryFileOperations::SizeOf(const std::string& path) {
  const Result<std::string> bytes = ReadAll(path);
  if (!bytes) return tl::unexpected(bytes.error());
  return std::ssize(*bytes);
}

Result<std::unique_ptr<OutputFile>> MemoryFileOperations::NewFile(const std::string& path,
                                                                  Create create) {
  if (Status step = Step(); !step) return tl::unexpected(step.error());
  if (create == Create::kExclusive && files_.contains(path)) {
    return Fail(ErrorCode::kConflict, "'" + path + "' exists already");
  }
  // An existing file keeps its identity when it is cut.
  std::shared_ptr<Content>& content = files_[path];
  if (content == nullptr) content = std::make_shared<Content>();
  content->bytes.clear();
  return std::make_unique<File>(this, content);
}

Result<std::unique_ptr<OutputFile>> MemoryFileOperations::OpenToAppend(const std::string& path,
                                                                       int64_t size) {
  if (Status step = Step(); !step) return tl::unexpected(step.error());
  std::shared_ptr<Content>& content = files_[path];
  if (content == nullptr) content = std::make_shared<Content>();
  content->bytes.resize(static_cast<size_t>(size));
  return std::make_unique<File>(this, content);
}

Status MemoryFileOperations::Rename(const std::string& from, const std::string& to) {
  if (Status step = Step(); !step) return step;
  const auto file = files_.find(from);
  if (file == files_.end()) return tl::unexpected<Error>(FileError("rename", from, ENOENT));
  files_[to] = file->second;
  files_.erase(from);
  return {};
}

Status MemoryFileOperations::Remove(const std::string& path) {
  Status step = Step();
  if (step) files_.erase(path);
  return step;
}

Status MemoryFileOperations::SyncDirectory(const std::string& directory) {
  if (Status step = Step(); !step) return step;
  std::erase_if(synced_files_, [&](const auto& file) { return FolderOf(file.first) == directory; });
  for (const auto& [path, content] : files_) {
    if (FolderOf(path) == directory) synced_files_[path] = content;
  }
  return {};
}

}  // namespace braid
