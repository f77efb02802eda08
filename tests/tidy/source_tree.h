// The files of the repository as the tidy tests see them: read once, by path from the top.
//
// Left out are build folders, hidden folders other than .ci and .github, and what a run writes.
// Thread rule: immutable after it is read.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace braid {

struct SourceFile {
  std::string path;  // "engine/sql/parser.h"
  std::vector<std::string> lines;

  std::string folder() const;  // "engine/sql"; empty at the top.
  std::string name() const;    // "parser.h"
  bool HasExtension(std::string_view extension) const;
  bool IsBelow(std::string_view folder) const;  // Also if it is the file itself.
};

// Every text file below the top folder, by path.
const std::vector<SourceFile>& SourceFiles();

// The file at `path`; stops the program if there is none.
const SourceFile& FileAt(std::string_view path);

// Whether a file or a folder exists at `path` from the top.
bool ExistsInTree(const std::string& path);

// "a/b/../c/./d" -> "a/c/d"
std::string NormalPath(const std::string& path);

// "path:line: message", for failures one can click on.
std::string At(const SourceFile& file, size_t line_index, std::string_view message);

// The words of a line, split at blanks.
std::vector<std::string> Words(std::string_view line);

}  // namespace braid
