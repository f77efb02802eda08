#include "engine/cli/job_arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

namespace braid {

namespace {

// Splits "name=value".
Result<std::pair<std::string, std::string>> SplitAssignment(const std::string& flag,
                                                            const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return Fail(ErrorCode::kInvalidOption,
                fmt::format("{} {}: write it as {} name=value", flag, text, flag));
  }
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

// A job that cannot be read is a wrong command line: nothing was run.
Result<std::string> ReadWholeFile(const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  int failure = file == nullptr ? errno : 0;
  std::string text;
  std::array<char, 1 << 16> block;
  while (failure == 0) {
    const size_t size = std::fread(block.data(), 1, block.size(), file);
    if (size == 0 && std::ferror(file) != 0) failure = errno;
    if (size == 0) break;
    text.append(block.data(), size);
  }
  if (file != nullptr) std::fclose(file);
  if (failure == 0) return text;
  return Fail(ErrorCode::kInvalidOption, fmt::format("the job file '{}' cannot be read: {}", path,
                                                     std::generic_category().message(failure)));
}

}  // namespace

Option FlagOption(std::string flag, std::string value) {
  Option option{std::move(value), {}};
  option.place.file = std::move(flag);
  return option;
}

void JobArguments::AddTo(CLI::App* command) {
  AddFileTo(command);
  AddFlagsTo(command);
}

void JobArguments::AddWithoutModeTo(CLI::App* command) {
  AddFileTo(command);
  AddAssignmentsTo(command);
}

void JobArguments::AddFileTo(CLI::App* command) {
  command->add_option("job", file, "SQL file with the tables and one INSERT or SELECT")->required();
}

void JobArguments::AddWithStatementTo(CLI::App* command) {
  command
      ->add_option("statement", statement,
                   "what a job file holds: a SELECT, perhaps with SET and CREATE TABLE before it")
      ->required();
  AddFlagsTo(command);
}

void JobArguments::AddFlagsTo(CLI::App* command) {
  AddAssignmentsTo(command);
  command->add_option("--mode", mode, "micro-batch (default) or per-record");
}

void JobArguments::AddAssignmentsTo(CLI::App* command) {
  command->add_option("--define", defines, "NAME=value, replaces ${NAME} in the text")
      ->type_name("NAME=value");
  command->add_option("--set", settings, "key=value, as SET 'key' = 'value' in the text")
      ->type_name("key=value");
}

Result<std::string> JobArguments::ReadText() const {
  return statement ? *statement : ReadWholeFile(file);
}

Result<std::unique_ptr<Job>> JobArguments::PrepareJob(const SettingList& extra,
                                                      const ConnectorRegistry& connectors,
                                                      Clock* clock) const {
  const Result<std::string> text = ReadText();
  if (!text) return tl::unexpected(text.error());
  const Result<JobOptions> options = MakeJobOptions(extra, connectors, clock);
  if (!options) return tl::unexpected(options.error());
  return Job::Prepare(*text, *options);
}

Result<JobOptions> JobArguments::MakeJobOptions(const SettingList& extra,
                                                const ConnectorRegistry& connectors,
                                                Clock* clock) const {
  JobOptions options;
  options.file_name = file;
  options.defaults.emplace_back("print.format", Option{print_format, {}});
  options.connectors = &connectors;
  options.clock = clock;
  options.planner = planner;
  for (const std::string& define : defines) {
    Result<std::pair<std::string, std::string>> split = SplitAssignment("--define", define);
    if (!split) return tl::unexpected(split.error());
    options.defines.insert_or_assign(std::move(split->first), std::move(split->second));
  }
  for (const std::string& setting : settings) {
    Result<std::pair<std::string, std::string>> split = SplitAssignment("--set", setting);
    if (!split) return tl::unexpected(split.error());
    options.settings.emplace_back(std::move(split->first), FlagOption("--set", split->second));
  }
  if (mode) options.settings.emplace_back("execution.mode", FlagOption("--mode", *mode));
  options.settings.insert(options.settings.end(), extra.begin(), extra.end());
  return options;
}

namespace {

void PrintGuessedTables(const Job& job) {
  for (const std::string& table : job.guessed_tables()) std::fprintf(stderr, "%s", table.c_str());
}

void PrintNotes(const Job& job) {
  for (const std::string& note : job.notes()) std::fprintf(stderr, "note: %s\n", note.c_str());
}

}  // namespace

void PrintPlan(const Job& job) {
  PrintGuessedTables(job);
  std::printf("%s", job.Explain().c_str());
  PrintNotes(job);
}

void PrintWarnings(const Job& job) {
  PrintGuessedTables(job);
  for (const std::string& warning : job.warnings()) {
    std::fprintf(stderr, "warning: %s\n", warning.c_str());
  }
  PrintNotes(job);
}

}  // namespace braid
