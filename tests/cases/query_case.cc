// Runs one recorded case of a whole per-record query, from its SQL to its final rows, in every way
// that must give the same: each order of reading, in memory and with a checkpoint, whole and with a
// stop and restart after every record.
//
//   query_case_test FILE...
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "engine/connectors/memory.h"
#include "engine/session/job.h"
#include "tests/cases/case_file.h"
#include "tests/cases/case_values.h"
#include "tests/cases/ticking_clock.h"

namespace braid::testing {
namespace {

using nlohmann::json;

struct Variant {
  std::string interleave;
  bool restarts = false;

  std::string ToString() const {
    return interleave + (restarts ? ", restarted after every record" : "");
  }
};

class CaseRun {
 public:
  CaseRun(const json& file, const Variant& variant)
      : file_(file), variant_(variant), result_(std::make_shared<MemoryResult>()) {
    part_ = file.contains("braid") ? file.at("braid") : file.at("perrecord_e2e");
  }

  // Empty if all is as it must be, else what differs.
  std::string Run() {
    const Status ran = Play();
    if (part_.contains("error")) return ran ? "the query must be refused, but ran" : "";
    return ran ? Compare() : ran.error().ToString();
  }

 private:
  std::string Script() const {
    std::string text = fmt::format(
        "SET 'execution.mode' = 'per-record';\n"
        "SET 'execution.checkpointing.interval' = '1 ms';\n"
        "SET 'source.interleave' = '{}';\n",
        variant_.interleave);
    for (const auto& [name, table] : file_.at("tables").items()) text += CreateTable({name, table});
    return text + file_.at("query").get<std::string>() + ";\n";
  }

  void FillStreams(const Job& job) {
    for (const TablePtr& table : job.script_tables()) {
      auto stream =
          std::make_shared<MemoryStream>(table->physical_schema(), MemoryStream::Kind::kFinite);
      for (const json& row : file_.at("tables").at(table->name).at("rows")) {
        const Status pushed = stream->Push(RowsOf(json::array({row}), stream->shared_schema()));
        if (!pushed) std::cerr << pushed.error().ToString() << "\n";
      }
      stream->End();
      streams_[table->name] = stream;
    }
  }

  Result<std::unique_ptr<Job>> Prepare() {
    JobOptions options;
    const auto memory = std::make_shared<MemoryConnector>();
    for (const auto& [table, stream] : streams_) memory->AddStream(table, stream);
    memory->AddResult("the result", result_);
    connectors_ = ConnectorRegistry();
    for (const char* name : {"memory", "print"}) connectors_.Add(name, memory);
    options.connectors = &connectors_;
    options.clock = &clock_;
    return Job::Prepare(Script(), options);
  }

  Status Play() {
    Result<std::unique_ptr<Job>> job = Prepare();
    if (!job) return tl::unexpected(job.error());
    FillStreams(**job);
    std::shared_ptr<VersionedStore> store;
    if (variant_.restarts) store = NewMemoryStore({});
    while (true) {
      job = Prepare();
      if (!job) return tl::unexpected(job.error());
      if (Status opened = (*job)->OpenWith(store); !opened) return opened;
      if (!variant_.restarts) return (*job)->Run();
      TriggeredQuery& query = (*job)->running();
      if (Status started = query.Start(); !started) return started;
      const Result<TriggeredQuery::Ran> ran = query.RunTrigger();
      if (!ran) return tl::unexpected(ran.error());
      if (*ran == TriggeredQuery::Ran::kEnd) return {};
      ++num_lives_;
    }
  }

  // What the changelog leaves, and which kinds of change it had.
  std::string Compare() const {
    std::map<std::string, int> rows;
    std::set<std::string> kinds;
    for (const RowBatch& batch : result_->Rows()) {
      for (int64_t row = 0; row < batch.num_rows(); ++row) {
        const ChangeKind kind = batch.change_kind(row);
        kinds.insert(ChangeKindText(kind));
        rows[RowToJson(batch, row).dump()] += IsAccumulation(kind) ? 1 : -1;
      }
    }
    json left = json::array();
    for (const auto& [row, count] : rows) {
      if (count < 0) return fmt::format("{} is taken back more often than it is given", row);
      for (int copy = 0; copy < count; ++copy) left.push_back(json::parse(row));
    }
    if (SortedRows(left) != SortedRows(part_.at("rows"))) {
      return fmt::format("rows must be\n    {}\n  and are\n    {}",
                         json(SortedRows(part_.at("rows"))).dump(), json(SortedRows(left)).dump());
    }
    if (part_.contains("change_kinds")) {
      const auto wanted = part_.at("change_kinds").get<std::set<std::string>>();
      if (kinds != wanted) {
        return fmt::format("kinds of change must be {} and are {}", json(wanted).dump(),
                           json(kinds).dump());
      }
    }
    if (variant_.restarts && num_lives_ < 2) return "it was never restarted";
    return "";
  }

  const json& file_;
  const Variant variant_;
  json part_;
  std::shared_ptr<MemoryResult> result_;
  TickingClock clock_;
  ConnectorRegistry connectors_;
  std::map<std::string, std::shared_ptr<MemoryStream>> streams_;
  int num_lives_ = 0;
};

int RunAllVariants(const std::string& path) {
  std::ifstream stream(path);
  const json file = json::parse(stream, nullptr, false);
  if (file.is_discarded() || !file.contains("perrecord_e2e")) {
    std::cerr << path << ": not a case of a whole per-record query\n";
    return 2;
  }
  int failures = 0;
  for (const char* interleave : {"event-time", "round-robin", "left-first", "arrival"}) {
    for (const bool restarts : {false, true}) {
      const Variant variant{interleave, restarts};
      const std::string failure = CaseRun(file, variant).Run();
      if (failure.empty()) continue;
      ++failures;
      std::cerr << file.at("name").get<std::string>() << " (" << variant.ToString()
                << "): " << failure << "\n";
    }
  }
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace braid::testing

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: query_case_test FILE...\n";
    return 2;
  }
  int exit_code = 0;
  for (int i = 1; i < argc; ++i) {
    exit_code = std::max(exit_code, braid::testing::RunAllVariants(argv[i]));
  }
  return exit_code;
}
