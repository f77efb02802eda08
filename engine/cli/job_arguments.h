// What the commands about a job have in common on the command line: the file, or for `query` the
// statement itself, and --define, --set, --mode.
//
// Thread rule: one thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "braid/clock.h"
#include "braid/error.h"
#include "engine/connectors/connector_registry.h"
#include "engine/session/job.h"

namespace CLI {
class App;
}  // namespace CLI

namespace braid {

struct JobArguments {
  std::string file;                      // Of a command that takes one …
  std::optional<std::string> statement;  // … else the text itself.
  std::vector<std::string> defines;      // NAME=value
  std::vector<std::string> settings;     // key=value
  std::optional<std::string> mode;
  std::string print_format = "row";  // Of a bare SELECT, unless a setting says it.
  // As JobOptions::planner.
  std::function<Result<StreamPlan>(const BoundQuery& query, const Settings& settings)> planner;

  // Add the options to a subcommand.
  void AddTo(CLI::App* command);
  void AddWithStatementTo(CLI::App* command);
  // The file, --define and --set, but not --mode.
  void AddWithoutModeTo(CLI::App* command);

  // The statement, or what the file holds.
  Result<std::string> ReadText() const;
  // What the arguments say of the job. `extra` settings win over all others.
  Result<JobOptions> MakeJobOptions(const SettingList& extra, const ConnectorRegistry& connectors,
                                    Clock* clock) const;

  // Reads the file and prepares the job. `extra` settings win over all others.
  Result<std::unique_ptr<Job>> PrepareJob(const SettingList& extra,
                                          const ConnectorRegistry& connectors, Clock* clock) const;

 private:
  void AddFlagsTo(CLI::App* command);
  void AddFileTo(CLI::App* command);
  void AddAssignmentsTo(CLI::App* command);
};

// What a flag sets: an error about it names the flag (--trigger) as its place.
Option FlagOption(std::string flag, std::string value);

// The plan with its warnings on standard output; what was guessed of files, and notes, on standard
// error.
void PrintPlan(const Job& job);

// What was guessed of files, warnings and notes, each on a line of its own, on standard error.
void PrintWarnings(const Job& job);

}  // namespace braid
