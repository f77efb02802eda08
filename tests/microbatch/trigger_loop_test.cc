#include "engine/microbatch/trigger_loop.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(TriggerLoopTest, FiresAtWholeMultiplesOfTheInterval) {
  struct Case {
    int64_t fired;
    int64_t interval;
    int64_t next;
  };
  for (const Case& c : {Case{0, 10, 10}, Case{1, 10, 10}, Case{9, 10, 10}, Case{10, 10, 20},
                        Case{25, 10, 30}, Case{-1, 10, 0}, Case{-10, 10, 0}, Case{-11, 10, -10}}) {
    EXPECT_EQ(TriggerLoop::NextFire({c.fired}, {c.interval}).micros, c.next) << c.fired;
  }
}

}  // namespace
}  // namespace braid
