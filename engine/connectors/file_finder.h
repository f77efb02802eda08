// Finds the files that a table's 'path' names: a file, a folder with all folders below it, or a
// pattern (* ? [ ]) of files and folders.
//
// Left out, except when the path names the very file: names that begin with '_' or '.' (of folders
// too), names that end in .tmp, .inprogress or ._COPYING_: files that are not there yet, and those
// of other programs and of our own sink.
//
// Order: time of modification, then name. Names are relative to folder(), so that a moved input
// stays the same input.
// Thread rule: immutable; any number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "braid/error.h"

namespace re2 {
class RE2;
}

namespace braid {

struct FoundFile {
  std::string name;
  int64_t size = 0;
  int64_t modified_nanos = 0;  // Since 1970.
  uint64_t inode = 0;
};

// True for names that are left out.
bool IsHiddenName(std::string_view name);

class FileFinder {
 public:
  // `path`: a local path (file_location.h). `regex`: what the absolute path of a file must match
  // as a whole (Flink's source.path.regex-pattern); empty: all do. Fails with kInvalidOption if it
  // is no regular expression.
  static Result<FileFinder> Create(std::string path, const std::string& regex);

  const std::string& path() const { return path_; }
  // The folder that names are relative to.
  std::string folder() const;
  static std::string PathIn(const std::string& folder, const std::string& name);

  // False if nothing has the path now, and for a pattern if nothing has the folder() that it is
  // matched in.
  bool IsThere() const;

  // All files there are now, in order. kNotFound if the path does not exist, or a pattern matches
  // nothing. Cost: one system call a file.
  Result<std::vector<FoundFile>> Find() const;

 private:
  FileFinder(std::string path, std::shared_ptr<const re2::RE2> regex);

  std::string path_;
  std::shared_ptr<const re2::RE2> regex_;
};

}  // namespace braid
