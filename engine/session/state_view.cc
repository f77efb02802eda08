#include "engine/session/state_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "braid/value.h"
#include "state/store/version_ranges.h"

namespace braid {

namespace {

using nlohmann::ordered_json;

// What stops a reader that has its `limit` rows.
constexpr ErrorCode kEnough = ErrorCode::kCancelled;

ordered_json WatermarkJson(const std::optional<Watermark>& watermark) {
  if (!watermark) return nullptr;
  if (*watermark == Watermark::Infinity()) return "+infinity";
  return FormatValue({DataType::Timestamp(3), AtMicros(*watermark).micros});
}

std::string Dump(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

// Rows of the left or the right sides of all joins.
int64_t CountRows(const BatchCommit& commit, size_t side) {
  int64_t rows = 0;
  for (; side < commit.num_state_rows.size(); side += 2) rows += commit.num_state_rows[side];
  return rows;
}

Status GiveVersions(VersionedStore* store, const LineConsumer& consumer) {
  const Result<std::vector<VersionInfo>> versions = store->Versions();
  if (!versions) return tl::unexpected(versions.error());
  for (const VersionInfo& info : *versions) {
    ordered_json line = {{"version", info.version},
                         {"noData", info.commit.no_data},
                         {"watermark", WatermarkJson(info.commit.watermark)},
                         {"nextWatermark", WatermarkJson(info.commit.next_watermark)},
                         {"leftRows", CountRows(info.commit, 0)},
                         {"rightRows", CountRows(info.commit, 1)},
                         {"finished", info.commit.finished}};
    if (Status given = consumer(Dump(line)); !given) return given;
  }
  return {};
}

// The version that is asked for, checked against those that are retained.
Result<int64_t> ChooseVersion(VersionedStore* store, const StateRequest& request) {
  const Result<std::vector<VersionInfo>> versions = store->Versions();
  if (!versions) return tl::unexpected(versions.error());
  if (versions->empty()) {
    return Fail(ErrorCode::kNotFound, "the checkpoint holds no committed batch yet");
  }
  if (!request.version) return versions->back().version;
  const bool retained =
      std::any_of(versions->begin(), versions->end(),
                  [&](const VersionInfo& info) { return info.version == *request.version; });
  if (retained) return *request.version;
  return Fail(ErrorCode::kNotFound, fmt::format("version {} is not retained; the checkpoint has {}",
                                                *request.version, VersionRanges(*versions)));
}

Result<MatchedIds> ReadMatched(VersionedStore* store, int64_t version, uint8_t side) {
  const Result<std::vector<CountChange>> counts = store->ReadCounts(version, side);
  if (!counts) return tl::unexpected(counts.error());
  MatchedIds matched;
  for (const CountChange& change : *counts) {
    if (change.count > 0) matched.insert(change.id);
  }
  return matched;
}

Status GiveRows(VersionedStore* store, const StateRequest& request, const LineConsumer& consumer) {
  const Result<int64_t> version = ChooseVersion(store, request);
  if (!version) return tl::unexpected(version.error());
  const std::optional<StoreIdentity> identity = store->identity();
  int64_t given = 0;
  for (size_t side = 0; identity && side < identity->sides.size(); ++side) {
    if (request.side && *request.side != side % 2) continue;
    const Result<MatchedIds> matched = ReadMatched(store, *version, static_cast<uint8_t>(side));
    if (!matched) return tl::unexpected(matched.error());
    const StateRowLines lines(identity->sides[side], *matched, request.style);
    Status read =
        store->ReadSide(*version, static_cast<uint8_t>(side), [&](StateRows run) -> Status {
          int64_t wanted = run.num_rows;
          if (request.limit > 0) wanted = std::min(wanted, request.limit - given);
          given += wanted;
          if (Status written = lines.Write(run, wanted, consumer); !written) return written;
          return wanted < run.num_rows ? Status(Fail(kEnough, "enough")) : Status();
        });
    if (!read && request.limit > 0 && given == request.limit && read.error().code == kEnough) {
      return {};
    }
    if (!read) return read;
  }
  return {};
}

}  // namespace

Status AnswerStateRequest(VersionedStore* store, const StateRequest& request,
                          const LineConsumer& consumer) {
  return request.what == StateRequest::What::kVersions ? GiveVersions(store, consumer)
                                                       : GiveRows(store, request, consumer);
}

std::string FormatStateRequest(const StateRequest& request) {
  ordered_json json = {
      {"command", request.what == StateRequest::What::kVersions ? "versions" : "rows"}};
  if (request.version) json["version"] = *request.version;
  if (request.side) json["side"] = *request.side;
  if (request.limit > 0) json["limit"] = request.limit;
  if (request.style == StateRowStyle::kText) json["style"] = "text";
  return Dump(json);
}

Result<StateRequest> ParseStateRequest(const std::string& line) {
  const ordered_json json = ordered_json::parse(line, nullptr, /*allow_exceptions=*/false);
  const auto number = [&json](const char* name) -> std::optional<int64_t> {
    const auto found = json.find(name);
    if (found == json.end() || !found->is_number_integer()) return std::nullopt;
    return found->get<int64_t>();
  };
  if (!json.is_object() || !json.contains("command")) {
    return Fail(ErrorCode::kInvalidInput, "a request is a JSON object with a command");
  }
  StateRequest request;
  if (json["command"] == "rows") {
    request.what = StateRequest::What::kRows;
  } else if (json["command"] != "versions") {
    return Fail(ErrorCode::kInvalidInput,
                "unknown command: versions, rows, progress and stop are known");
  }
  request.version = number("version");
  if (const std::optional<int64_t> side = number("side")) {
    if (*side != 0 && *side != 1) return Fail(ErrorCode::kInvalidInput, "side is 0 or 1");
    request.side = static_cast<uint8_t>(*side);
  }
  request.limit = std::max<int64_t>(0, number("limit").value_or(0));
  if (json.contains("style") && json["style"] == "text") request.style = StateRowStyle::kText;
  return request;
}

}  // namespace braid
