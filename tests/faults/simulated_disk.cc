#include "tests/faults/simulated_disk.h"

#include <leveldb/env.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace braid::testing {

namespace {

std::string FolderOf(const std::string& path) { return path.substr(0, path.rfind('/')); }
std::string NameOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

struct Node {
  bool is_folder = false;
  std::string bytes;
  std::string synced_bytes;
};

using Names = std::map<std::string, std::shared_ptr<Node>>;

// A change of a folder's names that was not synced.
struct FolderChange {
  std::string removed;  // Empty: none.
  std::string added;    // Empty: none.
  std::shared_ptr<Node> node;

  void ApplyTo(Names* names) const {
    if (!removed.empty()) names->erase(removed);
    if (!added.empty()) (*names)[added] = node;
  }
  bool Touches(const std::string& folder) const {
    return FolderOf(added.empty() ? removed : added) == folder;
  }
};

}  // namespace

// What is on the disk. All calls give 0 or an errno.
class SimulatedDisk::Tree {
 public:
  explicit Tree(const std::string& folder) : root_(folder) {
    const auto node = std::make_shared<Node>();
    node->is_folder = true;
    names_[folder] = synced_[folder] = node;
  }

  bool IsRoot(const std::string& path) const { return path == root_; }

  int MakeFolder(const std::string& path) {
    const std::lock_guard lock(mutex_);
    if (names_.contains(path)) return EEXIST;
    if (const int error = Begin()) return error;
    if (!names_.contains(FolderOf(path))) return ENOENT;
    const auto node = std::make_shared<Node>();
    node->is_folder = true;
    Change({"", path, node});
    return 0;
  }

  int OpenFile(const std::string& path, bool exclusive, std::shared_ptr<Node>* node) {
    const std::lock_guard lock(mutex_);
    if (const int error = Begin()) return error;
    const auto found = names_.find(path);
    if (found != names_.end()) {
      *node = found->second;
      return exclusive ? EEXIST : 0;
    }
    if (!names_.contains(FolderOf(path))) return ENOENT;
    *node = std::make_shared<Node>();
    Change({"", path, *node});
    return 0;
  }

  int Append(Node* node, std::string_view bytes) {
    const std::lock_guard lock(mutex_);
    const bool was_dead = dead_;
    const int error = Begin();
    if (was_dead) return error;
    node->bytes += error == 0 ? bytes : bytes.substr(0, bytes.size() / 2);
    return error;
  }

  // Not a call of its own: it comes with the opening of a file.
  void Cut(Node* node, size_t size) {
    const std::lock_guard lock(mutex_);
    node->bytes.resize(size);
  }

  int Sync(Node* node) {
    const std::lock_guard lock(mutex_);
    if (const int error = Begin()) return error;
    node->synced_bytes = node->bytes;
    return 0;
  }

  int Close() {
    const std::lock_guard lock(mutex_);
    return Begin();
  }

  int Rename(const std::string& from, const std::string& to) {
    const std::lock_guard lock(mutex_);
    if (const int error = Begin()) return error;
    const auto found = names_.find(from);
    if (found == names_.end()) return ENOENT;
    Change({from, to, found->second});
    return 0;
  }

  int Remove(const std::string& path) {
    const std::lock_guard lock(mutex_);
    if (!names_.contains(path)) return ENOENT;
    if (const int error = Begin()) return error;
    Change({path, "", nullptr});
    return 0;
  }

  int SyncFolder(const std::string& path) {
    const std::lock_guard lock(mutex_);
    if (const int error = Begin()) return error;
    if (!names_.contains(path)) return ENOENT;
    std::erase_if(changes_, [&](const FolderChange& change) {
      const bool touches = change.Touches(path);
      if (touches) change.ApplyTo(&synced_);
      return touches;
    });
    return 0;
  }

  std::shared_ptr<Node> Find(const std::string& path) const {
    const std::lock_guard lock(mutex_);
    const auto found = names_.find(path);
    return found == names_.end() ? nullptr : found->second;
  }

  std::string Read(const Node& node) const {
    const std::lock_guard lock(mutex_);
    return node.bytes;
  }

