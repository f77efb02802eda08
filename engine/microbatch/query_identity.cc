#include "engine/microbatch/query_identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <random>
#include <system_error>

#include "engine/connectors/file_location.h"
#include "engine/connectors/file_sink.h"
#include "engine/connectors/standard_input.h"
#include "engine/plan/fingerprint_change.h"
#include "state/rows/key_word.h"
#include "state/rows/limits.h"

namespace braid {

namespace {

static_assert(2 * kJoinsMax <= kSidesMax);

SideLayout LayoutOf(const JoinPlan& join, Side side, const std::string& name) {
  const JoinSidePlan& side_plan = join.side(side);
  std::vector<DataType> key_types;
  for (const ExpressionPtr& key : side_plan.keys) key_types.push_back(key->type);
  SideLayout layout;
  layout.name = name;
  layout.hashed_key = KeyWordKindOf(key_types, join.null_safe_keys) == KeyWordKind::kHash;
  // Per-record operators keep rows without a row time by the clock, or by what finds them again.
  layout.has_time = join.per_record.has_value() || !side_plan.time.empty();
  const auto column_name = [&](int column) {
    const InputPlan& input = side_plan.input;
    // Columns of several tables may have one name.
    if (input.query != nullptr) return input.column_names[static_cast<size_t>(column)];
    return input.schema.fields[static_cast<size_t>(column)].name;
  };
  if (!layout.hashed_key && !side_plan.keys.empty()) {
    layout.key = {FormatExpression(*side_plan.keys[0], column_name), side_plan.keys[0]->type};
  }
  if (!side_plan.time.empty()) {
    layout.time = side_plan.input.schema.fields[static_cast<size_t>(side_plan.time[0].column)];
  } else if (join.per_record &&
             join.per_record->chosen == PerRecordOperator::kProcessingTimeInterval) {
    layout.time = {"processing time", DataType::TimestampLtz(3)};
  }
  for (const ExpressionPtr& payload : side_plan.payload_expressions) {
    layout.payload.fields.push_back({FormatExpression(*payload, column_name), payload->type});
  }
  return layout;
}

tl::unexpected<Error> ChangedQuery(const std::string& change) {
  return Fail(ErrorCode::kConflict, fmt::format("the query was changed, or the checkpoint belongs "
                                                "to another query: {}; go on with the query as it "
                                                "was, or name another checkpoint directory",
                                                change));
}

// The same path leads elsewhere when the job is started in another folder, or a link was changed.
std::string OutputPlace(const std::string& path) {
  const Result<std::string> local = LocalPath(path);
  return !local || path == kStandardStreamPath ? path : Location(*local);
}

// True if the folder itself was moved, with all that may have been published there.
bool WasMovedAlong(const MovedOutput& output, const std::string& query_id) {
  std::error_code failure;
  return !output.now.empty() && !std::filesystem::exists(output.path, failure) &&
         FileSink::IsOutputOf(output.now, query_id);
}

// Refuses another place for the output while the old one may hold a batch that is not committed.
Status CheckMovedOutput(VersionedStore* store, const std::string& change) {
  const auto refuse = [&](const std::string& why) {
    return Fail(ErrorCode::kConflict,
                fmt::format("{}, but {}: run the job once more with the output where it was, then "
                            "change it",
                            change, why));
  };
  const Result<std::optional<BatchPlan>> pending = store->PendingPlan();
  if (!pending) return tl::unexpected(pending.error());
  if (*pending) {
    return refuse(fmt::format("batch {} was planned and may have been published there already",
                              (*pending)->batch_id));
  }
  const Result<std::optional<VersionInfo>> latest = store->LatestVersion();
  if (!latest) return tl::unexpected(latest.error());
  if (*latest && (*latest)->commit.rolled_back) {
    return refuse(
        fmt::format("the checkpoint was rolled back to version {}, and what later ones "
                    "published is still there",
                    (*latest)->version));
  }
  return {};
}

// The places of the output so far, without those that no rollback can reach any more.
Result<std::vector<FormerOutput>> FormerOutputs(VersionedStore* store,
                                                const std::vector<FormerOutput>& before,
                                                const std::vector<MovedOutput>& moved) {
  const Result<std::vector<VersionInfo>> versions = store->Versions();
  if (!versions) return tl::unexpected(versions.error());
  std::vector<FormerOutput> outputs;
  if (versions->empty()) return outputs;
  const auto add = [&](FormerOutput output) {
    if (output.last_batch > versions->front().version) outputs.push_back(std::move(output));
  };
  for (const FormerOutput& output : before) {
    const bool is_again = std::any_of(moved.begin(), moved.end(), [&](const MovedOutput& now) {
      return now.path == output.path;
    });
    if (!is_again) add(output);
  }
  for (const MovedOutput& output : moved) {
    add({output.path, output.table, versions->back().version});
  }
  return outputs;
}

}  // namespace

std::string NewIdentifier() {
  std::random_device random;
  const auto bits = [&random] { return random(); };
  const uint32_t version = (bits() & 0x0fffU) | 0x4000U;
  const uint32_t variant = (bits() & 0x3fffU) | 0x8000U;
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:08x}{:04x}", bits(), bits() & 0xffffU, version,
                     variant, bits(), bits() & 0xffffU);
}

