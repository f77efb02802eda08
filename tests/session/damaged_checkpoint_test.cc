// A checkpoint of a real query, damaged in one place: the next run stops with an error that names
// the file, or its output is what an uninterrupted run writes. And: taken back to any version that
// it retains, it writes that too.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "braid/clock.h"
#include "engine/connectors/connector_registry.h"
#include "engine/session/checkpoint_check.h"
#include "engine/session/job.h"
#include "state/checkpoint_repair.h"
#include "tests/connectors/temporary_folder.h"

namespace braid {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// Takes rows as the sink it stands for, and publishes none.
class StoppingSink final : public Sink {
 public:
  explicit StoppingSink(std::unique_ptr<Sink> sink) : sink_(std::move(sink)) {}

  std::string description() const override { return sink_->description(); }
  std::string location() const override { return sink_->location(); }
  Status Open(const SinkContext& context) override { return sink_->Open(context); }
  Status BeginBatch(int64_t batch_id) override { return sink_->BeginBatch(batch_id); }
  Status Write(int partition, const RowBatch& rows) override {
    return sink_->Write(partition, rows);
  }
  Status PublishBatch(int64_t /*batch_id*/) override {
    return Fail(ErrorCode::kIo, "stopped here");
  }
  Status Close() override { return sink_->Close(); }

 private:
  const std::unique_ptr<Sink> sink_;
};

// One query over files that are read a few at a time, and its folders.
class DamagedCheckpointTest : public testing::TestWithParam<const char*> {
 protected:
  static constexpr int kFiles = 12;
  static constexpr int kRowsPerFile = 40;

  enum class Ends : uint8_t { kFlushed, kHeld, kStopped };

  void SetUp() override {
    WriteInput(0, kFiles);
    ASSERT_TRUE(Run("expected", "expected-out", Ends::kFlushed));
    expected_ = Lines("expected-out");
    ASSERT_GT(expected_.size(), 500U);
  }

  void WriteInput(int first, int end) const {
    for (int file = first; file < end; ++file) {
      std::string left;
      std::string right;
      for (int row = 0; row < kRowsPerFile; ++row) {
        const int second = file * 20 + row / 2;
        const std::string time = fmt::format("2024-01-01 00:{:02}:{:02}", second / 60, second % 60);
        left += fmt::format("{},{},left {} {}\n", row % 17, time, file, row);
        right += fmt::format("{},{},right {} {}\n", row % 13, time, file, row);
      }
      const std::string name = fmt::format("{:02}.csv", file);
      folder_.Write("l/" + name, left);
      folder_.Write("r/" + name, right);
      folder_.SetTime("l/" + name, 1'000 + file);
      folder_.SetTime("r/" + name, 1'000 + file);
    }
  }

  std::string Text(const std::string& checkpoint, const std::string& out, int partitions,
                   Ends ends) const {
    std::string text;
    for (const char* table : {"l", "r"}) {
      text += fmt::format(
          "CREATE TABLE {0} (k BIGINT, ts TIMESTAMP(3), v STRING, WATERMARK FOR ts AS ts - "
          "INTERVAL "
          "'2' SECOND) WITH ('connector' = 'filesystem', 'path' = '{1}', 'format' = 'csv', "
          "'source.max-files-per-trigger' = '1');\n",
          table, folder_ / table);
    }
    return text +
           fmt::format(
               "CREATE TABLE o (k BIGINT, lts TIMESTAMP(3), lv STRING, rv STRING) WITH "
               "('connector' = "
               "'filesystem', 'path' = '{}', 'format' = 'csv');\n"
               "SET 'execution.mode' = '{}';\nSET 'execution.checkpoint' = '{}';\n"
               "SET 'execution.end-of-input' = '{}';\nSET 'parallelism.default' = '{}';\n"
               "INSERT INTO o SELECT l.k, l.ts, l.v, r.v FROM l LEFT JOIN r ON l.k = r.k AND r.ts "
               "BETWEEN l.ts - INTERVAL '5' SECOND AND l.ts + INTERVAL '5' SECOND;\n",
               folder_ / out, GetParam(), folder_ / checkpoint,
               ends == Ends::kFlushed ? "flush" : "hold", partitions);
  }

  Status Run(const std::string& checkpoint, const std::string& out, Ends ends,
             int partitions = 2) const {
    const ConnectorRegistry connectors = BuiltInConnectors();
    SystemClock clock;
    JobOptions options;
    options.connectors = &connectors;
    options.clock = &clock;
    if (ends == Ends::kStopped) {
      options.sink = [&](const TableDescription& table) -> Result<std::unique_ptr<Sink>> {
        std::vector<std::string> notes;
        Result<std::unique_ptr<Sink>> sink = (*connectors.Find(table))->NewSink(table, &notes);
        if (!sink) return sink;
        return std::make_unique<StoppingSink>(std::move(*sink));
      };
    }
    Result<std::unique_ptr<Job>> job =
        Job::Prepare(Text(checkpoint, out, partitions, ends), options);
    if (!job) return tl::unexpected(job.error());
    if (Status opened = (*job)->Open(); !opened) return opened;
    return (*job)->Run();
  }

  std::vector<std::string> Lines(const std::string& out) const {
    std::vector<std::string> lines;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / out)) {
      if (!entry.path().filename().string().starts_with("part-")) continue;
      std::string text = folder_.Read(out + "/" + entry.path().filename().string());
      for (size_t begin = 0; begin < text.size();) {
        const size_t end = text.find('\n', begin);
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
      }
    }
    std::sort(lines.begin(), lines.end());
    return lines;
  }