  std::vector<std::string> List(const std::string& folder) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> names;
    for (const auto& [path, node] : names_) {
      if (path != folder && FolderOf(path) == folder) names.push_back(NameOf(path));
    }
    return names;
  }

  void SetFault(int64_t first, int64_t count, bool kills) {
    fault_ = Fault{first, count, kills};
    met_fault_ = false;
  }
  bool met_fault() const { return met_fault_; }
  int64_t calls() const { return calls_; }
  int64_t num_changes() const { return static_cast<int64_t>(changes_.size()); }

  void Restart() {
    dead_ = false;
    fault_.reset();
    calls_ = 0;
    locks_.clear();
  }

  void LoseUnsynced(int64_t journaled) {
    for (int64_t index = 0; index < std::min(journaled, num_changes()); ++index) {
      changes_[static_cast<size_t>(index)].ApplyTo(&synced_);
    }
    changes_.clear();
    names_ = synced_;
    // What lies in a folder that is gone is gone. Folders come before what is in them.
    std::erase_if(names_, [&](const auto& entry) {
      const std::string folder = FolderOf(entry.first);
      return entry.first != root_ && !names_.contains(folder);
    });
    synced_ = names_;
    for (auto& [path, node] : names_) node->bytes = node->synced_bytes;
  }

  bool Lock(const std::string& path) {
    const std::lock_guard lock(mutex_);
    return locks_.insert(path).second;
  }
  void Unlock(const std::string& path) {
    const std::lock_guard lock(mutex_);
    locks_.erase(path);
  }

 private:
  struct Fault {
    int64_t first = 0;
    int64_t count = 0;
    bool kills = false;
  };

  // Counts a call in; gives what it fails with.
  int Begin() {
    ++calls_;
    if (dead_) return EIO;
    if (!fault_ || calls_ < fault_->first) return 0;
    if (!fault_->kills && calls_ >= fault_->first + fault_->count) return 0;
    met_fault_ = true;
    dead_ = fault_->kills;
    return fault_->kills ? EIO : ENOSPC;
  }

  void Change(FolderChange change) {
    change.ApplyTo(&names_);
    changes_.push_back(std::move(change));
  }

  const std::string root_;
  mutable std::mutex mutex_;
  Names names_;
  Names synced_;
  std::vector<FolderChange> changes_;
  std::set<std::string> locks_;
  std::optional<Fault> fault_;
  int64_t calls_ = 0;
  bool dead_ = false;
  bool met_fault_ = false;
};

// As the sinks and the lists of sources see it.
class SimulatedDisk::Operations final : public FileOperations {
 public:
  explicit Operations(std::shared_ptr<Tree> tree) : tree_(std::move(tree)) {}

  Status CreateDirectories(const std::string& path, bool durable) override {
    // The disk's first folder is there and has nothing above it.
    if (tree_->IsRoot(path)) return {};
    const std::string parent = FolderOf(path);
    if (Status created = CreateDirectories(parent, durable); !created) return created;
    int error = tree_->Find(path) == nullptr ? tree_->MakeFolder(path) : 0;
    if (error == 0 && durable) error = tree_->SyncFolder(parent);
    return error == 0 ? Status() : Failed("create the folder", path, error);
  }

  Result<std::vector<std::string>> List(const std::string& directory) override {
    return tree_->List(directory);
  }

  Result<std::string> ReadAll(const std::string& path) override {
    const std::shared_ptr<Node> node = tree_->Find(path);
    if (node == nullptr) return Failed("open", path, ENOENT);
    return tree_->Read(*node);
  }

  Result<std::string> ReadRange(const std::string& path, int64_t begin, int64_t size) override {
    Result<std::string> bytes = ReadAll(path);
    if (!bytes || begin >= std::ssize(*bytes)) return bytes ? std::string() : bytes;
    return bytes->substr(static_cast<size_t>(begin), static_cast<size_t>(size));
  }

  Result<int64_t> SizeOf(const std::string& path) override {
    const Result<std::string> bytes = ReadAll(path);
    if (!bytes) return tl::unexpected(bytes.error());
    return std::ssize(*bytes);
  }

  Result<std::unique_ptr<OutputFile>> NewFile(const std::string& path, Create create) override {
    std::shared_ptr<Node> node;
    const int error = tree_->OpenFile(path, create == Create::kExclusive, &node);
    if (error == EEXIST) return Fail(ErrorCode::kConflict, "'" + path + "' exists already");
    if (error != 0) return Failed("create", path, error);
    tree_->Cut(node.get(), 0);
    return std::make_unique<File>(tree_, path, std::move(node));
  }

  Result<std::unique_ptr<OutputFile>> OpenToAppend(const std::string& path, int64_t size) override {
    std::shared_ptr<Node> node;
    const int error = tree_->OpenFile(path, false, &node);
    if (error != 0) return Failed("open", path, error);
    tree_->Cut(node.get(), static_cast<size_t>(size));
    return std::make_unique<File>(tree_, path, std::move(node));
  }

  Status Rename(const std::string& from, const std::string& to) override {
    const int error = tree_->Rename(from, to);
    return error == 0 ? Status() : Failed("rename", from, error);
  }

