#include "tests/state/fault_environment.h"

#include <leveldb/env.h>

#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace braid {

namespace {

struct FileState {
  uint64_t written = 0;
  uint64_t synced = 0;
  bool ever_synced = false;
};

// What a write is to do.
enum class Verdict { kSucceed, kFail };

}  // namespace

class FaultEnvironment::Implementation final : public leveldb::EnvWrapper {
 public:
  Implementation() : EnvWrapper(leveldb::Env::Default()) {}

  leveldb::Status NewWritableFile(const std::string& name, leveldb::WritableFile** result) override;
  leveldb::Status NewAppendableFile(const std::string& name,
                                    leveldb::WritableFile** result) override;
  leveldb::Status RenameFile(const std::string& from, const std::string& to) override;
  leveldb::Status RemoveFile(const std::string& name) override;

  // Counts a write in and says what it is to do.
  Verdict NextWrite();
  void Wrote(const std::string& name, uint64_t bytes);
  void Synced(const std::string& name);

  static leveldb::Status Fault(const std::string& name) {
    return leveldb::Status::IOError(name, "no space left (on purpose)");
  }

  std::mutex mutex;
  int64_t num_writes = 0;
  std::optional<int64_t> fails_at;
  bool for_good = false;
  std::map<std::string, FileState> files;
};

namespace {

class FaultyFile final : public leveldb::WritableFile {
 public:
  FaultyFile(std::string name, leveldb::WritableFile* file, std::function<Verdict()> next_write,
             std::function<void(uint64_t)> wrote, std::function<void()> synced)
      : name_(std::move(name)),
        file_(file),
        next_write_(std::move(next_write)),
        wrote_(std::move(wrote)),
        synced_(std::move(synced)) {}

  leveldb::Status Append(const leveldb::Slice& data) override {
    const Verdict verdict = next_write_();
    const leveldb::Slice part(data.data(),
                              verdict == Verdict::kFail ? data.size() / 2 : data.size());
    leveldb::Status status = file_->Append(part);
    // Nothing stays in a buffer, so that a crash is only about what was synced.
    if (status.ok()) status = file_->Flush();
    if (status.ok()) wrote_(part.size());
    if (verdict == Verdict::kFail) return Fault();
    return status;
  }
  leveldb::Status Close() override { return file_->Close(); }
  leveldb::Status Flush() override { return file_->Flush(); }
  leveldb::Status Sync() override {
    if (next_write_() == Verdict::kFail) return Fault();
    synced_();
    return leveldb::Status::OK();
  }

 private:
  leveldb::Status Fault() const {
    return leveldb::Status::IOError(name_, "no space left (on purpose)");
  }

  const std::string name_;
  const std::unique_ptr<leveldb::WritableFile> file_;
  const std::function<Verdict()> next_write_;
  const std::function<void(uint64_t)> wrote_;
  const std::function<void()> synced_;
};

}  // namespace

Verdict FaultEnvironment::Implementation::NextWrite() {
  const std::lock_guard lock(mutex);
  ++num_writes;
  if (!fails_at || num_writes < *fails_at) return Verdict::kSucceed;
  return num_writes == *fails_at || for_good ? Verdict::kFail : Verdict::kSucceed;
}

void FaultEnvironment::Implementation::Wrote(const std::string& name, uint64_t bytes) {
  const std::lock_guard lock(mutex);
  files[name].written += bytes;
}

void FaultEnvironment::Implementation::Synced(const std::string& name) {
  const std::lock_guard lock(mutex);
  files[name].synced = files[name].written;
  files[name].ever_synced = true;
}

leveldb::Status FaultEnvironment::Implementation::NewWritableFile(const std::string& name,
                                                                  leveldb::WritableFile** result) {
  *result = nullptr;
  if (NextWrite() == Verdict::kFail) return Fault(name);
  leveldb::WritableFile* file = nullptr;
  leveldb::Status status = target()->NewWritableFile(name, &file);
  if (!status.ok()) return status;
  {
    const std::lock_guard lock(mutex);
    files[name] = {};
  }
  *result = new FaultyFile(
      name, file, [this] { return NextWrite(); },
      [this, name](uint64_t bytes) { Wrote(name, bytes); }, [this, name] { Synced(name); });
  return status;
}

leveldb::Status FaultEnvironment::Implementation::NewAppendableFile(
    const std::string& name, leveldb::WritableFile** result) {
  *result = nullptr;
  return leveldb::Status::NotSupported(name, "logs are not reused");
}

leveldb::Status FaultEnvironment::Implementation::RenameFile(const std::string& from,
                                                             const std::string& to) {
  if (NextWrite() == Verdict::kFail) return Fault(from);
  leveldb::Status status = target()->RenameFile(from, to);
  const std::lock_guard lock(mutex);
  const auto found = files.find(from);
  if (status.ok() && found != files.end()) {
    files[to] = found->second;
    files.erase(from);
  }
  return status;
}

leveldb::Status FaultEnvironment::Implementation::RemoveFile(const std::string& name) {
  {
    const std::lock_guard lock(mutex);
    files.erase(name);
  }
  return target()->RemoveFile(name);
}

FaultEnvironment::FaultEnvironment() : implementation_(std::make_unique<Implementation>()) {}
FaultEnvironment::~FaultEnvironment() = default;

leveldb::Env* FaultEnvironment::env() { return implementation_.get(); }

int64_t FaultEnvironment::num_writes() const {
  const std::lock_guard lock(implementation_->mutex);
  return implementation_->num_writes;
}

void FaultEnvironment::FailWrite(int64_t count, bool for_good) {
  const std::lock_guard lock(implementation_->mutex);
  implementation_->fails_at = implementation_->num_writes + count;
  implementation_->for_good = for_good;
}

void FaultEnvironment::HealWrites() {
  const std::lock_guard lock(implementation_->mutex);
  implementation_->fails_at.reset();
}

void FaultEnvironment::Crash() {
  const std::lock_guard lock(implementation_->mutex);
  for (const auto& [name, file] : implementation_->files) {
    std::error_code error;
    if (!file.ever_synced) {
      std::filesystem::remove(name, error);
    } else if (file.synced < file.written) {
      std::filesystem::resize_file(name, file.synced, error);
    }
  }
  std::erase_if(implementation_->files, [](const auto& file) { return !file.second.ever_synced; });
  for (auto& [name, file] : implementation_->files) file.written = file.synced;
}

}  // namespace braid
