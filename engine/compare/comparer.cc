#include "engine/compare/comparer.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/compare/difference_finder.h"
#include "engine/compare/mode_run.h"
#include "engine/compare/row_match.h"

namespace braid {

namespace {

using Runs = std::array<std::unique_ptr<ModeRun>, 2>;

bool Holds(const std::vector<std::string>& texts, const std::string& text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

// What both modes say, and what one says that the other does not. That a setting has no effect in
// one of the modes is no news here.
std::vector<std::string> NotesOf(const Runs& runs) {
  std::vector<std::string> notes;
  const auto add = [&notes](const std::string& note) {
    if (!Holds(notes, note)) notes.push_back(note);
  };
  for (size_t mode = 0; mode < 2; ++mode) {
    const std::vector<std::string>& others = runs[1 - mode]->job().warnings();
    for (const std::string& warning : runs[mode]->job().warnings()) {
      const bool both = Holds(others, warning);
      add(both ? warning : std::string(ModeName(kBothModes[mode])) + ": " + warning);
    }
  }
  for (const std::string& note : runs[0]->job().notes()) {
    if (Holds(runs[1]->job().notes(), note)) add(note);
  }
  if (runs[0]->job().query().limit) {
    add("LIMIT is left out: which rows it lets through depends on the order in which they come");
  }
  return notes;
}

void CountPadded(const RowMatch& match, const std::array<const ResultRows*, 2>& results,
                 Comparison* comparison) {
  for (const auto& [first, second] : match.equal) {
    if (results[0]->kind(first) != RowKind::kPadded) continue;
    ++comparison->num_equal_padded;
    const bool same = results[0]->emitted_at(first) == results[1]->emitted_at(second);
    if (!same) ++comparison->num_padded_at_another_time;
  }
}

void CompareResults(const Runs& runs, int64_t num_rows, Comparison* comparison) {
  ResultRows first = runs[0]->TakeResult();
  ResultRows second = runs[1]->TakeResult();
  const std::array<const ResultRows*, 2> results = {&first, &second};
  RowMatch match;
  {
    const std::vector<NumberedDigest> first_rows = first.TakeFinalRows();
    const std::vector<NumberedDigest> second_rows = second.TakeFinalRows();
    match = MatchRows(first_rows, second_rows);
    comparison->modes[0].num_final_rows = static_cast<int64_t>(first_rows.size());
    comparison->modes[1].num_final_rows = static_cast<int64_t>(second_rows.size());
  }
  comparison->modes[0].delays = first.MakeDelays();
  comparison->modes[1].delays = second.MakeDelays();
  comparison->num_equal = static_cast<int64_t>(match.equal.size());
  CountPadded(match, results, comparison);
  const LateRows first_late = runs[0]->TakeLateRows();
  const LateRows second_late = runs[1]->TakeLateRows();
  const DifferenceFinder finder(results, {&first_late, &second_late}, match.only);
  for (size_t mode = 0; mode < 2; ++mode) comparison->only[mode] = finder.Describe(mode, num_rows);
}

}  // namespace

Result<Comparison> Compare(std::string_view text, const JobOptions& options, int64_t num_rows) {
  Runs runs;
  for (const Mode mode : kBothModes) {
    Result<std::unique_ptr<ModeRun>> run = ModeRun::Prepare(mode, text, options);
    if (!run) return tl::unexpected(run.error());
    runs[Index(mode)] = std::move(*run);
  }
  for (const std::unique_ptr<ModeRun>& run : runs) {
    if (Status fine = run->CheckInput(); !fine) return tl::unexpected(fine.error());
  }
  Comparison comparison;
  comparison.notes = NotesOf(runs);
  for (const Field& field : runs[0]->job().plan().output.fields) {
    comparison.schema.fields.push_back(field);
  }
  comparison.schema.fields.resize(static_cast<size_t>(runs[0]->num_columns()));
  for (const std::unique_ptr<ModeRun>& run : runs) {
    if (Status done = run->Run(); !done) return tl::unexpected(done.error());
  }
  const auto started = std::chrono::steady_clock::now();
  for (size_t mode = 0; mode < 2; ++mode) comparison.modes[mode] = runs[mode]->figures();
  CompareResults(runs, num_rows, &comparison);
  const auto taken = std::chrono::steady_clock::now() - started;
  comparison.compare_micros = std::chrono::duration_cast<std::chrono::microseconds>(taken).count();
  return comparison;
}

}  // namespace braid
