#include "state/store/database_check.h"

#include <fmt/format.h>
#include <leveldb/env.h>
#include <leveldb/iterator.h>
#include <leveldb/options.h>
#include <leveldb/table.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>

#include "state/store/log_scan.h"

namespace braid {

namespace {

// Reads the numbers of a manifest's records. After a failure all further ones fail.
class EditReader {
 public:
  explicit EditReader(std::string_view bytes) : bytes_(bytes) {}

  bool at_end() const { return bytes_.empty() || failed_; }
  bool failed() const { return failed_; }

  uint64_t Number() {
    uint64_t number = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (bytes_.empty()) break;
      const uint8_t byte = static_cast<uint8_t>(bytes_.front());
      bytes_.remove_prefix(1);
      number |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return number;
    }
    failed_ = true;
    return 0;
  }

  void SkipText() {
    const uint64_t size = Number();
    if (size > bytes_.size()) failed_ = true;
    if (!failed_) bytes_.remove_prefix(static_cast<size_t>(size));
  }

 private:
  std::string_view bytes_;
  bool failed_ = false;
};

// What a manifest says is there.
struct Manifest {
  uint64_t log_number = 0;
  // LevelDB wants all three; they come in the first records.
  bool has_log_number = false;
  bool has_next_file = false;
  bool has_last_sequence = false;
  std::map<uint64_t, uint64_t> tables;  // Sizes by number.
};

// The tags of LevelDB's version edits.
bool ReadEdit(std::string_view record, Manifest* manifest) {
  EditReader reader(record);
  while (!reader.at_end()) {
    switch (reader.Number()) {
      case 1:  // Comparator.
        reader.SkipText();
        break;
      case 2:
        manifest->log_number = reader.Number();
        manifest->has_log_number = true;
        break;
      case 3:
        reader.Number();
        manifest->has_next_file = true;
        break;
      case 4:
        reader.Number();
        manifest->has_last_sequence = true;
        break;
      case 9:  // Log before.
        reader.Number();
        break;
      case 5:  // Where compaction goes on: level, key.
        reader.Number();
        reader.SkipText();
        break;
      case 6:  // Level, deleted table.
        reader.Number();
        manifest->tables.erase(reader.Number());
        break;
      case 7: {  // Level, new table, its size, first and last key.
        reader.Number();
        const uint64_t number = reader.Number();
        manifest->tables[number] = reader.Number();
        reader.SkipText();
        reader.SkipText();
        break;
      }
      default:
        return false;
    }
  }
  return !reader.failed();
}

std::optional<uint64_t> NumberOf(std::string_view name, std::string_view suffix) {
  if (!name.ends_with(suffix)) return std::nullopt;
  name.remove_suffix(suffix.size());
  uint64_t number = 0;
  const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (failure != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

class DatabaseCheck {
 public:
  DatabaseCheck(leveldb::Env* env, const std::string& folder, CheckDepth depth)
      : env_(env), folder_(folder), depth_(depth) {}

  std::vector<DamagedFile> Run() {
    std::vector<std::string> names;
    env_->GetChildren(folder_, &names);
    names_.insert(names.begin(), names.end());
    if (const std::optional<Manifest> manifest = CheckManifest()) {
      CheckLogs(*manifest);
      CheckTables(*manifest);
    }
    return std::move(damaged_);
  }

 private:
  std::string PathOf(const std::string& name) const { return folder_ + "/" + name; }

  void Note(const std::string& name, std::string what, uint64_t good_bytes = 0) {
    damaged_.push_back({PathOf(name), std::move(what), good_bytes});
  }

  // The part of a file from a byte on; absent, and noted, if it cannot be read.
  std::optional<std::string> Read(const std::string& name, uint64_t begin, uint64_t size) {
    leveldb::RandomAccessFile* opened = nullptr;
    leveldb::Status status = env_->NewRandomAccessFile(PathOf(name), &opened);
    const std::unique_ptr<leveldb::RandomAccessFile> file(opened);
    std::string bytes(static_cast<size_t>(size - begin), '\0');
    leveldb::Slice result;
    if (status.ok()) status = file->Read(begin, bytes.size(), &result, bytes.data());
    if (!status.ok()) {
      Note(name, status.ToString());
      return std::nullopt;
    }
    return result.ToString();
  }

  std::optional<uint64_t> SizeOf(const std::string& name) {
    uint64_t size = 0;
    const leveldb::Status status = env_->GetFileSize(PathOf(name), &size);
    if (status.ok()) return size;
    Note(name, status.ToString());
    return std::nullopt;
  }

  std::optional<Manifest> CheckManifest() {
    if (!names_.contains("CURRENT")) {
      Note("CURRENT", "it is missing");
      return std::nullopt;
    }
    const std::optional<uint64_t> size = SizeOf("CURRENT");
    std::optional<std::string> name = size ? Read("CURRENT", 0, *size) : std::nullopt;
    if (!name) return std::nullopt;
    const bool is_name = name->ends_with('\n') && name->starts_with("MANIFEST-") &&
                         NumberOf(std::string_view(*name).substr(9), "\n").has_value();
    if (!is_name) {
      Note("CURRENT", "it does not name a manifest");
      return std::nullopt;
    }
    name->pop_back();
    if (!names_.contains(*name)) {
      Note(*name, "it is missing, or the file CURRENT, which names it, is damaged");
      return std::nullopt;
    }
    const std::optional<uint64_t> bytes = SizeOf(*name);
    const std::optional<std::string> content = bytes ? Read(*name, 0, *bytes) : std::nullopt;
    if (!content) return std::nullopt;
    return ReadManifest(*name, *content);
  }

  std::optional<Manifest> ReadManifest(const std::string& name, const std::string& content) {
    Manifest manifest;
    bool any = false;
    bool understood = true;
    const LogEnd end = ScanLog(content, /*begins=*/true, [&](std::string_view record) {
      any = true;
      understood = ReadEdit(record, &manifest);
      return understood;
    });
    if (end.kind == LogEnd::Kind::kDamaged || !understood) {
      Note(name, fmt::format("damaged at byte {}", end.at));
      return std::nullopt;
    }
    if (!any) {
      Note(name, "it has no record");
      return std::nullopt;
    }
    if (!manifest.has_log_number || !manifest.has_next_file || !manifest.has_last_sequence) {
      Note(name, "its end is missing");
      return std::nullopt;
    }
    return manifest;
  }

  void CheckLogs(const Manifest& manifest) {
    const std::string needed = fmt::format("{:06}.log", manifest.log_number);
    if (manifest.log_number > 0 && !names_.contains(needed)) {
      Note(needed, "it is missing");
      damaged_.back().is_missing_log = true;
      damaged_.back().has_tables = !manifest.tables.empty();
    }
    for (const std::string& name : names_) {
      const std::optional<uint64_t> number = NumberOf(name, ".log");
      if (!number || *number < manifest.log_number) continue;
      const std::optional<uint64_t> size = SizeOf(name);
      if (!size || *size == 0) continue;
      const uint64_t last_block = (*size - 1) / kLogBlockBytes * kLogBlockBytes;
      const uint64_t begin = depth_ == CheckDepth::kAll ? 0 : last_block;
      const std::optional<std::string> bytes = Read(name, begin, *size);
      if (!bytes) continue;
      const LogEnd end = ScanLog(*bytes, begin == 0, [](std::string_view) { return true; });
      if (end.kind != LogEnd::Kind::kDamaged) continue;
      Note(name, fmt::format("damaged at byte {}", begin + end.at), begin + end.at);
    }
  }

  void CheckTables(const Manifest& manifest) {
    for (const auto& [number, expected] : manifest.tables) {
      std::string name = fmt::format("{:06}.ldb", number);
      const std::string old_name = fmt::format("{:06}.sst", number);
      if (!names_.contains(name) && names_.contains(old_name)) name = old_name;
      if (!names_.contains(name)) {
        Note(name, "it is missing");
        continue;
      }
      const std::optional<uint64_t> size = SizeOf(name);
      if (!size) continue;
      if (*size < expected) {
        Note(name, fmt::format("it has {} bytes of {}", *size, expected));
      } else if (depth_ == CheckDepth::kAll) {
        CheckTable(name, expected);
      }
    }
  }

  void CheckTable(const std::string& name, uint64_t size) {
    leveldb::RandomAccessFile* opened = nullptr;
    leveldb::Status status = env_->NewRandomAccessFile(PathOf(name), &opened);
    const std::unique_ptr<leveldb::RandomAccessFile> file(opened);
    leveldb::Options options;
    options.paranoid_checks = true;
    leveldb::Table* table = nullptr;
    if (status.ok()) status = leveldb::Table::Open(options, opened, size, &table);
    const std::unique_ptr<leveldb::Table> owned(table);
    if (!status.ok()) return Note(name, status.ToString());
    leveldb::ReadOptions reading;
    reading.verify_checksums = true;
    reading.fill_cache = false;
    const std::unique_ptr<leveldb::Iterator> it(table->NewIterator(reading));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
    }
    if (!it->status().ok()) Note(name, it->status().ToString());
  }

  leveldb::Env* const env_;
  const std::string folder_;
  const CheckDepth depth_;
  std::set<std::string> names_;
  std::vector<DamagedFile> damaged_;
};

}  // namespace

FolderContent LookIntoFolder(leveldb::Env* env, const std::string& folder) {
  FolderContent content;
  std::vector<std::string> names;
  if (!env->GetChildren(folder, &names).ok()) return content;
  for (const std::string& name : names) {
    if (name == "." || name == "..") continue;
    content.empty = false;
    content.has_current |= name == "CURRENT";
    content.has_data |= name.ends_with(".ldb") || name.ends_with(".sst") || name.ends_with(".log");
  }
  return content;
}

std::vector<DamagedFile> CheckDatabase(leveldb::Env* env, const std::string& folder,
                                       CheckDepth depth) {
  return DatabaseCheck(env, folder, depth).Run();
}

}  // namespace braid
