// A disk in memory that can be stopped at any step: to show that what a crash leaves can be put in
// order again. It keeps apart what was written and what would survive a loss of power: bytes after
// Sync, names after SyncDirectory.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/connectors/file_operations.h"

namespace braid {

class MemoryFileOperations final : public FileOperations {
 public:
  // The step of this number (from 0) and all later ones fail; of an Append half is done.
  void StopAt(int64_t step) { stop_at_ = step; }
  bool stopped() const { return stop_at_ && steps_ > *stop_at_; }
  int64_t steps() const { return steps_; }

  // Steps succeed again and are counted from 0: the next process.
  void Restart();
  // As Restart, but what was not synced is gone.
  void RestartAfterPowerLoss();

  // All files by path, with their bytes.
  std::map<std::string, std::string> Files() const;

  Status CreateDirectories(const std::string& path, bool durable) override;
  Result<std::vector<std::string>> List(const std::string& directory) override;
  Result<std::string> ReadAll(const std::string& path) override;
  Result<std::string> ReadRange(const std::string& path, int64_t begin, int64_t size) override;
  Result<int64_t> SizeOf(const std::string& path) override;
  Result<std::unique_ptr<OutputFile>> NewFile(const std::string& path, Create create) override;
  Result<std::unique_ptr<OutputFile>> OpenToAppend(const std::string& path, int64_t size) override;
  Status Rename(const std::string& from, const std::string& to) override;
  Status Remove(const std::string& path) override;
  Status SyncDirectory(const std::string& directory) override;

 private:
  class File;
  struct Content {
    std::string bytes;
    std::string synced_bytes;
  };

  // Counts a step that changes something; fails if it is stopped.
  Status Step();

  std::map<std::string, std::shared_ptr<Content>> files_;
  std::map<std::string, std::shared_ptr<Content>> synced_files_;
  int64_t steps_ = 0;
  std::optional<int64_t> stop_at_;
};

}  // namespace braid
