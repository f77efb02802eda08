#include "engine/microbatch/query_identity.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/sql/parser.h"
#include "state/versioned_store.h"
#include "tests/connectors/temporary_folder.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string Table(const std::string& name, const std::string& watermark) {
  return "CREATE TABLE " + name + " (id BIGINT, ts TIMESTAMP(3), name STRING" + watermark +
         ") WITH ('connector' = 'blackhole');\n";
}

StreamPlan Planned(const std::string& query, Mode mode,
                   RowTimeJoin row_time_join = RowTimeJoin::kSql) {
  std::string script;
  for (const char* name : {"a", "b", "c"}) {
    script += Table(name, ", WATERMARK FOR ts AS ts - INTERVAL '1' SECOND");
  }
  const Result<Script> parsed = ParseScript(script + query, {});
  EXPECT_TRUE(parsed.has_value()) << (parsed ? "" : parsed.error().message);
  Result<StreamPlan> plan = MakeStreamPlan(*parsed->query, mode, row_time_join);
  EXPECT_TRUE(plan.has_value()) << query << (plan ? "" : plan.error().message);
  return plan ? std::move(*plan) : StreamPlan();
}

constexpr const char* kPair =
    "SELECT a.id, b.name FROM a JOIN b ON a.id = b.id AND b.ts BETWEEN a.ts AND a.ts + INTERVAL "
    "'5' "
    "SECOND";

std::vector<std::string> SideNames(const StoreIdentity& identity) {
  std::vector<std::string> names;
  for (const SideLayout& side : identity.sides) names.push_back(side.name);
  return names;
}

TEST(QueryIdentityTest, TablesThatOccurSeveralTimesAreToldApart) {
  struct Case {
    const char* query;
    std::vector<std::string> names;
  };
  const Case cases[] = {
      {"SELECT id FROM a", {"a"}},
      {kPair, {"a", "b"}},
      {"SELECT x.id FROM a AS x JOIN a AS y ON x.id = y.id", {"a (left)", "a (right)"}},
      {"SELECT x.id FROM a AS x JOIN b ON x.id = b.id JOIN a AS y ON x.id = y.id",
       {"a (1)", "b", "a (2)"}},
      {"SELECT a.id FROM a JOIN (b JOIN c ON b.id = c.id) ON a.id = b.id", {"a", "b", "c"}},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(TableNames(Planned(c.query, Mode::kPerRecord)), c.names) << c.query;
  }
}

TEST(QueryIdentityTest, EachJoinOfATreeHasTwoSidesInTheOrderOfExecution) {
  const StoreIdentity identity = MakeIdentity(Planned(
      "SELECT a.name, b.name AS n, c.ts FROM a JOIN (b JOIN c ON b.name = c.name) ON a.id = b.id",
      Mode::kPerRecord));
  EXPECT_THAT(SideNames(identity), ElementsAre("b", "c", "a", "b JOIN c"));
  const std::vector<SideLayout>& sides = identity.sides;
  EXPECT_TRUE(sides[0].hashed_key);
  EXPECT_FALSE(sides[2].hashed_key);
  EXPECT_EQ(sides[2].key.name, "id");
  for (const SideLayout& side : sides) EXPECT_TRUE(side.has_time);
  EXPECT_EQ(sides[0].payload.ToString(), "name STRING, id BIGINT");
  EXPECT_EQ(sides[2].payload.ToString(), "id BIGINT, name STRING");
  // Columns of two tables may have one name.
  std::vector<std::string> columns;
  for (const Field& field : sides[3].payload.fields) columns.push_back(field.name);
  EXPECT_THAT(columns, ElementsAre("b.id", "b.name", "c.ts"));
}

TEST(QueryIdentityTest, ACheckpointOfAnotherModeOrOperatorIsRefused) {
  const StreamPlan micro_batch = Planned(kPair, Mode::kMicroBatch);
  const StreamPlan per_record = Planned(kPair, Mode::kPerRecord);
  const StreamPlan datastream = Planned(kPair, Mode::kPerRecord, RowTimeJoin::kDataStream);
  EXPECT_TRUE(CheckIdentity(MakeIdentity(per_record), per_record).has_value());
  const Status mode = CheckIdentity(MakeIdentity(micro_batch), per_record);
  ASSERT_FALSE(mode.has_value());
  EXPECT_EQ(mode.error().code, ErrorCode::kConflict);
  EXPECT_THAT(mode.error().message, HasSubstr("the mode was micro-batch"));
  const Status chosen = CheckIdentity(MakeIdentity(per_record), datastream);
  ASSERT_FALSE(chosen.has_value());
  EXPECT_THAT(chosen.error().message, HasSubstr("was a row-time interval join"));
}

StreamPlan WritingTo(const char* path) {
  const Result<Script> parsed = ParseScript(
      fmt::format("CREATE TABLE l (id BIGINT) WITH ('connector' = 'blackhole');\nCREATE TABLE o "
                  "(id BIGINT) WITH ('connector' = 'filesystem', 'path' = '{}', 'format' = "
                  "'csv');\nINSERT INTO o SELECT id FROM l",
                  path),
      {});
  EXPECT_TRUE(parsed.has_value());
  return *MakeStreamPlan(*parsed->query, Mode::kMicroBatch);
}