std::vector<std::string> TableNames(const StreamPlan& plan) {
  std::vector<std::string> names;
  for (const InputPlan* input : TableInputs(plan)) names.push_back(input->table->name);
  if (names.size() == 2 && names[0] == names[1]) {
    names[0] += " (left)";
    names[1] += " (right)";
    return names;
  }
  const std::vector<std::string> tables = names;
  for (size_t table = 0; table < tables.size(); ++table) {
    const auto begin = tables.begin();
    const auto here = begin + static_cast<std::ptrdiff_t>(table);
    if (std::count(begin, tables.end(), *here) == 1) continue;
    names[table] += fmt::format(" ({})", std::count(begin, here, *here) + 1);
  }
  return names;
}

StoreIdentity MakeIdentity(const StreamPlan& plan, const FingerprintSettings& settings) {
  StoreIdentity identity;
  identity.query_id = NewIdentifier();
  FingerprintSettings placed = settings;
  placed.output_place = OutputPlace;
  identity.fingerprint = StateFingerprint(plan, placed);
  const std::vector<const InputPlan*> tables = TableInputs(plan);
  const std::vector<std::string> names = TableNames(plan);
  const auto name_of = [&](const InputPlan& input) {
    const auto found = std::find(tables.begin(), tables.end(), &input);
    return found == tables.end() ? input.alias : names[static_cast<size_t>(found - tables.begin())];
  };
  for (const JoinPlan* join : Joins(plan)) {
    for (const Side side : kBothSides) {
      identity.sides.push_back(LayoutOf(*join, side, name_of(join->side(side).input)));
    }
  }
  return identity;
}

Status CheckIdentity(const StoreIdentity& stored, const StreamPlan& plan) {
  const std::optional<std::string> change =
      ExplainFingerprintChange(stored.fingerprint, StateFingerprint(plan));
  if (!change) return {};
  return ChangedQuery(*change);
}

Result<std::string> ClaimStore(VersionedStore* store, const StreamPlan& plan,
                               const FingerprintSettings& settings) {
  const StoreIdentity fresh = MakeIdentity(plan, settings);
  const std::optional<StoreIdentity> stored = store->identity();
  if (!stored) {
    if (Status created = store->Create(fresh); !created) return tl::unexpected(created.error());
    return fresh.query_id;
  }
  if (stored->fingerprint == fresh.fingerprint) return stored->query_id;
  const Result<FingerprintMatch> match = MatchFingerprints(stored->fingerprint, fresh.fingerprint);
  if (!match) return ChangedQuery(match.error().message);
  std::vector<MovedOutput> moved = match->moved_outputs;
  std::erase_if(moved,
                [&](const MovedOutput& output) { return WasMovedAlong(output, stored->query_id); });
  if (!moved.empty()) {
    Status safe = CheckMovedOutput(store, moved.front().change);
    if (!safe) return tl::unexpected(safe.error());
  }
  const Result<std::vector<FormerOutput>> former =
      FormerOutputs(store, stored->former_outputs, moved);
  if (!former) return tl::unexpected(former.error());
  std::vector<std::vector<uint16_t>> kept;
  for (const std::vector<FingerprintMatch::Origin>& origins : match->kept) {
    std::vector<uint16_t>& side = kept.emplace_back();
    for (const FingerprintMatch::Origin& origin : origins) {
      side.push_back(origin.value_or(kKeyWordColumn));
    }
  }
  Status adapted = store->Adapt(fresh.fingerprint, fresh.sides, kept, *former);
  if (!adapted) return tl::unexpected(adapted.error());
  return stored->query_id;
}

}  // namespace braid