  Status Remove(const std::string& path) override {
    const int error = tree_->Remove(path);
    return error == 0 || error == ENOENT ? Status() : Failed("remove", path, error);
  }

  Status SyncDirectory(const std::string& directory) override {
    const int error = tree_->SyncFolder(directory);
    return error == 0 ? Status() : Failed("sync", directory, error);
  }

 private:
  static tl::unexpected<Error> Failed(std::string_view doing, const std::string& path, int error) {
    return tl::unexpected<Error>(FileError(doing, path, error));
  }

  class File final : public OutputFile {
   public:
    File(std::shared_ptr<Tree> tree, std::string path, std::shared_ptr<Node> node)
        : tree_(std::move(tree)), path_(std::move(path)), node_(std::move(node)) {}

    Status Append(std::string_view bytes) override {
      const int error = tree_->Append(node_.get(), bytes);
      return error == 0 ? Status() : Failed("write", path_, error);
    }
    Status Sync() override {
      const int error = tree_->Sync(node_.get());
      return error == 0 ? Status() : Failed("sync", path_, error);
    }
    Status Close() override {
      const int error = tree_->Close();
      return error == 0 ? Status() : Failed("close", path_, error);
    }

   private:
    const std::shared_ptr<Tree> tree_;
    const std::string path_;
    const std::shared_ptr<Node> node_;
  };

  const std::shared_ptr<Tree> tree_;
};

// As LevelDB sees it.
class SimulatedDisk::Environment final : public leveldb::EnvWrapper {
 public:
  explicit Environment(std::shared_ptr<Tree> tree)
      : EnvWrapper(leveldb::Env::Default()), tree_(std::move(tree)) {}

  leveldb::Status NewSequentialFile(const std::string& name,
                                    leveldb::SequentialFile** file) override {
    *file = nullptr;
    const std::shared_ptr<Node> node = tree_->Find(name);
    if (node == nullptr) return StatusOf(name, ENOENT);
    *file = new ReadFile(tree_->Read(*node));
    return {};
  }
  leveldb::Status NewRandomAccessFile(const std::string& name,
                                      leveldb::RandomAccessFile** file) override {
    *file = nullptr;
    const std::shared_ptr<Node> node = tree_->Find(name);
    if (node == nullptr) return StatusOf(name, ENOENT);
    *file = new RandomReadFile(tree_->Read(*node));
    return {};
  }
  leveldb::Status NewWritableFile(const std::string& name, leveldb::WritableFile** file) override {
    *file = nullptr;
    std::shared_ptr<Node> node;
    if (const int error = tree_->OpenFile(name, false, &node)) return StatusOf(name, error);
    tree_->Cut(node.get(), 0);
    *file = new WrittenFile(tree_, name, std::move(node));
    return {};
  }
  leveldb::Status NewAppendableFile(const std::string& name,
                                    leveldb::WritableFile** file) override {
    *file = nullptr;
    return leveldb::Status::NotSupported(name, "logs are not reused");
  }
  bool FileExists(const std::string& name) override { return tree_->Find(name) != nullptr; }
  leveldb::Status GetChildren(const std::string& folder, std::vector<std::string>* names) override {
    *names = tree_->List(folder);
    return tree_->Find(folder) == nullptr ? StatusOf(folder, ENOENT) : leveldb::Status();
  }
  leveldb::Status RemoveFile(const std::string& name) override {
    return StatusOf(name, tree_->Remove(name));
  }
  leveldb::Status CreateDir(const std::string& name) override {
    return StatusOf(name, tree_->MakeFolder(name));
  }
  leveldb::Status RemoveDir(const std::string& name) override {
    return StatusOf(name, tree_->Remove(name));
  }
  leveldb::Status GetFileSize(const std::string& name, uint64_t* size) override {
    const std::shared_ptr<Node> node = tree_->Find(name);
    if (node == nullptr) return StatusOf(name, ENOENT);
    *size = tree_->Read(*node).size();
    return {};
  }
  leveldb::Status RenameFile(const std::string& from, const std::string& to) override {
    return StatusOf(from, tree_->Rename(from, to));
  }
  leveldb::Status LockFile(const std::string& name, leveldb::FileLock** lock) override {
    *lock = nullptr;
    if (!tree_->Lock(name)) return leveldb::Status::IOError("lock " + name, "already held");
    *lock = new NamedLock(name);
    return {};
  }
  leveldb::Status UnlockFile(leveldb::FileLock* lock) override {
    tree_->Unlock(static_cast<NamedLock*>(lock)->name);
    delete lock;
    return {};
  }
  leveldb::Status NewLogger(const std::string& /*name*/, leveldb::Logger** logger) override {
    *logger = new NoLogger();
    return {};
  }

