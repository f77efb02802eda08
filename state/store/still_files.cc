#include "state/store/still_files.h"

#include <fmt/format.h>
#include <leveldb/env.h>

#include <algorithm>
#include <cstdarg>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace braid {

namespace {

// Files that come and go: each attempt that fails has seen a change.
constexpr int kAttemptsMax = 1'000;

class Silence final : public leveldb::Logger {
 public:
  void Logv(const char*, std::va_list) override {}
};

class NoLock final : public leveldb::FileLock {};

// What can be part of the database; its own notes (LOG) and lock cannot.
bool IsData(const std::string& name) {
  return name == "CURRENT" || name.starts_with("MANIFEST-") || name.ends_with(".ldb") ||
         name.ends_with(".sst") || name.ends_with(".log");
}

leveldb::Status Missing(const std::string& name) {
  return leveldb::Status::NotFound(name, "No such file or directory");
}

// Either of the disk, up to a size, or written since.
struct File {
  std::string name;
  std::unique_ptr<leveldb::RandomAccessFile> base;
  uint64_t size = 0;
  mutable std::mutex mutex;
  std::string written;  // Guarded by mutex; without a base.

  leveldb::Status Read(uint64_t offset, size_t bytes, leveldb::Slice* result, char* scratch) const {
    if (base != nullptr) {
      const uint64_t left = offset < size ? size - offset : 0;
      return base->Read(offset, static_cast<size_t>(std::min<uint64_t>(bytes, left)), result,
                        scratch);
    }
    const std::lock_guard lock(mutex);
    const size_t begin = static_cast<size_t>(std::min<uint64_t>(offset, written.size()));
    const size_t count = std::min(bytes, written.size() - begin);
    std::memcpy(scratch, written.data() + begin, count);
    *result = leveldb::Slice(scratch, count);
    return leveldb::Status::OK();
  }
};

class Reader final : public leveldb::SequentialFile, public leveldb::RandomAccessFile {
 public:
  explicit Reader(std::shared_ptr<const File> file) : file_(std::move(file)) {}

  leveldb::Status Read(size_t bytes, leveldb::Slice* result, char* scratch) override {
    leveldb::Status status = file_->Read(position_, bytes, result, scratch);
    if (status.ok()) position_ += result->size();
    return status;
  }
  leveldb::Status Skip(uint64_t bytes) override {
    position_ += bytes;
    return leveldb::Status::OK();
  }
  leveldb::Status Read(uint64_t offset, size_t bytes, leveldb::Slice* result,
                       char* scratch) const override {
    return file_->Read(offset, bytes, result, scratch);
  }

 private:
  const std::shared_ptr<const File> file_;
  uint64_t position_ = 0;
};

// Writes to a file of the disk are forgotten: LevelDB appends what nobody reads again.
class Writer final : public leveldb::WritableFile {
 public:
  explicit Writer(std::shared_ptr<File> file) : file_(std::move(file)) {}

  leveldb::Status Append(const leveldb::Slice& data) override {
    if (file_->base != nullptr) return leveldb::Status::OK();
    const std::lock_guard lock(file_->mutex);
    file_->written.append(data.data(), data.size());
    return leveldb::Status::OK();
  }
  leveldb::Status Close() override { return leveldb::Status::OK(); }
  leveldb::Status Flush() override { return leveldb::Status::OK(); }
  leveldb::Status Sync() override { return leveldb::Status::OK(); }

 private:
  const std::shared_ptr<File> file_;
};

}  // namespace

class StillFiles::Environment final : public leveldb::EnvWrapper {
 public:
  Environment(leveldb::Env* base, std::string folder)
      : EnvWrapper(base), folder_(std::move(folder)) {}

  // False if files came or went meanwhile.
  Result<bool> OpenFiles();
  void Cut(const std::string& path, uint64_t size);
  void FinishWork();

