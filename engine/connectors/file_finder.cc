#include "engine/connectors/file_finder.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <glob.h>
#include <re2/re2.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <tuple>
#include <utility>

#include "engine/connectors/file_location.h"
#include "engine/connectors/file_operations.h"

namespace braid {

namespace {

std::string Join(const std::string& folder, std::string_view name) {
  if (folder.empty()) return std::string(name);
  return fmt::format("{}{}{}", folder, folder.back() == '/' ? "" : "/", name);
}

FoundFile Describe(std::string name, const struct stat& status) {
  FoundFile file;
  file.name = std::move(name);
  file.size = status.st_size;
  file.modified_nanos = int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
  file.inode = status.st_ino;
  return file;
}

// One walk. Names that vanish while it goes are left out.
class Walk {
 public:
  explicit Walk(std::string folder) : folder_(std::move(folder)) {}

  // A file or folder below `folder`, by its name relative to it; "" is the folder itself.
  Status Add(const std::string& name) {
    struct stat status = {};
    if (::stat(PathOf(name).c_str(), &status) != 0) return FailUnlessGone(name);
    if (S_ISDIR(status.st_mode)) return AddFolder(name, status);
    if (S_ISREG(status.st_mode)) files_.push_back(Describe(name, status));
    return {};
  }

  std::vector<FoundFile>& files() { return files_; }

 private:
  std::string PathOf(const std::string& name) const {
    return name.empty() ? folder_ : Join(folder_, name);
  }

  Status FailUnlessGone(const std::string& name) const {
    if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP) return {};
    return tl::unexpected<Error>(FileError("look at", PathOf(name), errno));
  }

  Status AddFolder(const std::string& name, const struct stat& status) {
    // A symbolic link may lead back to a folder above.
    if (!folders_.emplace(status.st_dev, status.st_ino).second) return {};
    DIR* stream = ::opendir(PathOf(name).c_str());
    if (stream == nullptr) return FailUnlessGone(name);
    Status added;
    while (added) {
      const dirent* entry = ::readdir(stream);
      if (entry == nullptr) break;
      if (IsHiddenName(entry->d_name)) continue;
      added = Add(Join(name, entry->d_name));
    }
    ::closedir(stream);
    return added;
  }

  std::string folder_;
  std::vector<FoundFile> files_;
  std::set<std::pair<dev_t, ino_t>> folders_;
};

Status AddMatches(const std::string& pattern, Walk* walk) {
  glob_t matches = {};
  const int result = ::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &matches);
  if (result == GLOB_NOMATCH) {
    ::globfree(&matches);
    return Fail(ErrorCode::kNotFound, fmt::format("no file matches '{}'", pattern));
  }
  if (result != 0) {
    ::globfree(&matches);
    return tl::unexpected<Error>(
        FileError("match", pattern, result == GLOB_NOSPACE ? ENOMEM : EIO));
  }
  const std::string folder = PatternFolder(pattern);
  const size_t prefix = pattern.starts_with(folder) ? folder.size() : 0;
  Status added;
  for (size_t index = 0; added && index < matches.gl_pathc; ++index) {
    std::string_view path = matches.gl_pathv[index];
    if (prefix > 0) path.remove_prefix(prefix);
    while (path.starts_with('/')) path.remove_prefix(1);
    if (path.empty() || IsHiddenName(path.substr(path.rfind('/') + 1))) continue;
    added = walk->Add(std::string(path));
  }
  ::globfree(&matches);
  return added;
}

}  // namespace

bool IsHiddenName(std::string_view name) {
  return name.starts_with('_') || name.starts_with('.') || name.ends_with(".tmp") ||
         name.ends_with(".inprogress") || name.ends_with("._COPYING_");
}

FileFinder::FileFinder(std::string path, std::shared_ptr<const re2::RE2> regex)
    : path_(std::move(path)), regex_(std::move(regex)) {}

Result<FileFinder> FileFinder::Create(std::string path, const std::string& regex) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  if (regex.empty()) return FileFinder(std::move(path), nullptr);
  auto compiled = std::make_shared<const re2::RE2>(regex, re2::RE2::Quiet);
  if (!compiled->ok()) {
    return Fail(ErrorCode::kInvalidOption,
                fmt::format("'{}' is not a regular expression: {}", regex, compiled->error()));
  }
  return FileFinder(std::move(path), std::move(compiled));
}

std::string FileFinder::folder() const {
  struct stat status = {};
  const bool exists = ::stat(path_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return path_;
  if (!exists && IsPattern(path_)) return PatternFolder(path_);
  const size_t slash = path_.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path_.substr(0, slash);
}

std::string FileFinder::PathIn(const std::string& folder, const std::string& name) {
  return folder == "." ? name : Join(folder, name);
}

bool FileFinder::IsThere() const {
  struct stat status = {};
  if (::stat(path_.c_str(), &status) == 0 || errno != ENOENT) return true;
  return IsPattern(path_) && ::stat(PatternFolder(path_).c_str(), &status) == 0;
}

Result<std::vector<FoundFile>> FileFinder::Find() const {
  const std::string above = folder();
  Walk walk(above);
  struct stat status = {};
  Status found;
  if (::stat(path_.c_str(), &status) == 0) {
    const bool is_folder = S_ISDIR(status.st_mode);
    if (!is_folder && !S_ISREG(status.st_mode)) {
      return Fail(ErrorCode::kIo, fmt::format("'{}' is neither a file nor a folder", path_));
    }
    found = walk.Add(is_folder ? "" : path_.substr(path_.rfind('/') + 1));
  } else if (errno == ENOENT && IsPattern(path_)) {
    found = AddMatches(path_, &walk);
  } else {
    found = tl::unexpected<Error>(FileError("read", path_, errno));
  }
  if (!found) return tl::unexpected(std::move(found.error()));
  std::vector<FoundFile> files = std::move(walk.files());
  if (regex_ != nullptr) {
    std::erase_if(files, [&](const FoundFile& file) {
      return !re2::RE2::FullMatch(Location(PathIn(above, file.name)), *regex_);
    });
  }
  std::sort(files.begin(), files.end(), [](const FoundFile& left, const FoundFile& right) {
    return std::tie(left.modified_nanos, left.name) < std::tie(right.modified_nanos, right.name);
  });
  return files;
}

}  // namespace braid
