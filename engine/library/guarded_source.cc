#include "engine/library/guarded_source.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace braid {

GuardedSource::GuardedSource(std::string table, std::unique_ptr<Source> source)
    : what_("the source of " + std::move(table)), source_(std::move(source)) {}

GuardedSource::~GuardedSource() = default;

TriggerLimits GuardedSource::trigger_limits() const {
  return thrown_.Or(what_, TriggerLimits(), [&] { return source_->trigger_limits(); });
}

std::string GuardedSource::location() const {
  return thrown_.Or(what_, "", [&] { return source_->location(); });
}

std::string GuardedSource::bad_records_location() const {
  return thrown_.Or(what_, "", [&] { return source_->bad_records_location(); });
}

void GuardedSource::KeepIn(const std::string& directory) {
  thrown_.Try(what_, [&] { source_->KeepIn(directory); });
}

std::string GuardedSource::description() const {
  return thrown_.Or(what_, what_, [&] { return source_->description(); });
}

bool GuardedSource::is_finite() const {
  return thrown_.Or(what_, true, [&] { return source_->is_finite(); });
}

bool GuardedSource::can_replay() const {
  return thrown_.Or(what_, true, [&] { return source_->can_replay(); });
}

Status GuardedSource::Open(const std::string& start) {
  if (Status fine = thrown_.status(); !fine) return fine;
  return CallProgram(what_, [&] { return source_->Open(start); });
}

Status GuardedSource::StopAtLatest() {
  return CallProgram(what_, [&] { return source_->StopAtLatest(); });
}

Result<SourceNext> GuardedSource::Next(const SliceLimits& limits) {
  if (Status fine = thrown_.status(); !fine) return tl::unexpected(fine.error());
  return CallProgram(what_, [&] { return source_->Next(limits); });
}

Status GuardedSource::Replay(const std::string& start, const std::string& end,
                             const std::string& replay,
                             const std::function<Status(SourceSlice)>& consumer) {
  return CallProgram(what_, [&] { return source_->Replay(start, end, replay, consumer); });
}

Status GuardedSource::Commit(const std::string& end) {
  return CallProgram(what_, [&] { return source_->Commit(end); });
}

void GuardedSource::Interrupt() {
  thrown_.Try(what_, [&] { source_->Interrupt(); });
}

std::string GuardedSource::latest_offset() const {
  return thrown_.Or(what_, "", [&] { return source_->latest_offset(); });
}

std::optional<int64_t> GuardedSource::backlog_bytes() const {
  return thrown_.Or(what_, std::nullopt, [&] { return source_->backlog_bytes(); });
}

SourceFactory GuardSource(SourceFactory factory) {
  return [factory = std::move(factory)](
             const TableDescription& table,
             const std::vector<int>& read_columns) -> Result<std::unique_ptr<Source>> {
    const std::string what = "the source of " + table.name;
    Result<std::unique_ptr<Source>> source =
        CallProgram(what, [&] { return factory(table, read_columns); });
    if (!source) return source;
    if (*source == nullptr) return Fail(ErrorCode::kProgram, what + " is null", table.place);
    return std::make_unique<GuardedSource>(table.name, std::move(*source));
  };
}

}  // namespace braid
