#include "engine/connectors/failing_file_operations.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "state/faults/fail_point.h"

namespace braid {

namespace {

// What the point says of a call: nothing, or that it fails.
Status Pass(const std::string& use, std::string_view call, std::string_view doing,
            const std::string& path) {
  const int error = PassFailPoint(fmt::format("{}.{}", use, call));
  if (error == 0) return {};
  return tl::unexpected<Error>(FileError(doing, path, error));
}

class FailingOutputFile final : public OutputFile {
 public:
  FailingOutputFile(std::string use, std::string path, std::unique_ptr<OutputFile> file)
      : use_(std::move(use)), path_(std::move(path)), file_(std::move(file)) {}

  Status Append(std::string_view bytes) override {
    const WriteFault fault = PassWriteFailPoint(use_ + ".write");
    if (!fault) return file_->Append(bytes);
    Status half = file_->Append(bytes.substr(0, bytes.size() / 2));
    if (fault.dies) Die();
    if (!half) return half;
    return tl::unexpected<Error>(FileError("write", path_, fault.error));
  }
  Status Sync() override {
    if (Status passed = Pass(use_, "sync", "sync", path_); !passed) return passed;
    return file_->Sync();
  }
  Status Close() override {
    if (Status passed = Pass(use_, "close", "close", path_); !passed) return passed;
    return file_->Close();
  }

 private:
  const std::string use_;
  const std::string path_;
  const std::unique_ptr<OutputFile> file_;
};

class FailingFileOperations final : public FileOperations {
 public:
  FailingFileOperations(std::shared_ptr<FileOperations> operations, std::string_view use)
      : operations_(std::move(operations)), use_(use) {}

  Status CreateDirectories(const std::string& path, bool durable) override {
    Status passed = Pass(use_, "create-folder", "create the folder", path);
    return passed ? operations_->CreateDirectories(path, durable) : passed;
  }
  Result<std::vector<std::string>> List(const std::string& directory) override {
    return operations_->List(directory);
  }
  Result<std::string> ReadAll(const std::string& path) override {
    return operations_->ReadAll(path);
  }
  Result<std::string> ReadRange(const std::string& path, int64_t begin, int64_t size) override {
    return operations_->ReadRange(path, begin, size);
  }
  Result<int64_t> SizeOf(const std::string& path) override { return operations_->SizeOf(path); }
  Result<std::unique_ptr<OutputFile>> NewFile(const std::string& path, Create create) override {
    if (Status passed = Pass(UseOf(path), "create", "create", path); !passed) {
      return tl::unexpected(passed.error());
    }
    return Guard(path, operations_->NewFile(path, create));
  }
  Result<std::unique_ptr<OutputFile>> OpenToAppend(const std::string& path, int64_t size) override {
    if (Status passed = Pass(UseOf(path), "open", "open", path); !passed) {
      return tl::unexpected(passed.error());
    }
    return Guard(path, operations_->OpenToAppend(path, size));
  }
  Status Rename(const std::string& from, const std::string& to) override {
    Status passed = Pass(UseOf(to), "rename", "rename", from);
    return passed ? operations_->Rename(from, to) : passed;
  }
  Status Remove(const std::string& path) override {
    Status passed = Pass(use_, "remove", "remove", path);
    return passed ? operations_->Remove(path) : passed;
  }
  Status SyncDirectory(const std::string& directory) override {
    Status passed = Pass(use_, "sync-folder", "sync", directory);
    return passed ? operations_->SyncDirectory(directory) : passed;
  }

 private:
  std::string UseOf(std::string_view path) const {
    if (path.ends_with(".tmp")) path.remove_suffix(4);
    if (path.ends_with("_braid_owner")) return "owner";
    return path.ends_with("_braid_batches") ? "index" : use_;
  }
  Result<std::unique_ptr<OutputFile>> Guard(const std::string& path,
                                            Result<std::unique_ptr<OutputFile>> file) const {
    if (!file) return file;
    return std::make_unique<FailingOutputFile>(UseOf(path), path, std::move(*file));
  }

  const std::shared_ptr<FileOperations> operations_;
  const std::string use_;
};

}  // namespace

std::shared_ptr<FileOperations> NewFailingFileOperations(std::shared_ptr<FileOperations> operations,
                                                         std::string_view use) {
  return std::make_shared<FailingFileOperations>(std::move(operations), use);
}

}  // namespace braid
