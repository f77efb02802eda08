// A whole job on one disk: whatever call to it goes wrong, after a restart the output folders hold
// what an uninterrupted run leaves.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "engine/connectors/filesystem_connector.h"
#include "engine/session/job.h"
#include "state/store/leveldb_storage.h"
#include "state/store/record_store.h"
#include "tests/connectors/temporary_folder.h"
#include "tests/faults/simulated_disk.h"

namespace braid {
namespace {

using testing::SimulatedDisk;

constexpr const char* kOutputs[] = {"result", "late", "unmatched"};

struct Kind {
  const char* name;
  bool per_record;
  const char* join;
};

class DiskFaultTest : public ::testing::TestWithParam<Kind> {
 protected:
  using Lines = std::map<std::string, std::vector<std::string>>;

  DiskFaultTest() {
    for (const char* table : {"l", "r"}) {
      for (int file = 0; file < 2; ++file) {
        std::string rows;
        for (int row = file * 9; row < (file + 1) * 9; ++row) {
          int second = 2 * row + (table[0] == 'r' ? 1 : 0);
          if (row > 7 && row % 5 == 0) second -= 9;
          const int key = row % 4 == 0 ? (table[0] == 'r' ? 1'000 : 100) + row : row % 3;
          rows += fmt::format("{},2024-01-01 00:00:{:02},{}{}\n", key, second, table, row);
        }
        folder_.Write(fmt::format("in/{}/{}.csv", table, file), rows);
      }
    }
  }

  std::string JobText(int parallelism) const {
    std::string text = fmt::format(
        "SET 'execution.end-of-input' = 'flush';\nSET 'unmatched-rows.table' = 'unmatched';\n"
        "SET 'execution.checkpoint' = '{}';\nSET 'late-rows.table' = 'late';\n",
        folder_ / "checkpoint");
    if (GetParam().per_record) {
      text +=
          "SET 'execution.mode' = 'per-record';\nSET 'execution.checkpointing.interval' = '1 "
          "us';\n";
      if (std::string(GetParam().join) == "JOIN") {
        text += "SET 'per-record.interval-join' = 'datastream';\n";
      }
    }
    if (!GetParam().per_record) text += fmt::format("SET 'parallelism' = '{}';\n", parallelism);
    const auto table = [&](const char* name, const char* columns, const std::string& path) {
      // Batches share the files of one output.
      const bool shares = path == "unmatched";
      text += fmt::format(
          "CREATE TABLE {} ({}) WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = "
          "'{}', 'source.max-bytes-per-trigger' = '150', 'sink.min-file-size' = '{}');\n",
          name, columns, folder_ / path, shares ? "80 b" : "0 b");
    };
    for (const char* name : {"l", "r"}) {
      table(name,
            "k BIGINT, ts TIMESTAMP(3), v STRING, WATERMARK FOR ts AS ts - INTERVAL '2' SECOND",
            fmt::format("in/{}", name));
    }
    for (const char* name : {"late", "unmatched"}) {
      table(name, "table_name STRING, k BIGINT, v STRING", name);
    }
    table("result", "k BIGINT, l STRING, r STRING", "result");
    return text + fmt::format(
                      "INSERT INTO result SELECT l.k, l.v, r.v FROM l {} r ON l.k = r.k AND r.ts "
                      "BETWEEN l.ts - INTERVAL '5' SECOND AND l.ts + INTERVAL '5' SECOND;\n",
                      GetParam().join);
  }

  // With the folders that the store makes outside of the disk's ways.
  std::unique_ptr<SimulatedDisk> NewDisk() const {
    auto disk = std::make_unique<SimulatedDisk>(folder_.path());
    EXPECT_TRUE(disk->operations()->CreateDirectories(folder_ / "checkpoint/state", true));
    disk->Restart();
    return disk;
  }

  // One process: a job from its start to its end or its error.
  Status RunJob(SimulatedDisk* disk, int parallelism) const {
    ConnectorRegistry connectors;
    connectors.Add("filesystem",
                   std::make_shared<FilesystemConnector>(nullptr, disk->operations()));
    JobOptions options;
    options.connectors = &connectors;
    SystemClock clock;
    options.clock = &clock;
    Result<std::unique_ptr<Job>> job = Job::Prepare(JobText(parallelism), options);
    if (!job) return tl::unexpected(job.error());
    LevelDbStorageOptions storage_options;
    storage_options.env = disk->env();
    storage_options.sync_folder = [disk](const std::string& folder) {
      return disk->operations()->SyncDirectory(folder);
    };
    Result<std::unique_ptr<RecordStorage>> storage =
        OpenLevelDbStorage(folder_ / "checkpoint", storage_options);
    if (!storage) return tl::unexpected(storage.error());
    Result<std::unique_ptr<RecordStore>> store =
        RecordStore::Open(std::move(*storage), {}, /*read_only=*/false);
    if (!store) return tl::unexpected(store.error());
    Status opened = (*job)->OpenWith(std::move(*store));
    return opened ? (*job)->Run() : opened;
  }

  // What a reader of the folders finds; files with a leading dot are a line each.
  Lines ReadOutput(const SimulatedDisk& disk) const {
    Lines lines;
    for (const char* table : kOutputs) {
      for (const auto& [name, bytes] : disk.Files(folder_ / table)) {
        if (name.front() == '.') lines[table].push_back("left: " + name);
        if (!name.starts_with("part-")) continue;
        std::istringstream text(bytes);
        for (std::string line; std::getline(text, line);) lines[table].push_back(line);
      }
      std::sort(lines[table].begin(), lines[table].end());
    }
    return lines;
  }

  // Runs again, with another number of partitions each time, until it comes to its end.
  void FinishAndCompare(SimulatedDisk* disk, int runs_max, const std::string& what) {
    Status ran;
    for (int run = 0; run < runs_max; ++run) {
      ran = RunJob(disk, NextParallelism());
      if (ran) break;
    }
    ASSERT_TRUE(ran) << what << ": " << ran.error().ToString();
    EXPECT_EQ(ReadOutput(*disk), expected_) << what;
  }

  int NextParallelism() { return parallelism_ = parallelism_ % 3 + 1; }

  // The uninterrupted run: gives the calls to the disk that it takes.
  int64_t RunWhole() {
    const auto disk = NewDisk();
    const Status ran = RunJob(disk.get(), 3);
    EXPECT_TRUE(ran) << (ran ? "" : ran.error().ToString());
    expected_ = ReadOutput(*disk);
    EXPECT_GT(expected_["result"].size(), 10U);
    EXPECT_GT(expected_["unmatched"].size(), 5U);
    return disk->calls();
  }

  TemporaryFolder folder_;
  Lines expected_;
  int parallelism_ = 0;
};

// More than a whole run takes with any number of partitions: some calls are met by nobody.
int64_t LastCall(int64_t calls) { return calls + calls / 4; }

TEST_P(DiskFaultTest, WhatWasNotSyncedIsLostWithThePower) {
  const int64_t calls = LastCall(RunWhole());
  std::mt19937 random(20'240'103);
  for (int64_t call = 1; call <= calls; ++call) {
    for (const bool journal : {false, true}) {
      const auto disk = NewDisk();
      disk->Kill(call);
      const Status ran = RunJob(disk.get(), NextParallelism());
      EXPECT_NE(ran.has_value(), disk->met_fault()) << call;
      std::uniform_int_distribution<int64_t> some(0, disk->unsynced_folder_changes());
      const int64_t kept = journal ? some(random) : 0;
      disk->RestartAfterPowerLoss(kept);
      FinishAndCompare(disk.get(), 1, fmt::format("power lost in call {}, {} kept", call, kept));
      if (HasFailure()) return;
    }
  }
}

// What a process that was killed has not synced the next one cannot rely on either.
TEST_P(DiskFaultTest, APowerLossBehindAKillLosesNothingThatIsCommitted) {
  const int64_t calls = LastCall(RunWhole());
  std::mt19937 random(20'240'104);
  for (int64_t call = 1; call <= calls; ++call) {
    const auto disk = NewDisk();
    disk->Kill(call);
    static_cast<void>(RunJob(disk.get(), NextParallelism()));
    disk->Restart();
    const int64_t second = std::uniform_int_distribution<int64_t>(1, calls)(random);
    disk->Kill(second);
    static_cast<void>(RunJob(disk.get(), NextParallelism()));
    disk->RestartAfterPowerLoss(0);
    FinishAndCompare(disk.get(), 1, fmt::format("killed in call {}, lost in {}", call, second));
    if (HasFailure()) return;
  }
}

TEST_P(DiskFaultTest, AProcessThatDiesInACallGoesOn) {
  const int64_t calls = LastCall(RunWhole());
  for (int64_t call = 1; call <= calls; ++call) {
    const auto disk = NewDisk();
    disk->Kill(call);
    const Status ran = RunJob(disk.get(), NextParallelism());
    EXPECT_NE(ran.has_value(), disk->met_fault()) << call;
    disk->Restart();
    FinishAndCompare(disk.get(), 1, fmt::format("killed in call {}", call));
    if (HasFailure()) return;
  }
}

// The disk is full for some calls and then has space again, perhaps only for a later run.
TEST_P(DiskFaultTest, ADiskThatIsFullForAWhileLosesNothing) {
  const int64_t calls = LastCall(RunWhole());
  for (int64_t call = 1; call <= calls; ++call) {
    for (const int64_t count : {1, 3, 12}) {
      const auto disk = NewDisk();
      disk->FillUp(call, count);
      FinishAndCompare(disk.get(), static_cast<int>(count) + 1,
                       fmt::format("full for {} calls from {}", count, call));
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, DiskFaultTest,
                         ::testing::Values(Kind{"MicroBatchInner", false, "JOIN"},
                                           Kind{"MicroBatchLeft", false, "LEFT JOIN"},
                                           Kind{"PerRecordInner", true, "JOIN"},
                                           Kind{"PerRecordLeft", true, "LEFT JOIN"}),
                         [](const ::testing::TestParamInfo<Kind>& kind) {
                           return std::string(kind.param.name);
                         });

}  // namespace
}  // namespace braid
