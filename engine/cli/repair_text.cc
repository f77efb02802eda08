#include "engine/cli/repair_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace braid {

namespace {

// Sources whose rows come once: a socket counts lines (docs/format/offsets.md).
bool ComesOnce(const OffsetRange& range) { return range.end.starts_with("{\"lines\":"); }

std::string ListVersions(const std::vector<VersionInfo>& versions) {
  if (versions.empty()) return "no version";
  if (versions.size() == 1) return fmt::format("version {}", versions[0].version);
  return fmt::format("{} versions ({} to {})", versions.size(), versions.front().version,
                     versions.back().version);
}

std::string WhatCanBeDone(const std::string& directory, const CheckpointVerdict& verdict) {
  std::string text = "What can be done:\n";
  const std::vector<int64_t>& whole = verdict.store.whole_versions;
  const std::vector<StoreDamage>& all = verdict.store.damage;
  const auto is_at = [](StoreDamage::Place place) {
    return [place](const StoreDamage& damage) { return damage.place == place; };
  };
  if (std::all_of(all.begin(), all.end(), is_at(StoreDamage::Place::kMark))) {
    return text + "- remove that file: all else is whole, and the next run writes it anew\n";
  }
  if (!whole.empty() && std::none_of(all.begin(), all.end(), is_at(StoreDamage::Place::kList))) {
    text +=
        fmt::format("- go back to the newest version that is whole: braid state {} --rollback {}\n",
                    directory, whole.back());
  }
  text +=
      "- put the checkpoint back from a copy; the next run goes on from there\n"
      "- begin with a new checkpoint directory and a new output folder: the input is read from its "
      "beginning\n";
  return text;
}

}  // namespace

std::string DescribeVerdict(const std::string& directory, const CheckpointVerdict& verdict) {
  const StoreVerdict& store = verdict.store;
  if (store.damage.empty()) {
    return fmt::format("The checkpoint in {} is whole: {}, {} records, {} input files listed.\n",
                       directory, ListVersions(store.versions), store.num_records,
                       verdict.num_parts);
  }
  std::string text = fmt::format("The checkpoint in {} is damaged:\n", directory);
  for (const StoreDamage& damage : store.damage) text += fmt::format("- {}\n", damage.what);
  return text + WhatCanBeDone(directory, verdict);
}

std::string DescribeRollBack(const std::string& directory, int64_t version,
                             const RollBackReport& report) {
  if (report.was_newest) {
    return fmt::format("Version {} is the newest one in {}: there is nothing to do.\n", version,
                       directory);
  }
  std::string text;
  if (report.left_damage) text += "What was damaged is gone with the versions that needed it.\n";
  text += fmt::format(
      "Version {} is the newest one now{}. The next run goes on from there: it first removes the "
      "output files\nof batch {} and later ones. A sink that is no folder gets their rows again.\n",
      version, report.from > version ? fmt::format("; it was {}", report.from) : "", version + 1);
  for (const FormerOutput& output : report.former_outputs) {
    text += fmt::format("- '{}', where {} was written up to batch {}: removes them there, too\n",
                        output.path, output.table, output.last_batch);
  }
  for (const OffsetRange& range : report.given_up) {
    text += fmt::format("- table {}: {}\n", range.table,
                        ComesOnce(range)
                            ? fmt::format("the lines after {} came over a socket and cannot be "
                                          "read again, unless the sender sends them again",
                                          range.start.empty() ? "the beginning" : range.start)
                            : fmt::format("reads again from {}",
                                          range.start.empty() ? "the beginning" : range.start));
  }
  return text;
}

}  // namespace braid
