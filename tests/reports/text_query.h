// A whole query in memory, fed and read as text, so that a report's steps and rows stand in a test
// as they stand in the report.
//
// Tables are `l` and `r`, of memory; rows are their columns between blanks, "-" for NULL, times in
// seconds:
//
//   TextQuery query({.select = "SELECT l.k, l.ts, r.ts FROM l LEFT JOIN r ON …"});
//   query.Step("l: 1 10 a, 2 11 b | r: 1 12 x")   ->  "1 10 12 / * 2 11 -"
//
// A step is one trigger. Its batches are parted by " / ", those without input begin with "*", the
// last one of a flush with "!"; rows are sorted and parted by ", ". A row that takes another one
// back or that replaces it begins with its change kind, "-D", "-U" or "+U", in input and output.
//
// PerRecord(text) runs the text record by record; a step then reads all that is there and ends with
// a checkpoint, which makes its rows visible.
//
// Ownership: streams, results and the store live as long as the TextQuery, over restarts.
// Thread rule: one thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "braid/error.h"
#include "braid/progress.h"
#include "engine/connectors/memory.h"
#include "engine/session/job.h"
#include "state/versioned_store.h"
#include "tests/cli/command_runner.h"

namespace braid::testing {

struct QueryText {
  std::string select;
  // What stands between the brackets of CREATE TABLE. The watermark's delay is 0, as in the
  // reports.
  std::string left = "k BIGINT, ts TIMESTAMP(3), v STRING, WATERMARK FOR ts AS ts";
  std::string right = "k BIGINT, ts TIMESTAMP(3), w STRING, WATERMARK FOR ts AS ts";
  // Pairs of SET; the trigger is asap and the end of input hold unless they say otherwise.
  std::vector<std::pair<std::string, std::string>> settings = {};
  // More options of the tables: ", 'key' = 'value'".
  std::string left_options = {};
  std::string right_options = {};
  std::string more_tables = {};  // CREATE TABLE name (…) WITH ('connector' = 'memory');
  bool on_disk = false;          // State in LevelDB, in a directory of its own.
  int retain_versions = 10;
  // What the query asks of the result's sink (begin, write, publish a batch) fails after so many
  // times.
  int sink_calls_max = -1;
  bool per_record = false;     // Set by PerRecord: a step ends with a checkpoint.
  bool gives_changes = false;  // The tables take rows back.
  bool is_live = false;        // The tables never end.
};

// The same record by record, with checkpoints at the ends of steps alone.
QueryText PerRecord(QueryText text);

class TextQuery {
 public:
  explicit TextQuery(QueryText text);
  ~TextQuery();

  // Opens the job, or opens it again on the state and the input that there are. Called by Step.
  Status Start();
  // Ends the run, as after a crash, and goes on with `text`.
  Status Restart(QueryText text);
  Status Restart() { return Restart(text_); }

  // Gives rows to the tables; runs nothing.
  void Push(const std::string& rows);
  // Runs one trigger. Gives the batches, or "error: …".
  std::string Trigger();
  std::string Step(const std::string& rows) {
    Push(rows);
    return Trigger();
  }
  // Runs the loop of the job's own trigger until it ends.
  std::string Run();
  // Ends the input of both tables, or of one; the next trigger sees it.
  void EndInput();
  void EndInput(const std::string& table);

  // The query's clock stands still but for this.
  void AdvanceClock(Interval time) { clock_.AdvanceTo(clock_.Now() + time); }

  // All rows that were published, sorted and parted by ", "; those of one of `more_tables`.
  std::string AllRows() const;
  std::string AllRows(const std::string& table) const;
  // Of the newest batch.
  const BatchProgress& progress() const { return progress_.back(); }
  int64_t state_rows() const { return progress().state->num_rows_total; }
  // Over all batches of all runs.
  int64_t late_rows() const;
  int64_t removed_rows() const;
  Job& job() { return *job_; }
  // Called after each batch.
  void SetListener(std::function<void()> listener) { listener_ = std::move(listener); }

 private:
  Status Prepare();
  void MakeStreams();
  Status RunSteps();
  std::string BatchesSince(size_t first) const;
  std::string RowsOfBatch(int64_t batch_id) const;

  QueryText text_;
  TemporaryDirectory directory_;
  ManualClock clock_;
  ConnectorRegistry connectors_;
  std::vector<std::shared_ptr<MemoryStream>> streams_;
  std::shared_ptr<MemoryResult> result_ = std::make_shared<MemoryResult>();
  // Of the tables beside the result, by name.
  std::map<std::string, std::shared_ptr<MemoryResult>> more_results_;
  std::shared_ptr<VersionedStore> store_;
  std::unique_ptr<Job> job_;
  bool started_ = false;
  Status failure_;  // Of the last start.
  std::vector<BatchProgress> progress_;
  std::function<void()> listener_;
};

// The error that the query is refused with; empty if it can be run.
std::string RefusalOf(const QueryText& text);

// The warnings of a query that can be run, in one text.
std::string WarningsOf(const QueryText& text);

// "SELECT l.k, l.ts, r.ts FROM l <type> JOIN r ON l.k = r.k AND r.ts BETWEEN l.ts AND l.ts + <s>
// seconds": the Q(s) of the reports. SEMI and ANTI give the columns of l alone.
std::string RangeJoin(const std::string& type, int seconds, const std::string& more = "");

}  // namespace braid::testing
