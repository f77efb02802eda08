// Jobs that die or fail at named points give, after a restart, what an uninterrupted run gives. For
// builds with fail points (state/faults).
#include "state/faults/fail_point.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "tests/cli/crash_job.h"
#include "tests/cli/soak.h"

namespace braid {
namespace {

using ::testing::AnyOf;
using testing::CommandResult;
using testing::CrashJob;
using ::testing::HasSubstr;
using testing::SoakFactor;

constexpr int kKilled = 128 + SIGKILL;

class FailPointTest : public ::testing::TestWithParam<CrashJob::Kind> {
 protected:
  // Partitions of the next run: another number each time.
  int NextParallelism() { return parallelism_ = parallelism_ % 3 + 1; }

  // Runs the job to its end.
  void FinishAndCompare(CrashJob* job, const std::string& what) {
    const CommandResult last = job->Run(NextParallelism());
    ASSERT_EQ(last.exit_code, 0) << what << ": " << last.errors;
    EXPECT_EQ(job->Difference(), "") << what;
  }

  // Brings a new life of the job to a run that passes `point` as `fault` ("1=kill") says: some
  // points are passed only after a crash. The result of that run.
  CommandResult RunThrough(CrashJob* job, const std::string& point, const std::string& fault) {
    CommandResult result;
    for (const char* before :
         {"", "sink.rename:2=kill", "owner.write:1=tear", "bad-records.sync:1=kill"}) {
      job->Renew();
      if (*before != '\0') {
        EXPECT_EQ(job->Run(NextParallelism(), before).exit_code, kKilled) << before;
      }
      result = job->Run(NextParallelism(), fmt::format("{}:{}", point, fault));
      if (result.exit_code != 0) break;
    }
    return result;
  }

 private:
  int parallelism_ = 0;
};

TEST_P(FailPointTest, TheJobHasRowsInEveryTable) {
  const CrashJob job(GetParam());
  for (const auto& [table, count] : job.expected_counts()) {
    const bool joins_late_rows = GetParam().per_record && std::string(GetParam().join) != "JOIN";
    if (table == "late" && joins_late_rows) continue;
    EXPECT_GT(count, table == "bad" ? 1U : 5U) << table;
  }
}

TEST_P(FailPointTest, AJobThatIsKilledAtAnyPointGoesOn) {
  CrashJob job(GetParam());
  for (const std::string_view name : FailPointNames()) {
    const std::string point(name);
    const CommandResult killed = RunThrough(&job, point, "1=kill");
    EXPECT_EQ(killed.exit_code, kKilled) << point << " was not passed: " << killed.errors;
    FinishAndCompare(&job, point);
  }
}

// A write that is torn, where something is written.
TEST_P(FailPointTest, AJobThatIsKilledWithinAWriteGoesOn) {
  CrashJob job(GetParam());
  for (const std::string_view name : FailPointNames()) {
    const std::string point(name);
    if (!point.ends_with(".write")) continue;
    for (const char* pass : {"1", "2", "4"}) {
      RunThrough(&job, point, fmt::format("{}=tear", pass));
      FinishAndCompare(&job, point);
    }
  }
}

// Each life is a chain of kills, each so many writes after the start of its run.
TEST_P(FailPointTest, AJobThatIsKilledAtAnyNumberOfWritesGoesOn) {
  CrashJob job(GetParam());
  std::mt19937 random(20'240'101);
  int kills = 0;
  for (int pass = 1; kills < 40 * SoakFactor(); ++pass) {
    const int kills_of_life = std::uniform_int_distribution(1, 4)(random);
    for (int kill = 0; kill < kills_of_life; ++kill) {
      const CommandResult run = job.Run(NextParallelism(), fmt::format("any:{}=kill", pass));
      if (run.exit_code == 0) {
        pass = 0;
        break;
      }
      ASSERT_EQ(run.exit_code, kKilled) << run.errors;
      ++kills;
      pass += std::uniform_int_distribution(1, 9)(random);
    }
    FinishAndCompare(&job, fmt::format("killed at write {}", pass));
    job.Renew();
  }
}

// What fails, and the run with it, says which file it was; the next run goes on. Of three faults
// each kind of job takes one at each point, in turn.
TEST_P(FailPointTest, AFailedWriteEndsTheRunWithTheNameOfTheFile) {
  CrashJob job(GetParam());
  const std::array<std::string, 3> faults = {"1=ENOSPC", "1=EIO", "2+3=ENOSPC"};
  size_t turn = std::string(GetParam().name).size();
  for (const std::string_view name : FailPointNames()) {
    const std::string point(name);
    const std::string& fault = faults[turn++ % faults.size()];
    const CommandResult failed = RunThrough(&job, point, fault);
    const std::string what = fmt::format("{}:{}: {}", point, fault, failed.errors);
    // LevelDB leaves a file that it cannot remove to the next start.
    const bool is_survived = point == "state.remove" || failed.exit_code == 0;
    if (fault.front() == '1') {
      EXPECT_EQ(failed.exit_code == 0, point == "state.remove") << what;
    }
    if (!is_survived) {
      EXPECT_EQ(failed.exit_code, 1) << what;
      EXPECT_THAT(failed.errors, AnyOf(HasSubstr("cannot"), HasSubstr("the checkpoint in")))
          << what;
      EXPECT_THAT(failed.errors,
                  AnyOf(HasSubstr("No space left on device"), HasSubstr("Input/output error")))
          << what;
      EXPECT_THAT(failed.errors, HasSubstr(job.folder())) << what;
    }
    FinishAndCompare(&job, what);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, FailPointTest, ::testing::ValuesIn(CrashJob::Kinds()),
                         CrashJob::NameOf);

}  // namespace
}  // namespace braid