  leveldb::Status NewSequentialFile(const std::string& name,
                                    leveldb::SequentialFile** result) override;
  leveldb::Status NewRandomAccessFile(const std::string& name,
                                      leveldb::RandomAccessFile** result) override;
  leveldb::Status NewWritableFile(const std::string& name, leveldb::WritableFile** result) override;
  leveldb::Status NewAppendableFile(const std::string& name,
                                    leveldb::WritableFile** result) override;
  bool FileExists(const std::string& name) override;
  leveldb::Status GetChildren(const std::string& folder, std::vector<std::string>* names) override;
  leveldb::Status RemoveFile(const std::string& name) override;
  leveldb::Status CreateDir(const std::string& name) override;
  leveldb::Status RemoveDir(const std::string& name) override;
  leveldb::Status GetFileSize(const std::string& name, uint64_t* size) override;
  leveldb::Status RenameFile(const std::string& from, const std::string& to) override;
  leveldb::Status LockFile(const std::string& name, leveldb::FileLock** lock) override;
  leveldb::Status UnlockFile(leveldb::FileLock* lock) override;
  void Schedule(void (*function)(void*), void* argument) override;
  leveldb::Status NewLogger(const std::string& name, leveldb::Logger** result) override;

 private:
  using Files = std::map<std::string, std::shared_ptr<File>>;

  Result<Files> OpenAll() const;
  // What tells whether files may have come or gone: which manifest counts, and its size.
  std::pair<std::string, uint64_t> Manifest() const;
  std::string NameOf(const std::string& path) const;
  std::shared_ptr<File> Find(const std::string& path) const;

  const std::string folder_;
  mutable std::mutex mutex_;
  Files files_;  // By name in the folder.
  std::vector<std::pair<void (*)(void*), void*>> held_back_;
};

Result<bool> StillFiles::Environment::OpenFiles() {
  // A file that the manifest names is not deleted before the manifest says so: if that is the same
  // before and afterwards, all that it names were there in between.
  const auto before = Manifest();
  Result<Files> files = OpenAll();
  if (!files) return tl::unexpected(files.error());
  if (Manifest() != before) return false;
  const auto manifest = files->find(before.first);
  if (manifest != files->end()) manifest->second->size = before.second;
  files_ = std::move(*files);
  return true;
}

std::pair<std::string, uint64_t> StillFiles::Environment::Manifest() const {
  std::string name;
  if (!leveldb::ReadFileToString(target(), folder_ + "/CURRENT", &name).ok()) return {};
  while (!name.empty() && name.back() == '\n') name.pop_back();
  uint64_t size = 0;
  if (!target()->GetFileSize(folder_ + "/" + name, &size).ok()) size = 0;
  return {name, size};
}

Result<StillFiles::Environment::Files> StillFiles::Environment::OpenAll() const {
  Files files;
  std::vector<std::string> names;
  if (!target()->GetChildren(folder_, &names).ok()) return files;
  // Logs in their order: what is in a later one was written when an earlier one was complete.
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    if (!IsData(name)) continue;
    const std::string path = folder_ + "/" + name;
    leveldb::RandomAccessFile* opened = nullptr;
    leveldb::Status status = target()->NewRandomAccessFile(path, &opened);
    auto file = std::make_shared<File>();
    file->base.reset(opened);
    if (status.ok()) status = target()->GetFileSize(path, &file->size);
    if (status.IsNotFound()) continue;  // Deleted meanwhile.
    if (!status.ok()) {
      return Fail(ErrorCode::kIo,
                  fmt::format("the checkpoint in {}: {}", folder_, status.ToString()));
    }
    file->name = name;
    files.emplace(name, std::move(file));
  }
  return files;
}

void StillFiles::Environment::Cut(const std::string& name, uint64_t size) {
  const std::shared_ptr<File> file = Find(name);
  if (file != nullptr) file->size = std::min(file->size, size);
}

void StillFiles::Environment::FinishWork() {
  std::vector<std::pair<void (*)(void*), void*>> work;
  {
    const std::lock_guard lock(mutex_);
    work.swap(held_back_);
  }
  for (const auto& [function, argument] : work) target()->Schedule(function, argument);
}

std::string StillFiles::Environment::NameOf(const std::string& path) const {
  const std::string prefix = folder_ + "/";
  return path.starts_with(prefix) ? path.substr(prefix.size()) : path;
}

std::shared_ptr<File> StillFiles::Environment::Find(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  const auto found = files_.find(NameOf(path));
  return found == files_.end() ? nullptr : found->second;
}

leveldb::Status StillFiles::Environment::NewSequentialFile(const std::string& name,
                                                           leveldb::SequentialFile** result) {
  const std::shared_ptr<File> file = Find(name);
  *result = file == nullptr ? nullptr : new Reader(file);
  return file == nullptr ? Missing(name) : leveldb::Status::OK();
}