  // Runs as the input comes, with several tables and logs; the last batch is planned and not
  // published.
  void MakeInterrupted() {
    std::filesystem::remove_all(folder_ / "l");
    std::filesystem::remove_all(folder_ / "r");
    for (int file = 0; file + 2 < kFiles; ++file) {
      WriteInput(file, file + 1);
      ASSERT_TRUE(Run("checkpoint", "out", Ends::kHeld));
    }
    WriteInput(kFiles - 2, kFiles);
    const Status stopped = Run("checkpoint", "out", Ends::kStopped);
    ASSERT_FALSE(stopped);
    ASSERT_THAT(stopped.error().message, HasSubstr("stopped here"));
    std::filesystem::create_directory(folder_ / "kept");
    for (const char* name : {"checkpoint", "out"}) {
      std::filesystem::copy(folder_ / name, folder_ / (std::string("kept/") + name),
                            std::filesystem::copy_options::recursive);
    }
  }

  void PutBack() const {
    for (const char* name : {"checkpoint", "out"}) {
      std::filesystem::remove_all(folder_ / name);
      std::filesystem::copy(folder_ / (std::string("kept/") + name), folder_ / name,
                            std::filesystem::copy_options::recursive);
    }
  }

  // Files of the checkpoint that are part of it, relative to it.
  std::vector<std::string> CheckpointFiles() const {
    std::vector<std::string> names;
    const std::filesystem::path root = folder_ / "kept/checkpoint";
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      const std::string name = entry.path().filename().string();
      if (!entry.is_regular_file() || name.starts_with("LOG") || name == "LOCK") continue;
      names.push_back(std::filesystem::relative(entry.path(), root).string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  TemporaryFolder folder_;
  std::vector<std::string> expected_;
};

TEST_P(DamagedCheckpointTest, DamageIsNamedOrDoesNotMatter) {
  MakeInterrupted();
  const std::vector<std::string> files = CheckpointFiles();
  ASSERT_GE(files.size(), 7U) << testing::PrintToString(files);
  const size_t places = 100 / files.size() + 1;
  int refused = 0;
  for (const std::string& file : files) {
    const std::string whole = folder_.Read("kept/checkpoint/" + file);
    for (size_t place = 0; place <= places; ++place) {
      PutBack();
      const std::string path = "checkpoint/" + file;
      const size_t at = std::min(whole.size() - 1, whole.size() * place / places);
      std::string damaged = whole;
      const char* what = "flipped";
      if (place == 1) {
        what = "deleted";
        std::filesystem::remove(folder_ / path);
      } else if (place % 4 == 2) {
        what = "cut";
        folder_.Write(path, damaged.substr(0, at));
      } else {
        damaged[at] = static_cast<char>(damaged[at] ^ (1 << place % 8));
        folder_.Write(path, damaged);
      }
      SCOPED_TRACE(fmt::format("{} {} at {} of {}", file, what, at, whole.size()));
      const Status run = Run("checkpoint", "out", Ends::kFlushed);
      if (!run) {
        ++refused;
        const bool named = run.error().message.find(folder_ / "checkpoint") != std::string::npos;
        EXPECT_TRUE(named) << run.error().ToString();
        continue;
      }
      EXPECT_EQ(Lines("out"), expected_);
    }
  }
  EXPECT_GT(refused, 50);
}

TEST_P(DamagedCheckpointTest, EveryRetainedVersionCanBeGoneBackTo) {
  MakeInterrupted();
  const Result<CheckpointVerdict> verdict = VerifyCheckpoint(folder_ / "checkpoint");
  ASSERT_TRUE(verdict.has_value()) << verdict.error().ToString();
  for (const StoreDamage& damage : verdict->store.damage) ADD_FAILURE() << damage.what;
  ASSERT_GE(verdict->store.versions.size(), 6U);
  EXPECT_GT(verdict->num_parts, 10);
  for (const VersionInfo& info : verdict->store.versions) {
    for (const int partitions : {1, 2}) {
      SCOPED_TRACE(fmt::format("{} with {} partitions", info.version, partitions));
      PutBack();
      const Result<RollBackReport> report = RollBackStore(folder_ / "checkpoint", info.version);
      ASSERT_TRUE(report.has_value()) << report.error().ToString();
      const Status run = Run("checkpoint", "out", Ends::kFlushed, partitions);
      ASSERT_TRUE(run) << run.error().ToString();
      EXPECT_EQ(Lines("out"), expected_);
      const Result<CheckpointVerdict> after = VerifyCheckpoint(folder_ / "checkpoint");
      ASSERT_TRUE(after.has_value());
      EXPECT_THAT(after->store.damage, IsEmpty());
    }
  }
}

// Also from the end of the whole run, whose last version is finished.
TEST_P(DamagedCheckpointTest, AFinishedRunCanBeTakenBack) {
  MakeInterrupted();
  ASSERT_TRUE(Run("checkpoint", "out", Ends::kFlushed));
  for (const size_t back : {2, 4}) {
    const Result<CheckpointVerdict> verdict = VerifyCheckpoint(folder_ / "checkpoint");
    ASSERT_TRUE(verdict.has_value());
    const auto& versions = verdict->store.versions;
    ASSERT_GE(versions.size(), back);
    EXPECT_TRUE(versions.back().commit.finished);
    const int64_t version = versions[versions.size() - back].version;
    SCOPED_TRACE(version);
    const Result<RollBackReport> report = RollBackStore(folder_ / "checkpoint", version);
    ASSERT_TRUE(report.has_value()) << report.error().ToString();
    ASSERT_TRUE(Run("checkpoint", "out", Ends::kFlushed, 1));
    EXPECT_EQ(Lines("out"), expected_);
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, DamagedCheckpointTest, testing::Values("micro-batch", "per-record"),
                         [](const auto& parameter) {
                           return std::string(parameter.param) == "micro-batch" ? "MicroBatch"
                                                                                : "PerRecord";
                         });

}  // namespace
}  // namespace braid
