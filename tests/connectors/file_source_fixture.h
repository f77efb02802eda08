// A file source over a temporary folder, with a clock that a test sets and warnings it can see.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/connectors/file_source.h"
#include "tests/connectors/temporary_folder.h"

namespace braid {

// What reading until nothing more came has given.
struct ReadRows {
  std::vector<std::string> rows;     // "1,a"
  std::vector<std::string> offsets;  // After each slice.
  std::vector<size_t> rows_at;       // Rows so far at each of them.
  std::vector<SourceSlice> slices;   // Without their rows.
  int64_t num_bad_records = 0;
  SourceNext::Kind last = SourceNext::Kind::kNothing;
  std::string error;  // Error::ToString; empty if there was none.
};

class FileSourceFixture : public testing::Test {
 protected:
  // A source of (id BIGINT, name STRING) over `path` in the folder; `options` beside path, format
  // and connector. Its list is kept in the folder "kept".
  std::unique_ptr<FileSource> NewSource(const std::string& path,
                                        const std::map<std::string, std::string>& options = {});
  // The same, opened at `start`.
  std::unique_ptr<FileSource> OpenSource(const std::string& path,
                                         const std::map<std::string, std::string>& options = {},
                                         const std::string& start = "");

  static ReadRows ReadAll(FileSource* source, const SliceLimits& limits = {});
  // All rows of `path` from `start`.
  ReadRows ReadFrom(const std::string& path, const std::map<std::string, std::string>& options = {},
                    const std::string& start = "", const SliceLimits& limits = {});
  // Reads and commits all of `path`; gives the offset behind it.
  std::string ReadAndCommit(const std::string& path);
  // The rows of a range, as a source gives them that has just been made.
  ReadRows ReplayOf(const std::string& path, const std::map<std::string, std::string>& options,
                    const std::string& start, const std::string& end);

  TemporaryFolder folder_;
  int num_looks_ = 0;                                  // How often the time was asked for.
  EventTime now_{int64_t{2'000'000'000} * 1'000'000};  // After all files of a test.
  std::vector<std::string> warnings_;
};

}  // namespace braid
