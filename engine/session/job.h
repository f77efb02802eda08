// A job: one SQL file with its settings, planned and ready to run. This is where SQL, plan,
// connectors, store and mode are put together; the command and the library both start here.
//
//   Prepare   text -> bound script -> settings -> plan (nothing is opened)
//   Open      store, sources, sink -> TriggeredQuery
//   Run       the trigger loop
//
// Ownership: the registry, the clock and the tables of JobOptions are borrowed or shared and must
// outlive the job.
// Thread rule: one thread at a time; Stop from any thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "braid/clock.h"
#include "braid/connector.h"
#include "braid/error.h"
#include "braid/progress.h"
#include "braid/trigger.h"
#include "engine/connectors/connector_registry.h"
#include "engine/microbatch/output_sinks.h"
#include "engine/microbatch/trigger_loop.h"
#include "engine/microbatch/triggered_query.h"
#include "engine/microbatch/watermark_options.h"
#include "engine/plan/row_report.h"
#include "engine/plan/stream_plan.h"
#include "engine/session/settings.h"
#include "engine/sql/logical_plan.h"
#include "state/rows/time_zone.h"
#include "state/state_budget.h"
#include "state/versioned_store.h"

namespace braid {

struct BlockNews;

struct JobOptions {
  std::string file_name;                       // For places in errors.
  std::map<std::string, std::string> defines;  // ${NAME}
  bool replaces_defines = true;                // False: ${NAME} stands for itself.
  SettingList defaults;                        // Those of the file win over them.
  SettingList settings;                        // Win over those of the file.
  std::optional<Trigger> trigger;              // Wins over execution.trigger.
  std::vector<TablePtr> tables;                // Tables that a program brings.
  // Instead of the connectors of these tables: by name, as the text declares it.
  std::map<std::string, SourceFactory, std::less<>> sources;
  SinkFactory sink;  // Instead of the INSERT's connector or of printing; null for neither.
  // Instead of MakeStreamPlan, for a command that wants something else of the query than to run it.
  std::function<Result<StreamPlan>(const BoundQuery& query, const Settings& settings)> planner;
  // Instead of the connectors of the tables of late and unmatched rows: by name.
  std::map<std::string, SinkFactory, std::less<>> report_sinks;
  SinkFactory late_rows_sink;  // Instead of any connector of the table of late rows; may be null.
  // As if no setting named a checkpoint: nothing is kept.
  bool ignores_checkpoint = false;
  // Per-record mode, as PerRecordQueryOptions and PerRecordQuery say.
  bool tells_event_time = false;
  std::function<void(const BlockNews&)> block_listener;
  const ConnectorRegistry* connectors = nullptr;
  Clock* clock = nullptr;
};

struct PerRecordOptions;

class Job {
 public:
  static Result<std::unique_ptr<Job>> Prepare(std::string_view text, const JobOptions& options);
  ~Job();

  // What a user reads before it runs; all warnings are part of it.
  std::string Explain() const;
  const std::vector<std::string>& warnings() const { return warnings_; }
  const std::vector<std::string>& notes() const { return notes_; }
  const Settings& settings() const { return settings_; }
  const StreamPlan& plan() const { return *plan_; }
  const BoundQuery& query() const { return *script_.query; }
  // How the watermark of each table that is read moves, in the order of the plan's inputs.
  const std::vector<WatermarkOptions>& watermark_options() const { return watermark_options_; }
  const std::vector<TablePtr>& script_tables() const { return script_.tables; }
  // What was guessed of the files in FROM: CREATE TABLE statements with comments.
  const std::vector<std::string>& guessed_tables() const { return guessed_tables_; }
  bool is_explain() const { return script_.query->explain; }
  // Flush or hold, by the settings or by whether there is a checkpoint.
  EndOfInput end_of_input() const;

  // The sources alone, one a table of the plan, not opened yet: to read the input for something
  // else than a run.
  Result<std::vector<std::unique_ptr<Source>>> MakeSources();
  const TimeZone* zone() const { return zone_.get(); }
  // What the settings say of the joins of per-record mode, for a run without a checkpoint.
  PerRecordOptions per_record_options() const;

  // Opens the store (the checkpoint directory, or none), sources and sink.
  Status Open();
  // The same with a store of the caller's: in tests, one that outlives the job.
  Status OpenWith(std::shared_ptr<VersionedStore> store);

