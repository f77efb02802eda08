#include "engine/connectors/file_location.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "engine/connectors/file_finder.h"

namespace braid {

namespace {

bool IsInside(std::string_view path, std::string_view folder) {
  if (folder == "/") return true;
  return path == folder || (path.starts_with(folder) && path[folder.size()] == '/');
}

// True if a reader of `folder` leaves `path`, which lies in it, out for one of its names.
bool IsLeftOut(std::string_view path, std::string_view folder) {
  for (size_t end = folder.size(); end < path.size();) {
    const size_t begin = path[end] == '/' ? end + 1 : end;
    end = std::min(path.find('/', begin), path.size());
    if (end > begin && IsHiddenName(path.substr(begin, end - begin))) return true;
  }
  return false;
}

std::string WithoutTrailingSlash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

std::string AbsoluteFolder(const std::string& path) {
  std::error_code failure;
  std::filesystem::path absolute = std::filesystem::absolute(path.empty() ? "." : path, failure);
  if (failure) absolute = path;
  const std::filesystem::path real = std::filesystem::weakly_canonical(absolute, failure);
  return WithoutTrailingSlash((failure ? absolute.lexically_normal() : real).string());
}

}  // namespace

Result<std::string> LocalPath(std::string_view path) {
  constexpr std::string_view kFileScheme = "file:";
  if (path.starts_with(kFileScheme)) {
    path.remove_prefix(kFileScheme.size());
    if (path.starts_with("//")) path = path.substr(2);
    return std::string(path);
  }
  const size_t colon = path.find("://");
  if (colon != std::string_view::npos && path.find('/') > colon) {
    return Fail(ErrorCode::kInvalidOption,
                fmt::format("'path' = '{}': only local files can be read and written, not '{}://'",
                            path, path.substr(0, colon)));
  }
  return std::string(path);
}

bool IsPattern(std::string_view path) {
  return path.find_first_of("*?[") != std::string_view::npos;
}

std::string PatternFolder(std::string_view pattern) {
  const size_t wildcard = pattern.find_first_of("*?[");
  const size_t slash = pattern.rfind('/', wildcard);
  if (slash == std::string_view::npos) return ".";
  return std::string(slash == 0 ? "/" : pattern.substr(0, slash));
}

std::string Location(std::string_view path) {
  std::error_code failure;
  if (!IsPattern(path) || std::filesystem::exists(std::string(path), failure)) {
    return AbsoluteFolder(std::string(path));
  }
  const size_t wildcard = path.find_first_of("*?[");
  const size_t slash = path.rfind('/', wildcard);
  const std::string_view rest = slash == std::string_view::npos ? path : path.substr(slash + 1);
  const std::string folder = AbsoluteFolder(PatternFolder(path));
  return WithoutTrailingSlash(folder == "/" ? "/" + std::string(rest)
                                            : folder + "/" + std::string(rest));
}

bool ReadsWhatIsWritten(std::string_view source, std::string_view sink) {
  if (source.empty() || sink.empty()) return false;
  if (!IsPattern(source)) {
    return IsInside(source, sink) || (IsInside(sink, source) && !IsLeftOut(sink, source));
  }
  if (IsInside(PatternFolder(source), sink)) return true;
  // The pattern may match the folder itself, or one above it, which is then read with all in it.
  const std::string pattern(source);
  for (std::string above(sink); above.size() > 1; above.resize(above.rfind('/'))) {
    if (::fnmatch(pattern.c_str(), above.c_str(), FNM_PATHNAME) == 0 && !IsLeftOut(sink, above)) {
      return true;
    }
    if (above.rfind('/') == 0) break;
  }
  return false;
}

}  // namespace braid
