#include "engine/session/checkpoint_check.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/connectors/file_list.h"
#include "engine/connectors/file_offset.h"
#include "engine/connectors/file_operations.h"

namespace braid {

namespace {

// A table's name as the name of a file: what is no letter, digit, '-' or '_' as %XX.
std::string FileNameOf(const std::string& table) {
  std::string name;
  for (const char letter : table) {
    const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                       (letter >= '0' && letter <= '9') || letter == '-' || letter == '_';
    name +=
        plain ? std::string(1, letter) : fmt::format("%{:02X}", static_cast<unsigned char>(letter));
  }
  return name;
}

// The lists of a checkpoint, and whether the offsets of its versions fit them.
class ListCheck {
 public:
  ListCheck(std::string directory, CheckpointVerdict* verdict)
      : directory_(std::move(directory)), verdict_(verdict) {}

  void Run() {
    std::error_code error;
    for (const auto& entry :
         std::filesystem::directory_iterator(directory_ + kSourcesFolder, error)) {
      Load(entry.path().string());
    }
    for (const VersionInfo& info : verdict_->store.versions) {
      const BatchCommit& commit = info.commit;
      for (size_t i = 0; i < commit.source_ends.size(); ++i) {
        Check(commit.source_ends_table[i], commit.source_ends[i],
              fmt::format("version {}", info.version));
      }
    }
    if (!verdict_->store.pending_plan) return;
    for (const OffsetRange& range : verdict_->store.pending_plan->sources) {
      Check(range.table, range.end,
            fmt::format("the plan of batch {}", verdict_->store.pending_plan->batch_id));
    }
  }

 private:
  void Note(std::string what) {
    verdict_->store.damage.push_back({std::move(what), StoreDamage::Place::kList});
  }

  void Load(const std::string& folder) {
    auto list = std::make_unique<FileList>(NewPosixFileOperations());
    const Status loaded = list->LoadToRead(folder);
    if (!loaded && loaded.error().code != ErrorCode::kNotFound) {
      Note(loaded.error().message);
      bad_.emplace(folder);
    }
    if (!loaded) return;
    verdict_->num_parts += list->size();
    lists_[folder] = std::move(list);
  }

  void Check(const std::string& table, const std::string& text, const std::string& by) {
    const std::string folder = SourceFolder(directory_, table);
    // What is no offset of files is another source's, and counts no parts.
    const Result<FileOffset> offset = FileOffset::Parse(text);
    if (!offset || bad_.contains(folder)) return;
    const int64_t needed = offset->done + (offset->line > 0 ? 1 : 0);
    if (needed == 0) return;
    const auto list = lists_.find(folder);
    const int64_t size = list == lists_.end() ? 0 : list->second->size();
    if (needed <= size && Named(*list->second, *offset, needed - 1)) return;
    if (!bad_.emplace(folder).second) return;
    const std::string has =
        list == lists_.end() ? std::string("it is missing") : fmt::format("it has {} files", size);
    Note(fmt::format("{}/files: {}, but {} of table {} is at {}", folder, has, by, table, text));
  }

  // Whether the offset and the list speak of the same file; names as an offset shows them.
  static bool Named(const FileList& list, const FileOffset& offset, int64_t number) {
    FileOffset shown;
    shown.name = list.part(number).name;
    FileOffset given;
    given.name = offset.name;
    return shown.ToText() == given.ToText();
  }

  const std::string directory_;
  CheckpointVerdict* const verdict_;
  std::map<std::string, std::unique_ptr<FileList>> lists_;  // By folder.
  std::set<std::string> bad_;                               // Said already.
};

}  // namespace

std::string SourceFolder(const std::string& directory, const std::string& table) {
  return directory + kSourcesFolder + "/" + FileNameOf(table);
}

Result<CheckpointVerdict> VerifyCheckpoint(const std::string& directory) {
  Result<StoreVerdict> store = VerifyStore(directory);
  if (!store) return tl::unexpected(store.error());
  CheckpointVerdict verdict;
  verdict.store = std::move(*store);
  ListCheck(directory, &verdict).Run();
  return verdict;
}

}  // namespace braid
