// Runs one recorded case in every way that must give the same: 1 and 3 partitions, in memory and on
// LevelDB, whole and with a stop and restart from the checkpoint after every batch.
//
//   case_test [--memory-only] FILE...
//
// With --memory-only the variants on LevelDB, which cost most of the time, are left out: for
// thousands of generated cases.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/connectors/memory.h"
#include "engine/session/job.h"
#include "tests/cases/case_file.h"
#include "tests/cases/case_values.h"

namespace braid::testing {
namespace {

using nlohmann::json;

struct Variant {
  int parallelism = 1;
  bool on_disk = false;
  bool restarts = false;

  std::string ToString() const {
    return fmt::format("{} partition(s), {}{}", parallelism, on_disk ? "LevelDB" : "memory",
                       restarts ? ", restarted after every batch" : "");
  }
};

// A sink whose life ends with its first batch: the next one fails before it begins, as in a crash
// right after the commit.
class OneBatchSink final : public Sink {
 public:
  OneBatchSink(std::unique_ptr<Sink> sink, bool one_batch)
      : sink_(std::move(sink)), one_batch_(one_batch) {}
  std::string description() const override { return sink_->description(); }
  Status Open(const SinkContext& context) override { return sink_->Open(context); }
  Status BeginBatch(int64_t batch_id) override {
    if (one_batch_ && began_) return Fail(ErrorCode::kCancelled, "stopped after one batch");
    began_ = true;
    return sink_->BeginBatch(batch_id);
  }
  Status Write(int partition, const RowBatch& rows) override {
    return sink_->Write(partition, rows);
  }
  Status PublishBatch(int64_t batch_id) override { return sink_->PublishBatch(batch_id); }

 private:
  std::unique_ptr<Sink> sink_;
  bool one_batch_;
  bool began_ = false;
};

class CaseConnector final : public Connector {
 public:
  CaseConnector(std::map<std::string, std::shared_ptr<MemoryStream>> streams,
                std::shared_ptr<MemoryResult> result, bool one_batch)
      : streams_(std::move(streams)), result_(std::move(result)), one_batch_(one_batch) {}
  Result<std::unique_ptr<Source>> NewSource(const TableDescription& table,
                                            const std::vector<int>& read_columns,
                                            std::vector<std::string>*) const override {
    return std::make_unique<MemorySource>(table.name, streams_.at(table.name), read_columns);
  }
  Result<std::unique_ptr<Sink>> NewSink(const TableDescription& table,
                                        std::vector<std::string>*) const override {
    return std::make_unique<OneBatchSink>(std::make_unique<MemorySink>(table.name, result_),
                                          one_batch_);
  }

 private:
  std::map<std::string, std::shared_ptr<MemoryStream>> streams_;
  std::shared_ptr<MemoryResult> result_;
  bool one_batch_;
};

// Where checkpoints of a case live: in memory if the system has such a place. What they hold is the
// point here, not that a disk kept it.
std::filesystem::path ScratchFolder() {
  const char* const kInMemory = "/dev/shm";
  return access(kInMemory, W_OK) == 0 ? kInMemory : std::filesystem::temp_directory_path();
}

class CaseRun {
 public:
  CaseRun(const CaseFile& file, Variant variant, std::string directory)
      : file_(file), variant_(variant), directory_(std::move(directory)) {}

  // Empty if all is as it must be, else what differs.
  std::string Run() {
    const std::string failure = RunSteps();
    if (file_.expected.refused) {
      return failure.empty() ? "the query must be refused, but ran" : "";
    }
    return failure.empty() ? Compare() : failure;
  }

 private:
  Status OpenJob(bool one_batch) {
    job_.reset();
    connectors_ = ConnectorRegistry();
    connectors_.Add("memory", std::make_shared<CaseConnector>(streams_, result_, one_batch));
    connectors_.Add("print", std::make_shared<CaseConnector>(streams_, result_, one_batch));
    JobOptions options;
    options.connectors = &connectors_;
    options.clock = &clock_;
    Result<std::unique_ptr<Job>> job =
        Job::Prepare(CaseScript(file_, variant_.parallelism), options);
    if (!job) return tl::unexpected(job.error());
    job_ = std::move(*job);
    if (streams_.empty()) {
      for (const CaseTable& table : file_.tables) {
        Schema schema;
        for (const TablePtr& definition : script_tables()) {
          if (definition->name == table.name) schema = definition->physical_schema();
        }
        streams_[table.name] =
            std::make_shared<MemoryStream>(schema, MemoryStream::Kind::kInfinite);
      }
      return OpenJob(one_batch);
    }
    if (variant_.on_disk) {
      store_.reset();
      Result<std::unique_ptr<VersionedStore>> store =
          OpenLevelDbStore(directory_, {}, /*read_only=*/false);
      if (!store) return tl::unexpected(store.error());
      store_ = std::move(*store);
    } else if (store_ == nullptr && variant_.restarts) {
      store_ = NewMemoryStore({});
    }
    if (Status opened = job_->OpenWith(store_); !opened) return opened;
    job_->running().SetProgressListener(
        [this](const BatchProgress& progress) { progress_.emplace_back(step_, progress); });
    return job_->running().Start();
  }

  const std::vector<TablePtr>& script_tables() const { return job_->script_tables(); }

