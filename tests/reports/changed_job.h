// A job that is changed between two runs on one checkpoint: its text in parts, its input as lines
// of JSON, so that the columns of a table may change, and its result as text.
//
// Rows are written "k=1 ts=10 v=a": times in seconds, a table's columns by name; results are the
// values of the output between blanks, "-" for NULL, sorted and parted by ", ".
//
// Thread rule: one thread.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "braid/clock.h"
#include "braid/error.h"
#include "braid/memory_result.h"
#include "tests/cli/command_runner.h"

namespace braid::testing {

// Of a job with the tables l and r.
struct JobText {
  std::string select;
  std::string left = "k BIGINT, ts TIMESTAMP(3), v INT, x INT, WATERMARK FOR ts AS ts";
  std::string right = "k BIGINT, ts TIMESTAMP(3), w INT, WATERMARK FOR ts AS ts";
  std::vector<std::pair<std::string, std::string>> settings = {};
  std::string left_options = {};  // ", 'key' = 'value'"
  std::string more = {};          // Further statements before the SELECT.
  std::string left_name = "l";
  std::string left_path = "l";  // In the test's folder.
};

class ChangedJob {
 public:
  // The rows of a new file of l or r, parted by ", ".
  void Write(const std::string& table, const std::string& rows);
  // Runs the job until its input ends, and holds what waits. Its sink fails from so many published
  // batches on.
  Status Run(const JobText& text, int published_max = -1);
  std::string Rows() const;
  // A file or folder of the job.
  std::string File(const std::string& name) const { return directory_.File(name); }

 private:
  std::string ScriptOf(const JobText& text) const;

  TemporaryDirectory directory_;
  ManualClock clock_;
  int num_files_ = 0;
  std::shared_ptr<MemoryResult> result_ = std::make_shared<MemoryResult>();
};

}  // namespace braid::testing
