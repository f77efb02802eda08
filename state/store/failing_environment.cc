#include "state/store/failing_environment.h"

#include <leveldb/env.h>

#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "state/faults/fail_point.h"

namespace braid {

namespace {

leveldb::Status Failed(const std::string& name, int error) {
  return leveldb::Status::IOError(name, std::generic_category().message(error));
}

// What a file of LevelDB is, by its name.
std::string PointsOf(const std::string& name) {
  if (name.ends_with(".log")) return "state.log.";
  if (name.ends_with(".ldb")) return "state.table.";
  return name.find("/MANIFEST-") != std::string::npos ? "state.manifest." : "state.current.";
}

class FailingFile final : public leveldb::WritableFile {
 public:
  FailingFile(std::string name, leveldb::WritableFile* file)
      : name_(std::move(name)), points_(PointsOf(name_)), file_(file) {}

  leveldb::Status Append(const leveldb::Slice& data) override {
    const WriteFault fault = PassWriteFailPoint(points_ + "write");
    if (!fault) return file_->Append(data);
    leveldb::Status half = file_->Append(leveldb::Slice(data.data(), data.size() / 2));
    if (half.ok()) half = file_->Flush();
    if (fault.dies) Die();
    return half.ok() ? Failed(name_, fault.error) : half;
  }
  leveldb::Status Close() override { return file_->Close(); }
  leveldb::Status Flush() override { return file_->Flush(); }
  leveldb::Status Sync() override {
    const int error = PassFailPoint(points_ + "sync");
    return error == 0 ? file_->Sync() : Failed(name_, error);
  }

 private:
  const std::string name_;
  const std::string points_;
  const std::unique_ptr<leveldb::WritableFile> file_;
};

class FailingEnvironment final : public leveldb::EnvWrapper {
 public:
  explicit FailingEnvironment(leveldb::Env* environment) : EnvWrapper(environment) {}

  leveldb::Status NewWritableFile(const std::string& name,
                                  leveldb::WritableFile** result) override {
    *result = nullptr;
    if (const int error = PassFailPoint(PointsOf(name) + "create")) return Failed(name, error);
    leveldb::WritableFile* file = nullptr;
    leveldb::Status status = target()->NewWritableFile(name, &file);
    if (status.ok()) *result = new FailingFile(name, file);
    return status;
  }
  leveldb::Status RenameFile(const std::string& from, const std::string& to) override {
    // LevelDB also renames its text log, which nobody reads back.
    if (to.ends_with("/CURRENT")) {
      if (const int error = PassFailPoint("state.current.rename")) return Failed(from, error);
    }
    return target()->RenameFile(from, to);
  }
  leveldb::Status RemoveFile(const std::string& name) override {
    if (const int error = PassFailPoint("state.remove")) return Failed(name, error);
    return target()->RemoveFile(name);
  }
};

}  // namespace

leveldb::Env* NewFailingEnvironment(leveldb::Env* target) { return new FailingEnvironment(target); }

}  // namespace braid