leveldb::Status StillFiles::Environment::NewRandomAccessFile(const std::string& name,
                                                             leveldb::RandomAccessFile** result) {
  const std::shared_ptr<File> file = Find(name);
  *result = file == nullptr ? nullptr : new Reader(file);
  return file == nullptr ? Missing(name) : leveldb::Status::OK();
}

leveldb::Status StillFiles::Environment::NewWritableFile(const std::string& name,
                                                         leveldb::WritableFile** result) {
  auto file = std::make_shared<File>();
  file->name = NameOf(name);
  const std::lock_guard lock(mutex_);
  files_[file->name] = file;
  *result = new Writer(file);
  return leveldb::Status::OK();
}

leveldb::Status StillFiles::Environment::NewAppendableFile(const std::string& name,
                                                           leveldb::WritableFile** result) {
  const std::shared_ptr<File> file = Find(name);
  if (file == nullptr) return NewWritableFile(name, result);
  *result = new Writer(file);
  return leveldb::Status::OK();
}

bool StillFiles::Environment::FileExists(const std::string& name) { return Find(name) != nullptr; }

leveldb::Status StillFiles::Environment::GetChildren(const std::string&,
                                                     std::vector<std::string>* names) {
  const std::lock_guard lock(mutex_);
  names->clear();
  for (const auto& [name, file] : files_) names->push_back(name);
  return leveldb::Status::OK();
}

leveldb::Status StillFiles::Environment::RemoveFile(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return files_.erase(NameOf(name)) > 0 ? leveldb::Status::OK() : Missing(name);
}

leveldb::Status StillFiles::Environment::CreateDir(const std::string&) {
  return leveldb::Status::OK();
}

leveldb::Status StillFiles::Environment::RemoveDir(const std::string&) {
  return leveldb::Status::OK();
}

leveldb::Status StillFiles::Environment::GetFileSize(const std::string& name, uint64_t* size) {
  const std::shared_ptr<File> file = Find(name);
  if (file == nullptr) return Missing(name);
  const std::lock_guard lock(file->mutex);
  *size = file->base != nullptr ? file->size : file->written.size();
  return leveldb::Status::OK();
}

leveldb::Status StillFiles::Environment::RenameFile(const std::string& from,
                                                    const std::string& to) {
  const std::lock_guard lock(mutex_);
  const auto found = files_.find(NameOf(from));
  if (found == files_.end()) return Missing(from);
  std::shared_ptr<File> file = std::move(found->second);
  files_.erase(found);
  files_[NameOf(to)] = std::move(file);
  return leveldb::Status::OK();
}

leveldb::Status StillFiles::Environment::LockFile(const std::string&, leveldb::FileLock** lock) {
  *lock = new NoLock();
  return leveldb::Status::OK();
}

leveldb::Status StillFiles::Environment::UnlockFile(leveldb::FileLock* lock) {
  delete lock;
  return leveldb::Status::OK();
}

void StillFiles::Environment::Schedule(void (*function)(void*), void* argument) {
  const std::lock_guard lock(mutex_);
  held_back_.emplace_back(function, argument);
}

leveldb::Status StillFiles::Environment::NewLogger(const std::string&, leveldb::Logger** result) {
  *result = new Silence();
  return leveldb::Status::OK();
}

StillFiles::StillFiles(std::unique_ptr<Environment> environment)
    : environment_(std::move(environment)) {}

StillFiles::~StillFiles() = default;

Result<std::unique_ptr<StillFiles>> StillFiles::Take(leveldb::Env* base,
                                                     const std::string& folder) {
  auto environment = std::make_unique<Environment>(base, folder);
  for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
    const Result<bool> opened = environment->OpenFiles();
    if (!opened) return tl::unexpected(opened.error());
    if (*opened) return std::unique_ptr<StillFiles>(new StillFiles(std::move(environment)));
  }
  return Fail(ErrorCode::kConflict,
              fmt::format("the files of the checkpoint in {} change all the time", folder));
}

leveldb::Env* StillFiles::env() const { return environment_.get(); }

void StillFiles::Cut(const std::string& path, uint64_t size) { environment_->Cut(path, size); }

void StillFiles::FinishWork() { environment_->FinishWork(); }

}  // namespace braid
