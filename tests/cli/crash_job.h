// A small job that is ended in its midst again and again: two tables of files, a join, and tables
// for the result, late rows, unmatched rows and bad records. What it gives in one go is known, and
// what is left of any number of lives must be the same, read as `cat` reads it.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/cli/command_runner.h"

namespace braid::testing {

class CrashJob {
 public:
  struct Kind {
    const char* name;
    bool per_record;
    const char* join;  // "LEFT JOIN"
  };

  // Every kind that the tests go through.
  static std::vector<Kind> Kinds();
  static std::string NameOf(const ::testing::TestParamInfo<Kind>& kind) { return kind.param.name; }

  // Writes the input and runs the job once in one go.
  explicit CrashJob(const Kind& kind);

  // The next life begins anew: without a checkpoint and without output.
  void Renew();

  // The arguments of a run with so many partitions, where the mode has them.
  std::vector<std::string> Arguments(int parallelism) const;
  // Runs it with faults at fail points (state/faults/fail_point.h); none if empty.
  CommandResult Run(int parallelism, const std::string& fail_points = {}) const;

  // What the runs of this life have left differs so from the uninterrupted run; empty if it does
  // not. Temporary files in the output folders count.
  std::string Difference() const;

  // Folder of all files of this life.
  std::string folder() const;
  // How many rows each table has after a whole run.
  std::map<std::string, size_t> expected_counts() const;
  int64_t whole_run_micros() const { return whole_run_micros_; }

 private:
  using Contents = std::map<std::string, std::vector<std::string>>;

  bool is_datastream_join() const;
  void WriteInput() const;
  Contents ReadOutput() const;

  const Kind kind_;
  TemporaryDirectory directory_;
  int life_ = 0;
  Contents expected_;
  int64_t whole_run_micros_ = 0;
};

}  // namespace braid::testing