  // After Open. Runs until the inputs end, it fails or Stop is called.
  Status Run();
  // Lets the running batch end; a Run that has not begun yet returns at once.
  void Stop();
  bool stop_requested() const;  // Any thread.
  // Ends the run at once, without the running batch: as a kill does, the next run on the checkpoint
  // runs it again. Run then returns without an error. From any thread.
  void Abandon();
  bool is_abandoned() const;  // Any thread.
  // Called by Abandon, on its thread. Before Open.
  void SetAbandonListener(std::function<void()> listener) {
    abandon_listener_ = std::move(listener);
  }

  // After Open.
  TriggeredQuery& running() { return *query_; }
  TriggerLoop& trigger_loop() { return *loop_; }
  VersionedStore* store() { return store_.get(); }  // Null without a checkpoint.
  Trigger trigger() const { return trigger_; }

 private:
  Job() = default;

  Status PlanScript(std::string_view text, const JobOptions& options);
  Status ReadTableWatermarks();
  // The table of the result of a bare SELECT: its rows are printed.
  TableDefinition PrintTable() const;
  TableDescription Describe(const TableDefinition& table) const;
  std::vector<const InputPlan*> inputs() const;
  Status CheckSourceNames() const;
  // The tables that late-rows.table and unmatched-rows.table name, before and after planning.
  Result<ReportTables> FindReportTables() const;
  Result<TablePtr> FindReportTable(const char* key, const std::optional<Option>& name) const;
  Status CheckReportTables() const;
  Result<std::unique_ptr<Source>> MakeSource(const InputPlan& input);
  Result<std::unique_ptr<Sink>> MakeConnectorSink(const TableDescription& table);
  Result<std::unique_ptr<Sink>> MakeSink();
  Result<std::unique_ptr<Sink>> MakeReportSink(const RowReport& report);
  Result<OutputSinks> MakeSinks();
  Trigger ChooseTrigger(const std::vector<std::unique_ptr<Source>>& sources) const;
  Status OpenAll();
  Status Advised(Status status) const;
  // Sources and sinks, before the store is made: a refusal leaves nothing behind.
  struct Ends {
    std::vector<std::unique_ptr<Source>> sources;
    OutputSinks sinks;
  };
  Result<Ends> MakeEnds();
  Status OpenWith(Ends ends, std::shared_ptr<VersionedStore> store);
  Status RefuseReadingOwnOutput(const Ends& ends) const;
  Status RefuseSharedOutput(const OutputSinks& sinks) const;
  Status RefuseUnrepeatable(const Ends& ends) const;
  Status RefuseChanges(const Ends& ends) const;
  Status MakeMicroBatchQuery(Ends ends, std::shared_ptr<VersionedStore> store);
  Status MakePerRecordQuery(Ends ends, std::shared_ptr<VersionedStore> store);
  // By the settings; null without a budget.
  std::shared_ptr<StateBudget> MakeBudget() const;
  bool is_durable() const { return store_ != nullptr; }
  bool until_latest() const;

  Script script_;
  Settings settings_;
  std::shared_ptr<const StreamPlan> plan_;
  std::vector<WatermarkOptions> watermark_options_;
  std::shared_ptr<const TimeZone> zone_;
  bool tells_event_time_ = false;
  std::function<void(const BlockNews&)> block_listener_;
  std::vector<bool> source_changes_;  // Whether each source gives changes; once they are made.
  std::map<std::string, SourceFactory, std::less<>> source_factories_;
  SinkFactory sink_factory_;
  std::map<std::string, SinkFactory, std::less<>> report_sink_factories_;
  SinkFactory late_rows_sink_factory_;
  const ConnectorRegistry* connectors_ = nullptr;
  Clock* clock_ = nullptr;
  std::vector<std::string> warnings_;
  std::vector<std::string> notes_;
  std::vector<std::string> guessed_tables_;

  std::shared_ptr<VersionedStore> store_;
  std::unique_ptr<TriggeredQuery> query_;
  Trigger trigger_;
  mutable std::mutex mutex_;
  std::unique_ptr<TriggerLoop> loop_;  // Set under mutex_.
  bool stop_requested_ = false;        // Guarded by mutex_: Stop may come before Open is through.
  bool is_abandoned_ = false;          // Likewise.
  std::function<void()> abandon_listener_;
};

}  // namespace braid
