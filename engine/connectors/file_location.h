// Where a table's files are: what the option 'path' says, made absolute.
//
// A location is an absolute path without "." and "..", symbolic links resolved as far as the path
// exists; the part of a pattern from its first wildcard on stands as it was written.
// Thread rule: free functions; any number of threads.
#pragma once

#include <string>
#include <string_view>

#include "braid/error.h"

namespace braid {

// The local path that 'path' names: "file:///data/in" and "file:/data/in" are "/data/in". Other
// schemes ("s3://…") fail with kInvalidOption.
Result<std::string> LocalPath(std::string_view path);

// True if it holds one of * ? [ and is to be matched rather than opened.
bool IsPattern(std::string_view path);

// The folder that everything a path or pattern names lies in: the part of a pattern before its
// first wildcard, up to the last '/'.
std::string PatternFolder(std::string_view pattern);

// The location of a local path or pattern.
std::string Location(std::string_view path);

// True if a source that reads `source` would read what is written into the folder `sink`: it is the
// folder, lies in it, or takes the folder in by a pattern or as a part of its own folder, and not
// under a name that is left out (file_finder.h). `sink` may be a file as well.
bool ReadsWhatIsWritten(std::string_view source, std::string_view sink);

}  // namespace braid
