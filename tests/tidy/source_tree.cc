#include "tests/tidy/source_tree.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace braid {

namespace {

const std::filesystem::path kTop = BRAID_SOURCE_FOLDER;

bool IsLeftOut(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  if (name == ".ci" || name == ".github" || name == ".clang-tidy") return false;
  if (name.starts_with(".")) return true;
  // At the top only: a folder such as engine/build would be ours.
  const bool at_top = path.parent_path() == kTop;
  return at_top && (name.starts_with("build") || name == "out" || name == "checkpoint");
}

// Recorded cases and data are what they are; nobody writes them by hand.
bool IsData(const std::filesystem::path& path) {
  for (const char* extension : {".json", ".gz", ".bz2", ".zst", ".csv", ".bin", ".png"}) {
    if (path.extension() == extension) return path.filename() != "CMakePresets.json";
  }
  return false;
}

std::vector<SourceFile> ReadTree() {
  std::vector<SourceFile> files;
  auto entry = std::filesystem::recursive_directory_iterator(kTop);
  for (; entry != std::filesystem::recursive_directory_iterator(); ++entry) {
    if (IsLeftOut(entry->path())) {
      if (entry->is_directory()) entry.disable_recursion_pending();
      continue;
    }
    if (!entry->is_regular_file() || IsData(entry->path())) continue;
    SourceFile file{entry->path().lexically_relative(kTop).string(), {}};
    std::ifstream stream(entry->path());
    for (std::string line; std::getline(stream, line);) file.lines.push_back(line);
    files.push_back(std::move(file));
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace

std::string SourceFile::folder() const {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string SourceFile::name() const { return path.substr(path.rfind('/') + 1); }

bool SourceFile::HasExtension(std::string_view extension) const {
  return path.ends_with(extension);
}

bool SourceFile::IsBelow(std::string_view top) const {
  return path.starts_with(top) && (path.size() == top.size() || path[top.size()] == '/');
}

const std::vector<SourceFile>& SourceFiles() {
  static const std::vector<SourceFile> files = ReadTree();
  return files;
}

const SourceFile& FileAt(std::string_view path) {
  for (const SourceFile& file : SourceFiles()) {
    if (file.path == path) return file;
  }
  std::fprintf(stderr, "there is no file %s\n", std::string(path).c_str());
  std::abort();
}

bool ExistsInTree(const std::string& path) { return std::filesystem::exists(kTop / path); }

std::string NormalPath(const std::string& path) {
  std::string normal = std::filesystem::path(path).lexically_normal().string();
  if (normal.ends_with('/')) normal.pop_back();
  return normal;
}

std::string At(const SourceFile& file, size_t line_index, std::string_view message) {
  return file.path + ":" + std::to_string(line_index + 1) + ": " + std::string(message);
}

std::vector<std::string> Words(std::string_view line) {
  std::istringstream stream{std::string(line)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

}  // namespace braid
