// Jobs that are killed at random moments, and started again with another number of partitions, give
// what an uninterrupted run gives (reports K1, K2).
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <random>
#include <string>
#include <thread>

#include "tests/cli/crash_job.h"
#include "tests/cli/soak.h"

namespace braid {
namespace {

using testing::CommandResult;
using testing::CrashJob;
using testing::RunningCommand;
using testing::SoakFactor;

class RandomKillTest : public ::testing::TestWithParam<CrashJob::Kind> {};

// 50 kills of each of four kinds of jobs; 2,000 in all by `make soak`.
TEST_P(RandomKillTest, AJobThatIsKilledAtRandomMomentsGoesOn) {
  CrashJob job(GetParam());
  std::mt19937 random(20'240'102);
  const int kills_wanted = 50 * SoakFactor();
  int kills = 0;
  for (int life = 0; kills < kills_wanted; ++life) {
    ASSERT_LT(life, 20 * kills_wanted) << "the jobs end before they can be killed";
    bool ended = false;
    while (!ended && kills < kills_wanted) {
      RunningCommand run(job.Arguments(std::uniform_int_distribution(1, 3)(random)));
      const std::chrono::microseconds moment(
          std::uniform_int_distribution<int64_t>(0, job.whole_run_micros())(random));
      std::this_thread::sleep_for(moment);
      run.Signal(SIGKILL);
      const CommandResult result = run.Wait();
      ended = result.exit_code == 0;
      if (ended) break;
      ASSERT_EQ(result.exit_code, 128 + SIGKILL) << result.errors;
      ++kills;
    }
    const CommandResult last = job.Run(std::uniform_int_distribution(1, 3)(random));
    ASSERT_EQ(last.exit_code, 0) << last.errors;
    ASSERT_EQ(job.Difference(), "") << "life " << life;
    job.Renew();
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, RandomKillTest, ::testing::ValuesIn(CrashJob::Kinds()),
                         CrashJob::NameOf);

}  // namespace
}  // namespace braid