  std::string RunSteps() {
    Status status = OpenJob(variant_.restarts);
    for (step_ = 0; status && step_ < file_.steps.size(); ++step_) {
      for (const auto& [table, rows] : file_.steps[step_].items()) {
        if (rows.empty()) continue;
        const std::shared_ptr<MemoryStream>& stream = streams_.at(table);
        status = stream->Push(RowsOf(rows, stream->shared_schema()));
        if (!status) break;
      }
      if (status) status = RunStep();
    }
    return status ? "" : status.error().ToString();
  }

  Status RunStep() {
    Result<TriggeredQuery::Ran> ran = job_->running().RunTrigger();
    if (!variant_.restarts) return ran ? Status() : Status(tl::unexpected(ran.error()));
    // Each life runs one batch; lives follow each other until nothing is left to do.
    while (true) {
      if (!ran && ran.error().code != ErrorCode::kCancelled) return tl::unexpected(ran.error());
      const bool idle = ran && *ran == TriggeredQuery::Ran::kNothing;
      Status opened = OpenJob(true);
      if (!opened && opened.error().code != ErrorCode::kCancelled) return opened;
      if (idle) return opened;
      if (!opened) {
        ran = tl::unexpected(opened.error());
      } else {
        ran = job_->running().RunTrigger();
      }
    }
  }

  json BatchToJson(size_t step, const BatchProgress& progress) const {
    json rows = json::array();
    for (const RowBatch& batch : result_->Batch(progress.batch_id)) {
      for (int64_t row = 0; row < batch.num_rows(); ++row) {
        rows.push_back(RowToJson(batch, row));
      }
    }
    json watermark = nullptr;
    if (progress.has_watermark) {
      watermark = progress.watermark ? progress.watermark->millis : 0;
    }
    json state = json::object();
    if (progress.state) {
      state = {{"rows_total", progress.state->num_rows_total},
               {"rows_updated", progress.state->num_rows_updated},
               {"rows_removed", progress.state->num_rows_removed},
               {"rows_dropped_by_watermark", progress.state->num_rows_dropped_by_watermark},
               {"rows_null_time", progress.state->rows_null_time}};
    }
    return {{"batch", progress.batch_id}, {"step", step}, {"no_data", progress.no_data},
            {"watermark_ms", watermark},  {"rows", rows}, {"state", state}};
  }

  std::string Compare() const {
    const json& expected = file_.expected.batches;
    if (expected.size() != progress_.size()) {
      return fmt::format("{} batches ran, {} must", progress_.size(), expected.size());
    }
    for (size_t index = 0; index < progress_.size(); ++index) {
      const json actual = BatchToJson(progress_[index].first, progress_[index].second);
      for (const auto& [field, wanted] : expected[index].items()) {
        if (field == "rows" || field == "state") continue;
        if (actual.at(field) != wanted) return Difference(index, field, wanted, actual.at(field));
      }
      if (SortedRows(actual.at("rows")) != SortedRows(expected[index].at("rows"))) {
        return Difference(index, "rows", expected[index].at("rows"), actual.at("rows"));
      }
      json wanted_state = expected[index].at("state");
      if (file_.expected.null_times_counted && !wanted_state.contains("rows_null_time")) {
        wanted_state["rows_null_time"] = 0;
      }
      for (const auto& [count, wanted] : wanted_state.items()) {
        const json& given = actual.at("state").at(count);
        if (given != wanted) return Difference(index, count, wanted, given);
      }
    }
    return "";
  }

  static std::string Difference(size_t batch, const std::string& what, const json& wanted,
                                const json& given) {
    return fmt::format("batch {}: {} must be\n    {}\n  and is\n    {}", batch, what, wanted.dump(),
                       given.dump());
  }

  const CaseFile& file_;
  Variant variant_;
  std::string directory_;
  ManualClock clock_;
  ConnectorRegistry connectors_;
  std::map<std::string, std::shared_ptr<MemoryStream>> streams_;
  std::shared_ptr<MemoryResult> result_ = std::make_shared<MemoryResult>();
  std::shared_ptr<VersionedStore> store_;
  std::unique_ptr<Job> job_;
  size_t step_ = 0;
  std::vector<std::pair<size_t, BatchProgress>> progress_;
};

// What the program must exit with: 0, 1 if a variant fails, 2 if the machine does.
int RunAllVariants(const std::string& path, bool memory_only) {
  const CaseFile file = ReadCaseFile(path);
  int failures = 0;
  for (const int parallelism : {1, 3}) {
    for (const bool on_disk : {false, true}) {
      if (on_disk && memory_only) continue;
      for (const bool restarts : {false, true}) {
        const Variant variant{parallelism, on_disk, restarts};
        std::string directory = ScratchFolder() / "braid-case-XXXXXX";
        if (mkdtemp(directory.data()) == nullptr) {
          std::cerr << "no temporary directory\n";
          return 2;
        }
        const std::string failure = CaseRun(file, variant, directory).Run();
        std::filesystem::remove_all(directory);
        if (failure.empty()) continue;
        ++failures;
        std::cerr << file.name << " (" << variant.ToString() << "): " << failure << "\n";
      }
    }
  }
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace braid::testing

int main(int argc, char** argv) {
  std::vector<std::string> paths(argv + 1, argv + argc);
  const bool memory_only = std::erase(paths, "--memory-only") > 0;
  if (paths.empty()) {
    std::cerr << "usage: case_test [--memory-only] FILE...\n";
    return 2;
  }
  int exit_code = 0;
  for (const std::string& path : paths) {
    exit_code = std::max(exit_code, braid::testing::RunAllVariants(path, memory_only));
  }
  return exit_code;
}
