#include "engine/perrecord/regular_join.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/perrecord/operator_run.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::string Query(const std::string& kind, bool primary_keys = false) {
  const std::string columns =
      primary_keys ? "id BIGINT, k BIGINT NOT NULL, v BIGINT, PRIMARY KEY (k) NOT ENFORCED"
                   : "id BIGINT, v BIGINT";
  std::string text;
  for (const char* name : {"l", "r"}) {
    text +=
        std::string("CREATE TABLE ") + name + " (" + columns + ") WITH ('connector' = 'memory');\n";
  }
  const bool left_only = kind.find("SEMI") != kind.npos || kind.find("ANTI") != kind.npos;
  return text + "SELECT l.*" + (left_only ? "" : ", r.*") + " FROM l " + kind +
         " r ON l.id = r.id;";
}

PerRecordOptions Durable(std::optional<int64_t> ttl_ms = std::nullopt) {
  PerRecordOptions options;
  options.durable = true;
  options.state_ttl_ms = ttl_ms;
  return options;
}

constexpr ChangeKind kDelete = ChangeKind::kDelete;
constexpr ChangeKind kBefore = ChangeKind::kUpdateBefore;
constexpr ChangeKind kAfter = ChangeKind::kUpdateAfter;

TEST(RegularJoinTest, ARowLivesAsLongAsItsTimeToLive) {
  for (const bool restarts : {false, true}) {
    OperatorRun run(Query("JOIN"), Durable(1'000));
    ASSERT_EQ(run.chosen(), PerRecordOperator::kRegular);
    const auto restart = [&] {
      if (restarts) run.Restart();
    };
    run.Play({Clock(10'000), Left({1, 1})});
    restart();
    run.Play({Clock(10'500), Left({1, 2})});
    restart();
    EXPECT_THAT(run.Play({Clock(10'999), Right({1, 7})}),
                UnorderedElementsAre("+I 1 1 | 1 7", "+I 1 2 | 1 7"));
    restart();
    EXPECT_THAT(run.Play({Clock(11'000), Right({1, 8})}), ElementsAre("+I 1 2 | 1 8"));
    EXPECT_EQ(run.join().num_state_rows(Side::kLeft), 1);
    restart();
    // A clock that goes back changes nothing.
    EXPECT_THAT(run.Play({Clock(10'000), Right({1, 9})}), ElementsAre("+I 1 2 | 1 9"));
    run.Play({Clock(13'000)});
    EXPECT_EQ(run.num_state_rows(), 0);
  }
}

TEST(RegularJoinTest, AnExpiredRowIsForgottenWithoutARetraction) {
  OperatorRun run(Query("LEFT JOIN"), Durable(1'000));
  EXPECT_THAT(run.Play({Clock(0), Left({1, 1})}), ElementsAre("+I 1 1 | - -"));
  EXPECT_THAT(run.Play({Clock(1'000)}), IsEmpty());
  EXPECT_THAT(run.Play({Right({1, 7})}), IsEmpty());
  run.Restart();
  EXPECT_THAT(run.Play({Left({1, 2})}), ElementsAre("+I 1 2 | 1 7"));
}

TEST(RegularJoinTest, TheClockStepsWithinABlock) {
  OperatorRun run(Query("JOIN"), Durable(1'000));
  EXPECT_THAT(run.Play({Clock(0), Left({1, 1}), Clock(999), Right({1, 2}), Clock(1'000),
                        Right({1, 3}), Left({1, 4})}),
              UnorderedElementsAre("+I 1 1 | 1 2", "+I 1 4 | 1 2", "+I 1 4 | 1 3"));
}

TEST(RegularJoinTest, ARetractionFindsItsRowAmongEqualKeys) {
  for (const std::optional<int64_t> ttl_ms : {std::optional<int64_t>(), {60'000}}) {
    OperatorRun run(Query("JOIN"), Durable(ttl_ms));
    run.Play({Clock(5), Left({1, 1}), Left({1, 2}), Left({1, 2}), Left({1, 3})});
    run.Restart();
    run.Play({Left({1, 2}, kDelete)});
    run.Restart();
    EXPECT_THAT(run.Play({Right({1, 7})}),
                UnorderedElementsAre("+I 1 1 | 1 7", "+I 1 2 | 1 7", "+I 1 3 | 1 7"));
    EXPECT_THAT(run.Play({Left({1, 2}, kBefore)}), ElementsAre("-U 1 2 | 1 7"));
    EXPECT_EQ(run.join().num_state_rows(Side::kLeft), 2);
  }
}

TEST(RegularJoinTest, ARetractionOfARowThatIsNotStoredIsStillJoined) {
  OperatorRun run(Query("JOIN"));
  run.Play({Right({1, 7})});
  EXPECT_THAT(run.Play({Left({1, 5}, kDelete)}), ElementsAre("-D 1 5 | 1 7"));
  EXPECT_EQ(run.join().num_state_rows(Side::kLeft), 0);
  EXPECT_THAT(run.Play({Left({2, 5}, kDelete)}), IsEmpty());
  OperatorRun left(Query("LEFT JOIN"));
  EXPECT_THAT(left.Play({Left({1, 5}, kDelete)}), ElementsAre("-D 1 5 | - -"));
}

TEST(RegularJoinTest, DegreesDecideWhenPaddingComesBackAlsoAfterARestart) {
  OperatorRun run(Query("LEFT JOIN"), Durable());
  run.Play({Left({1, 1})});
  run.Restart();
  EXPECT_THAT(run.Play({Right({1, 7})}), ElementsAre("-D 1 1 | - -", "+I 1 1 | 1 7"));
  run.Restart();
  EXPECT_THAT(run.Play({Right({1, 8})}), ElementsAre("+I 1 1 | 1 8"));
  run.Restart();
  EXPECT_THAT(run.Play({Right({1, 7}, kDelete)}), ElementsAre("-D 1 1 | 1 7"));
  run.Restart();
  EXPECT_THAT(run.Play({Right({1, 8}, kDelete)}), ElementsAre("-D 1 1 | 1 8", "+I 1 1 | - -"));
}

TEST(RegularJoinTest, APrimaryKeyReplacesItsRowSilently) {
  OperatorRun run(Query("JOIN", /*primary_keys=*/true), Durable());
  run.Play({Left({1, 10, 100}), Left({1, 11, 110})});
  run.Restart();
  EXPECT_THAT(run.Play({Left({1, 10, 101}, kAfter)}), IsEmpty());
  EXPECT_EQ(run.join().num_state_rows(Side::kLeft), 2);
  run.Restart();
  EXPECT_THAT(run.Play({Right({1, 20, 7})}),
              UnorderedElementsAre("+I 1 10 101 | 1 20 7", "+I 1 11 110 | 1 20 7"));
  // By key alone: the other columns need not be those of the stored row.
  EXPECT_THAT(run.Play({Left({1, 10, 999}, kDelete)}), ElementsAre("-D 1 10 999 | 1 20 7"));
  EXPECT_EQ(run.join().num_state_rows(Side::kLeft), 1);
}

TEST(RegularJoinTest, AReplacedRowLeavesTheDegreesOfItsPartners) {
  OperatorRun run(Query("LEFT JOIN", /*primary_keys=*/true), Durable());
  run.Play({Left({1, 10, 100})});
  EXPECT_THAT(run.Play({Right({1, 20, 7})}),
              ElementsAre("-D 1 10 100 | - - -", "+I 1 10 100 | 1 20 7"));
  run.Restart();
  EXPECT_THAT(run.Play({Right({1, 20, 8}, kAfter)}), ElementsAre("+I 1 10 100 | 1 20 8"));
  run.Restart();
  EXPECT_THAT(run.Play({Right({1, 20, 8}, kDelete)}),
              ElementsAre("-D 1 10 100 | 1 20 8", "+I 1 10 100 | - - -"))
      << "one partner, not two";
}

TEST(RegularJoinTest, SemiAndAntiFollowTheFirstAndTheLastPartner) {
  OperatorRun semi(Query("LEFT SEMI JOIN"), Durable());
  OperatorRun anti(Query("LEFT ANTI JOIN"), Durable());
  EXPECT_THAT(semi.Play({Left({1, 1})}), IsEmpty());
  EXPECT_THAT(anti.Play({Left({1, 1})}), ElementsAre("+I 1 1"));
  EXPECT_THAT(semi.Play({Right({1, 7}), Right({1, 8})}), ElementsAre("+I 1 1"));
  EXPECT_THAT(anti.Play({Right({1, 7}), Right({1, 8})}), ElementsAre("-D 1 1"));
  semi.Restart();
  anti.Restart();
  const std::vector<Event> losses = {Right({1, 7}, kDelete), Right({1, 8}, kDelete)};
  EXPECT_THAT(semi.Play(losses), ElementsAre("-D 1 1"));
  EXPECT_THAT(anti.Play(losses), ElementsAre("+I 1 1"));
}

TEST(RegularJoinTest, NullKeysMatchNothingAndAreRetracted) {
  OperatorRun run(Query("FULL JOIN"), Durable());
  EXPECT_THAT(run.Play({Left({std::nullopt, 1}), Right({std::nullopt, 2})}),
              ElementsAre("+I - 1 | - -", "+I - - | - 2"));
  run.Restart();
  EXPECT_THAT(run.Play({Left({std::nullopt, 1}, kDelete)}), ElementsAre("-D - 1 | - -"));
  EXPECT_EQ(run.num_state_rows(), 1);
}

}  // namespace
}  // namespace braid