 private:
  static leveldb::Status StatusOf(const std::string& name, int error) {
    if (error == 0) return {};
    const std::string text = std::generic_category().message(error);
    return error == ENOENT ? leveldb::Status::NotFound(name, text)
                           : leveldb::Status::IOError(name, text);
  }

  struct NamedLock final : leveldb::FileLock {
    explicit NamedLock(std::string of) : name(std::move(of)) {}
    const std::string name;
  };

  class NoLogger final : public leveldb::Logger {
   public:
    void Logv(const char* /*format*/, std::va_list /*arguments*/) override {}
  };

  class ReadFile final : public leveldb::SequentialFile {
   public:
    explicit ReadFile(std::string bytes) : bytes_(std::move(bytes)) {}
    leveldb::Status Read(size_t count, leveldb::Slice* result, char* scratch) override {
      count = bytes_.copy(scratch, count, std::min(at_, bytes_.size()));
      *result = leveldb::Slice(scratch, count);
      at_ += count;
      return {};
    }
    leveldb::Status Skip(uint64_t count) override {
      at_ += count;
      return {};
    }

   private:
    const std::string bytes_;
    size_t at_ = 0;
  };

  // A table does not change once LevelDB opens it to read.
  class RandomReadFile final : public leveldb::RandomAccessFile {
   public:
    explicit RandomReadFile(std::string bytes) : bytes_(std::move(bytes)) {}
    leveldb::Status Read(uint64_t offset, size_t count, leveldb::Slice* result,
                         char* scratch) const override {
      count = bytes_.copy(scratch, count, std::min(static_cast<size_t>(offset), bytes_.size()));
      *result = leveldb::Slice(scratch, count);
      return {};
    }

   private:
    const std::string bytes_;
  };

  class WrittenFile final : public leveldb::WritableFile {
   public:
    WrittenFile(std::shared_ptr<Tree> tree, std::string name, std::shared_ptr<Node> node)
        : tree_(std::move(tree)), name_(std::move(name)), node_(std::move(node)) {}

    leveldb::Status Append(const leveldb::Slice& data) override {
      return StatusOf(name_, tree_->Append(node_.get(), {data.data(), data.size()}));
    }
    leveldb::Status Close() override { return {}; }
    leveldb::Status Flush() override { return {}; }
    // As LevelDB's own: the files that a manifest names are in the folder before it names them.
    leveldb::Status Sync() override {
      if (NameOf(name_).starts_with("MANIFEST")) {
        const std::string folder = FolderOf(name_);
        if (const int error = tree_->SyncFolder(folder)) return StatusOf(folder, error);
      }
      return StatusOf(name_, tree_->Sync(node_.get()));
    }

   private:
    const std::shared_ptr<Tree> tree_;
    const std::string name_;
    const std::shared_ptr<Node> node_;
  };

  const std::shared_ptr<Tree> tree_;
};

SimulatedDisk::SimulatedDisk(const std::string& folder)
    : tree_(std::make_shared<Tree>(folder)), environment_(std::make_unique<Environment>(tree_)) {}

SimulatedDisk::~SimulatedDisk() = default;

std::shared_ptr<FileOperations> SimulatedDisk::operations() {
  return std::make_shared<Operations>(tree_);
}

leveldb::Env* SimulatedDisk::env() { return environment_.get(); }
int64_t SimulatedDisk::calls() const { return tree_->calls(); }
bool SimulatedDisk::met_fault() const { return tree_->met_fault(); }
int64_t SimulatedDisk::unsynced_folder_changes() const { return tree_->num_changes(); }
void SimulatedDisk::Kill(int64_t call) { tree_->SetFault(call, 1, /*kills=*/true); }
void SimulatedDisk::Restart() { tree_->Restart(); }

void SimulatedDisk::FillUp(int64_t first, int64_t count) {
  tree_->SetFault(first, count, /*kills=*/false);
}

void SimulatedDisk::RestartAfterPowerLoss(int64_t journaled) {
  tree_->Restart();
  tree_->LoseUnsynced(journaled);
}

std::map<std::string, std::string> SimulatedDisk::Files(const std::string& folder) const {
  std::map<std::string, std::string> files;
  for (const std::string& name : tree_->List(folder)) {
    const std::shared_ptr<Node> node = tree_->Find(folder + "/" + name);
    if (!node->is_folder) files[name] = tree_->Read(*node);
  }
  return files;
}

}  // namespace braid::testing
