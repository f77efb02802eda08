// A per-record query that is stopped anywhere between two records, or dies at any step of a
// checkpoint, gives in the end what an uninterrupted run gives, each row once.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/reports/text_query.h"

namespace braid::testing {
namespace {

const std::vector<std::string> kSteps = {
    "l: 1 10 a, 2 11 b | r: 1 12 x", "r: 2 11 y, 2 12 z, 7 9 w", "l: 1 14 c, 3 20 d, - 21 e",
    "l: 2 30 f | r: 3 22 v, 9 31 u", "r: 2 31 t | l: 4 45 g",    "l: 5 46 h | r: 5 60 s",
};

QueryText PerRecord(const std::string& type, const std::string& interleave, bool on_disk) {
  QueryText text;
  text.select = RangeJoin(type, 5);
  text.settings = {{"execution.mode", "per-record"},
                   {"execution.end-of-input", "flush"},
                   {"source.interleave", interleave}};
  text.on_disk = on_disk;
  return text;
}

// Runs all steps; a checkpoint comes after each. Goes on in a new run after every error.
std::string RunThrough(const QueryText& text, int calls_max) {
  TextQuery query(text);
  int num_errors = 0;
  const auto trigger = [&] {
    QueryText again = text;
    for (std::string given = query.Trigger(); given.rfind("error", 0) == 0;
         given = query.Trigger()) {
      if (++num_errors > 3) return;
      again.sink_calls_max = -1;
      const Status restarted = query.Restart(again);
      EXPECT_TRUE(restarted) << restarted.error().ToString();
    }
  };
  QueryText first = text;
  first.sink_calls_max = calls_max;
  EXPECT_TRUE(query.Restart(first));
  for (const std::string& step : kSteps) {
    query.Push(step);
    trigger();
    query.AdvanceClock(Seconds(2));
    trigger();
  }
  query.EndInput();
  trigger();
  EXPECT_LE(num_errors, 1);
  return query.AllRows();
}

TEST(PerRecordRecoveryTest, ACrashAtAnyStepOfACheckpointLosesAndRepeatsNothing) {
  for (const char* type : {"INNER", "LEFT", "FULL", "LEFT SEMI", "LEFT ANTI"}) {
    for (const char* interleave : {"event-time", "round-robin", "left-first", "arrival"}) {
      const QueryText text = PerRecord(type, interleave, /*on_disk=*/false);
      const std::string whole = RunThrough(text, -1);
      EXPECT_NE(whole, "");
      for (int calls_max = 0; calls_max < 28; ++calls_max) {
        EXPECT_EQ(RunThrough(text, calls_max), whole)
            << type << ", " << interleave << ", dies at call " << calls_max;
      }
    }
  }
}

TEST(PerRecordRecoveryTest, TheSameOnDisk) {
  const QueryText text = PerRecord("FULL", "arrival", /*on_disk=*/true);
  const std::string whole = RunThrough(text, -1);
  for (int calls_max = 0; calls_max < 28; calls_max += 3) {
    EXPECT_EQ(RunThrough(text, calls_max), whole) << "dies at call " << calls_max;
  }
}

}  // namespace
}  // namespace braid::testing