// A rollback may give up batches that lie there.
TEST(QueryIdentityTest, PlacesOfTheOutputAreKeptAsLongAsARollbackReachesThem) {
  const std::unique_ptr<VersionedStore> store = NewMemoryStore({.retain_versions = 4});
  int64_t batch = 0;
  const auto run = [&](const char* path, int num_batches) {
    ASSERT_TRUE(ClaimStore(store.get(), WritingTo(path)));
    for (; num_batches > 0; --num_batches) {
      BatchCommit commit;
      commit.batch_id = batch++;
      ASSERT_TRUE(store->Commit(commit, {}, nullptr));
    }
  };
  const auto former = [&] {
    std::vector<std::string> texts;
    const std::optional<StoreIdentity> identity = store->identity();
    for (const FormerOutput& output : identity->former_outputs) {
      texts.push_back(fmt::format("{} {} {}", output.path, output.table, output.last_batch));
    }
    return texts;
  };
  run("/a", 2);
  EXPECT_THAT(former(), ElementsAre());
  run("/b--{1}", 1);
  EXPECT_THAT(former(), ElementsAre("/a table o 1"));
  run("/a", 1);
  EXPECT_THAT(former(), ElementsAre("/a table o 1", "/b--{1} table o 2"));
  run("/c", 2);
  EXPECT_THAT(former(), ElementsAre("/b--{1} table o 2", "/a table o 3"));
  run("/d", 1);
  EXPECT_THAT(former(), ElementsAre("/a table o 3", "/c table o 5"));
}

// The folder that a relative path and a link lead to is another one in the next run.
TEST(QueryIdentityTest, APlaceOfTheOutputIsWhereItsPathLeads) {
  const TemporaryFolder folder;
  for (const char* name : {"a/out", "b/out"}) {
    std::filesystem::create_directories(folder / name);
  }
  const std::string link = folder / "link";
  const auto lead_to = [&](const char* name) {
    std::filesystem::remove(link);
    std::filesystem::create_directory_symlink(folder / name, link);
  };
  const std::string path = link + "/out";
  lead_to("a");
  const std::unique_ptr<VersionedStore> store = NewMemoryStore({});
  ASSERT_TRUE(ClaimStore(store.get(), WritingTo(path.c_str())));
  ASSERT_TRUE(store->WritePlan({}));
  // By another name, and as a relative path.
  EXPECT_TRUE(ClaimStore(store.get(), WritingTo((folder / "a/out").c_str())));
  EXPECT_TRUE(ClaimStore(store.get(),
                         WritingTo(std::filesystem::relative(folder / "a/out").string().c_str())));
  lead_to("b");
  const Result<std::string> moved = ClaimStore(store.get(), WritingTo(path.c_str()));
  ASSERT_FALSE(moved);
  EXPECT_THAT(moved.error().message, HasSubstr("batch 0 was planned"));
  EXPECT_THAT(moved.error().message, HasSubstr(folder / "a/out"));
  EXPECT_THAT(moved.error().message, HasSubstr(folder / "b/out"));

  lead_to("a");
  ASSERT_TRUE(store->Commit({}, {}, nullptr));
  lead_to("b");
  ASSERT_TRUE(ClaimStore(store.get(), WritingTo(path.c_str())));
  EXPECT_EQ(store->identity()->former_outputs.size(), 0U);
  BatchCommit commit;
  commit.batch_id = 1;
  ASSERT_TRUE(store->Commit(commit, {}, nullptr));
  lead_to("a");
  ASSERT_TRUE(ClaimStore(store.get(), WritingTo(path.c_str())));
  ASSERT_EQ(store->identity()->former_outputs.size(), 1U);
  EXPECT_EQ(store->identity()->former_outputs[0].path, folder / "b/out");
}

// A folder that was moved as a whole has taken all batches along.
TEST(QueryIdentityTest, AnOutputThatWasMovedAlongMayHaveAPlannedBatch) {
  const TemporaryFolder folder;
  const std::unique_ptr<VersionedStore> store = NewMemoryStore({});
  const Result<std::string> query = ClaimStore(store.get(), WritingTo((folder / "a").c_str()));
  ASSERT_TRUE(query);
  ASSERT_TRUE(store->WritePlan({}));
  const std::string owner = fmt::format(R"({{"query":"{}"}})", *query);
  const auto claim = [&] { return ClaimStore(store.get(), WritingTo((folder / "b").c_str())); };
  folder.Write("b/_braid_owner", R"({"query":"another"})");
  EXPECT_FALSE(claim());
  folder.Write("b/_braid_owner", owner);
  folder.Write("a/_braid_owner", owner);
  EXPECT_FALSE(claim());
  std::filesystem::remove_all(folder / "a");
  EXPECT_TRUE(claim());
}

// Such a batch may lie in the old place already, where no one would take it back.
TEST(QueryIdentityTest, AnOutputMovesOnlyBetweenBatches) {
  const std::unique_ptr<VersionedStore> store = NewMemoryStore({});
  ASSERT_TRUE(ClaimStore(store.get(), WritingTo("/a")));
  ASSERT_TRUE(ClaimStore(store.get(), WritingTo("/b")));
  ASSERT_TRUE(store->WritePlan({}));
  const Result<std::string> moved = ClaimStore(store.get(), WritingTo("/c"));
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.error().code, ErrorCode::kConflict);
  EXPECT_THAT(moved.error().message,
              HasSubstr("the path of table o was '/b' when the checkpoint was made, and is '/c' "
                        "now, but batch 0 was planned"));
  ASSERT_TRUE(ClaimStore(store.get(), WritingTo("/b")));
  ASSERT_TRUE(store->Commit({}, {}, nullptr));
  EXPECT_TRUE(ClaimStore(store.get(), WritingTo("/c")));
}

}  // namespace
}  // namespace braid
